// The queue.

#include <algorithm>
#include <map>

#include "api/agents/agent_views.h"
#include "api/arguments.h"
#include "api/experiments/live_edit.h"
#include "api/jobs/job_reason.h"
#include "api/jobs/routes.h"
#include "api/tasks/task_edit.h"

namespace det::api::routes {

namespace {

constexpr std::int64_t kDefaultLimit = 100;
constexpr std::size_t kLongestLabel = 63;

wire::Job job_of(const store::JobRow& row, int jobs_ahead, const model::MasterConfig& master) {
  return {.id = row.job_id,
          .entity = row.experiment ? to_string(*row.experiment) : row.task_id,
          .type = row.type,
          .name = row.title,
          .user = row.owner.value,
          .username = row.username,
          .workspace = row.workspace.value,
          .resource_pool = pool_or_default(row.resource_pool, master),
          .priority = row.priority,
          .weight = row.weight,
          .progress = row.progress,
          .submitted = row.start_time,
          .requested_slots = row.requested_slots,
          .allocated_slots = row.allocated_slots,
          .is_scheduled = row.is_scheduled,
          .jobs_ahead = jobs_ahead};
}

std::optional<bool> parse_scheduled(std::string_view word) {
  if (word == "STATE_QUEUED") return false;
  if (word == "STATE_SCHEDULED" || word == "STATE_SCHEDULED_BACKFILLED") return true;
  return std::nullopt;
}

// Of the whole queue, those that the query asks for; each knows its place in its pool's queue.
Result<std::vector<wire::Job>> select_jobs(const std::vector<store::JobRow>& queue, QueryArguments& query,
                                           const model::MasterConfig& master) {
  const std::string pool = query.text("resourcePool").value_or("");
  const std::vector<bool> states = query.words("states", parse_scheduled);
  const store::Order order = query.order().value_or(store::Order::kAscending);
  DET_TRY(query.status());
  std::map<std::string, int> ahead;
  std::vector<wire::Job> jobs;
  for (const store::JobRow& row : queue) {
    wire::Job job = job_of(row, ahead[pool_or_default(row.resource_pool, master)]++, master);
    if (!pool.empty() && job.resource_pool != pool) continue;
    if (!states.empty() && std::ranges::find(states, job.is_scheduled) == states.end()) continue;
    jobs.push_back(std::move(job));
  }
  if (order == store::Order::kDescending) std::ranges::reverse(jobs);
  return jobs;
}

Task<Result<http::Response>> answer_jobs(ApiServices& services, Call call, bool wrapped) {
  const auto queue = co_await services.stores.jobs.queue();
  DET_CO_TRY(queue);
  QueryArguments query(call.request.query);
  store::Page page = query.page();
  if (page.limit == 0) page.limit = kDefaultLimit;
  const auto jobs = select_jobs(*queue, query, services.settings.master);
  DET_CO_TRY(jobs);
  const auto total = static_cast<std::int64_t>(jobs->size());
  const std::int64_t start = page.offset < 0 ? std::max<std::int64_t>(0, total + page.offset) : page.offset;
  if (start > total) co_return fail(ErrorCode::kInvalidArgument, "offset out of bounds", "offset");
  const std::int64_t end = std::min(total, start + page.limit);
  wire::Json list = wire::Json::array();
  for (std::int64_t i = start; i < end; ++i) {
    wire::Json job = wire::to_json((*jobs)[static_cast<std::size_t>(i)]);
    list.push_back(wrapped ? wire::Json{{"full", std::move(job)}} : std::move(job));
  }
  const wire::Pagination pages{.offset = start, .limit = page.limit, .start = start, .end = end, .total = total};
  co_return ok({{"jobs", list}, {"pagination", wire::to_json(pages)}});
}

// A job is an experiment or a task.
struct JobFound {
  std::optional<store::ExperimentRow> experiment;
  std::optional<store::TaskRow> task;
};

// By job id, by the experiment's number or the task's id, which people know.
Task<Result<JobFound>> find_job(ApiServices& services, std::string job) {
  store::JobStore::JobOf of;
  if (!job.empty() && job.size() < 19 && job.find_first_not_of("0123456789") == std::string::npos) {
    of.experiment = model::ExperimentId{std::stoll(job)};
  } else {
    auto found = co_await services.stores.jobs.find(job);
    DET_CO_TRY(found);
    of = std::move(*found);
    if (!of.experiment && of.task_id.empty()) of.task_id = job;
  }
  JobFound found;
  if (of.experiment) {
    auto row = co_await services.stores.experiments.find(*of.experiment);
    DET_CO_TRY(row);
    found.experiment = std::move(*row);
  } else {
    auto row = co_await services.stores.tasks.find(of.task_id);
    DET_CO_TRY(row);
    found.task = std::move(*row);
  }
  if (found.experiment || found.task) co_return found;
  co_return fail(ErrorCode::kNotFound, "job '" + job + "' not found", "jobId");
}

// Who may stop it may change its place.
Task<Status> update_task(ApiServices& services, store::TaskRow row, wire::Json settings, const Identity& caller) {
  if (!caller.user.admin && caller.user.id != row.owner) {
    co_return fail(ErrorCode::kPermissionDenied, "only its owner and admins can do this to a task");
  }
  for (const auto& [name, value] : settings.items()) {
    if (name != "priority") {
      co_return fail(ErrorCode::kInvalidArgument, name + ": of a task only the priority can be changed", name);
    }
    DET_CO_TRY(co_await set_task_priority(services, row, value.get<std::int64_t>()));
  }
  co_return Status();
}

Status check_pool(const std::string& pool, const store::ExperimentRow& row, const model::MasterConfig& master) {
  const wire::Json::json_pointer place("/resources/resource_pool");
  const bool is_named = row.config.contains(place) && row.config[place].is_string();
  const std::string now = pool_or_default(is_named ? row.config[place].get<std::string>() : std::string(), master);
  if (pool == now) {
    return fail(ErrorCode::kInvalidArgument, "resource pool is unchanged (" + now + " == " + pool + ")",
                "resourcePool");
  }
  const auto names = pool_names(master);
  if (std::ranges::find(names, pool) == names.end()) {
    return fail(ErrorCode::kInvalidArgument, "invalid resource pool name " + pool, "resourcePool");
  }
  return fail(ErrorCode::kUnimplemented,
              "resourcePool: this version moves no experiment to another pool; create it again with "
              "--config resources.resource_pool=" +
                  pool,
              "resourcePool");
}

Task<Status> update_job(ApiServices& services, wire::Json update, Identity caller) {
  wire::RequestFields fields(update);
  fields.require("jobId");
  const std::string job = fields.string("jobId").value_or("");
  const std::string pool = fields.string("resourcePool").value_or("");
  if (!fields.status()) co_return fields.status();
  if (fields.any("aheadOf") != nullptr || fields.any("behindOf") != nullptr) {
    co_return fail(ErrorCode::kInvalidArgument,
                   "aheadOf and behindOf: jobs are ordered by priority, then by submission; set the priority");
  }
  fields = wire::RequestFields(update);
  const auto settings = read_live_settings(fields);
  DET_CO_TRY(settings);
  auto found = co_await find_job(services, job);
  DET_CO_TRY(found);
  if (found->task) {
    if (!pool.empty()) {
      co_return fail(ErrorCode::kUnimplemented,
                     "resourcePool: this version moves no task to another pool; start it again", "resourcePool");
    }
    co_return co_await update_task(services, std::move(*found->task), *settings, caller);
  }
  const store::ExperimentRow* const row = &*found->experiment;
  if (!pool.empty()) co_return check_pool(pool, *row, services.settings.master);
  auto live = co_await edit_live_settings(services, row->id, *settings);
  DET_CO_TRY(live);
  store::ExperimentPatch patch;
  patch.live = std::move(*live);
  co_return co_await services.stores.experiments.patch(row->id, std::move(patch));
}

Task<Result<http::Response>> explain_task(ApiServices& services, store::TaskRow row) {
  wire::Json status = wire::Json::object();
  if (!row.uid.empty() && !model::is_terminal(row.state)) {
    const auto object = co_await services.kubernetes.get(k8s::tasks(), {.ns = row.ns, .name = row.name});
    if (!object && object.error().code != ErrorCode::kNotFound) co_return std::unexpected(object.error());
    if (object) status = object->value("status", wire::Json::object());
  }
  const std::string message = status.value("message", "");
  const std::string state = status.value("state", std::string(to_string(row.state)));
  std::string reason = "task " + row.id + " is " + state;
  if (model::is_terminal(row.state)) {
    reason += ": " + row.exit_reason;
  } else if (!message.empty()) {
    reason += ": " + message;
  }
  co_return ok({{"jobId", row.job_id},
                {"taskId", row.id},
                {"reason", reason},
                {"scheduling", status.value("scheduling", wire::Json())}});
}

}  // namespace

Task<Result<http::Response>> list_jobs(ApiServices& services, Call call) {
  return answer_jobs(services, std::move(call), false);
}

Task<Result<http::Response>> list_jobs_v2(ApiServices& services, Call call) {
  return answer_jobs(services, std::move(call), true);
}

Task<Result<http::Response>> job_stats(ApiServices& services, Call call) {
  const auto queue = co_await services.stores.jobs.queue();
  DET_CO_TRY(queue);
  const auto wanted = QueryArguments(call.request.query).texts("resourcePools");
  wire::Json results = wire::Json::array();
  for (const wire::ResourcePool& pool : pools_of({}, *queue, services.settings.master)) {
    if (!wanted.empty() && std::ranges::find(wanted, pool.name) == wanted.end()) continue;
    results.push_back(
        {{"resourcePool", pool.name}, {"stats", wire::to_json(pool.stats)}, {"aggregates", wire::Json::array()}});
  }
  co_return ok({{"results", results}});
}

// All updates are tried, in their order; the errors of those that failed come together.
Task<Result<http::Response>> update_jobs(ApiServices& services, Call call) {
  const auto body = wire::parse_body(call.request.body.view());
  DET_CO_TRY(body);
  const wire::Json updates = body->value("updates", wire::Json::array());
  if (!updates.is_array()) co_return fail(ErrorCode::kInvalidArgument, "updates: expected a list", "updates");
  std::optional<Error> first;
  std::string messages;
  for (const wire::Json& update : updates) {
    if (!update.is_object()) co_return fail(ErrorCode::kInvalidArgument, "updates: expected objects", "updates");
    const Status done = co_await update_job(services, update, call.caller);
    if (done) continue;
    messages += (first ? ", " : "") + done.error().message;
    if (!first) first = done.error();
  }
  if (!first) co_return ok();
  if (updates.size() > 1) first->message = "encountered the following errors: " + messages;
  co_return std::unexpected(*first);
}

Task<Result<http::Response>> explain_job(ApiServices& services, Call call) {
  const auto job = co_await find_job(services, path_text(call.request, "id"));
  DET_CO_TRY(job);
  if (job->task) co_return co_await explain_task(services, *job->task);
  const store::ExperimentRow* const row = &*job->experiment;
  k8s::ListOptions options;
  options.ns = row->ns;
  // Longer names stand cut off in labels.
  if (!row->name.empty() && row->name.size() <= kLongestLabel) {
    options.label_selector = "det-operator.dev/experiment=" + row->name;
  }
  std::vector<wire::Json> trials;
  if (!row->uid.empty() && !model::is_terminal(row->state)) {
    auto found = co_await services.kubernetes.list(k8s::trials(), options);
    DET_CO_TRY(found);
    const wire::Json::json_pointer owner("/metadata/ownerReferences/0/uid");
    for (wire::Json& trial : found->items) {
      if (trial.contains(owner) && trial[owner] == row->uid) trials.push_back(std::move(trial));
    }
  }
  wire::Json waiting = wire::Json::array();
  for (const wire::Json& trial : trials) {
    const wire::Json status = trial.value("status", wire::Json::object());
    if (status.value("state", "") != "QUEUED") continue;
    waiting.push_back({{"trialId", status.value("id", 0)},
                       {"message", status.value("message", "")},
                       {"scheduling", status.value("scheduling", wire::Json())}});
  }
  co_return ok({{"jobId", row->job_id},
                {"experimentId", row->id.value},
                {"reason", job_reason(*row, trials)},
                {"waitingTrials", waiting}});
}

}  // namespace det::api::routes
