#include <algorithm>
#include <tuple>

#include "api/access_check.h"
#include "api/agents/agent_views.h"
#include "api/arguments.h"
#include "api/stored_code.h"
#include "api/tasks/any_task.h"
#include "api/tasks/routes.h"
#include "api/tasks/task_views.h"
#include "api/views.h"
#include "model/taskconf/task_config.h"

namespace det::api::routes {

namespace {

std::string name_of(const store::OpenAllocation& open) {
  if (!open.trial) return open.title;
  return "Trial " + to_string(*open.trial) + " (Experiment " + to_string(*open.experiment) + ")";
}

// A port that is the task's own service, too, is shown once, as that: it sorts before "<task id>:<port>".
std::vector<wire::AllocationSummary::Port> ports_of(std::vector<store::ProxyService> services) {
  std::ranges::sort(services, {}, [](const store::ProxyService& one) { return std::tie(one.port, one.id); });
  const auto same = std::ranges::unique(services, {}, &store::ProxyService::port);
  services.erase(same.begin(), same.end());
  std::vector<wire::AllocationSummary::Port> ports;
  for (const store::ProxyService& one : services) {
    ports.push_back(
        {.service_id = one.id, .port = one.port, .is_tcp = one.is_tcp, .is_unauthenticated = one.is_unauthenticated});
  }
  return ports;
}

wire::AllocationSummary summary_of(const store::OpenAllocation& open, const model::MasterConfig& master) {
  wire::AllocationSummary summary{.allocation_id = open.id,
                                  .task_id = open.task_id,
                                  .name = name_of(open),
                                  .registered = open.created_at,
                                  .slots = open.slots,
                                  .priority = open.priority,
                                  .resource_pool = pool_or_default(open.resource_pool, master),
                                  .pods = {},
                                  .ports = {}};
  for (const auto& row : open.resources) {
    summary.pods.push_back({.resources_id = row.resources_id, .container = row.pod_name, .agent = row.node});
  }
  return summary;
}

void describe(const store::TaskRow& row, wire::Task& task) {
  task.type = "TASK_TYPE_" + row.type;
  if (row.type != model::task_word(model::TaskType::kGeneric)) return;
  task.state = row.state;
  task.config = wire::dump(given_config(row));
  task.parent = row.kin.parent;
  task.forked_from = row.kin.forked_from;
  task.no_pause = row.kin.no_pause;
}

// Where the files of any task are kept.
Task<Result<store::ContextRef>> files_of(ApiServices& services, std::string id) {
  const auto found = co_await find_any_task(services, std::move(id));
  DET_CO_TRY(found);
  if (found->task) co_return found->task->context;
  const auto experiment = co_await services.stores.experiments.find(found->trial->experiment);
  DET_CO_TRY(experiment);
  co_return *experiment ? (*experiment)->context : store::ContextRef();
}

// Of all allocations that have not ended and that the caller may look at.
Task<Result<std::vector<wire::AllocationSummary>>> open_summaries(ApiServices& services, Identity caller) {
  const auto open = co_await services.stores.jobs.open_allocations();
  DET_CO_TRY(open);
  auto published = co_await services.stores.services.open();
  DET_CO_TRY(published);
  std::vector<wire::AllocationSummary> summaries;
  for (const auto& allocation : *open) {
    const auto needed = allocation.trial ? model::Permission::kViewExperimentMetadata : model::Permission::kViewNsc;
    if (!may(caller, needed, allocation.workspace)) continue;
    summaries.push_back(summary_of(allocation, services.settings.master));
    summaries.back().ports = ports_of(std::move((*published)[allocation.id]));
  }
  co_return summaries;
}

}  // namespace

Task<Result<http::Response>> list_tasks(ApiServices& services, Call call) {
  const auto open = co_await open_summaries(services, call.caller);
  DET_CO_TRY(open);
  wire::Json summaries = wire::Json::object();
  for (const wire::AllocationSummary& summary : *open) summaries[summary.allocation_id] = wire::to_json(summary);
  co_return ok({{"allocationIdToSummary", summaries}});
}

Task<Result<http::Response>> legacy_tasks(ApiServices& services, Call call) {
  const auto open = co_await open_summaries(services, call.caller);
  DET_CO_TRY(open);
  wire::Json summaries = wire::Json::object();
  for (const wire::AllocationSummary& summary : *open) summaries[summary.allocation_id] = wire::legacy_json(summary);
  co_return ok(summaries);
}

// Those that run, of the kinds that people start one by one; trials do not count.
Task<Result<http::Response>> count_tasks(ApiServices& services, Call call) {
  static_cast<void>(call);
  const auto running = co_await services.stores.tasks.count_running();
  DET_CO_TRY(running);
  const auto count = [&](const char* type) {
    const auto found = running->find(type);
    return found == running->end() ? 0 : found->second;
  };
  co_return ok({{"commands", count("COMMAND")},
                {"notebooks", count("NOTEBOOK")},
                {"shells", count("SHELL")},
                {"tensorboards", count("TENSORBOARD")}});
}

Task<Result<http::Response>> get_task(ApiServices& services, Call call) {
  const std::string id = path_text(call.request, "id");
  const auto found = co_await find_any_task(services, id);
  DET_CO_TRY(found);
  const auto allocations = co_await services.stores.allocations.of_task(id);
  DET_CO_TRY(allocations);
  wire::Task task;
  task.id = id;
  task.start_time = found->trial ? found->trial->start_time : found->task->start_time;
  task.end_time = found->trial ? found->trial->end_time : found->task->end_time;
  if (found->task) describe(*found->task, task);
  std::vector<store::AllocationRow> newest_first = *allocations;
  std::ranges::sort(newest_first, [](const auto& a, const auto& b) { return a.run > b.run; });
  for (const auto& row : newest_first) task.allocations.push_back(to_wire(row));
  co_return ok({{"task", wire::to_json(task)}});
}

Task<Result<http::Response>> context_directory(ApiServices& services, Call call) {
  const auto code = co_await files_of(services, path_text(call.request, "id"));
  DET_CO_TRY(code);
  const std::string& sha256 = code->sha256;
  // The pod has fetched it already.
  const bool is_elsewhere = code->kind == "git" || code->kind == "pvc";
  if (sha256.empty() || is_elsewhere) co_return ok({{"b64Tgz", ""}});
  co_return co_await answer_with_code(services, sha256, code_as_json());
}

}  // namespace det::api::routes
