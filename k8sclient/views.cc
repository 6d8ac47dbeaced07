#include "k8sclient/views.h"

#include <algorithm>
#include <array>
#include <utility>

#include <nlohmann/json.hpp>

#include "k8sclient/json_get.h"

namespace det::k8s {
namespace {

using nlohmann::json;

constexpr std::array<std::string_view, 2> kOurAnnotations = {"det-operator.dev/", "determined.ai/"};
constexpr std::array<std::string_view, 3> kPodConditions = {"PodScheduled", "Ready", "DisruptionTarget"};

std::map<std::string, std::string> texts(const json& object) {
  std::map<std::string, std::string> all;
  for (const auto& [key, value] : object.items()) {
    if (value.is_string()) all.emplace(key, value.get<std::string>());
  }
  return all;
}

Labels our_annotations(const json& metadata) {
  Labels all = texts(get_object(metadata, "annotations"));
  std::erase_if(all, [](const auto& entry) {
    return std::ranges::none_of(kOurAnnotations, [&](auto prefix) { return entry.first.starts_with(prefix); });
  });
  return all;
}

std::string controller_uid(const json& metadata) {
  for (const auto& owner : get_array(metadata, "ownerReferences")) {
    if (get_bool(owner, "controller")) return get_string(owner, "uid");
  }
  return {};
}

std::optional<WallTime> get_time(const json& object, std::string_view key) {
  return parse_rfc3339(get_string(object, key));
}

ContainerView view_container(const json& status) {
  ContainerView view;
  view.name = get_string(status, "name");
  view.ready = get_bool(status, "ready");
  view.restart_count = static_cast<int>(get_integer(status, "restartCount"));
  const json& state = get_object(status, "state");
  view.running = get_any(state, "running").is_object();
  const json& waiting = get_object(state, "waiting");
  view.waiting_reason = get_string(waiting, "reason");
  view.waiting_message = get_string(waiting, "message");
  const json& ended = get_any(state, "terminated");
  if (!ended.is_object()) return view;
  view.terminated = Terminated{.exit_code = static_cast<int>(get_integer(ended, "exitCode")),
                               .signal = static_cast<int>(get_integer(ended, "signal")),
                               .reason = get_string(ended, "reason"),
                               .message = get_string(ended, "message"),
                               .finished_at = get_time(ended, "finishedAt")};
  return view;
}

std::vector<ContainerView> view_containers(const json& status, std::string_view key) {
  std::vector<ContainerView> all;
  for (const auto& entry : get_array(status, key)) all.push_back(view_container(entry));
  return all;
}

}  // namespace

PodView view_pod(const json& object) {
  const json& metadata = get_object(object, "metadata");
  const json& status = get_object(object, "status");
  PodView view;
  view.key = {.ns = get_string(metadata, "namespace"), .name = get_string(metadata, "name")};
  view.uid = get_string(metadata, "uid");
  view.resource_version = get_string(metadata, "resourceVersion");
  view.labels = texts(get_object(metadata, "labels"));
  view.annotations = our_annotations(metadata);
  view.owner_uid = controller_uid(metadata);
  view.node_name = get_string(get_object(object, "spec"), "nodeName");
  view.phase = get_string(status, "phase");
  view.pod_ip = get_string(status, "podIP");
  view.host_ip = get_string(status, "hostIP");
  view.reason = get_string(status, "reason");
  view.message = get_string(status, "message");
  view.deleting_since = get_time(metadata, "deletionTimestamp");
  view.started_at = get_time(status, "startTime");
  view.containers = view_containers(status, "containerStatuses");
  view.init_containers = view_containers(status, "initContainerStatuses");
  view.conditions = view_conditions(object);
  std::erase_if(view.conditions, [](const auto& condition) {
    return std::ranges::find(kPodConditions, condition.type) == kPodConditions.end();
  });
  return view;
}

NodeView view_node(const json& object) {
  const json& metadata = get_object(object, "metadata");
  const json& spec = get_object(object, "spec");
  const json& status = get_object(object, "status");
  NodeView view;
  view.name = get_string(metadata, "name");
  view.uid = get_string(metadata, "uid");
  view.labels = texts(get_object(metadata, "labels"));
  view.unschedulable = get_bool(spec, "unschedulable");
  view.allocatable = texts(get_object(status, "allocatable"));
  for (const auto& taint : get_array(spec, "taints")) {
    view.taints.push_back(
        {.key = get_string(taint, "key"), .value = get_string(taint, "value"), .effect = get_string(taint, "effect")});
  }
  for (const auto& address : get_array(status, "addresses")) {
    view.addresses.emplace(get_string(address, "type"), get_string(address, "address"));
  }
  const auto conditions = view_conditions(object);
  const ConditionView* const ready = find_condition(conditions, "Ready");
  view.ready = ready != nullptr && ready->is_true();
  return view;
}

std::vector<ConditionView> view_conditions(const json& object) {
  std::vector<ConditionView> all;
  for (const auto& condition : get_array(get_object(object, "status"), "conditions")) {
    all.push_back({.type = get_string(condition, "type"),
                   .status = get_string(condition, "status"),
                   .reason = get_string(condition, "reason"),
                   .message = get_string(condition, "message")});
  }
  return all;
}

const ConditionView* find_condition(std::span<const ConditionView> conditions, std::string_view type) {
  const auto found = std::ranges::find(conditions, type, &ConditionView::type);
  return found == conditions.end() ? nullptr : &*found;
}

const ContainerView* find_container(std::span<const ContainerView> containers, std::string_view name) {
  const auto found = std::ranges::find(containers, name, &ContainerView::name);
  return found == containers.end() ? nullptr : &*found;
}

}  // namespace det::k8s
