// Namespaces and quotas of workspaces, as the clients ask for them. Quotas are Kubernetes' own objects.

#include "api/arguments.h"
#include "api/body.h"
#include "api/workspaces/named_workspace.h"
#include "api/workspaces/namespace_binding.h"
#include "api/workspaces/routes.h"
#include "api/workspaces/workspace_quota.h"
#include "base/log.h"

namespace det::api::routes {

Task<Result<http::Response>> list_namespace_bindings(ApiServices& services, Call call) {
  const auto row = co_await named_workspace(services, call);
  DET_CO_TRY(row);
  const std::string& bound = row->defaults.ns;
  co_return ok({{"namespaceBindings", binding_json(row->id, bound.empty() ? services.settings.ns : bound)}});
}

Task<Result<http::Response>> set_namespace_bindings(ApiServices& services, Call call) {
  const auto body = co_await parse_body(services, call);
  DET_CO_TRY(body);
  const auto row = co_await named_workspace(services, call);
  DET_CO_TRY(row);
  DET_CO_TRY(check_may_bind(call.caller, row->id));
  const wire::RequestFields fields(*body);
  const auto wanted = read_binding(fields);
  DET_CO_TRY(wanted);
  DET_CO_TRY(check_asks_for_no_quota(*wanted, fields));
  if (!wanted->is_given()) {
    co_return fail(ErrorCode::kInvalidArgument, "clusterNamespaceMeta: names no namespace", "clusterNamespaceMeta");
  }
  const auto ns = co_await bind_workspace(services, row->id, *wanted);
  DET_CO_TRY(ns);
  co_return ok({{"namespaceBindings", binding_json(row->id, *ns)}});
}

Task<Result<http::Response>> delete_namespace_bindings(ApiServices& services, Call call) {
  const auto row = co_await named_workspace(services, call);
  DET_CO_TRY(row);
  DET_CO_TRY(check_may_bind(call.caller, row->id));
  const QueryArguments query(call.request.query);
  for (const std::string& cluster : query.texts("clusterNames")) {
    if (cluster.empty()) continue;
    co_return fail(ErrorCode::kInvalidArgument,
                   "cluster '" + cluster + "' does not exist: there is one cluster, without a name", "clusterNames");
  }
  if (row->defaults.ns.empty()) {
    co_return fail(ErrorCode::kNotFound, "workspace '" + row->name + "' is bound to no namespace");
  }
  DET_CO_TRY(co_await services.stores.workspaces.bind_namespace(row->id, ""));
  co_return ok();
}

Task<Result<http::Response>> list_quotas(ApiServices& services, Call call) {
  const auto row = co_await named_workspace(services, call);
  DET_CO_TRY(row);
  const std::string& bound = row->defaults.ns;
  const auto quota = co_await find_quota(services, bound.empty() ? services.settings.ns : bound);
  DET_CO_TRY(quota);
  wire::Json quotas = wire::Json::object();
  if (*quota) quotas[""] = **quota;
  co_return ok({{"resourceQuotas", std::move(quotas)}});
}

Task<Result<http::Response>> set_resource_quota(ApiServices& services, Call call) {
  const auto body = co_await parse_body(services, call);
  DET_CO_TRY(body);
  const auto row = co_await named_workspace(services, call);
  DET_CO_TRY(row);
  DET_CO_TRY(check_may_set_quota(call.caller));
  const wire::RequestFields fields(*body);
  const auto wanted = read_quota(fields);
  DET_CO_TRY(wanted);
  if (!*wanted) co_return fail(ErrorCode::kInvalidArgument, "clusterQuotaPairs: names no quota", "clusterQuotaPairs");
  DET_CO_TRY(co_await check_quota_is_its_own(services, row->defaults.ns, row->id));
  DET_CO_TRY(co_await set_quota(services, row->defaults.ns, **wanted, false));
  const Logger log("api");
  log.info("quota of a workspace set", {{"workspace", row->id.value}, {"gpus", **wanted}});
  co_return ok();
}

}  // namespace det::api::routes
