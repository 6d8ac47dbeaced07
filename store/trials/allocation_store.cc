#include "store/trials/allocation_store.h"

#include "store/channels.h"
#include "store/trials/allocation_reader.h"
#include "store/trials/trial_reader.h"
#include "store/users/user_rows.h"

namespace det::store {
namespace {

// Indexes allocations_token_hash_key, allocations_user_token_hash_key.
const char* const kByToken =
    "JOIN users u ON u.id = a.owner_id WHERE a.ended_at IS NULL "
    "AND (a.token_hash = decode($1, 'hex') OR a.user_token_hash = decode($1, 'hex'))";

// Index allocation_resources_pkey.
const char* const kResources =
    "SELECT json_agg(r ORDER BY r.rank) FROM allocation_resources r WHERE r.allocation_id = $1";
// After the columns of the trial, of the allocation and of its pods. Index allocations_trial.
const char* const kRun =
    ", e.uid FROM trials t JOIN experiments e ON e.id = t.experiment_id JOIN tasks k ON k.number = t.task_number LEFT "
    "JOIN allocations a ON a.trial_id = t.id AND a.run = "
    "t.run "
    "WHERE t.id = $1";
const char* const kSetResource =
    "INSERT INTO allocation_resources (allocation_id, rank, resources_id, pod_name, node, ip, slots) "
    "VALUES ($1, $2, $3, $4, $5, $6, $7) ON CONFLICT (allocation_id, rank) DO UPDATE SET resources_id = "
    "excluded.resources_id, "
    "pod_name = excluded.pod_name, node = excluded.node, ip = excluded.ip, slots = excluded.slots "
    "WHERE (allocation_resources.resources_id, allocation_resources.pod_name, allocation_resources.node, "
    "allocation_resources.ip, allocation_resources.slots) "
    "IS DISTINCT FROM (excluded.resources_id, excluded.pod_name, excluded.node, excluded.ip, excluded.slots)";
const char* const kSetDaemon =
    "UPDATE allocation_resources SET daemon = true WHERE allocation_id = $1 AND resources_id = $2";
const char* const kSetAccelerator =
    "UPDATE allocation_resources SET accelerator = $3::jsonb WHERE allocation_id = $1 AND pod_name = $2";
// Index UNIQUE (task_number, run).
const char* const kAccelerators =
    "SELECT a.id, r.node, coalesce(u.resource_pool, ''), r.accelerator FROM tasks k "
    "JOIN allocations a ON a.task_number = k.number JOIN allocation_resources r ON r.allocation_id = a.id "
    "LEFT JOIN allocation_usage u ON u.allocation_id = a.id "
    "WHERE k.id = $1 AND r.accelerator IS NOT NULL ORDER BY a.run DESC, r.rank LIMIT 10000";

const char* const kLock = "SELECT state FROM allocations WHERE id = $1 FOR UPDATE";
const char* const kSetState = "UPDATE allocations SET state = $2 WHERE id = $1";
const char* const kSetReady = "UPDATE allocations SET ready_at = now() WHERE id = $1 AND ready_at IS NULL";
const char* const kPreempt =
    "UPDATE allocations SET preempt_requested_at = coalesce(preempt_requested_at, now()) WHERE id = $1";
// Those that are not ready have no harness that could leave by itself.
const char* const kPreemptAll =
    "WITH asked AS (UPDATE allocations a SET preempt_requested_at = now() FROM trials t WHERE t.id = a.trial_id "
    "AND t.experiment_id = $1 AND a.ended_at IS NULL AND a.ready_at IS NOT NULL AND a.preempt_requested_at IS NULL "
    "RETURNING a.id) SELECT pg_notify('det_allocation', id) FROM asked";
const char* const kShouldStop =
    "SELECT id, preempt_requested_at IS NOT NULL OR ended_at IS NOT NULL FROM allocations WHERE id = ANY($1)";
const char* const kAckPreempt =
    "UPDATE allocations SET preempt_acked_at = coalesce(preempt_acked_at, now()) WHERE id = $1";
const char* const kSetVerdict = "UPDATE allocations SET verdict = $2::jsonb WHERE id = $1 AND verdict IS NULL";
const char* const kEnd =
    "UPDATE allocations SET state = 'TERMINATED', ended_at = now(), exit_reason = $2, exit_code = $3 "
    "WHERE id = $1 AND ended_at IS NULL";

nlohmann::json verdict_json(const model::RunExit& exit) {
  nlohmann::json json = {{"kind", to_string(exit.kind)}, {"reason", exit.reason}, {"message", exit.message}};
  if (exit.code) json["code"] = *exit.code;
  if (exit.never_ran) json["never_ran"] = true;
  return json;
}

// The current state, locked, or kNotFound.
Result<model::AllocationState> lock(pg::Transaction& tx, const std::string& id) {
  const pqxx::result found = run_sql(tx, kLock, id);
  if (found.empty()) return not_found("allocation", id);
  return as_state(found[0][0], model::parse_allocation_state);
}

// Forward only; returns whether it moved.
Result<bool> advance_to(pg::Transaction& tx, const std::string& id, model::AllocationState state) {
  const auto current = lock(tx, id);
  DET_TRY(current);
  if (*current >= state) return false;
  run_sql(tx, kSetState, id, word(state));
  return true;
}

// Also from waiting for data, which comes after running: what serves has them.
Status become_ready(pg::Transaction& tx, const std::string& id) {
  using enum model::AllocationState;
  const auto current = lock(tx, id);
  DET_TRY(current);
  const bool moves = *current < kRunning || *current == kWaiting;
  if (moves) run_sql(tx, kSetState, id, word(kRunning));
  const bool is_new = run_sql(tx, kSetReady, id).affected_rows() > 0;
  if (moves || is_new) notify(tx, kAllocationChannel, id);
  return {};
}

// A statement about the allocation $1 that wakes who waits for it.
template <typename... Args>
Status change(pg::Transaction& tx, const char* channel, const char* sql, const std::string& id, const Args&... args) {
  DET_TRY(lock(tx, id));
  if (run_sql(tx, sql, id, args...).affected_rows() > 0) notify(tx, channel, id);
  return {};
}

// Whether that changed anything.
bool set_resources_of(pg::Transaction& tx, const std::string& id, const std::vector<ResourceRow>& resources) {
  bool changed = false;
  for (const ResourceRow& r : resources) {
    const auto set = run_sql(tx, kSetResource, id, r.rank, r.resources_id, r.pod_name, r.node, r.ip, r.slots);
    changed = changed || set.affected_rows() > 0;
  }
  return changed;
}

Result<std::unordered_map<std::string, bool>> stops_of(pg::Transaction& tx, const std::vector<std::string>& ids) {
  std::unordered_map<std::string, bool> stops;
  for (const auto& row : run_sql(tx, kShouldStop, text_array(ids))) stops.emplace(as_text(row[0]), row[1].as<bool>());
  return stops;
}

}  // namespace

AllocationStore::AllocationStore(pg::Pool& pool)
    : pool_(pool), stops_([&pool](std::vector<std::string> ids) {
        return pool.read("find allocations", [ids = std::move(ids)](pg::Transaction& tx) { return stops_of(tx, ids); });
      }) {}

Task<Result<std::optional<bool>>> AllocationStore::should_stop(std::string id) {
  return stops_.find(std::move(id));
}

Task<Result<std::optional<AllocationRow>>> AllocationStore::find(std::string id) {
  auto body = [id](pg::Transaction& tx) -> Result<std::optional<AllocationRow>> { return find_allocation(tx, id); };
  co_return co_await pool_.read("find allocation", std::move(body));
}

Task<Result<std::optional<TrialRun>>> AllocationStore::run_of(model::TrialId trial) {
  auto body = [trial](pg::Transaction& tx) -> Result<std::optional<TrialRun>> {
    const std::string sql =
        "SELECT " + trial_columns() + ", " + allocation_columns() + ", " + pods_of_allocation() + kRun;
    const pqxx::result found = run_sql(tx, sql, trial.value);
    if (found.empty()) return std::nullopt;
    const pqxx::row row = found[0];
    TrialRun run{.trial = read_trial(row),
                 .allocation = {},
                 .resources = {},
                 .experiment_uid = as_text(row[kTrialColumns + kAllocationColumns + 1])};
    if (row[kTrialColumns].is_null()) return run;
    run.allocation = read_allocation(row, kTrialColumns);
    run.resources = read_resources(as_json(row[kTrialColumns + kAllocationColumns]));
    return run;
  };
  co_return co_await pool_.read("find trial", std::move(body));
}

Task<Result<std::vector<AllocationRow>>> AllocationStore::of_task(std::string task_id) {
  auto body = [task_id](pg::Transaction& tx) -> Result<std::vector<AllocationRow>> {
    std::vector<AllocationRow> allocations;
    const std::string sql =
        std::string("SELECT ") + allocation_columns() + from_allocations() + "WHERE k.id = $1 ORDER BY a.run";
    for (const auto& row : run_sql(tx, sql, task_id)) allocations.push_back(read_allocation(row));
    return allocations;
  };
  co_return co_await pool_.read("allocations of task", std::move(body));
}

Task<Result<std::vector<ReportedAccelerator>>> AllocationStore::accelerators(std::string task_id) {
  auto body = [task_id](pg::Transaction& tx) -> Result<std::vector<ReportedAccelerator>> {
    std::vector<ReportedAccelerator> all;
    for (const auto& row : run_sql(tx, kAccelerators, task_id)) {
      all.push_back({.allocation_id = as_text(row[0]),
                     .node = as_text(row[1]),
                     .pool = as_text(row[2]),
                     .data = as_json(row[3])});
    }
    return all;
  };
  co_return co_await pool_.read("accelerators of task", std::move(body));
}

Task<Result<std::optional<AllocationAuth>>> AllocationStore::find_by_token(std::string token_hash) {
  auto body = [token_hash](pg::Transaction& tx) -> Result<std::optional<AllocationAuth>> {
    const std::string sql = std::string("SELECT ") + allocation_columns() + ", " + user_columns("u") +
                            ", coalesce(a.user_token_hash = decode($1, 'hex'), false)" + from_allocations() + kByToken;
    const pqxx::result found = run_sql(tx, sql, token_hash);
    if (found.empty()) return std::nullopt;
    return AllocationAuth{.allocation = read_allocation(found[0]),
                          .owner = read_user(found[0], kAllocationColumns),
                          .is_user_token = found[0][kAllocationColumns + kUserColumns].as<bool>()};
  };
  co_return co_await pool_.read("find token", std::move(body));
}

Task<Status> AllocationStore::note_pods(std::string id, model::AllocationState reached,
                                        std::vector<ResourceRow> resources) {
  auto body = [id, reached, resources = std::move(resources)](pg::Transaction& tx) -> Status {
    const auto moved = advance_to(tx, id, reached);
    DET_TRY(moved);
    const bool changed = set_resources_of(tx, id, resources);
    if (*moved || changed) notify(tx, kAllocationChannel, id);
    return {};
  };
  co_return co_await pool_.write("note pods", std::move(body));
}

Task<Result<std::optional<RendezvousInfo>>> AllocationStore::rendezvous(std::string id, std::string resources_id) {
  auto body = [=](pg::Transaction& tx) -> Result<std::optional<RendezvousInfo>> {
    const auto resources = read_resources(as_json(run_sql1(tx, kResources, id)[0]));
    RendezvousInfo info{.addresses = {}, .slots = {}, .rank = -1};
    bool complete = !resources.empty();
    for (const ResourceRow& one : resources) {
      info.addresses.push_back(one.ip);
      info.slots.push_back(one.slots);
      complete = complete && !one.ip.empty();
      if (one.resources_id == resources_id) info.rank = one.rank;
    }
    // Before the gang is known the pod that asks may not be either.
    if (!complete) return std::nullopt;
    if (info.rank < 0) return not_found("resources", resources_id);
    DET_TRY(become_ready(tx, id));
    return info;
  };
  co_return co_await pool_.write("rendezvous", std::move(body));
}

Task<Status> AllocationStore::advance(std::string id, model::AllocationState state) {
  auto body = [=](pg::Transaction& tx) -> Status {
    const auto moved = advance_to(tx, id, state);
    DET_TRY(moved);
    if (*moved) notify(tx, kAllocationChannel, id);
    return {};
  };
  co_return co_await pool_.write("advance allocation", std::move(body));
}

Task<Status> AllocationStore::mark_ready(std::string id) {
  auto body = [id](pg::Transaction& tx) { return become_ready(tx, id); };
  co_return co_await pool_.write("mark ready", std::move(body));
}

Task<Status> AllocationStore::set_daemon(std::string id, std::string resources_id) {
  auto body = [=](pg::Transaction& tx) {
    return changed_one(run_sql(tx, kSetDaemon, id, resources_id), "resources", resources_id);
  };
  co_return co_await pool_.write("set daemon", std::move(body));
}

Task<Status> AllocationStore::set_accelerator(std::string id, std::string container_id, nlohmann::json data) {
  auto body = [=](pg::Transaction& tx) {
    return changed_one(run_sql(tx, kSetAccelerator, id, container_id, json_text(data)), "container", container_id);
  };
  co_return co_await pool_.write("set accelerator", std::move(body));
}

Task<Status> AllocationStore::request_preemption(std::string id) {
  auto body = [id](pg::Transaction& tx) { return change(tx, kAllocationChannel, kPreempt, id); };
  co_return co_await pool_.write("request preemption", std::move(body));
}

Task<Status> AllocationStore::request_preemption(model::ExperimentId experiment) {
  auto body = [experiment](pg::Transaction& tx) -> Status {
    run_sql(tx, kPreemptAll, experiment.value);
    return {};
  };
  co_return co_await pool_.write("request preemption of an experiment", std::move(body));
}

Task<Status> AllocationStore::ack_preemption(std::string id) {
  auto body = [id](pg::Transaction& tx) { return change(tx, kAllocationChannel, kAckPreempt, id); };
  co_return co_await pool_.write("acknowledge preemption", std::move(body));
}

Task<Status> AllocationStore::record_verdict(Epoch epoch, std::string id, model::RunExit verdict) {
  auto body = [epoch, id, json = json_text(verdict_json(verdict))](pg::Transaction& tx) -> Status {
    if (Status status = check_epoch(tx, epoch); !status) return status;
    DET_TRY(lock(tx, id));
    run_sql(tx, kSetVerdict, id, json);
    return {};
  };
  co_return co_await pool_.write("record verdict", std::move(body));
}

Task<Status> AllocationStore::end(std::string id, std::string reason, std::optional<int> exit_code) {
  auto body = [=](pg::Transaction& tx) { return change(tx, kAllocationEndChannel, kEnd, id, reason, exit_code); };
  co_return co_await pool_.write("end allocation", std::move(body));
}

}  // namespace det::store
