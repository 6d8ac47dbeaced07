#include "operator/gang/pod_facts.h"

#include <algorithm>
#include <charconv>
#include <set>

#include <nlohmann/json.hpp>

#include "base/json_get.h"
#include "operator/sentence.h"
#include "pods/names.h"
#include "scheduler/read_objects.h"

namespace det::op {
namespace {

using nlohmann::json;

constexpr std::string_view kMainContainer = "determined-container";
constexpr std::int64_t kLongestGrace = 86'400 * 365;  // seconds; keeps arithmetic on times from overflowing

int number_label(const json& labels, std::string_view name) {
  const std::string value = get_string(labels, name);
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
  auto time = parse_rfc3339(get_string(object, name));
  return time ? std::optional(*time) : std::nullopt;
}

void read_waiting(const json& state, PodFacts& facts) {
  const json& waiting = get_any(state, "waiting");
  if (!waiting.is_object() || !facts.waiting_reason.empty()) return;
  facts.waiting_reason = get_string(waiting, "reason");
  facts.waiting_message = get_string(waiting, "message");
}

void read_end(const json& terminated, PodFacts& facts) {
  facts.exit_reason = get_string(terminated, "reason");
  facts.exit_message = get_string(terminated, "message");
  facts.finished_at = time_at(terminated, "finishedAt");
}

// A kubelet that ends a pod gives containers that it never made an end of this form. One that it made and lost sight of
// has the form, too, but keeps its id, or says in lastState that it used to run.
bool was_never_started(const json& status, const json& terminated) {
  return get_string(terminated, "reason") == "ContainerStatusUnknown" && get_integer(terminated, "exitCode") == 137 &&
         get_string(terminated, "startedAt").empty() && get_string(terminated, "finishedAt").empty() &&
         get_string(terminated, "containerID").empty() && get_string(status, "containerID").empty() &&
         get_integer(status, "restartCount") == 0 && !get_any(get_any(status, "lastState"), "terminated").is_object();
}

// One that was deleted and made anew under its name has the same WorkloadKey.
std::string controller_uid(const json& meta) {
  for (const json& owner : get_array(meta, "ownerReferences")) {
    if (get_bool(owner, "controller")) return get_string(owner, "uid");
  }
  return {};
}

void read_main_container(const json& status, PodFacts& facts) {
  const json& state = get_any(status, "state");
  const json& running = get_any(state, "running");
  facts.main_is_running = running.is_object();
  facts.running_since = time_at(running, "startedAt");
  const json& terminated = get_any(state, "terminated");
  if (!terminated.is_object()) return;
  facts.exit_code = static_cast<int>(get_integer(terminated, "exitCode"));
  facts.main_never_started = was_never_started(status, terminated);
  read_end(terminated, facts);
}

// A sidecar (an init container that restarts) ends with the pod, by a signal as a rule: its code says nothing.
void read_init_container(const json& status, bool is_sidecar, PodFacts& facts) {
  const json& terminated = get_any(get_any(status, "state"), "terminated");
  if (is_sidecar || !terminated.is_object() || get_integer(terminated, "exitCode") == 0) return;
  facts.failed_init = get_string(status, "name");
  facts.failed_init_code = static_cast<int>(get_integer(terminated, "exitCode"));
  read_end(terminated, facts);
}

std::set<std::string> sidecars_of(const json& spec) {
  std::set<std::string> names;
  for (const json& container : get_array(spec, "initContainers")) {
    if (get_string(container, "restartPolicy") == "Always") names.insert(get_string(container, "name"));
  }
  return names;
}

void read_containers(const json& spec, const json& status, PodFacts& facts) {
  const std::set<std::string> sidecars = sidecars_of(spec);
  for (const json& container : get_array(status, "initContainerStatuses")) {
    read_waiting(get_any(container, "state"), facts);
    read_init_container(container, sidecars.contains(get_string(container, "name")), facts);
  }
  for (const json& container : get_array(status, "containerStatuses")) {
    read_waiting(get_any(container, "state"), facts);
    if (get_string(container, "name") == kMainContainer) read_main_container(container, facts);
  }
}

// After the containers were read: nothing restarts in a pod of ours but sidecars, and those only while others run.
std::optional<WallTime> stopped_at(const json& spec, const json& status, const PodFacts& facts) {
  std::optional<WallTime> last;
  std::size_t ended = 0;
  for (const char* list : {"initContainerStatuses", "containerStatuses"}) {
    for (const json& container : get_array(status, list)) {
      const json& state = get_any(container, "state");
      if (get_any(state, "running").is_object()) return std::nullopt;
      const json& terminated = get_any(state, "terminated");
      if (!terminated.is_object()) continue;
      const auto at = time_at(terminated, "finishedAt");
      if (!at) return std::nullopt;
      last = last ? std::max(*last, *at) : at;
      if (std::string_view(list) == "containerStatuses") ++ended;
    }
  }
  const bool all_ended = facts.exit_code && ended == get_array(spec, "containers").size();
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
  for (const json& condition : get_array(status, "conditions")) {
    const std::string type = get_string(condition, "type");
    const bool is_true = get_string(condition, "status") == "True";
    if (type == "DisruptionTarget" && is_true) {
      facts.is_disrupted = true;
      facts.is_stopped_by_kubelet = get_string(condition, "reason") == "TerminationByKubelet";
      facts.disruption = with_detail(get_string(condition, "reason"), get_string(condition, "message"));
      facts.disrupted_at = time_at(condition, "lastTransitionTime");
    }
    if (type == "PodReadyToStartContainers") facts.lacks_sandbox = !is_true;
    if (type == "ContainersReady") are_containers_ready = is_true;
    if (type == "Ready" && !is_true) not_ready_since = time_at(condition, "lastTransitionTime");
    if (type != "PodScheduled") continue;
    facts.is_scheduled = is_true;
    if (is_true) continue;
    facts.waiting_reason = get_string(condition, "reason");
    facts.waiting_message = with_wanted_labels(get_string(condition, "message"), pod);
  }
  // A kubelet says both or neither of a pod without readiness gates; the control plane takes back Ready alone when the
  // node has not been heard of.
  if (are_containers_ready && get_array(get_any(pod, "spec"), "readinessGates").empty()) {
    facts.silent_since = not_ready_since;
  }
}

// A pod_spec may name a scheduler that does not run, and nobody else would ever say so. The default one answers at
// once.
void name_silent_scheduler(const json& spec, PodFacts& facts) {
  const std::string name = get_string(spec, "schedulerName");
  const bool has_answer = facts.is_scheduled || !facts.node.empty() || !facts.waiting_reason.empty();
  if (has_answer || facts.phase != PodPhase::kPending || name.empty() || name == "default-scheduler") return;
  facts.waiting_message = "scheduler '" + name + "' (schedulerName) has not looked at it; does it run?";
}

// Of something that lasts: nothing where it did not begin, or is over.
void keep_earlier(const std::optional<WallTime>& before, std::optional<WallTime>& now) {
  if (before && now) now = std::min(*before, *now);
}

}  // namespace

PodFacts view_pod(const json& object) {
  const json& meta = get_any(object, "metadata");
  const json& labels = get_any(meta, "labels");
  const json& spec = get_any(object, "spec");
  const json& status = get_any(object, "status");
  PodFacts facts;
  facts.key = {.ns = get_string(meta, "namespace"), .name = get_string(meta, "name")};
  facts.uid = get_string(meta, "uid");
  facts.owner = workload_of(facts.key.ns, labels);
  facts.owner_uid = controller_uid(meta);
  facts.run = number_label(labels, pods::kLabelRun);
  facts.rank = number_label(labels, pods::kLabelRank);
  facts.deleting = get_any(meta, "deletionTimestamp").is_string();
  facts.created = time_at(meta, "creationTimestamp");
  facts.deletion_due = time_at(meta, "deletionTimestamp");
  if (facts.deletion_due) {
    const std::int64_t grace =
        std::clamp<std::int64_t>(get_integer(meta, "deletionGracePeriodSeconds"), 0, kLongestGrace);
    facts.told_to_stop = *facts.deletion_due - std::chrono::seconds(grace);
  }
  facts.started_at = time_at(status, "startTime");
  facts.node = get_string(spec, "nodeName");
  for (const json& container : get_array(spec, "containers")) {
    if (get_string(container, "name") != kMainContainer) continue;
    facts.memory_limit = get_string(get_any(get_any(container, "resources"), "limits"), "memory");
  }
  facts.phase = phase_of(get_string(status, "phase"));
  facts.ip = get_string(status, "podIP");
  facts.pod_reason = get_string(status, "reason");
  facts.pod_message = get_string(status, "message");
  read_containers(spec, status, facts);
  facts.stopped_at = stopped_at(spec, status, facts);
  read_conditions(object, status, facts);
  name_silent_scheduler(spec, facts);
  return facts;
}

void carry_over(const PodFacts& before, PodFacts& now) {
  if (before.uid != now.uid) return;
  if (before.main_is_running) now.main_never_started = false;
  keep_earlier(before.told_to_stop, now.told_to_stop);
  keep_earlier(before.first_seen.pod, now.first_seen.pod);
  keep_earlier(before.first_seen.stuck, now.first_seen.stuck);
  keep_earlier(before.first_seen.deletion, now.first_seen.deletion);
  keep_earlier(before.first_seen.stop, now.first_seen.stop);
}

}  // namespace det::op
