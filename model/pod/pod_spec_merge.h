#pragma once

// Layers of pod_spec (cluster defaults below, the experiment's own above) become one. Like Kubernetes' strategic merge
// patch, with two differences that people asked for: a list that a layer does not mention stays what it was, and a
// volume or variable that is defined anew replaces the old one whole. Pure.

#include <nlohmann/json_fwd.hpp>

namespace det::model {

// Both are Pod objects (metadata, spec) or null; `ours` has priority and its entries come first.
// By name: containers, initContainers, volumes, imagePullSecrets, env, resourceClaims, schedulingGates; volumeMounts by
// mountPath, volumeDevices by devicePath, ports by containerPort, hostAliases by ip. Maps by key. Every other list
// (tolerations, affinity terms, command, args) is taken whole.
[[nodiscard]] nlohmann::json merge_pod_spec(const nlohmann::json& ours, const nlohmann::json& theirs);

}  // namespace det::model
