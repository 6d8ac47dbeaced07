#pragma once

// What the API calls agents and resource pools, from nodes, pods and open allocations. Pure.

#include <vector>

#include "api/agents/node_list.h"
#include "model/cluster/master_config.h"
#include "scheduler/disabled_slots.h"
#include "store/cluster/job_store.h"
#include "wire/agent.h"

namespace det::api {

// One agent per node, by name, with the pools that it belongs to. Where the cluster is hidden: per node that has pods
// of ours, with the slots and the pools of these.
[[nodiscard]] std::vector<wire::Agent> agents_of(const ClusterNodes& cluster,
                                                 const std::vector<store::OpenAllocation>& open,
                                                 const model::MasterConfig& master);

// What one slot of this Node object stands for.
[[nodiscard]] scheduler::DisabledSlot slot_of(const nlohmann::json& node, const model::MasterConfig& master);

// All pools, by name. A node that belongs to several is counted in each.
[[nodiscard]] std::vector<wire::ResourcePool> pools_of(const std::vector<wire::Agent>& agents,
                                                       const std::vector<store::JobRow>& queue,
                                                       const model::MasterConfig& master);

// `pool`, or the default one for none: experiments accepted by older versions name none.
[[nodiscard]] std::string pool_or_default(const std::string& pool, const model::MasterConfig& master);

}  // namespace det::api
