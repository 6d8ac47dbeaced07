#pragma once

// What we keep of Pods and Nodes: typed views made from the API server's JSON (the `project` of an informer). A field
// that is absent reads as empty. Plain values, pure functions.

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "base/clock.h"
#include "k8sclient/resource.h"

namespace det::k8s {

using Labels = std::map<std::string, std::string>;

// A condition of a pod, a node or one of our objects.
struct ConditionView {
  std::string type;
  std::string status;  // "True", "False", "Unknown"
  std::string reason;
  std::string message;

  bool operator==(const ConditionView&) const = default;
  [[nodiscard]] bool is_true() const { return status == "True"; }
};

struct Terminated {
  int exit_code = 0;
  int signal = 0;
  std::string reason;  // "Completed", "Error", "OOMKilled", ...
  std::string message;
  std::optional<WallTime> finished_at;

  bool operator==(const Terminated&) const = default;
};

struct ContainerView {
  std::string name;
  bool ready = false;
  bool running = false;
  int restart_count = 0;
  std::string waiting_reason;  // "ImagePullBackOff", "ContainerCreating", ...
  std::string waiting_message;
  std::optional<Terminated> terminated;

  bool operator==(const ContainerView&) const = default;
};

struct PodView {
  ObjectKey key;
  std::string uid;
  std::string resource_version;
  Labels labels;
  Labels annotations;     // those whose key begins with "det-operator.dev/" or "determined.ai/"
  std::string owner_uid;  // of the controlling owner
  std::string node_name;
  std::string phase;
  std::string pod_ip;
  std::string host_ip;
  std::string reason;  // "Evicted", ...
  std::string message;
  std::optional<WallTime> deleting_since;  // deletionTimestamp: when the grace period ends
  std::optional<WallTime> started_at;
  std::vector<ContainerView> containers;
  std::vector<ContainerView> init_containers;
  std::vector<ConditionView> conditions;  // PodScheduled, Ready, DisruptionTarget

  bool operator==(const PodView&) const = default;
};

struct Taint {
  std::string key;
  std::string value;
  std::string effect;

  bool operator==(const Taint&) const = default;
};

struct NodeView {
  std::string name;
  std::string uid;
  Labels labels;
  std::vector<Taint> taints;
  bool unschedulable = false;
  bool ready = false;
  std::map<std::string, std::string> allocatable;  // quantities as they are written
  std::map<std::string, std::string> addresses;    // "InternalIP" -> "10.0.0.1"; the first of each type

  bool operator==(const NodeView&) const = default;
};

[[nodiscard]] PodView view_pod(const nlohmann::json& object);
[[nodiscard]] NodeView view_node(const nlohmann::json& object);
// The conditions of any object's status.
[[nodiscard]] std::vector<ConditionView> view_conditions(const nlohmann::json& object);
// nullptr when there is none of that type (name).
[[nodiscard]] const ConditionView* find_condition(std::span<const ConditionView> conditions, std::string_view type);
[[nodiscard]] const ContainerView* find_container(std::span<const ContainerView> containers, std::string_view name);

}  // namespace det::k8s
