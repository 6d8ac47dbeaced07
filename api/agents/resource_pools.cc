// Resource pools: nodes that work chooses by name.

#include <algorithm>

#include "api/agents/agent_views.h"
#include "api/agents/node_list.h"
#include "api/agents/routes.h"
#include "api/arguments.h"
#include "api/list_slice.h"

namespace det::api::routes {

Task<Result<http::Response>> list_resource_pools(ApiServices& services, Call call) {
  QueryArguments query(call.request.query);
  const store::Page page = query.page();
  DET_CO_TRY(query.status());
  const auto cluster = co_await services.nodes.read();
  DET_CO_TRY(cluster);
  const auto open = co_await services.stores.jobs.open_allocations();
  DET_CO_TRY(open);
  const auto queue = co_await services.stores.jobs.queue();
  DET_CO_TRY(queue);
  const auto agents = agents_of(*cluster, *open, services.settings.master);
  const auto pools = pools_of(agents, *queue, services.settings.master);
  const auto slice = slice_of(page, pools.size());
  DET_CO_TRY(slice);
  wire::Json list = wire::Json::array();
  for (std::size_t i = slice->first; i < slice->last; ++i) list.push_back(wire::to_json(pools[i]));
  co_return ok({{"resourcePools", list}, {"pagination", slice->pagination}});
}

namespace {

Status check_pool(const ApiServices& services, const Call& call) {
  const std::string pool = path_text(call.request, "name");
  const auto names = pool_names(services.settings.master);
  if (std::ranges::find(names, pool) != names.end()) return {};
  return fail(ErrorCode::kNotFound, "resource pool " + pool + " does not exist or is not available to view");
}

}  // namespace

// Every pool is everybody's.
Task<Result<http::Response>> list_pool_bindings(ApiServices& services, Call call) {
  DET_CO_TRY(check_pool(services, call));
  co_return ok({{"workspaceIds", wire::Json::array()}, {"pagination", wire::whole_list(0)}});
}

Task<Result<http::Response>> refuse_pool_bindings(ApiServices& services, Call call) {
  DET_CO_TRY(check_pool(services, call));
  co_return fail(ErrorCode::kUnimplemented,
                 "this version binds no pool to workspaces; a config policy of a workspace can fix its pool "
                 "(invariant_config.resources.resource_pool)");
}

}  // namespace det::api::routes
