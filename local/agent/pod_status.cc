#include "local/agent/pod_status.h"

#include <algorithm>

#include <nlohmann/json.hpp>

namespace det::local {
namespace {

using nlohmann::json;
using State = ContainerRecord::State;

json termination_json(const Termination& end) {
  json out{{"exitCode", end.exit_code}, {"reason", end.reason}};
  if (end.started_at) out["startedAt"] = format_rfc3339_seconds(*end.started_at);
  if (end.finished_at) out["finishedAt"] = format_rfc3339_seconds(*end.finished_at);
  if (!end.message.empty()) out["message"] = end.message;
  if (!end.container_id.empty()) out["containerID"] = end.container_id;
  return out;
}

json state_json(const ContainerRecord& record) {
  switch (record.state) {
    case State::kRunning:
      return {{"running", {{"startedAt", format_rfc3339_seconds(record.started_at.value_or(WallTime()))}}}};
    case State::kTerminated:
      if (record.ended) return {{"terminated", termination_json(*record.ended)}};
      break;
    case State::kWaiting:
      break;
  }
  json waiting{{"reason", record.waiting_reason}};
  if (!record.waiting_message.empty()) waiting["message"] = record.waiting_message;
  return {{"waiting", std::move(waiting)}};
}

json container_json(const ContainerRecord& record, bool is_init) {
  const bool running = record.state == State::kRunning;
  const bool completed = record.ended && record.ended->exit_code == 0 && record.state == State::kTerminated;
  json last = json::object();
  if (record.ended_before) last = {{"terminated", termination_json(*record.ended_before)}};
  json out{{"name", record.name},
           {"image", record.image},
           {"imageID", record.id.empty() ? "" : record.image},
           {"ready", is_init ? completed : running},
           {"started", running},
           {"restartCount", record.restarts},
           {"state", state_json(record)},
           {"lastState", std::move(last)}};
  if (!record.id.empty()) out["containerID"] = record.id;
  return out;
}

json list_json(const std::vector<ContainerRecord>& records, bool is_init) {
  json list = json::array();
  for (const ContainerRecord& record : records) list.push_back(container_json(record, is_init));
  return list;
}

// A container that was never started has not succeeded either.
bool ended_badly(const ContainerRecord& record) {
  return record.is_final && (!record.ended || record.ended->exit_code != 0);
}

bool was_started(const ContainerRecord& record) {
  return record.state != State::kWaiting || record.restarts > 0;
}

bool is_terminal(const std::string& phase) {
  return phase == "Succeeded" || phase == "Failed";
}

// Of a pod that may still run something. One container that was never started makes all of it Pending.
std::string open_phase(const PodRecord& pod) {
  return pod.is_initialized && std::ranges::all_of(pod.containers, was_started) ? "Running" : "Pending";
}

// "containers with unready status: [a b]", for those of which `holds` is false; empty when there are none.
template <typename Predicate>
std::string missing(const std::vector<ContainerRecord>& records, const std::string& what, Predicate holds) {
  std::string names;
  for (const ContainerRecord& record : records) {
    if (!holds(record)) names += (names.empty() ? "" : " ") + record.name;
  }
  return names.empty() ? names : "containers with " + what + " status: [" + names + "]";
}

struct Condition {
  bool value = true;
  std::string reason;
  std::string message;
};

Condition initialized(const PodRecord& pod, const std::string& phase) {
  if (phase == "Succeeded") return {.value = true, .reason = "PodCompleted", .message = {}};
  const auto has_completed = [](const ContainerRecord& c) { return c.ended && c.ended->exit_code == 0; };
  std::string waits_for = missing(pod.init_containers, "incomplete", has_completed);
  if (waits_for.empty() || std::ranges::any_of(pod.containers, was_started)) return {};
  return {.value = false, .reason = "ContainersNotInitialized", .message = std::move(waits_for)};
}

// ContainersReady and Ready.
Condition ready(const PodRecord& pod, const std::string& phase) {
  if (is_terminal(phase))
    return {.value = false, .reason = phase == "Failed" ? "PodFailed" : "PodCompleted", .message = {}};
  const auto is_running = [](const ContainerRecord& c) { return c.state == State::kRunning; };
  std::string waits_for = missing(pod.containers, "unready", is_running);
  if (waits_for.empty()) return {};
  return {.value = false, .reason = "ContainersNotReady", .message = std::move(waits_for)};
}

// Conditions are merged by type: what a reason or message was before goes by null.
json condition_json(PodRecord& pod, const char* type, const Condition& condition, WallTime now) {
  const auto [place, is_new] = pod.conditions.try_emplace(type, condition.value, now);
  if (place->second.first != condition.value) place->second = {condition.value, now};
  return {{"type", type},
          {"status", condition.value ? "True" : "False"},
          {"lastTransitionTime", format_rfc3339_seconds(place->second.second)},
          {"reason", condition.reason.empty() ? json() : json(condition.reason)},
          {"message", condition.message.empty() ? json() : json(condition.message)}};
}

json conditions_json(PodRecord& pod, const std::string& phase, WallTime now) {
  json conditions = json::array();
  const auto add = [&](const char* type, const Condition& condition) {
    conditions.push_back(condition_json(pod, type, condition, now));
  };
  if (pod.is_over && pod.is_disrupted) {
    add("DisruptionTarget", {.value = true, .reason = "TerminationByKubelet", .message = pod.message});
  }
  add("PodReadyToStartContainers", {.value = pod.has_sandbox && !pod.is_over, .reason = {}, .message = {}});
  add("Initialized", initialized(pod, phase));
  add("Ready", ready(pod, phase));
  add("ContainersReady", ready(pod, phase));
  add("PodScheduled", {});
  return conditions;
}

}  // namespace

std::string pod_phase(const PodRecord& pod) {
  if (pod.is_failed || std::ranges::any_of(pod.init_containers, ended_badly)) return "Failed";
  if (!std::ranges::all_of(pod.containers, &ContainerRecord::is_final)) return open_phase(pod);
  return std::ranges::any_of(pod.containers, ended_badly) ? "Failed" : "Succeeded";
}

Termination unseen_termination() {
  constexpr int kKilled = 137;
  return {.exit_code = kKilled,
          .reason = "ContainerStatusUnknown",
          .message = "The container could not be located when the pod was terminated",
          .started_at = std::nullopt,
          .finished_at = std::nullopt,
          .container_id = {}};
}

json pod_status(PodRecord& pod, const NodeFacts& node, WallTime now) {
  const std::string phase = pod_phase(pod);
  json conditions = conditions_json(pod, phase, now);
  json status{{"phase", pod.is_over ? phase : open_phase(pod)},
              {"conditions", std::move(conditions)},
              {"hostIP", node.address},
              {"hostIPs", json::array({{{"ip", node.address}}})},
              {"podIP", node.address},
              {"podIPs", json::array({{{"ip", node.address}}})},
              {"startTime", format_rfc3339_seconds(pod.started_at)},
              {"containerStatuses", list_json(pod.containers, false)}};
  if (!pod.init_containers.empty()) status["initContainerStatuses"] = list_json(pod.init_containers, true);
  if (pod.is_over && !pod.reason.empty()) status["reason"] = pod.reason;
  if (pod.is_over && !pod.message.empty()) status["message"] = pod.message;
  return status;
}

}  // namespace det::local
