#include "operator/removal/remove_object.h"

#include <utility>

#include "model/cluster/task_namespaces.h"

namespace det::op {

Task<Status> remove_object(OperatorServices& services, k8s::Resource resource, k8s::ObjectKey key, std::string uid) {
  if (uid.empty()) co_return Status{};
  DET_CO_TRY(model::check_task_namespace(services.settings.master.task_namespaces, key.ns));
  k8s::DeleteOptions options;
  options.uid = std::move(uid);
  const std::string what = "delete " + resource.kind + " " + to_string(key);
  auto gone = co_await services.client.remove(std::move(resource), std::move(key), options);
  if (!gone) co_return std::unexpected(with_context(std::move(gone).error(), what));
  co_return Status{};
}

}  // namespace det::op
