#pragma once

// Checkpoints as harnesses report them: what was saved, how large, at which step. The files themselves are in the
// user's storage. Belongs to the io thread; Pool outlives it.

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "base/clock.h"
#include "model/ids.h"
#include "model/states.h"
#include "pg/pool.h"
#include "store/page.h"

namespace det::store {

struct CheckpointRow {
  std::string uuid;
  std::string task_id;
  std::string allocation_id;
  std::optional<model::TrialId> trial;  // filled from the task
  WallTime report_time;
  model::CheckpointState state = model::CheckpointState::kCompleted;
  std::int64_t steps = 0;  // metadata.steps_completed
  nlohmann::json metadata = nlohmann::json::object();
  nlohmann::json resources = nlohmann::json::object();  // path -> bytes, as numbers
  std::int64_t bytes = 0;                               // their sum; filled on reading
  std::optional<std::int64_t> storage_id;
};

// With what it was trained with, for people and `det checkpoint`.
struct CheckpointView {
  CheckpointRow row;
  std::optional<model::ExperimentId> experiment;
  std::optional<model::UserId> owner;  // of the experiment
  nlohmann::json experiment_config;    // null without a trial
  nlohmann::json hparams;
  std::optional<double> searcher_metric;  // at exactly these steps
  nlohmann::json validation_metrics;      // name -> value at these steps, null when there are none
  nlohmann::json training_metrics;
};

enum class CheckpointSort : std::uint8_t { kUuid, kTrialId, kSteps, kReportTime, kState, kSearcherMetric, kMetric };

struct CheckpointQuery {
  std::optional<model::TrialId> trial;  // one of the two
  std::optional<model::ExperimentId> experiment;
  std::vector<model::CheckpointState> states;
  CheckpointSort sort = CheckpointSort::kReportTime;
  std::string metric;  // for kMetric: name of a validation metric
  // Nothing: ascending, but for kSearcherMetric best first.
  std::optional<Order> order;
  Page page;

  // Whose value is shown as the searcher's; empty: that one's.
  [[nodiscard]] std::string named_metric() const { return sort == CheckpointSort::kMetric ? metric : std::string(); }
};

struct LatestCheckpoint {
  std::string uuid;
  std::int64_t steps = 0;
};

// By uuid, what is left of a checkpoint's files (path -> bytes). None of them makes it DELETED, with the list of those
// that there were last; fewer make it PARTIALLY_DELETED, the same leaves it.
using CheckpointPatches = std::map<std::string, nlohmann::json>;

class CheckpointStore {
 public:
  explicit CheckpointStore(pg::Pool& pool) : pool_(pool) {}

  // Idempotent by uuid; a repeated report replaces state, metadata and resources, but not those of one that was deleted
  // since. kNotFound for an unknown task, kAlreadyExists when the checkpoint is another task's, kInvalidArgument for a
  // storage that its experiment was not given, kFailedPrecondition when the model registry holds it and its state or
  // its files would change.
  Task<Status> report(CheckpointRow checkpoint);
  // The tasks that made these checkpoints, each once; unknown ones have none.
  Task<Result<std::vector<std::string>>> tasks_of(std::vector<std::string> uuids);
  Task<Result<std::optional<CheckpointView>>> find(std::string uuid);
  Task<Result<Paged<CheckpointView>>> list(CheckpointQuery query);
  // The same, for who shows them a few at a time: which they are, and those of these uuids, in their order, without
  // those that are gone. `metric`: the query's named_metric().
  Task<Result<Paged<std::string>>> list_uuids(CheckpointQuery query);
  Task<Result<std::vector<CheckpointView>>> views(std::vector<std::string> uuids, std::string metric);
  // The section checkpoint_storage of where its files are, with its secrets; null where the run named another place
  // than its experiment may use. kNotFound for an unknown one.
  Task<Result<nlohmann::json>> storage_of(std::string uuid);
  // The completed one of most steps, from which a trial goes on.
  Task<Result<std::optional<LatestCheckpoint>>> latest(model::TrialId trial);
  // What a trial without a checkpoint of its own starts from: the checkpoint `uuid`, else the latest of `trial`; empty
  // when neither is asked for. kInvalidArgument, with the searcher's field, when there is no such checkpoint (any
  // more).
  Task<Result<std::string>> warm_start(std::optional<std::string> uuid, std::optional<model::TrialId> trial);
  // All of them or none. kNotFound for an unknown uuid, kFailedPrecondition for one that the model registry holds.
  Task<Status> patch(CheckpointPatches patches);
  // What people say of a checkpoint, in place of what was said before. kNotFound for an unknown one.
  Task<Status> set_metadata(std::string uuid, nlohmann::json metadata);
  // The number of this section checkpoint_storage, for the harness' "runs/start": the same for the same one, good for
  // checkpoints of this experiment only.
  Task<Result<std::int64_t>> storage_id(model::ExperimentId experiment, nlohmann::json section);

 private:
  pg::Pool& pool_;
};

}  // namespace det::store
