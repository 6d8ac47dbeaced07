#pragma once

// Which checkpoints trials use, besides those that they train on from. Belongs to the io thread; Pool outlives it.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "model/ids.h"
#include "pg/pool.h"

namespace det::store {

enum class TrialSourceKind : std::uint8_t { kInference, kFineTuning };

struct TrialSource {
  model::TrialId trial;
  std::string checkpoint;  // uuid
  TrialSourceKind kind = TrialSourceKind::kInference;
};

class TrialSourceStore {
 public:
  // Of one trial; a search over many checkpoints has fewer.
  static constexpr int kMostPerTrial = 1'000;

  explicit TrialSourceStore(pg::Pool& pool) : pool_(pool) {}

  // What was noted of the two before is overwritten. kNotFound: no such checkpoint, or it was deleted; kAborted: its
  // files are going; kFailedPrecondition: the trial has kMostPerTrial others.
  Task<Status> note(TrialSource source);
  // The trials that use the checkpoint, the latest first; up to `most`. Nothing: of every kind.
  Task<Result<std::vector<model::TrialId>>> trials_of(std::string checkpoint, std::optional<TrialSourceKind> kind,
                                                      int most);

 private:
  pg::Pool& pool_;
};

}  // namespace det::store
