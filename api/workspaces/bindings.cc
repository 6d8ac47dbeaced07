// Namespaces and quotas of workspaces, as the clients ask for them. Quotas are Kubernetes' own.

#include "api/arguments.h"
#include "api/body.h"
#include "api/workspaces/named_workspace.h"
#include "api/workspaces/namespace_binding.h"
#include "api/workspaces/routes.h"
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
  if (!*wanted) {
    co_return fail(ErrorCode::kInvalidArgument, "clusterNamespaceMeta: names no namespace", "clusterNamespaceMeta");
  }
  DET_CO_TRY(co_await check_namespace(services, **wanted));
  DET_CO_TRY(co_await services.stores.workspaces.bind_namespace(row->id, **wanted));
  const Logger log("api");
  log.info("workspace bound to a namespace", {{"workspace", row->id.value}, {"namespace", **wanted}});
  co_return ok({{"namespaceBindings", binding_json(row->id, **wanted)}});
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
  co_return ok({{"resourceQuotas", wire::Json::object()}});
}

Task<Result<http::Response>> refuse_quota(ApiServices& services, Call call) {
  const auto row = co_await named_workspace(services, call);
  DET_CO_TRY(row);
  const std::string& bound = row->defaults.ns;
  co_return fail(ErrorCode::kUnimplemented,
                 "this version sets no quotas of workspaces; make a ResourceQuota object in the namespace '" +
                     (bound.empty() ? services.settings.ns : bound) + "', which the scheduler keeps to");
}

}  // namespace det::api::routes
