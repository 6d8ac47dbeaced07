// The queue.

#include <algorithm>
#include <chrono>
#include <map>

#include "api/access_check.h"
#include "api/agents/agent_views.h"
#include "api/agents/hidden_pools.h"
#include "api/arguments.h"
#include "api/jobs/job_lookup.h"
#include "api/jobs/job_reason.h"
#include "api/jobs/routes.h"
#include "api/list_slice.h"

namespace det::api::routes {

namespace {

constexpr std::int64_t kDefaultLimit = 100;
constexpr std::size_t kLongestLabel = 63;
constexpr std::chrono::days kAveraged{30};  // as Determined's pages show them

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

// Whether they run. Determined's proto has STATE_UNSPECIFIED too, which is the state of no job.
constexpr std::pair<std::string_view, std::optional<bool>> kJobStates[] = {{"STATE_UNSPECIFIED", std::nullopt},
                                                                           {"STATE_QUEUED", false},
                                                                           {"STATE_SCHEDULED", true},
                                                                           {"STATE_SCHEDULED_BACKFILLED", true}};

bool sees(const Identity& caller, const store::JobRow& row) {
  return may(caller, row.experiment ? model::Permission::kViewExperimentMetadata : model::Permission::kViewNsc,
             row.workspace);
}

// Of the whole queue, those that the query asks for; each knows its place in its pool's queue.
// What is not seen has its place all the same: it counts as ahead of others.
Result<std::vector<wire::Job>> select_jobs(const std::vector<store::JobRow>& queue, const Identity& caller,
                                           QueryArguments& query, const model::MasterConfig& master) {
  const std::string pool = query.text("resourcePool").value_or("");
  const std::vector<std::optional<bool>> states = query.words("states", kJobStates);
  const store::Order order = query.order().value_or(store::Order::kAscending);
  DET_TRY(query.status());
  std::map<std::string, int> ahead;
  std::vector<wire::Job> jobs;
  for (const store::JobRow& row : queue) {
    wire::Job job = job_of(row, ahead[pool_or_default(row.resource_pool, master)]++, master);
    if (!sees(caller, row)) continue;
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
  const auto jobs = select_jobs(*queue, call.caller, query, services.settings.master);
  DET_CO_TRY(jobs);
  const auto slice = slice_of(page, jobs->size());
  DET_CO_TRY(slice);
  wire::Json list = wire::Json::array();
  for (std::size_t i = slice->first; i < slice->last; ++i) {
    wire::Json job = wire::to_json((*jobs)[i]);
    list.push_back(wrapped ? wire::Json{{"full", std::move(job)}} : std::move(job));
  }
  co_return ok({{"jobs", list}, {"pagination", slice->pagination}});
}

// By day, for as long as something started in the pool.
wire::Json averages_of(const std::string& pool, const std::vector<store::QueueTime>& times,
                       const model::MasterConfig& master) {
  wire::Json averages = wire::Json::array();
  for (const store::QueueTime& one : times) {
    if (pool_or_default(one.resource_pool, master) != pool) continue;
    averages.push_back({{"periodStart", one.day}, {"seconds", one.seconds}});
  }
  return averages;
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
  const auto hidden = co_await hidden_pools(services, call.caller);
  DET_CO_TRY(hidden);
  const auto times = co_await services.stores.usage.queue_times(services.clock.wall_now() - kAveraged);
  DET_CO_TRY(times);
  const auto wanted = QueryArguments(call.request.query).texts("resourcePools");
  wire::Json results = wire::Json::array();
  for (const wire::ResourcePool& pool : pools_of({}, *queue, services.settings.master)) {
    if (hidden->contains(pool.name)) continue;
    if (!wanted.empty() && std::ranges::find(wanted, pool.name) == wanted.end()) continue;
    results.push_back({{"resourcePool", pool.name},
                       {"stats", wire::to_json(pool.stats)},
                       {"aggregates", averages_of(pool.name, *times, services.settings.master)}});
  }
  co_return ok({{"results", results}});
}

Task<Result<http::Response>> explain_job(ApiServices& services, Call call) {
  const auto job = co_await find_job(services, call.caller, path_text(call.request, "id"), "jobId");
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
