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
  std::optional<std::int64_t> model_version;  // ModelVersionRow::id: it was used as this version of a model
};

class TrialSourceStore {
 public:
  // Of one trial; a search over many checkpoints has fewer.
  static constexpr int kMostPerTrial = 1'000;

  explicit TrialSourceStore(pg::Pool& pool) : pool_(pool) {}

  // What was noted of the two before is overwritten. kNotFound: no such checkpoint or version, or it was deleted;
  // kAborted: its files are going; kFailedPrecondition: the trial has kMostPerTrial others.
  Task<Status> note(TrialSource source);
  // The trials that use the checkpoint, the latest first; up to `most`. Nothing: of every kind.
  Task<Result<std::vector<model::TrialId>>> trials_of(std::string checkpoint, std::optional<TrialSourceKind> kind,
                                                      int most);
  // The same of those that used a version of a model as such, by ModelVersionRow::id.
  Task<Result<std::vector<model::TrialId>>> trials_of_version(std::int64_t version, std::optional<TrialSourceKind> kind,
                                                              int most);

 private:
  pg::Pool& pool_;
};

}  // namespace det::store
