#include "store/checkpoints/checkpoint_store.h"

#include <limits>
#include <utility>

#include "base/uuid.h"
#include "store/checkpoints/checkpoint_list.h"
#include "store/checkpoints/checkpoint_storage.h"
#include "store/checkpoints/given_storage.h"
#include "store/checkpoints/latest_checkpoint.h"
#include "store/registry/registered_checkpoints.h"
#include "store/removals/removal_plan.h"
#include "store/sql.h"

namespace det::store {
namespace {

const char* const kReport =
    "INSERT INTO checkpoints (uuid, task_number, trial_id, allocation_id, report_time, state, steps, metadata, "
    "resources, size, "
    "storage_id) SELECT $1, k.number, t.id, $3, $4, $5, $6, $7, $8, $9, $10 FROM tasks k "
    "LEFT JOIN trials t ON t.task_number = k.number WHERE k.id = $2 "
    "ON CONFLICT (uuid) DO UPDATE SET report_time = excluded.report_time, state = excluded.state, steps = "
    "excluded.steps, "
    "metadata = excluded.metadata, resources = excluded.resources, size = excluded.size, storage_id = "
    "excluded.storage_id WHERE checkpoints.task_number = excluded.task_number";
const char* const kLockOfTask =
    "SELECT c.state, c.resources, c.storage_id FROM checkpoints c JOIN tasks k ON k.number = c.task_number "
    "WHERE c.uuid = $1 AND k.id = $2 FOR UPDATE OF c";
const char* const kIsKnown = "SELECT 1 FROM checkpoints WHERE uuid = $1";
const char* const kTasksOf =
    "SELECT DISTINCT k.id FROM checkpoints c JOIN tasks k ON k.number = c.task_number WHERE c.uuid = ANY($1::uuid[])";
std::string usable() {
  return std::string("SELECT uuid FROM checkpoints c WHERE uuid = $1::uuid AND state = 'COMPLETED' AND NOT ") +
         kIsBeingRemoved;
}
const char* const kLock = "SELECT state, resources FROM checkpoints WHERE uuid = $1 FOR UPDATE";
const char* const kPatch = "UPDATE checkpoints SET state = $2, resources = $3, size = $4 WHERE uuid = $1";

std::string storage_of_one() {
  return std::string("SELECT s.config, e.config -> 'checkpoint_storage', e.unmanaged, ") + kIsBeingRemoved +
         " FROM checkpoints c JOIN trials t ON t.id = c.trial_id JOIN experiments e ON e.id = t.experiment_id LEFT "
         "JOIN "
         "storages s ON s.id = c.storage_id WHERE c.uuid = $1";
}
const char* const kSetMetadata = "UPDATE checkpoints SET metadata = $2 WHERE uuid = $1 RETURNING 1";

std::int64_t sum_of(const nlohmann::json& resources) {
  std::int64_t bytes = 0;
  for (const auto& size : resources) {
    const std::int64_t one = size.is_number() ? size.get<std::int64_t>() : 0;
    if (__builtin_add_overflow(bytes, one, &bytes)) return std::numeric_limits<std::int64_t>::max();
  }
  return bytes;
}

Status patch_one(pg::Transaction& tx, const std::string& uuid, const nlohmann::json& remaining) {
  const pqxx::result found = run_sql(tx, kLock, uuid);
  if (found.empty()) return not_found("checkpoint", uuid);
  const nlohmann::json resources = as_json(found[0][1]);
  auto state = as_state(found[0][0], model::parse_checkpoint_state);
  if (remaining.empty() || remaining != resources) {
    const auto registered = registered_of(tx, std::vector{uuid});
    if (!registered.empty()) return held_by_registry(registered, "patched");
  }
  if (remaining.empty()) {
    state = model::CheckpointState::kDeleted;
  } else if (remaining != resources) {
    state = model::CheckpointState::kPartiallyDeleted;
  }
  // Of one that is gone the list of its files stays.
  run_sql(tx, kPatch, uuid, word(state), json_text(remaining.empty() ? resources : remaining), sum_of(remaining));
  return {};
}

// Whether the report goes over what there is. Of a checkpoint that was deleted since, it is one that comes once more:
// its files are not back.
Result<bool> replaces(pg::Transaction& tx, const CheckpointRow& report) {
  const pqxx::result found = run_sql(tx, kLockOfTask, report.uuid, report.task_id);
  if (found.empty()) return true;
  const auto state = as_state(found[0][0], model::parse_checkpoint_state);
  if (state == model::CheckpointState::kDeleted) return false;
  const bool is_same = state == report.state && as_json(found[0][1]) == report.resources &&
                       as_optional<std::int64_t>(found[0][2]) == report.storage_id;
  if (is_same) return true;
  const auto registered = registered_of(tx, std::vector{report.uuid});
  if (!registered.empty()) return held_by_registry(registered, "reported with another state or other files");
  return true;
}

}  // namespace

Task<Status> CheckpointStore::report(CheckpointRow checkpoint) {
  auto body = [c = std::move(checkpoint)](pg::Transaction& tx) -> Status {
    if (c.storage_id) DET_TRY(check_given_storage(tx, c.task_id, *c.storage_id));
    const auto goes_over = replaces(tx, c);
    DET_TRY(goes_over);
    if (!*goes_over) return {};
    const pqxx::result inserted =
        run_sql(tx, kReport, c.uuid, c.task_id, c.allocation_id, format_rfc3339_micros(c.report_time), word(c.state),
                c.steps, json_text(c.metadata), json_text(c.resources), sum_of(c.resources), c.storage_id);
    if (inserted.affected_rows() == 0 && !run_sql(tx, kIsKnown, c.uuid).empty()) {
      return fail(ErrorCode::kAlreadyExists, "checkpoint '" + c.uuid + "' was made by another task", "uuid");
    }
    return changed_one(inserted, "task", c.task_id);
  };
  co_return co_await pool_.write("report checkpoint", std::move(body));
}

Task<Result<std::vector<std::string>>> CheckpointStore::tasks_of(std::vector<std::string> uuids) {
  auto body = [uuids = std::move(uuids)](pg::Transaction& tx) -> Result<std::vector<std::string>> {
    std::vector<std::string> tasks;
    for (const auto& row : run_sql(tx, kTasksOf, text_array(uuids))) tasks.push_back(as_text(row[0]));
    return tasks;
  };
  co_return co_await pool_.read("tasks of checkpoints", std::move(body));
}

Task<Result<std::optional<CheckpointView>>> CheckpointStore::find(std::string uuid) {
  auto body = [uuid](pg::Transaction& tx) { return find_checkpoint_view(tx, uuid); };
  co_return co_await pool_.read("find checkpoint", std::move(body));
}

Task<Result<Paged<CheckpointView>>> CheckpointStore::list(CheckpointQuery query) {
  auto body = [q = std::move(query)](pg::Transaction& tx) { return list_checkpoints(tx, q); };
  co_return co_await pool_.read("list checkpoints", std::move(body));
}

Task<Result<Paged<std::string>>> CheckpointStore::list_uuids(CheckpointQuery query) {
  auto body = [q = std::move(query)](pg::Transaction& tx) { return list_checkpoint_uuids(tx, q); };
  co_return co_await pool_.read("list checkpoints", std::move(body));
}

Task<Result<std::vector<CheckpointView>>> CheckpointStore::views(std::vector<std::string> uuids, std::string metric) {
  auto body = [=](pg::Transaction& tx) -> Result<std::vector<CheckpointView>> {
    auto found = checkpoint_views(tx, uuids, metric);
    std::vector<CheckpointView> views;
    for (const std::string& uuid : uuids) {
      if (auto view = found.extract(uuid); !view.empty()) views.push_back(std::move(view.mapped()));
    }
    return views;
  };
  co_return co_await pool_.read("view checkpoints", std::move(body));
}

Task<Result<std::optional<LatestCheckpoint>>> CheckpointStore::latest(model::TrialId trial) {
  auto body = [trial](pg::Transaction& tx) -> Result<std::optional<LatestCheckpoint>> {
    const pqxx::result found = run_sql(tx, latest_of_trial(), trial.value);
    if (found.empty()) return std::nullopt;
    return LatestCheckpoint{.uuid = as_text(found[0][0]), .steps = found[0][1].as<std::int64_t>()};
  };
  co_return co_await pool_.read("find latest checkpoint", std::move(body));
}

Task<Result<std::string>> CheckpointStore::warm_start(std::optional<std::string> uuid,
                                                      std::optional<model::TrialId> trial) {
  if (!uuid && !trial) co_return std::string();
  const auto no_such = [uuid] {
    return fail(ErrorCode::kInvalidArgument, "no completed checkpoint '" + *uuid + "' exists",
                "searcher.source_checkpoint_uuid");
  };
  if (uuid && !is_uuid(*uuid)) co_return no_such();
  auto body = [=](pg::Transaction& tx) -> Result<std::string> {
    const pqxx::result found = uuid ? run_sql(tx, usable(), *uuid) : run_sql(tx, latest_of_trial(), trial->value);
    if (!found.empty()) return as_text(found[0][0]);
    if (uuid) return no_such();
    return fail(ErrorCode::kInvalidArgument, "no checkpoint found for source trial " + to_string(*trial),
                "searcher.source_trial_id");
  };
  co_return co_await pool_.read("find source checkpoint", std::move(body));
}

Task<Status> CheckpointStore::set_metadata(std::string uuid, nlohmann::json metadata) {
  auto body = [uuid = std::move(uuid), text = json_text(metadata)](pg::Transaction& tx) -> Status {
    if (run_sql(tx, kSetMetadata, uuid, text).empty()) return not_found("checkpoint", uuid);
    return {};
  };
  co_return co_await pool_.write("set metadata of a checkpoint", std::move(body));
}

Task<Status> CheckpointStore::patch(CheckpointPatches patches) {
  // The order of the map: two of these never wait for each other.
  auto body = [patches = std::move(patches)](pg::Transaction& tx) -> Status {
    for (const auto& [uuid, remaining] : patches) {
      const Status done = patch_one(tx, uuid, remaining);
      if (!done) return done;
    }
    return {};
  };
  co_return co_await pool_.write("patch checkpoints", std::move(body));
}

Task<Result<nlohmann::json>> CheckpointStore::storage_of(std::string uuid) {
  auto body = [uuid](pg::Transaction& tx) -> Result<nlohmann::json> {
    const pqxx::result found = run_sql(tx, storage_of_one(), uuid);
    if (found.empty()) return not_found("checkpoint", uuid);
    if (found[0][3].as<bool>()) {
      return fail(ErrorCode::kFailedPrecondition,
                  "the files of checkpoint " + uuid + " are being removed: what is left may be a part of it");
    }
    nlohmann::json of_experiment = as_json(found[0][1]);
    const auto kind = of_experiment.value("type", std::string());
    // What its user wrote there was never held against pod_policy, and names a folder of another machine.
    if (found[0][2].as<bool>() && (kind == "shared_fs" || kind == "directory")) {
      return fail(ErrorCode::kFailedPrecondition,
                  "checkpoint " + uuid + " is in a folder of the machine where its unmanaged trial ran");
    }
    const auto said = checkpoint_storage_of(as_json(found[0][0]), of_experiment);
    if (!said) return nullptr;
    // What the run said may lack the keys.
    nlohmann::json whole = without_policy(std::move(of_experiment));
    whole.update(*said);
    return whole;
  };
  co_return co_await pool_.read("storage of a checkpoint", std::move(body));
}

Task<Result<std::int64_t>> CheckpointStore::storage_id(model::ExperimentId experiment, nlohmann::json section) {
  auto body = [experiment, section = std::move(section)](pg::Transaction& tx) -> Result<std::int64_t> {
    return give_storage(tx, experiment, section);
  };
  co_return co_await pool_.write("find storage", std::move(body));
}

}  // namespace det::store
