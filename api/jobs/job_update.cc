// Changes of jobs: their priority, their weight, their place in the queue.

#include <algorithm>

#include "accept/gate.h"
#include "api/access_check.h"
#include "api/agents/agent_views.h"
#include "api/experiments/live_edit.h"
#include "api/id_list.h"
#include "api/jobs/job_lookup.h"
#include "api/jobs/routes.h"
#include "api/priority_check.h"
#include "api/tasks/task_edit.h"
#include "store/experiments/experiment_pool.h"

namespace det::api::routes {

namespace {

Task<Status> update_task(ApiServices& services, store::TaskRow row, wire::Json settings) {
  for (const auto& [name, value] : settings.items()) {
    if (name == "priority") continue;
    co_return fail(ErrorCode::kInvalidArgument, name + ": of a task only the priority can be changed", name);
  }
  if (!settings.contains("priority")) co_return Status();
  co_return co_await set_task_priority(services, row, settings.at("priority").get<std::int64_t>());
}

Status check_pool(const std::string& pool, const JobFound& job, const model::MasterConfig& master) {
  if (job.task) {
    return fail(ErrorCode::kInvalidArgument,
                "setting resource pool for job type " + job.task->type +
                    " is not supported: what runs in it would be lost; start it again with --config "
                    "resources.resource_pool=" +
                    pool,
                "resourcePool");
  }
  const std::string now = pool_of(job, master);
  if (pool == now) {
    return fail(ErrorCode::kInvalidArgument, "resource pool is unchanged (" + now + " == " + pool + ")",
                "resourcePool");
  }
  const auto names = pool_names(master);
  if (std::ranges::find(names, pool) == names.end()) {
    return fail(ErrorCode::kInvalidArgument, "invalid resource pool name " + pool, "resourcePool");
  }
  return {};
}

// The gate says in the words of acceptance what keeps an experiment out of a pool.
Task<Status> check_move(ApiServices& services, std::string pool, const JobFound& job) {
  const model::MasterConfig master = services.settings.master;
  DET_CO_TRY(check_pool(pool, job, master));
  const auto objection = co_await services.gate.check_move(master, *job.experiment, std::move(pool));
  DET_CO_TRY(objection);
  if (*objection) co_return std::unexpected(joined_error((*objection)->errors));
  co_return Status();
}

// Settings of its object and its row.
Task<Status> set_experiment(ApiServices& services, model::ExperimentId id, wire::Json settings) {
  DET_CO_TRY(co_await edit_live_settings(services, id, settings));
  store::ExperimentPatch patch;
  patch.changed_live = std::move(settings);
  co_return co_await services.stores.experiments.patch(id, std::move(patch));
}

Task<Status> set_settings(ApiServices& services, JobFound job, wire::Json settings) {
  if (job.task) return update_task(services, std::move(*job.task), std::move(settings));
  return set_experiment(services, job.experiment->id, std::move(settings));
}

struct Move {
  std::string field;  // of the request: aheadOf or behindOf
  std::string anchor;
  store::QueuePlaceStore::Side side = store::QueuePlaceStore::Side::kAhead;
};

// Nothing where no place is asked for.
Result<std::optional<Move>> read_move(wire::RequestFields& fields) {
  const std::string ahead = fields.string("aheadOf").value_or("");
  const std::string behind = fields.string("behindOf").value_or("");
  DET_TRY(fields.status());
  if (!ahead.empty() && !behind.empty()) {
    return fail(ErrorCode::kInvalidArgument, "aheadOf and behindOf: give one of them", "behindOf");
  }
  if (!ahead.empty()) return Move{.field = "aheadOf", .anchor = ahead};
  if (behind.empty()) return std::nullopt;
  return Move{.field = "behindOf", .anchor = behind, .side = store::QueuePlaceStore::Side::kBehind};
}

Result<int> priority_in(const std::vector<store::JobRow>& queue, const JobFound& job) {
  const auto is_it = [&](const store::JobRow& row) {
    return job.experiment ? row.experiment == job.experiment->id : !row.experiment && row.task_id == job.task->id;
  };
  const auto found = std::ranges::find_if(queue, is_it);
  if (found != queue.end()) return found->priority;
  const std::string name = job.experiment ? "experiment " + to_string(job.experiment->id) : "task " + job.task->id;
  return fail(ErrorCode::kFailedPrecondition, name + " is not in the queue: it is paused, or it has ended");
}

// Who may stop it may change its priority and its place.
Task<Status> check_may_change(ApiServices& services, const JobFound& job, Identity caller) {
  if (services.settings.master.authz.strict_job_queue) {
    DET_CO_TRY(require(caller, model::Permission::kControlStrictJobQueue));
  }
  if (job.experiment) {
    std::vector<std::int64_t> ids = {job.experiment->id.value};
    co_return co_await require_experiments(services, std::move(caller), std::move(ids),
                                           model::Permission::kUpdateExperiment);
  }
  DET_CO_TRY(require(caller, model::Permission::kUpdateNsc, job.task->workspace));
  if (!has_roles(caller) && !caller.user.admin && caller.user.id != job.task->owner) {
    co_return fail(ErrorCode::kPermissionDenied, "only its owner and admins can do this to a task");
  }
  co_return Status();
}

struct Place {
  store::QueuePlaceStore::Side side = store::QueuePlaceStore::Side::kAhead;
  store::JobStore::JobOf anchor;
};

// Places count among jobs of one priority, so that the job takes that of the other one: `settings` get it where it has
// another. `pool`: where the job will be.
Task<Result<Place>> check_place(ApiServices& services, const JobFound& job, std::string pool, Move move,
                                Identity caller, wire::Json& settings) {
  const model::MasterConfig& master = services.settings.master;
  if (master.scheduler.type != model::GangBackendKind::kOwn) {
    co_return fail(
        ErrorCode::kUnimplemented,
        move.field +
            ": the order is the operator's where its own scheduler places the pods (scheduler.type: "
            "own), not with " +
            std::string(to_string(master.scheduler.type)) +
            (master.scheduler.type == model::GangBackendKind::kAuto ? "; set the priority" : kPriorityClasses),
        move.field);
  }
  const auto anchor = co_await find_job(services, std::move(caller), move.anchor, move.field);
  DET_CO_TRY(anchor);
  if (job_of(job) == job_of(*anchor)) {
    co_return fail(ErrorCode::kInvalidArgument, move.field + ": a job has no place beside itself", move.field);
  }
  if (pool != pool_of(*anchor, master)) {
    co_return fail(ErrorCode::kInvalidArgument,
                   move.field + ": job '" + move.anchor + "' waits in the resource pool " + pool_of(*anchor, master) +
                       ", this one in " + pool,
                   move.field);
  }
  const auto queue = co_await services.stores.jobs.queue();
  DET_CO_TRY(queue);
  const auto now = priority_in(*queue, job);
  DET_CO_TRY(now);
  const auto wanted = priority_in(*queue, *anchor);
  DET_CO_TRY(wanted);
  if (const auto given = settings.find("priority"); given != settings.end() && *given != *wanted) {
    co_return fail(ErrorCode::kInvalidArgument,
                   "priority: " + given->dump() + ", and " + move.field + ": job '" + move.anchor +
                       "' has the priority " + std::to_string(*wanted) +
                       "; places count among jobs of one priority, so give one of them",
                   "priority");
  }
  if (*now != *wanted) settings["priority"] = *wanted;
  co_return Place{.side = move.side, .anchor = job_of(*anchor)};
}

Task<Status> update_job(ApiServices& services, wire::Json update, Identity caller) {
  wire::RequestFields fields(update);
  fields.require("jobId");
  const std::string job = fields.string("jobId").value_or("");
  const std::string pool = fields.string("resourcePool").value_or("");
  if (!fields.status()) co_return fields.status();
  auto move = read_move(fields);
  DET_CO_TRY(move);
  fields = wire::RequestFields(update);
  auto settings = read_live_settings(fields);
  DET_CO_TRY(settings);
  if (!*move && pool.empty() && settings->empty()) {
    co_return fail(ErrorCode::kInvalidArgument,
                   "job '" + job + "': nothing to change; give priority, weight, resourcePool, aheadOf or behindOf");
  }
  const auto found = co_await find_job(services, caller, job, "jobId");
  DET_CO_TRY(found);
  DET_CO_TRY(co_await check_may_change(services, *found, caller));
  // All that can be refused is asked before anything is changed.
  std::optional<Place> place;
  if (*move) {
    const std::string pool_then = pool.empty() ? pool_of(*found, services.settings.master) : pool;
    auto checked = co_await check_place(services, *found, pool_then, std::move(**move), caller, *settings);
    DET_CO_TRY(checked);
    place = std::move(*checked);
  }
  if (!pool.empty()) {
    DET_CO_TRY(co_await check_move(services, pool, *found));
    (*settings)[store::kPoolSetting] = pool;
  }
  if (!settings->empty()) {
    DET_CO_TRY(co_await set_settings(services, *found, std::move(*settings)));
  }
  if (!place) co_return Status();
  co_return co_await services.stores.queue_places.move(job_of(*found), place->side, std::move(place->anchor));
}

}  // namespace

// All updates are tried, in their order; the errors of those that failed come together.
Task<Result<http::Response>> update_jobs(ApiServices& services, Call call) {
  const auto body = wire::parse_body(call.request.body.view());
  DET_CO_TRY(body);
  const wire::Json updates = body->value("updates", wire::Json::array());
  if (!updates.is_array() || updates.size() > kMostAtOnce) {
    co_return fail(ErrorCode::kInvalidArgument,
                   "updates: expected a list of at most " + std::to_string(kMostAtOnce) + " changes", "updates");
  }
  if (!std::ranges::all_of(updates, [](const wire::Json& update) { return update.is_object(); })) {
    co_return fail(ErrorCode::kInvalidArgument, "updates: expected objects", "updates");
  }
  std::optional<Error> first;
  std::string messages;
  for (const wire::Json& update : updates) {
    const Status done = co_await update_job(services, update, call.caller);
    if (done) continue;
    messages += (first ? ", " : "") + done.error().message;
    if (!first) first = done.error();
  }
  if (!first) co_return ok();
  if (updates.size() > 1) first->message = "encountered the following errors: " + messages;
  co_return std::unexpected(*first);
}

}  // namespace det::api::routes
