#include "api/agents/launch_warnings.h"

#include <algorithm>

#include "api/agents/agent_views.h"

namespace det::api {

Task<wire::Json> launch_warnings(ApiServices& services, std::string pool, std::int64_t slots) {
  wire::Json warnings = wire::Json::array();
  if (slots < 2) co_return warnings;  // a pool that has slots has one
  const auto cluster = co_await services.nodes.read_older();
  if (!cluster || !cluster->hidden.empty()) co_return warnings;
  const model::MasterConfig& master = services.settings.master;
  const auto pools = pools_of(agents_of(*cluster, {}, master), {}, master);
  const auto own = std::ranges::find(pools, pool_or_default(pool, master), &wire::ResourcePool::name);
  if (own != pools.end() && own->slots > 0 && slots > own->slots) {
    warnings.push_back("LAUNCH_WARNING_CURRENT_SLOTS_EXCEEDED");
  }
  co_return warnings;
}

}  // namespace det::api
