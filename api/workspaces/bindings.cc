// Namespaces and quotas of workspaces, as the clients ask for them. All work is in one namespace here, and quotas are
// Kubernetes' own.

#include "api/arguments.h"
#include "api/workspaces/routes.h"

namespace det::api::routes {

namespace {

Task<Status> check_workspace(ApiServices& services, Call call) {
  const auto id = path_id(call.request);
  DET_CO_TRY(id);
  const auto owner = co_await services.stores.workspaces.owner(model::WorkspaceId{*id});
  DET_CO_TRY(owner);
  if (!*owner) co_return fail(ErrorCode::kNotFound, "workspace '" + std::to_string(*id) + "' not found");
  co_return Status();
}

}  // namespace

Task<Result<http::Response>> list_namespace_bindings(ApiServices& services, Call call) {
  DET_CO_TRY(co_await check_workspace(services, call));
  const auto id = path_id(call.request);
  const wire::Json binding = {
      {"workspaceId", *id}, {"namespace", services.settings.ns}, {"clusterName", ""}, {"autoCreateNamespace", false}};
  co_return ok({{"namespaceBindings", {{"", binding}}}});
}

Task<Result<http::Response>> list_quotas(ApiServices& services, Call call) {
  DET_CO_TRY(co_await check_workspace(services, call));
  co_return ok({{"resourceQuotas", wire::Json::object()}});
}

Task<Result<http::Response>> refuse_namespace_bindings(ApiServices& services, Call) {
  co_return fail(ErrorCode::kUnimplemented,
                 "this version binds no workspace to a namespace: what is started by REST runs in '" +
                     services.settings.ns + "'; apply Experiment objects to run elsewhere");
}

Task<Result<http::Response>> refuse_quota(ApiServices& services, Call) {
  co_return fail(ErrorCode::kUnimplemented,
                 "this version sets no quotas of workspaces; make a ResourceQuota object in the namespace '" +
                     services.settings.ns + "', which the scheduler keeps to");
}

}  // namespace det::api::routes
