#include "api/workspaces/namespace_binding.h"

#include <algorithm>

#include "api/access_check.h"
#include "base/json_get.h"
#include "k8sclient/resource.h"
#include "model/cluster/task_namespaces.h"

namespace det::api {
namespace {

constexpr const char* kField = "clusterNamespaceMeta";
constexpr std::size_t kLongestName = 63;

std::unexpected<Error> refuse(std::string message, ErrorCode code = ErrorCode::kInvalidArgument) {
  return fail(code, std::move(message), kField);
}

// RFC 1123, as the API server asks for it.
bool is_label(const std::string& name) {
  const auto is_inner = [](char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-'; };
  return !name.empty() && name.size() <= kLongestName && std::ranges::all_of(name, is_inner) && name.front() != '-' &&
         name.back() != '-';
}

bool is_true(const wire::Json& meta, const char* name) {
  const wire::Json& value = get_any(meta, name);
  return value.is_boolean() && value.get<bool>();
}

}  // namespace

Result<std::optional<std::string>> read_binding(const wire::RequestFields& fields) {
  const wire::Json* quotas = fields.any("clusterQuotaPairs");
  if (quotas != nullptr && !quotas->empty()) {
    return fail(ErrorCode::kUnimplemented,
                "clusterQuotaPairs: this version sets no quotas of workspaces; bind the workspace to a namespace, and "
                "make a ResourceQuota object there",
                "clusterQuotaPairs");
  }
  const wire::Json* metas = fields.any(kField);
  if (metas == nullptr || metas->empty()) return std::nullopt;
  if (!metas->is_object()) return refuse(std::string(kField) + ": expected a map of clusters");
  std::optional<std::string> wanted;
  for (const auto& [cluster, meta] : metas->items()) {
    if (!cluster.empty() || !get_string(meta, "clusterName").empty()) {
      return refuse("cluster '" + (cluster.empty() ? get_string(meta, "clusterName") : cluster) +
                    "' does not exist: there is one cluster, without a name");
    }
    if (!meta.is_object()) return refuse(std::string(kField) + ": expected objects");
    if (is_true(meta, "autoCreateNamespace") || is_true(meta, "autoCreateNamespaceAllClusters")) {
      return refuse(
          "the operator makes no namespaces: make it, enable it with taskNamespaces of the chart, and bind the "
          "workspace with --namespace",
          ErrorCode::kUnimplemented);
    }
    if (!get_any(meta, "resourceQuota").is_null()) {
      return refuse("this version sets no quotas of workspaces; make a ResourceQuota object in the namespace",
                    ErrorCode::kUnimplemented);
    }
    const wire::Json& ns = get_any(meta, "namespace");
    if (ns.is_null()) continue;
    if (!ns.is_string()) return refuse(std::string(kField) + ": namespace: expected a string");
    wanted = ns.get<std::string>();
  }
  return wanted;
}

Status check_may_bind(const Identity& caller, std::optional<model::WorkspaceId> workspace) {
  if (has_roles(caller) && caller.kind == TokenKind::kLogin) {
    constexpr model::Permission kNeeded = model::Permission::kSetWorkspaceNamespaceBindings;
    return workspace ? require(caller, kNeeded, *workspace) : require(caller, kNeeded);
  }
  if (caller.user.admin && caller.kind == TokenKind::kLogin) return {};
  return fail(ErrorCode::kPermissionDenied, "only admins may set workspace bindings");
}

Task<Status> check_namespace(ApiServices& services, std::string ns) {
  if (!is_label(ns)) co_return refuse("namespace '" + ns.substr(0, kLongestName) + "': not a name of a namespace");
  const Settings& settings = services.settings;
  if (!settings.only_ns.empty() && ns != settings.only_ns) {
    co_return refuse("the operator looks after namespace " + settings.only_ns + " only (--namespace)",
                     ErrorCode::kFailedPrecondition);
  }
  DET_CO_TRY(model::check_task_namespace(settings.master.task_namespaces, ns));
  // Listed: the operator has its rights there. Else it may be none at all.
  if (!settings.master.task_namespaces.empty()) co_return Status();
  const auto found = co_await services.kubernetes.get(k8s::namespaces(), {.ns = {}, .name = ns});
  if (found) co_return Status();
  if (found.error().code == ErrorCode::kNotFound) co_return refuse("namespace '" + ns + "' does not exist");
  co_return std::unexpected(with_context(found.error(), "look for namespace '" + ns + "'"));
}

wire::Json binding_json(model::WorkspaceId workspace, const std::string& ns) {
  return {
      {"", {{"workspaceId", workspace.value}, {"namespace", ns}, {"clusterName", ""}, {"autoCreateNamespace", false}}}};
}

}  // namespace det::api
