#pragma once

// Places in the queue that people gave to jobs. Belongs to the io thread; Pool outlives it.

#include <cstdint>
#include <map>

#include "base/turns.h"
#include "store/cluster/job_store.h"

namespace det::store {

// Of those that are not over and that somebody moved.
struct JobPlaces {
  std::map<model::ExperimentId, std::int64_t> experiments;
  std::map<std::int64_t, std::int64_t> tasks;  // by task number

  bool operator==(const JobPlaces&) const = default;
};

class QueuePlaceStore {
 public:
  explicit QueuePlaceStore(pg::Pool& pool) : pool_(pool) {}

  Task<Result<JobPlaces>> places();

  enum class Side : std::uint8_t { kAhead, kBehind };
  // Puts `moved` next to `anchor`; both have one priority and one pool by now. kFailedPrecondition when one of them is
  // not in the queue, or they have not. Tells kQueueChannel. One after the other: a request may ask for a thousand.
  Task<Status> move(JobStore::JobOf moved, Side side, JobStore::JobOf anchor);

 private:
  pg::Pool& pool_;
  Turns moves_{1};
};

}  // namespace det::store
