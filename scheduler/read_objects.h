#pragma once

// Kubernetes objects as the scheduler sees them. What is absent reads as empty. Pure.

#include <optional>
#include <string>

#include <nlohmann/json_fwd.hpp>

#include "scheduler/snapshot.h"

namespace det::scheduler {

[[nodiscard]] Node read_node(const nlohmann::json& object);

// Of a Pod object that has not gone through admission yet, too: a limit without a request is the request.
// Requests count as the kubelet's admission counts them: the containers with the sidecars (init containers that keep
// running), or the largest step of the initialisation, whichever is more, and the overhead; pod-level resources win.
[[nodiscard]] PodShape read_shape(const nlohmann::json& pod);
// Equal for shapes that any node treats alike: all of the shape but its labels, which only pod anti-affinity looks at.
[[nodiscard]] std::string shape_key(const PodShape& shape);
// The same without the amounts.
[[nodiscard]] std::string constraint_key(const PodShape& shape);
// Equal for shapes that ask for the same kind of nodes: by selector, affinity and tolerations.
[[nodiscard]] std::string node_key(const PodShape& shape);

// The node a pod is bound to, else the one it is pinned to (pin_to), else empty.
[[nodiscard]] std::string node_of(const nlohmann::json& pod);
// True when the pod ended: it holds nothing any more.
[[nodiscard]] bool is_over(const nlohmann::json& pod);
// Of a DaemonSet, or a static pod.
[[nodiscard]] bool is_permanent(const nlohmann::json& pod);

// Makes kube-scheduler bind the pod to this node or not at all: the requirement metadata.name In [node] joins every
// term of its required node affinity. kube-scheduler, not we, then writes spec.nodeName, so that volumes are bound,
// devices are allocated, and nothing that others started meanwhile is overrun.
void pin_to(nlohmann::json& pod, const std::string& node);

// The claim's volume name; empty while it is not bound.
[[nodiscard]] std::string volume_of(const nlohmann::json& claim);
[[nodiscard]] std::optional<Terms> read_volume_affinity(const nlohmann::json& volume);
[[nodiscard]] Quota read_quota(const nlohmann::json& object);

}  // namespace det::scheduler
