// What people see of allocations: one of them, and what its pods said of their accelerators.

#include "api/agents/agent_views.h"
#include "api/allocations/accelerator.h"
#include "api/allocations/routes.h"
#include "api/arguments.h"
#include "api/views.h"
#include "base/json_get.h"
#include "wire/task.h"

namespace det::api::routes {

Task<Result<http::Response>> get_allocation(ApiServices& services, Call call) {
  const std::string id = path_text(call.request, "id");
  const auto row = co_await services.stores.allocations.find(id);
  DET_CO_TRY(row);
  if (!*row) co_return fail(ErrorCode::kNotFound, "allocation '" + id + "' not found");
  co_return ok({{"allocation", wire::to_json(to_wire(**row))}});
}

Task<Result<http::Response>> task_accelerators(ApiServices& services, Call call) {
  const auto all = co_await services.stores.allocations.accelerators(path_text(call.request, "id"));
  DET_CO_TRY(all);
  wire::Json shown = wire::Json::array();
  for (const store::ReportedAccelerator& one : *all) {
    shown.push_back({{"containerId", get_string(one.data, "containerId")},
                     {"allocationId", one.allocation_id},
                     {"nodeName", one.node},
                     {"taskId", path_text(call.request, "id")},
                     {"acceleratorType", get_string(one.data, "acceleratorType")},
                     {"acceleratorUuids", accelerator_uuids(one.data)},
                     {"resourcePool", pool_or_default(one.pool, services.settings.master)}});
  }
  co_return ok({{"acceleratorData", std::move(shown)}});
}

// Only launchers outside Kubernetes send it; Determined answers the same on Kubernetes.
Task<Result<http::Response>> refuse_container_notice(ApiServices&, Call) {
  co_return fail(ErrorCode::kUnimplemented,
                 "the NotifyContainerRunning message is unsupported for KubernetesResourceManager");
}

}  // namespace det::api::routes
