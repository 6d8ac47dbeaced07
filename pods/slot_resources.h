#pragma once

// What slots are as resources of a pod's container, and what of a user's pod_spec gives way to them. Pure.

#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "model/cluster/master_config.h"

namespace det::pods {

// What the slots of one pod are, as a resource; empty for none.
[[nodiscard]] nlohmann::json slot_resources(const model::SlotRule& rule, int slots);

// Parts of the pod_spec of `user` (a configuration as people wrote it) that a pod of so many slots has otherwise, one
// sentence each.
[[nodiscard]] std::vector<std::string> overruled_fields(const nlohmann::json& user, const model::SlotRule& rule,
                                                        int slots);

}  // namespace det::pods
