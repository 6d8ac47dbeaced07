#include "api/workspaces/namespace_binding.h"

#include <algorithm>

#include "api/access_check.h"
#include "api/workspaces/workspace_quota.h"
#include "base/json_get.h"
#include "base/log.h"
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

Result<WantedBinding> read_binding(const wire::RequestFields& fields) {
  WantedBinding wanted;
  const wire::Json* metas = fields.any(kField);
  if (metas == nullptr || metas->empty()) return wanted;
  if (!metas->is_object()) return refuse(std::string(kField) + ": expected a map of clusters");
  for (const auto& [cluster, meta] : metas->items()) {
    if (!meta.is_object()) return refuse(std::string(kField) + ": expected objects");
    const std::string named = cluster.empty() ? get_string(meta, "clusterName") : cluster;
    const bool is_everywhere = is_true(meta, "autoCreateNamespaceAllClusters");
    if (is_everywhere && !named.empty()) {
      return refuse("cannot specify a cluster name when you request to auto-create a namespace for all clusters");
    }
    if (!named.empty()) {
      return refuse("cluster '" + named + "' does not exist: there is one cluster, without a name");
    }
    wanted.is_made = is_everywhere || is_true(meta, "autoCreateNamespace");
    if (const wire::Json& quota = get_any(meta, "resourceQuota"); !quota.is_null()) {
      const auto read = read_quota_number(quota, std::string(kField) + ": resourceQuota");
      DET_TRY(read);
      wanted.quota = *read;
    }
    const wire::Json& ns = get_any(meta, "namespace");
    if (ns.is_null()) continue;
    if (!ns.is_string()) return refuse(std::string(kField) + ": namespace: expected a string");
    if (wanted.is_made) return refuse("cannot specify a namespace when you request to auto-create one");
    wanted.ns = ns.get<std::string>();
  }
  return wanted;
}

Status check_asks_for_no_quota(const WantedBinding& wanted, const wire::RequestFields& fields) {
  const wire::Json* pairs = fields.any("clusterQuotaPairs");
  if (!wanted.quota && (pairs == nullptr || pairs->empty())) return {};
  return refuse(
      "only a new workspace comes with a quota; of one that is there it is set by SetResourceQuotas (det workspace "
      "resource-quota set)");
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

std::string made_namespace(model::WorkspaceId workspace) {
  return "det-workspace-" + std::to_string(workspace.value);
}

Status check_may_make_namespace(const Settings& settings) {
  if (!settings.master.pods_run_here) {
    return refuse(
        "the operator makes no namespaces: it has rights in taskNamespaces of the chart only, and gives itself no "
        "others; make the namespace, enable it there, and bind the workspace with --namespace",
        ErrorCode::kUnimplemented);
  }
  if (settings.master.task_namespaces.empty()) return {};
  return refuse("task_namespaces of master.yaml says which namespaces there are; bind the workspace to one of them",
                ErrorCode::kFailedPrecondition);
}

Task<Result<std::string>> bind_to_made_namespace(ApiServices& services, model::WorkspaceId workspace) {
  std::string ns = made_namespace(workspace);
  const wire::Json object = {{"apiVersion", "v1"}, {"kind", "Namespace"}, {"metadata", {{"name", ns}}}};
  const k8s::WriteOptions write;
  const auto made = co_await services.kubernetes.create(k8s::namespaces(), "", object, write);
  if (!made && made.error().code != ErrorCode::kAlreadyExists) {
    co_return std::unexpected(with_context(made.error(), "make namespace " + ns));
  }
  DET_CO_TRY(co_await services.stores.workspaces.bind_namespace(workspace, ns));
  co_return ns;
}

Task<Result<std::string>> bind_workspace(ApiServices& services, model::WorkspaceId workspace, WantedBinding wanted) {
  std::string ns;
  if (wanted.is_made) {
    DET_CO_TRY(check_may_make_namespace(services.settings));
    auto made = co_await bind_to_made_namespace(services, workspace);
    DET_CO_TRY(made);
    ns = std::move(*made);
  } else {
    ns = wanted.ns.value_or("");
    DET_CO_TRY(co_await check_namespace(services, ns));
    DET_CO_TRY(co_await services.stores.workspaces.bind_namespace(workspace, ns));
  }
  const Logger log("api");
  log.info("workspace bound to a namespace", {{"workspace", workspace.value}, {"namespace", ns}});
  co_return ns;
}

wire::Json binding_json(model::WorkspaceId workspace, const std::string& ns) {
  return {{"",
           {{"workspaceId", workspace.value},
            {"namespace", ns},
            {"clusterName", ""},
            {"autoCreateNamespace", ns == made_namespace(workspace)}}}};
}

}  // namespace det::api
