#include "operator/pod_facts.h"

#include <algorithm>
#include <charconv>
#include <set>

#include <nlohmann/json.hpp>

#include "operator/json_view.h"
#include "operator/names.h"
#include "operator/sentence.h"
#include "scheduler/read_objects.h"

namespace det::op {
namespace {

using nlohmann::json;

constexpr std::string_view kMainContainer = "determined-container";
constexpr std::int64_t kLongestGrace = 86'400 * 365;  // seconds; keeps arithmetic on times from overflowing

int number_label(const json& labels, std::string_view name) {
  const std::string value = text_at(labels, name);
  int number = 0;
  std::from_chars(value.data(), value.data() + value.size(), number);
  return number;
}

PodPhase phase_of(const std::string& phase) {
  if (phase == "Running") return PodPhase::kRunning;
  if (phase == "Succeeded") return PodPhase::kSucceeded;
  return phase == "Failed" ? PodPhase::kFailed : PodPhase::kPending;
}

std::optional<WallTime> time_at(const json& object, std::string_view name) {
  auto time = parse_rfc3339(text_at(object, name));
  return time ? std::optional(*time) : std::nullopt;
}

void read_waiting(const json& state, PodFacts& facts) {
  const json& waiting = value_at(state, "waiting");
  if (!waiting.is_object() || !facts.waiting_reason.empty()) return;
  facts.waiting_reason = text_at(waiting, "reason");
  facts.waiting_message = text_at(waiting, "message");
}

void read_end(const json& terminated, PodFacts& facts) {
  facts.exit_reason = text_at(terminated, "reason");
  facts.exit_message = text_at(terminated, "message");
  facts.finished_at = time_at(terminated, "finishedAt");
}

void read_main_container(const json& status, PodFacts& facts) {
  const json& state = value_at(status, "state");
  const json& running = value_at(state, "running");
  facts.main_is_running = running.is_object();
  facts.running_since = time_at(running, "startedAt");
  const json& terminated = value_at(state, "terminated");
  if (!terminated.is_object()) return;
  facts.exit_code = static_cast<int>(number_at(terminated, "exitCode"));
  read_end(terminated, facts);
}

// A sidecar (an init container that restarts) ends with the pod, by a signal as a rule: its code says nothing.
void read_init_container(const json& status, bool is_sidecar, PodFacts& facts) {
  const json& terminated = value_at(value_at(status, "state"), "terminated");
  if (is_sidecar || !terminated.is_object() || number_at(terminated, "exitCode") == 0) return;
  facts.failed_init = text_at(status, "name");
  facts.failed_init_code = static_cast<int>(number_at(terminated, "exitCode"));
  read_end(terminated, facts);
}

std::set<std::string> sidecars_of(const json& spec) {
  std::set<std::string> names;
  for (const json& container : list_at(spec, "initContainers")) {
    if (text_at(container, "restartPolicy") == "Always") names.insert(text_at(container, "name"));
  }
  return names;
}

void read_containers(const json& spec, const json& status, PodFacts& facts) {
  const std::set<std::string> sidecars = sidecars_of(spec);
  for (const json& container : list_at(status, "initContainerStatuses")) {
    read_waiting(value_at(container, "state"), facts);
    read_init_container(container, sidecars.contains(text_at(container, "name")), facts);
  }
  for (const json& container : list_at(status, "containerStatuses")) {
    read_waiting(value_at(container, "state"), facts);
    if (text_at(container, "name") == kMainContainer) read_main_container(container, facts);
  }
}

// After the containers were read: nothing restarts in a pod of ours but sidecars, and those only while others run.
std::optional<WallTime> stopped_at(const json& spec, const json& status, const PodFacts& facts) {
  std::optional<WallTime> last;
  std::size_t ended = 0;
  for (const char* list : {"initContainerStatuses", "containerStatuses"}) {
    for (const json& container : list_at(status, list)) {
      const json& state = value_at(container, "state");
      if (value_at(state, "running").is_object()) return std::nullopt;
      const json& terminated = value_at(state, "terminated");
      if (!terminated.is_object()) continue;
      const auto at = time_at(terminated, "finishedAt");
      if (!at) return std::nullopt;
      last = last ? std::max(*last, *at) : at;
      if (std::string_view(list) == "containerStatuses") ++ended;
    }
  }
  const bool all_ended = facts.exit_code && ended == list_at(spec, "containers").size();
  return all_ended || !facts.failed_init.empty() ? last : std::nullopt;
}

// kube-scheduler does not say what it looked for.
std::string with_wanted_labels(std::string message, const json& pod) {
  if (message.find("didn't match Pod's node affinity/selector") == std::string::npos) return message;
  const scheduler::PodShape shape = scheduler::read_shape(pod);
  const std::string wanted = scheduler::wanted_labels(shape.node_selector, shape.affinity.value_or(scheduler::Terms{}));
  return wanted.empty() ? message : std::move(message) + " (the pod wants " + wanted + ")";
}

void read_conditions(const json& pod, const json& status, PodFacts& facts) {
  bool are_containers_ready = false;
  std::optional<WallTime> not_ready_since;
  for (const json& condition : list_at(status, "conditions")) {
    const std::string type = text_at(condition, "type");
    const bool is_true = text_at(condition, "status") == "True";
    if (type == "DisruptionTarget" && is_true) {
      facts.is_disrupted = true;
      facts.is_stopped_by_kubelet = text_at(condition, "reason") == "TerminationByKubelet";
      facts.disruption = with_detail(text_at(condition, "reason"), text_at(condition, "message"));
      facts.disrupted_at = time_at(condition, "lastTransitionTime");
    }
    if (type == "ContainersReady") are_containers_ready = is_true;
    if (type == "Ready" && !is_true) not_ready_since = time_at(condition, "lastTransitionTime");
    if (type != "PodScheduled") continue;
    facts.is_scheduled = is_true;
    if (is_true) continue;
    facts.waiting_reason = text_at(condition, "reason");
    facts.waiting_message = with_wanted_labels(text_at(condition, "message"), pod);
  }
  // A kubelet says both or neither of a pod without readiness gates; the control plane takes back Ready alone when the
  // node has not been heard of.
  if (are_containers_ready && list_at(value_at(pod, "spec"), "readinessGates").empty()) {
    facts.silent_since = not_ready_since;
  }
}

}  // namespace

PodFacts view_pod(const json& object) {
  const json& meta = value_at(object, "metadata");
  const json& labels = value_at(meta, "labels");
  const json& spec = value_at(object, "spec");
  const json& status = value_at(object, "status");
  PodFacts facts;
  facts.key = {.ns = text_at(meta, "namespace"), .name = text_at(meta, "name")};
  facts.uid = text_at(meta, "uid");
  facts.trial = text_at(labels, kLabelTrial);
  facts.run = number_label(labels, kLabelRun);
  facts.rank = number_label(labels, kLabelRank);
  facts.deleting = value_at(meta, "deletionTimestamp").is_string();
  facts.created = time_at(meta, "creationTimestamp");
  facts.deletion_due = time_at(meta, "deletionTimestamp");
  if (facts.deletion_due) {
    const std::int64_t grace =
        std::clamp<std::int64_t>(number_at(meta, "deletionGracePeriodSeconds"), 0, kLongestGrace);
    facts.told_to_stop = *facts.deletion_due - std::chrono::seconds(grace);
  }
  facts.started_at = time_at(status, "startTime");
  facts.node = text_at(spec, "nodeName");
  for (const json& container : list_at(spec, "containers")) {
    if (text_at(container, "name") != kMainContainer) continue;
    facts.memory_limit = text_at(value_at(value_at(container, "resources"), "limits"), "memory");
  }
  facts.phase = phase_of(text_at(status, "phase"));
  facts.ip = text_at(status, "podIP");
  facts.pod_reason = text_at(status, "reason");
  facts.pod_message = text_at(status, "message");
  read_containers(spec, status, facts);
  facts.stopped_at = stopped_at(spec, status, facts);
  read_conditions(object, status, facts);
  return facts;
}

}  // namespace det::op
