#pragma once

// What the profiler of a trial measured of its machines, in both forms that harnesses report it. Belongs to the io
// thread; Pool outlives it.

#include <cstdint>
#include <string>
#include <vector>

#include "base/clock.h"
#include "model/ids.h"
#include "pg/pool.h"

namespace det::store {

// Which of the curves.
struct ProfilerSeries {
  model::TrialId trial;
  std::string name;
  std::string agent;
  std::string gpu;   // uuid, or empty
  std::string type;  // a word of the wire, or empty

  bool operator==(const ProfilerSeries&) const = default;
};

struct ProfilerBatch {
  ProfilerSeries series;
  std::vector<double> values;
  std::vector<std::int64_t> batches;  // as many, or none where that is not known
  std::vector<WallTime> times;
};

// How far somebody has read.
struct ProfilerPlace {
  std::int64_t batch = 0;
  WallTime time;
  std::int64_t series = 0;  // of several reports at that time
};

struct ProfilerPage {
  std::vector<ProfilerBatch> batches;
  ProfilerPlace next;
  bool is_last = true;
};

class ProfilerStore {
 public:
  explicit ProfilerStore(pg::Pool& pool) : pool_(pool) {}

  Task<Status> add(std::vector<ProfilerBatch> batches);
  // Each curve once; 1,000 at most.
  Task<Result<std::vector<ProfilerSeries>>> series(model::TrialId trial);
  // Of one curve, or of all GPUs where `wanted` names none of them; of its type where it has one.
  Task<Result<ProfilerPage>> read(ProfilerSeries wanted, ProfilerPlace after);

 private:
  pg::Pool& pool_;
};

}  // namespace det::store
