#include <algorithm>

#include "api/agents/agent_views.h"
#include "api/arguments.h"
#include "api/tasks/routes.h"
#include "api/views.h"
#include "base/encoding.h"
#include "base/guarded_work.h"

namespace det::api::routes {

namespace {

Task<Result<store::TrialRow>> trial_of_task(ApiServices& services, std::string task_id) {
  auto trial = co_await services.stores.trials.find_by_task(task_id);
  DET_CO_TRY(trial);
  if (!*trial) co_return fail(ErrorCode::kNotFound, "task '" + task_id + "' not found");
  co_return std::move(**trial);
}

wire::AllocationSummary summary_of(const store::OpenAllocation& open, const model::MasterConfig& master) {
  wire::AllocationSummary summary{
      .allocation_id = open.id,
      .task_id = open.task_id,
      .name = "Trial " + to_string(open.trial) + " (Experiment " + to_string(open.experiment) + ")",
      .registered = open.created_at,
      .slots = open.slots,
      .priority = open.priority,
      .resource_pool = pool_or_default(open.resource_pool, master),
      .pods = {}};
  for (const auto& row : open.resources) {
    summary.pods.push_back({.resources_id = row.resources_id, .container = row.pod_name, .agent = row.node});
  }
  return summary;
}

}  // namespace

Task<Result<http::Response>> list_tasks(ApiServices& services, Call call) {
  static_cast<void>(call);
  const auto open = co_await services.stores.jobs.open_allocations();
  DET_CO_TRY(open);
  wire::Json summaries = wire::Json::object();
  for (const auto& allocation : *open) {
    summaries[allocation.id] = wire::to_json(summary_of(allocation, services.settings.master));
  }
  co_return ok({{"allocationIdToSummary", summaries}});
}

// Of the kinds that people start one by one; trials do not count.
Task<Result<http::Response>> count_tasks(ApiServices& services, Call call) {
  static_cast<void>(services);
  static_cast<void>(call);
  co_return ok({{"commands", 0}, {"notebooks", 0}, {"shells", 0}, {"tensorboards", 0}});
}

Task<Result<http::Response>> get_task(ApiServices& services, Call call) {
  const std::string id = path_text(call.request, "id");
  const auto trial = co_await trial_of_task(services, id);
  DET_CO_TRY(trial);
  const auto allocations = co_await services.stores.allocations.of_task(id);
  DET_CO_TRY(allocations);
  wire::Task task;
  task.id = id;
  task.start_time = trial->start_time;
  task.end_time = trial->end_time;
  std::vector<store::AllocationRow> newest_first = *allocations;
  std::ranges::sort(newest_first, [](const auto& a, const auto& b) { return a.run > b.run; });
  for (const auto& row : newest_first) task.allocations.push_back(to_wire(row));
  co_return ok({{"task", wire::to_json(task)}});
}

Task<Result<http::Response>> context_directory(ApiServices& services, Call call) {
  const auto trial = co_await trial_of_task(services, path_text(call.request, "id"));
  DET_CO_TRY(trial);
  const auto experiment = co_await services.stores.experiments.find(trial->experiment);
  DET_CO_TRY(experiment);
  const store::ContextRef code = *experiment ? (*experiment)->context : store::ContextRef();
  const std::string& sha256 = code.sha256;
  // The pod has fetched it already.
  const bool is_elsewhere = code.kind == "git" || code.kind == "pvc";
  if (sha256.empty() || is_elsewhere) co_return ok({{"b64Tgz", ""}});
  auto bytes = co_await services.stores.contexts.get(sha256);
  DET_CO_TRY(bytes);
  if (!*bytes) co_return fail(ErrorCode::kNotFound, "the model code with the digest " + sha256 + " is gone");
  auto work = [content = std::move(**bytes)] { return "{\"b64Tgz\":\"" + base64_encode(content) + "\"}"; };
  co_return http::Response::json(co_await run_guarded(services.workers, std::move(work)));
}

}  // namespace det::api::routes
