#include "api/agents/hidden_pools.h"

#include <algorithm>

#include "api/access_check.h"

namespace det::api {

std::set<std::string> hidden_pools(const store::PoolBindings& bindings, const Identity& caller) {
  std::set<std::string> hidden;
  const auto sees = [&caller](model::WorkspaceId id) { return may(caller, model::Permission::kViewWorkspace, id); };
  for (const auto& [pool, workspaces] : bindings) {
    if (std::ranges::none_of(workspaces, sees)) hidden.insert(pool);
  }
  return hidden;
}

Task<Result<std::set<std::string>>> hidden_pools(ApiServices& services, Identity caller) {
  if (!has_roles(caller)) co_return std::set<std::string>();
  const auto bindings = co_await services.stores.pool_bindings.all();
  DET_CO_TRY(bindings);
  co_return hidden_pools(*bindings, caller);
}

}  // namespace det::api
