#include "local/pod_status.h"

#include <algorithm>

#include <nlohmann/json.hpp>

namespace det::local {
namespace {

using nlohmann::json;
using State = ContainerRecord::State;

json termination_json(const Termination& end) {
  json out{
      {"exitCode", end.exit_code}, {"reason", end.reason}, {"finishedAt", format_rfc3339_seconds(end.finished_at)}};
  if (end.started_at) out["startedAt"] = format_rfc3339_seconds(*end.started_at);
  if (!end.message.empty()) out["message"] = end.message;
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
  return {{"name", record.name},
          {"image", record.image},
          {"imageID", ""},
          {"ready", is_init ? completed : running},
          {"started", running},
          {"restartCount", record.restarts},
          {"state", state_json(record)},
          {"lastState", std::move(last)}};
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

}  // namespace

std::string pod_phase(const PodRecord& pod) {
  if (pod.is_failed || std::ranges::any_of(pod.init_containers, ended_badly)) return "Failed";
  if (std::ranges::all_of(pod.containers, &ContainerRecord::is_final)) {
    return std::ranges::any_of(pod.containers, ended_badly) ? "Failed" : "Succeeded";
  }
  if (!pod.is_initialized) return "Pending";
  const auto was_started = [](const ContainerRecord& c) { return c.state != State::kWaiting || c.restarts > 0; };
  return std::ranges::any_of(pod.containers, was_started) ? "Running" : "Pending";
}

json pod_status(PodRecord& pod, const NodeFacts& node, WallTime now) {
  const std::string phase = pod_phase(pod);
  const auto is_running = [](const ContainerRecord& c) { return c.state == State::kRunning; };
  const bool ready = phase == "Running" && std::ranges::all_of(pod.containers, is_running);
  const bool done = phase == "Succeeded";
  json conditions = json::array();
  const auto add = [&](const char* type, bool value) {
    const auto [place, is_new] = pod.conditions.try_emplace(type, value, now);
    if (place->second.first != value) place->second = {value, now};
    json condition{{"type", type},
                   {"status", value ? "True" : "False"},
                   {"lastTransitionTime", format_rfc3339_seconds(place->second.second)}};
    condition["reason"] = value ? nullptr : json(done ? "PodCompleted" : "ContainersNotReady");
    conditions.push_back(std::move(condition));
  };
  add("PodScheduled", true);
  add("Initialized", pod.is_initialized);
  add("ContainersReady", ready);
  add("Ready", ready);
  json status{{"phase", phase},
              {"conditions", std::move(conditions)},
              {"hostIP", node.address},
              {"hostIPs", json::array({{{"ip", node.address}}})},
              {"podIP", node.address},
              {"podIPs", json::array({{{"ip", node.address}}})},
              {"startTime", format_rfc3339_seconds(pod.started_at)},
              {"containerStatuses", list_json(pod.containers, false)}};
  if (!pod.init_containers.empty()) status["initContainerStatuses"] = list_json(pod.init_containers, true);
  if (!pod.reason.empty()) status["reason"] = pod.reason;
  if (!pod.message.empty()) status["message"] = pod.message;
  return status;
}

}  // namespace det::local
