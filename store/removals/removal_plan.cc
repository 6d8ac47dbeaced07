#include "store/removals/removal_plan.h"

#include <algorithm>
#include <map>

#include <nlohmann/json.hpp>

#include "base/few_names.h"
#include "store/checkpoints/checkpoint_storage.h"

namespace det::store {
namespace {

using nlohmann::json;

// Ids of one task fit a Secret of Kubernetes (1 MiB).
constexpr std::size_t kMostPerRemoval = 5'000;

const char* const kLock = "SELECT uuid FROM checkpoints WHERE uuid = ANY($1::uuid[]) ORDER BY uuid FOR UPDATE";
const char* const kHold = "SELECT uuid FROM checkpoints WHERE uuid = $1 FOR SHARE";
const char* const kIsGoing = "SELECT 1 FROM checkpoints c WHERE c.uuid = $1 AND ";

// What has not ended. Index experiments_listed.
const std::string kLive =
    " experiments WHERE state IN ('ACTIVE', 'PAUSED', 'STOPPING_COMPLETED', 'STOPPING_CANCELED', 'STOPPING_KILLED', "
    "'STOPPING_ERROR')";

// Indexes checkpoints_pkey, model_versions_checkpoint, trials_warm_start, allocations_open, trial_sources_checkpoint,
// checkpoints_trial. $2: whether what ended counts.
const std::string kNeeded =
    "WITH live AS (SELECT id, config FROM" + kLive +
    // Once for all of them: a trial may have tens of thousands.
    "), newest AS MATERIALIZED (SELECT l.trial_id, max(l.steps) AS steps FROM checkpoints l WHERE l.trial_id IN "
    "(SELECT trial_id FROM checkpoints WHERE uuid = ANY($1::uuid[])) AND l.state = 'COMPLETED' AND NOT " +
    is_being_removed("l") +
    " GROUP BY 1) SELECT c.uuid FROM checkpoints c LEFT JOIN newest ON newest.trial_id = c.trial_id WHERE c.uuid = "
    "ANY($1::uuid[]) AND ("
    "EXISTS (SELECT 1 FROM model_versions v WHERE v.checkpoint = c.uuid) OR "
    "EXISTS (SELECT 1 FROM trials t WHERE t.warm_start_checkpoint = c.uuid AND ($2 OR t.experiment_id IN (SELECT id "
    "FROM live))) OR "
    "EXISTS (SELECT 1 FROM live WHERE config #>> '{searcher,source_checkpoint_uuid}' = c.uuid::text) OR "
    "EXISTS (SELECT 1 FROM allocations a WHERE a.ended_at IS NULL AND a.plan ->> 'checkpoint' = c.uuid::text) OR "
    "EXISTS (SELECT 1 FROM trial_sources s JOIN allocations a ON a.trial_id = s.trial_id WHERE s.checkpoint = c.uuid "
    "AND a.ended_at IS NULL) OR "
    "(c.state = 'COMPLETED' AND c.steps = newest.steps AND ("
    "EXISTS (SELECT 1 FROM trials t JOIN live ON live.id = t.experiment_id WHERE t.id = c.trial_id AND t.state NOT IN "
    "('COMPLETED', 'CANCELED', 'ERROR')) OR "
    "EXISTS (SELECT 1 FROM live WHERE config #>> '{searcher,source_trial_id}' = c.trial_id::text))))";

const char* const kLockAllOf =
    "SELECT 1 FROM checkpoints WHERE uuid IN (SELECT c.uuid FROM checkpoints c JOIN trials t ON t.id = c.trial_id "
    "WHERE t.experiment_id = $1 AND c.state <> 'DELETED') ORDER BY uuid FOR UPDATE";
// Indexes as above, and experiments_project. $1: an experiment; $2: projects.
const std::string kInNeed =
    "WITH gone AS MATERIALIZED (SELECT id FROM experiments WHERE id = $1 OR project_id = ANY($2::bigint[])), "
    "own AS MATERIALIZED (SELECT c.uuid FROM gone JOIN trials t ON t.experiment_id = gone.id JOIN checkpoints c ON "
    "c.trial_id = t.id WHERE c.state <> 'DELETED'), "
    "live AS MATERIALIZED (SELECT id, config #>> '{searcher,source_checkpoint_uuid}' AS uuid, config #>> "
    "'{searcher,source_trial_id}' AS trial FROM" +
    kLive +
    "), open AS MATERIALIZED (SELECT a.trial_id, a.plan ->> 'checkpoint' AS uuid, t.experiment_id AS id FROM "
    "allocations a JOIN trials t ON t.id = a.trial_id WHERE a.ended_at IS NULL) "
    "SELECT DISTINCT id FROM ("
    "SELECT live.id FROM live JOIN trials t ON t.experiment_id = live.id WHERE t.warm_start_checkpoint IN "
    "(SELECT uuid FROM own) UNION ALL "
    "SELECT id FROM live WHERE uuid IN (SELECT uuid::text FROM own) UNION ALL "
    "SELECT live.id FROM live JOIN trials t ON t.id::text = live.trial JOIN gone ON gone.id = t.experiment_id WHERE "
    "EXISTS (SELECT 1 FROM checkpoints c WHERE c.trial_id = t.id AND c.state = 'COMPLETED') UNION ALL "
    "SELECT id FROM open WHERE uuid IN (SELECT uuid::text FROM own) UNION ALL "
    "SELECT open.id FROM open JOIN trial_sources s ON s.trial_id = open.trial_id WHERE s.checkpoint IN "
    "(SELECT uuid FROM own)) needs WHERE id NOT IN (SELECT id FROM gone) ORDER BY id";
constexpr std::size_t kNamed = 10;  // ids in a message

// Indexes trials_experiment, checkpoints_trial, and those of the scores (checkpoint_list.cc).
const char* const kCheckpoints =
    "SELECT c.uuid, c.trial_id, c.steps, c.report_time, c.state, score.metric, e.smaller_is_better FROM trials t JOIN "
    "checkpoints c ON c.trial_id = t.id JOIN experiments e ON e.id = t.experiment_id LEFT JOIN LATERAL ("
    "SELECT m.values[array_position(n.names, e.searcher_metric)] AS metric FROM visible_series s "
    "JOIN metric_names n ON n.id = s.names_id JOIN metrics m ON m.series_id = s.id AND m.steps = c.steps "
    "AND m.steps <= s.last_steps WHERE s.trial_id = t.id AND s.grp = 'validation' AND e.searcher_metric = "
    "ANY(n.names) ORDER BY s.run DESC LIMIT 1) score ON true WHERE t.experiment_id = $1 AND c.state <> 'DELETED' AND "
    "NOT ";

const char* const kStorages =
    "SELECT c.uuid, s.config, e.config -> 'checkpoint_storage' FROM checkpoints c JOIN experiments e ON e.id = $2 LEFT "
    "JOIN storages s ON s.id = c.storage_id WHERE c.uuid = ANY($1::uuid[]) ORDER BY c.uuid";
const char* const kStorageOf = "SELECT config -> 'checkpoint_storage' FROM experiments WHERE id = $1";
const char* const kInsert =
    "INSERT INTO removals (experiment_id, storage, globs, tensorboard, reason) VALUES ($1, $2, $3, $4, $5) RETURNING "
    "id";
const char* const kInsertCheckpoints =
    "INSERT INTO removal_checkpoints (removal_id, uuid) SELECT $1, unnest($2::uuid[])";

void insert_one(pqxx::transaction_base& tx, const NewRemoval& removal, const json& storage, bool tensorboard,
                const std::vector<std::string>& uuids) {
  const auto id = run_sql1(tx, kInsert, removal.experiment.value, json_text(storage), json_text(removal.globs),
                           tensorboard, removal.reason)[0]
                      .as<std::int64_t>();
  if (!uuids.empty()) run_sql(tx, kInsertCheckpoints, id, text_array(uuids));
}

Status refuse_needed(const std::string& what, const pqxx::result& others) {
  if (others.empty()) return {};
  return fail(ErrorCode::kFailedPrecondition,
              what + " has checkpoints that experiments which have not ended start or go on from: " +
                  name_some(others) + ". Wait for their end, or stop them");
}

std::set<std::string> needed_by_now(pqxx::transaction_base& tx, const std::vector<std::string>& uuids, Needs needs) {
  std::set<std::string> needed;
  for (const auto& row : run_sql(tx, kNeeded, text_array(uuids), needs == Needs::kAll)) needed.insert(as_text(row[0]));
  return needed;
}

}  // namespace

std::set<std::string> needed_checkpoints(pqxx::transaction_base& tx, const std::vector<std::string>& uuids,
                                         Needs needs) {
  run_sql(tx, kLock, text_array(uuids));
  return needed_by_now(tx, uuids, needs);
}

Status check_unneeded(pqxx::transaction_base& tx, const std::string& what, model::ExperimentId experiment) {
  run_sql(tx, kLockAllOf, experiment.value);
  return refuse_needed(what, run_sql(tx, kInNeed, experiment.value, "{}"));
}

Status check_unneeded(pqxx::transaction_base& tx, const std::string& what, const std::string& projects) {
  constexpr std::int64_t kNone = 0;
  return refuse_needed(what, run_sql(tx, kInNeed, kNone, projects));
}

std::string name_some(const pqxx::result& ids) {
  return few_names(ids, kNamed, [](const auto& row) { return as_text(row[0]); });
}

std::vector<std::string> given_up(pqxx::transaction_base& tx, model::ExperimentId experiment,
                                  const model::GcPolicy& policy, Plan plan) {
  std::vector<model::GcCheckpoint> all;
  std::vector<std::string> uuids;
  bool smaller_is_better = true;
  for (const auto& row : run_sql(tx, std::string(kCheckpoints) + kIsBeingRemoved, experiment.value)) {
    smaller_is_better = row[6].as<bool>();
    all.push_back({.uuid = as_text(row[0]),
                   .trial = {row[1].as<std::int64_t>()},
                   .steps = row[2].as<std::int64_t>(),
                   .metric = as_optional<double>(row[5]),
                   .report_time = as_time(row[3]),
                   .state = as_state(row[4], model::parse_checkpoint_state)});
    uuids.push_back(all.back().uuid);
  }
  if (all.empty()) return {};
  const auto needed = plan == Plan::kPreview ? needed_by_now : needed_checkpoints;
  return model::plan_gc(all, smaller_is_better, policy, needed(tx, uuids, Needs::kAll));
}

std::int64_t insert_removals(pqxx::transaction_base& tx, const NewRemoval& removal) {
  std::map<std::string, std::vector<std::string>> by_storage;
  std::int64_t count = 0;
  for (const auto& row : run_sql(tx, kStorages, text_array(removal.uuids), removal.experiment.value)) {
    const auto storage = checkpoint_storage_of(as_json(row[1]), as_json(row[2]));
    if (!storage) continue;
    by_storage[storage->dump()].push_back(as_text(row[0]));
    ++count;
  }
  if (removal.tensorboard) {
    const json storage = without_policy(as_json(run_sql1(tx, kStorageOf, removal.experiment.value)[0]));
    insert_one(tx, removal, storage, true, {});
  }
  for (const auto& [storage, uuids] : by_storage) {
    for (std::size_t first = 0; first < uuids.size(); first += kMostPerRemoval) {
      const std::size_t end = std::min(first + kMostPerRemoval, uuids.size());
      const auto at = [&uuids](std::size_t i) { return uuids.begin() + static_cast<std::ptrdiff_t>(i); };
      insert_one(tx, removal, json::parse(storage), false, std::vector(at(first), at(end)));
    }
  }
  return count;
}

Status hold_checkpoint(pqxx::transaction_base& tx, const std::string& uuid) {
  run_sql(tx, kHold, uuid);
  // A statement of its own: it sees what was committed while the lock was waited for.
  if (run_sql(tx, std::string(kIsGoing) + kIsBeingRemoved, uuid).empty()) return {};
  return fail(ErrorCode::kAborted, "the files of checkpoint " + uuid + " are being removed");
}

}  // namespace det::store
