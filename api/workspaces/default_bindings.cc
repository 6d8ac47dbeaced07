// Workspaces that are bound to no namespace of their own, and giving each of some one that is made for it.

#include "api/access_check.h"
#include "api/body.h"
#include "api/id_list.h"
#include "api/workspaces/namespace_binding.h"
#include "api/workspaces/routes.h"

namespace det::api::routes {

Task<Result<http::Response>> list_unbound_workspaces(ApiServices& services, Call call) {
  store::WorkspaceFilter filter;
  filter.viewer = call.caller.user.id;
  filter.with_counts = false;
  filter.visible = visible(call.caller, model::Permission::kViewWorkspace);
  const auto rows = co_await services.stores.workspaces.list(std::move(filter));
  DET_CO_TRY(rows);
  wire::Json ids = wire::Json::array();
  for (const store::WorkspaceRow& row : rows->items) {
    if (row.defaults.ns.empty()) ids.push_back(row.id.value);
  }
  co_return ok({{"workspaceIds", std::move(ids)}});
}

// Nothing is made before all of them are known to be there, and to be the caller's to bind.
Task<Result<http::Response>> bind_to_made_namespaces(ApiServices& services, Call call) {
  const auto body = co_await parse_body(services, call);
  DET_CO_TRY(body);
  const wire::RequestFields fields(*body);
  const auto ids = read_id_list(fields.any("workspaceIds"), "workspaceIds");
  DET_CO_TRY(ids);
  std::vector<model::WorkspaceId> unbound;
  for (const std::int64_t id : *ids) {
    DET_CO_TRY(check_may_bind(call.caller, model::WorkspaceId{id}));
    const auto row = co_await services.stores.workspaces.find({id}, call.caller.user.id);
    DET_CO_TRY(row);
    if (row->defaults.ns.empty()) unbound.push_back(row->id);
  }
  for (const model::WorkspaceId id : unbound) {
    const WantedBinding made{.ns = {}, .is_made = true, .quota = {}};
    DET_CO_TRY(co_await bind_workspace(services, id, made));
  }
  co_return ok();
}

}  // namespace det::api::routes
