#pragma once

// Pools that are kept for workspaces of which the caller sees none: to them such a pool does not exist (upstream's
// FilterResourcePools). Belongs to the io thread.

#include <set>
#include <string>

#include "api/call.h"
#include "store/cluster/pool_binding_store.h"

namespace det::api {

// By name. Empty where roles do not rule.
[[nodiscard]] std::set<std::string> hidden_pools(const store::PoolBindings& bindings, const Identity& caller);
// The same, of the bindings that there are now.
Task<Result<std::set<std::string>>> hidden_pools(ApiServices& services, Identity caller);

}  // namespace det::api
