#include "store/removals/removal_store.h"

#include <map>
#include <utility>

#include "store/channels.h"
#include "store/registry/registered_checkpoints.h"
#include "store/removals/experiment_deletion.h"
#include "store/removals/removal_plan.h"
#include "store/sql.h"
#include "store/tasks/task_store.h"

namespace det::store {
namespace {

using nlohmann::json;

const char* const kTerminal = "state IN ('COMPLETED', 'CANCELED', 'ERROR')";

// uuid::text of a checkpoint's removal, as an array.
const char* const kColumns =
    "SELECT r.id, r.experiment_id, r.storage, r.globs, r.tensorboard, r.reason, r.attempts, r.task_id, r.next_try, "
    "r.error, to_json(ARRAY(SELECT rc.uuid::text FROM removal_checkpoints rc WHERE rc.removal_id = r.id ORDER BY 1)) "
    "FROM removals r ";
// Indexes removals_pending, removals_experiment.
const char* const kPending =
    "WHERE r.state = 'PENDING' AND r.id > $1 AND NOT EXISTS (SELECT 1 FROM removals o WHERE o.experiment_id = "
    "r.experiment_id AND o.state = 'PENDING' AND o.id < r.id) ORDER BY r.id LIMIT $2";
const char* const kOfTask = "WHERE r.task_id = $1";  // removals_task

const char* const kFindAsked =
    "SELECT c.uuid, t.experiment_id, e.owner_id, c.state = 'DELETED', e.unmanaged AND coalesce(e.config #>> "
    "'{checkpoint_storage,type}' IN ('shared_fs', 'directory'), false) FROM checkpoints c JOIN trials t ON t.id = "
    "c.trial_id JOIN experiments e ON e.id = t.experiment_id WHERE c.uuid = ANY($1::uuid[])";
// Which of these were saved by a task that is of no experiment.
const char* const kOfTasks =
    "SELECT c.uuid, k.id FROM checkpoints c JOIN tasks k ON k.number = c.task_number WHERE c.uuid = ANY($1::uuid[]) "
    "AND c.trial_id IS NULL LIMIT 1";
// Only a removal of all files makes another one needless.
const char* const kGoingWhole =
    "SELECT rc.uuid FROM removal_checkpoints rc JOIN removals r ON r.id = rc.removal_id WHERE rc.uuid = "
    "ANY($1::uuid[]) AND r.state = 'PENDING' AND r.globs @> '[\"**/*\"]'";

const std::string kIsDue = "collection = 'DUE' AND state IN ('COMPLETED', 'CANCELED', 'ERROR')";
const std::string kDue =
    "SELECT id, config, live, EXISTS (SELECT 1 FROM allocations a JOIN trials t ON t.id = a.trial_id WHERE a.ended_at "
    "IS NULL AND t.experiment_id = e.id) AS is_open, unmanaged AND coalesce(config #>> '{checkpoint_storage,type}' IN "
    "('shared_fs', 'directory'), false) FROM experiments e WHERE " +
    kIsDue;
// Those with a run that is open come last.
const std::string kLockDue =
    kDue + " ORDER BY is_open, id LIMIT " + std::to_string(RemovalStore::kMostDue) + " FOR UPDATE OF e SKIP LOCKED";
const std::string kLockOneDue = kDue + " AND id = $1 FOR UPDATE OF e SKIP LOCKED";
const std::string kDueIds = "SELECT id FROM experiments WHERE " + kIsDue + " AND id > $1 ORDER BY id LIMIT $2";
// Besides those that were planned: rows that others held are passed over, so that nobody waits for them here.
const std::string kAnyDue = "SELECT EXISTS (SELECT 1 FROM experiments WHERE " + kIsDue + ")";
const char* const kPlanned = "UPDATE experiments SET collection = 'DONE' WHERE id = $1";
const char* const kMakeDue = "UPDATE experiments SET collection = 'DUE' WHERE id = $1";

const char* const kLockExperiment = "SELECT 1 FROM experiments WHERE id = $1 FOR UPDATE";
const char* const kIsRemovingTensorBoard =
    "SELECT 1 FROM removals WHERE experiment_id = $1 AND tensorboard AND state = 'PENDING'";
const char* const kTensorBoardProgress =
    "SELECT state, error FROM removals WHERE experiment_id = $1 AND tensorboard ORDER BY id DESC LIMIT 1";
const char* const kEmptied =
    "SELECT e.id, NOT EXISTS (SELECT 1 FROM removals r WHERE r.experiment_id = e.id AND r.state = 'FAILED') FROM "
    "experiments e WHERE e.state = 'DELETING' AND NOT EXISTS (SELECT 1 FROM removals r WHERE r.experiment_id = e.id "
    "AND r.state = 'PENDING') AND e.id > $1 ORDER BY e.id LIMIT $2";

const char* const kLock = "SELECT state FROM removals WHERE id = $1 FOR UPDATE";
const char* const kStart = "UPDATE removals SET attempts = attempts + 1, task_id = $2 WHERE id = $1";
// Which files there were is still to be read, as upstream has it.
const char* const kDeleted =
    "UPDATE checkpoints c SET state = 'DELETED', size = 0 FROM removal_checkpoints rc JOIN removals "
    "r ON r.id = rc.removal_id WHERE rc.uuid = c.uuid AND r.id = $1 AND r.globs @> '[\"**/*\"]'";
const char* const kDone = "UPDATE removals SET state = 'DONE', error = '', ended_at = now() WHERE id = $1";
// An attempt for which no task could be made was not counted by kStart.
const char* const kRetry =
    "UPDATE removals SET error = $2, next_try = $3, attempts = attempts + (task_id IS NULL)::int, task_id = NULL "
    "WHERE id = $1 AND state = 'PENDING'";
// A pod that removes files tells what is left when it is through with all of them: of one that failed nobody knows. All
// attempts' tasks have such names (operator/removal/removal_task.h).
const char* const kMayBeInPart =
    "UPDATE checkpoints c SET state = 'PARTIALLY_DELETED' FROM removal_checkpoints rc JOIN removals r ON r.id = "
    "rc.removal_id WHERE rc.uuid = c.uuid AND r.id = $1 AND r.state = 'PENDING' AND r.globs @> '[\"**/*\"]' AND "
    "c.state = "
    "'COMPLETED' AND (r.task_id IS NOT NULL OR EXISTS (SELECT 1 FROM standalone_tasks s WHERE s.object_name LIKE "
    "'checkpoint-gc-' || r.experiment_id || '-' || r.id || '-%'))";
const char* const kGiveUp =
    "UPDATE removals SET error = $2, state = 'FAILED', attempts = attempts + (task_id IS NULL)::int, ended_at = now() "
    "WHERE id = $1 AND state = 'PENDING'";

const char* const kHeld =
    "SELECT count(DISTINCT e.id), count(c.uuid), least(coalesce(sum(c.size), 0), 9223372036854775807)::bigint FROM "
    "experiments e LEFT JOIN trials t ON "
    "t.experiment_id = e.id LEFT JOIN checkpoints c ON c.trial_id = t.id AND c.state <> 'DELETED' WHERE e.collection = "
    "'HELD' AND NOT e.unmanaged AND e.state IN ('COMPLETED', 'CANCELED', 'ERROR')";
// What ran elsewhere follows its policy when that is changed, not by itself.
const char* const kRelease =
    "UPDATE experiments SET collection = 'DUE' WHERE collection = 'HELD' AND NOT unmanaged AND ";

// A day: REST keeps the code before the row that refers to it.
const char* const kSweepCode =
    "DELETE FROM model_definitions m WHERE m.created_at < now() - interval '1 day' AND NOT EXISTS (SELECT 1 FROM "
    "experiments e WHERE e.context_sha256 = m.sha256) AND NOT EXISTS (SELECT 1 FROM standalone_tasks s WHERE "
    "s.context_sha256 = m.sha256)";

Removal read_removal(const pqxx::row& row) {
  return {.id = row[0].as<std::int64_t>(),
          .experiment = {row[1].as<std::int64_t>()},
          .storage = as_json(row[2]),
          .uuids = as_json(row[10]).get<std::vector<std::string>>(),
          .globs = as_json(row[3]).get<std::vector<std::string>>(),
          .tensorboard = row[4].as<bool>(),
          .reason = as_text(row[5]),
          .attempts = row[6].as<int>(),
          .task_id = as_text(row[7]),
          .next_try = as_time(row[8]),
          .error = as_text(row[9])};
}

std::string joined(const auto& uuids) {
  std::string text;
  for (const std::string& uuid : uuids) text += (text.empty() ? "" : ", ") + uuid;
  return text;
}

const std::vector<std::string>& all_files() {
  static const std::vector<std::string> globs = {model::kAllFiles};
  return globs;
}

// What is asked for, by experiment, without what needs nothing more.
Result<std::map<std::int64_t, std::vector<std::string>>> asked_for(pg::Transaction& tx, const RemovalRequest& asked) {
  std::set<std::string> missing;
  for (const std::string& uuid : asked.uuids) missing.insert(uuid);
  std::vector<std::string> wanted;
  std::map<std::string, std::int64_t> experiments;
  for (const auto& row : run_sql(tx, kFindAsked, text_array(asked.uuids))) {
    const std::string uuid = as_text(row[0]);
    missing.erase(uuid);
    if (asked.owner && row[2].as<std::int64_t>() != asked.owner->value) {
      return fail(ErrorCode::kPermissionDenied, "checkpoint " + uuid +
                                                    " is of another user's experiment: only its owner and admins can "
                                                    "delete it");
    }
    if (row[3].as<bool>()) continue;
    if (row[4].as<bool>()) {
      return fail(ErrorCode::kFailedPrecondition, "checkpoint " + uuid +
                                                      " was saved into a folder by a trial that ran outside of the "
                                                      "cluster: remove its files there");
    }
    wanted.push_back(uuid);
    experiments[uuid] = row[1].as<std::int64_t>();
  }
  if (!missing.empty()) {
    const auto of_tasks = run_sql(tx, kOfTasks, text_array(asked.uuids));
    if (of_tasks.empty()) return fail(ErrorCode::kNotFound, "checkpoints not found: " + joined(missing));
    return fail(ErrorCode::kUnimplemented,
                "checkpoint " + as_text(of_tasks[0][0]) + " was saved by task " + as_text(of_tasks[0][1]) +
                    ": only files of experiments' checkpoints are removed; remove these in its storage");
  }
  // Locks them first: a version that is being added is seen.
  const auto needed = needed_checkpoints(tx, wanted, Needs::kRunning);
  if (const auto registered = registered_of(tx, wanted); !registered.empty()) {
    return held_by_registry(registered, "deleted");
  }
  if (!needed.empty()) {
    return fail(ErrorCode::kFailedPrecondition,
                "checkpoints in use by what has not ended, as its source or as where it goes on from: " +
                    joined(needed) + ". Wait for its end, or stop it");
  }
  for (const auto& row : run_sql(tx, kGoingWhole, text_array(wanted))) experiments.erase(as_text(row[0]));
  std::map<std::int64_t, std::vector<std::string>> by_experiment;
  for (const auto& [uuid, experiment] : experiments) by_experiment[experiment].push_back(uuid);
  return by_experiment;
}

Result<bool> lock_pending(pg::Transaction& tx, std::int64_t id) {
  const pqxx::result found = run_sql(tx, kLock, id);
  if (found.empty()) return not_found("removal", std::to_string(id));
  return as_text(found[0][0]) == "PENDING";
}

}  // namespace

Task<Result<std::vector<std::string>>> RemovalStore::preview(model::ExperimentId id, model::GcPolicy policy) {
  auto body = [=](pg::Transaction& tx) -> Result<std::vector<std::string>> {
    return given_up(tx, id, policy, Plan::kPreview);
  };
  const auto turn = co_await previews_.wait(to_string(id));
  co_return co_await pool_.read("preview a checkpoint policy", std::move(body));
}

Task<Result<std::int64_t>> RemovalStore::request(RemovalRequest request) {
  auto body = [asked = std::move(request)](pg::Transaction& tx) -> Result<std::int64_t> {
    const auto by_experiment = asked_for(tx, asked);
    DET_TRY(by_experiment);
    std::int64_t count = 0;
    for (const auto& [experiment, uuids] : *by_experiment) {
      count += insert_removals(tx, {.experiment = {experiment},
                                    .uuids = uuids,
                                    .globs = asked.globs,
                                    .tensorboard = false,
                                    .reason = asked.reason});
    }
    notify(tx, kRemovalChannel, "");
    return count;
  };
  co_return co_await pool_.write("request a removal", std::move(body));
}

Task<Status> RemovalStore::request_tensorboard(model::ExperimentId id) {
  auto body = [id](pg::Transaction& tx) -> Status {
    if (run_sql(tx, kLockExperiment, id.value).empty()) return not_found("experiment", to_string(id));
    if (!run_sql(tx, kIsRemovingTensorBoard, id.value).empty()) return {};
    insert_removals(tx, {.experiment = id,
                         .uuids = {},
                         .globs = all_files(),
                         .tensorboard = true,
                         .reason = "its TensorBoard files were deleted"});
    notify(tx, kRemovalChannel, "");
    return {};
  };
  co_return co_await pool_.write("request a removal of TensorBoard files", std::move(body));
}

Task<Result<RemovalProgress>> RemovalStore::tensorboard_progress(model::ExperimentId id) {
  auto body = [id](pg::Transaction& tx) -> Result<RemovalProgress> {
    const pqxx::result found = run_sql(tx, kTensorBoardProgress, id.value);
    if (found.empty()) return RemovalProgress{.is_over = true, .error = ""};  // with its experiment
    const std::string state = as_text(found[0][0]);
    return RemovalProgress{.is_over = state != "PENDING", .error = state == "DONE" ? "" : as_text(found[0][1])};
  };
  co_return co_await pool_.read("progress of a removal of TensorBoard files", std::move(body));
}

Task<Status> RemovalStore::begin_delete(model::ExperimentId id) {
  auto body = [id](pg::Transaction& tx) -> Status { return begin_deletion(tx, id); };
  co_return co_await pool_.write("begin to delete an experiment", std::move(body));
}

Task<Status> RemovalStore::policy_changed(model::ExperimentId id) {
  auto body = [id](pg::Transaction& tx) -> Status {
    notify(tx, kRemovalChannel, "");
    return changed_one(run_sql(tx, kMakeDue, id.value), "experiment", to_string(id));
  };
  co_return co_await pool_.write("change a checkpoint policy", std::move(body));
}

Task<Result<std::vector<model::ExperimentId>>> RemovalStore::due(std::int64_t after) {
  auto body = [after](pg::Transaction& tx) -> Result<std::vector<model::ExperimentId>> {
    std::vector<model::ExperimentId> ids;
    for (const auto& row : run_sql(tx, kDueIds, after, kMostDue)) ids.push_back({row[0].as<std::int64_t>()});
    return ids;
  };
  co_return co_await pool_.read("due checkpoint removals", std::move(body));
}

Task<Result<RemovalStore::Planned>> RemovalStore::plan_due(Epoch epoch, std::optional<model::ExperimentId> only) {
  auto body = [epoch, only](pg::Transaction& tx) -> Result<Planned> {
    DET_TRY(check_epoch(tx, epoch));
    Planned planned;
    for (const auto& row : only ? run_sql(tx, kLockOneDue, only->value) : run_sql(tx, kLockDue)) {
      if (row[3].as<bool>()) {
        planned.has_later = true;
        break;
      }
      const model::ExperimentId id{row[0].as<std::int64_t>()};
      // The folders of trials that ran elsewhere no pod reaches.
      const bool is_elsewhere = row[4].as<bool>();
      auto uuids = given_up(tx, id, model::gc_policy_of(as_json(row[1]), as_json(row[2])), Plan::kFinal);
      if (!uuids.empty() && !is_elsewhere) {
        insert_removals(tx, {.experiment = id,
                             .uuids = std::move(uuids),
                             .globs = all_files(),
                             .tensorboard = false,
                             .reason = "the experiment's policy gives them up"});
      }
      run_sql(tx, kPlanned, id.value);
      ++planned.experiments;
    }
    if (!planned.has_later) planned.has_later = run_sql(tx, kAnyDue)[0][0].as<bool>();
    return planned;
  };
  co_return co_await pool_.write("plan checkpoint removals", std::move(body));
}

Task<Result<std::vector<Removal>>> RemovalStore::pending(std::int64_t after) {
  auto body = [after](pg::Transaction& tx) -> Result<std::vector<Removal>> {
    std::vector<Removal> some;
    for (const auto& row : run_sql(tx, std::string(kColumns) + kPending, after, kMostPending)) {
      some.push_back(read_removal(row));
    }
    return some;
  };
  co_return co_await pool_.read("pending removals", std::move(body));
}

Task<Result<std::optional<Removal>>> RemovalStore::of_task(std::string task_id) {
  auto body = [task_id](pg::Transaction& tx) -> Result<std::optional<Removal>> {
    const pqxx::result found = run_sql(tx, std::string(kColumns) + kOfTask, task_id);
    if (found.empty()) return std::nullopt;
    return read_removal(found[0]);
  };
  co_return co_await pool_.read("removal of a task", std::move(body));
}

Task<Result<TaskRow>> RemovalStore::start(Epoch epoch, std::int64_t id, NewTask task) {
  auto body = [epoch, id, task = std::move(task)](pg::Transaction& tx) -> Result<TaskRow> {
    DET_TRY(check_epoch(tx, epoch));
    const auto is_pending = lock_pending(tx, id);
    DET_TRY(is_pending);
    if (!*is_pending) return fail(ErrorCode::kFailedPrecondition, "removal " + std::to_string(id) + " is over");
    auto row = insert_task(tx, task);
    DET_TRY(row);
    run_sql(tx, kStart, id, row->id);
    return row;
  };
  co_return co_await pool_.write("start a removal", std::move(body));
}

Task<Status> RemovalStore::finish(Epoch epoch, std::int64_t id) {
  auto body = [epoch, id](pg::Transaction& tx) -> Status {
    DET_TRY(check_epoch(tx, epoch));
    const auto is_pending = lock_pending(tx, id);
    DET_TRY(is_pending);
    if (!*is_pending) return {};
    run_sql(tx, kDeleted, id);
    run_sql(tx, kDone, id);
    return {};
  };
  co_return co_await pool_.write("finish a removal", std::move(body));
}

Task<Status> RemovalStore::note_failure(Epoch epoch, std::int64_t id, std::string error,
                                        std::optional<WallTime> next_try) {
  auto body = [=](pg::Transaction& tx) -> Status {
    DET_TRY(check_epoch(tx, epoch));
    if (next_try) {
      run_sql(tx, kRetry, id, error, format_rfc3339_micros(*next_try));
    } else {
      run_sql(tx, kMayBeInPart, id);
      run_sql(tx, kGiveUp, id, error);
    }
    return {};
  };
  co_return co_await pool_.write("note a removal's failure", std::move(body));
}

Task<Result<std::vector<RemovalStore::Emptied>>> RemovalStore::emptied(std::int64_t after) {
  auto body = [after](pg::Transaction& tx) -> Result<std::vector<Emptied>> {
    std::vector<Emptied> all;
    for (const auto& row : run_sql(tx, kEmptied, after, kMostEmptied)) {
      all.push_back({.experiment = {row[0].as<std::int64_t>()}, .is_clean = row[1].as<bool>()});
    }
    return all;
  };
  co_return co_await pool_.read("emptied experiments", std::move(body));
}

Task<Result<HeldExperiments>> RemovalStore::held() {
  auto body = [](pg::Transaction& tx) -> Result<HeldExperiments> {
    const pqxx::row row = run_sql1(tx, kHeld);
    return HeldExperiments{.experiments = row[0].as<std::int64_t>(),
                           .checkpoints = row[1].as<std::int64_t>(),
                           .bytes = row[2].as<std::int64_t>()};
  };
  co_return co_await pool_.read("held experiments", std::move(body));
}

Task<Result<std::int64_t>> RemovalStore::release_held() {
  auto body = [](pg::Transaction& tx) -> Result<std::int64_t> {
    const auto released = run_sql(tx, std::string(kRelease) + kTerminal).affected_rows();
    notify(tx, kRemovalChannel, "");
    return static_cast<std::int64_t>(released);
  };
  co_return co_await pool_.write("release held experiments", std::move(body));
}

Task<Result<std::int64_t>> RemovalStore::sweep_model_definitions() {
  auto body = [](pg::Transaction& tx) -> Result<std::int64_t> {
    return static_cast<std::int64_t>(run_sql(tx, kSweepCode).affected_rows());
  };
  co_return co_await pool_.write("sweep model definitions", std::move(body));
}

}  // namespace det::store
