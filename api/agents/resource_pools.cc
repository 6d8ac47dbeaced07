// Resource pools: nodes that work chooses by name.

#include <algorithm>

#include "api/agents/agent_views.h"
#include "api/agents/hidden_pools.h"
#include "api/agents/node_list.h"
#include "api/agents/routes.h"
#include "api/arguments.h"
#include "api/list_slice.h"

namespace det::api::routes {

Task<Result<http::Response>> list_resource_pools(ApiServices& services, Call call) {
  QueryArguments query(call.request.query);
  const store::Page page = query.page();
  const bool unbound = query.boolean("unbound").value_or(false);
  DET_CO_TRY(query.status());
  const auto cluster = co_await services.nodes.read();
  DET_CO_TRY(cluster);
  const auto open = co_await services.stores.jobs.open_allocations();
  DET_CO_TRY(open);
  const auto queue = co_await services.stores.jobs.queue();
  DET_CO_TRY(queue);
  const auto agents = agents_of(*cluster, *open, services.settings.master);
  auto pools = pools_of(agents, *queue, services.settings.master);
  if (unbound) {  // none of those is hidden
    const auto bound = co_await services.stores.pool_bindings.all();
    DET_CO_TRY(bound);
    std::erase_if(pools, [&](const auto& pool) { return bound->contains(pool.name); });
  } else {
    const auto hidden = co_await hidden_pools(services, call.caller);
    DET_CO_TRY(hidden);
    std::erase_if(pools, [&](const auto& pool) { return hidden->contains(pool.name); });
  }
  const auto slice = slice_of(page, pools.size());
  DET_CO_TRY(slice);
  wire::Json list = wire::Json::array();
  for (std::size_t i = slice->first; i < slice->last; ++i) list.push_back(wire::to_json(pools[i]));
  co_return ok({{"resourcePools", list}, {"pagination", slice->pagination}});
}

}  // namespace det::api::routes
