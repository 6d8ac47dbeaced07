#include "operator/gang_state.h"

#include <algorithm>
#include <charconv>

#include <nlohmann/json.hpp>

#include "operator/json_view.h"
#include "operator/names.h"
#include "scheduler/read_objects.h"

namespace det::op {
namespace {

using nlohmann::json;

constexpr std::string_view kMainContainer = "determined-container";

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

void read_container(const json& status, PodFacts& facts, bool is_init) {
  const json& state = value_at(status, "state");
  const json& waiting = value_at(state, "waiting");
  const json& terminated = value_at(state, "terminated");
  if (waiting.is_object() && facts.waiting_reason.empty()) {
    facts.waiting_reason = text_at(waiting, "reason");
    facts.waiting_message = text_at(waiting, "message");
  }
  if (is_init) {
    if (terminated.is_object() && number_at(terminated, "exitCode") != 0) {
      facts.failed_init = text_at(status, "name");
      facts.failed_init_code = static_cast<int>(number_at(terminated, "exitCode"));
      facts.exit_message = text_at(terminated, "message");
    }
    return;
  }
  if (text_at(status, "name") != kMainContainer) return;
  const json& running = value_at(state, "running");
  facts.main_is_running = running.is_object();
  facts.running_since = time_at(running, "startedAt");
  if (!terminated.is_object()) return;
  facts.exit_code = static_cast<int>(number_at(terminated, "exitCode"));
  facts.exit_reason = text_at(terminated, "reason");
  facts.exit_message = text_at(terminated, "message");
}

std::string with_detail(std::string text, const std::string& detail) {
  if (detail.empty()) return text;
  return std::move(text) + ": " + detail;
}

// kube-scheduler does not say what it looked for.
std::string with_wanted_labels(std::string message, const json& pod) {
  if (message.find("didn't match Pod's node affinity/selector") == std::string::npos) return message;
  const scheduler::PodShape shape = scheduler::read_shape(pod);
  const std::string wanted = scheduler::wanted_labels(shape.node_selector, shape.affinity.value_or(scheduler::Terms{}));
  return wanted.empty() ? message : std::move(message) + " (the pod wants " + wanted + ")";
}

void read_conditions(const json& pod, const json& status, PodFacts& facts) {
  for (const json& condition : list_at(status, "conditions")) {
    const std::string type = text_at(condition, "type");
    const bool is_true = text_at(condition, "status") == "True";
    if (type == "DisruptionTarget" && is_true) {
      facts.is_disrupted = true;
      facts.disruption = with_detail(text_at(condition, "reason"), text_at(condition, "message"));
    }
    if (type != "PodScheduled") continue;
    facts.is_scheduled = is_true;
    if (is_true) continue;
    facts.waiting_reason = text_at(condition, "reason");
    facts.waiting_message = with_wanted_labels(text_at(condition, "message"), pod);
  }
}

// Evictions and the like come with an exit code too (137, 143): what the pod says about itself counts more.
std::optional<RunExit> infrastructure_exit(const PodFacts& pod) {
  if (pod.phase != PodPhase::kFailed && !(pod.is_disrupted && pod.exit_code)) return std::nullopt;
  if (pod.is_disrupted || !pod.pod_reason.empty()) {
    const std::string reason = pod.pod_reason.empty() ? "Disrupted" : pod.pod_reason;
    const std::string& detail = pod.pod_message.empty() ? pod.disruption : pod.pod_message;
    return RunExit{
        .kind = ExitClass::kInfrastructure,
        .code = pod.exit_code,
        .reason = reason,
        .message = with_detail("pod " + pod.key.name + " was stopped by the cluster (" + reason + ")", detail)};
  }
  if (!pod.exit_code && pod.failed_init.empty()) {
    return RunExit{.kind = ExitClass::kInfrastructure,
                   .code = std::nullopt,
                   .reason = "NoExitCode",
                   .message = with_detail("pod " + pod.key.name + " failed without an exit code", pod.pod_message)};
  }
  return std::nullopt;
}

// The text of the first part is the one that Determined's users search their logs for.
std::optional<RunExit> program_exit(const PodFacts& pod) {
  if (!pod.failed_init.empty()) {
    return RunExit{.kind = ExitClass::kUserError,
                   .code = pod.failed_init_code,
                   .reason = "InitFailed",
                   .message = "resources failed with non-zero exit code: init container " + pod.failed_init +
                              " of pod " + pod.key.name + " (exit code " + std::to_string(pod.failed_init_code) + ")"};
  }
  if (!pod.exit_code || *pod.exit_code == 0) return std::nullopt;
  const bool out_of_memory = pod.exit_reason == "OOMKilled";
  std::string what = "pod " + pod.key.name;
  if (out_of_memory) {
    const std::string limit = pod.memory_limit.empty() ? "" : " of " + pod.memory_limit;
    what += " used more memory than its limit" + limit + " (OOMKilled); raise resources.limits.memory of pod_spec";
  }
  // What harness/fetch_code.py left for the experiment's author. Otherwise the kubelet puts the log's end there, which
  // is anything.
  const bool is_ours = pod.exit_message.starts_with("spec.context.");
  const std::string text =
      "resources failed with non-zero exit code: " + what + " (exit code " + std::to_string(*pod.exit_code) + ")";
  return RunExit{.kind = ExitClass::kUserError,
                 .code = pod.exit_code,
                 .reason = out_of_memory ? "OOMKilled" : "NonZeroExit",
                 .message = is_ours ? with_detail(text, pod.exit_message) : text};
}

// What the kubelet says while a container cannot start. It tries for ever; a gang that waits with it holds its slots.
bool cannot_start_yet(const std::string& reason) {
  static const std::set<std::string> kReasons = {
      "ErrImagePull",      "ImagePullBackOff",           "RegistryUnavailable",
      "ImageInspectError", "CreateContainerConfigError", "CreateContainerError",
      "RunContainerError", "ErrImageNeverPull"};
  return kReasons.contains(reason);
}

bool ended(const PodFacts& pod) {
  return pod.phase == PodPhase::kSucceeded || pod.phase == PodPhase::kFailed;
}

// When the patience with a pod that cannot start is over; nothing for pods that have no such trouble.
std::optional<WallTime> start_deadline(const PodFacts& pod) {
  if (ended(pod) || pod.deleting || pod.main_is_running || !cannot_start_yet(pod.waiting_reason)) return std::nullopt;
  return pod.started_at.value_or(WallTime{}) + kStartPatience;
}

std::optional<RunExit> start_failure(const PodFacts& pod, WallTime now) {
  const bool is_invalid = !ended(pod) && pod.waiting_reason == "InvalidImageName";
  if (const auto deadline = start_deadline(pod); !is_invalid && (!deadline || now < *deadline)) return std::nullopt;
  return RunExit{
      .kind = is_invalid ? ExitClass::kInvalidPod : ExitClass::kInfrastructure,
      .code = std::nullopt,
      .reason = pod.waiting_reason,
      .message = with_detail("pod " + pod.key.name + " cannot start (" + pod.waiting_reason + ")", pod.waiting_message),
      .never_ran = true};
}

// The earliest time at which is_lost or start_failure may say something else.
std::optional<WallTime> next_verdict(const PodFacts& pod, WallTime now) {
  std::optional<WallTime> next = start_deadline(pod);
  if (pod.deleting && !ended(pod) && pod.deletion_due) next = *pod.deletion_due + kLostPatience;
  return next && *next > now ? next : std::nullopt;
}

RunExit lost_exit(const PodFacts& pod) {
  const std::string node = pod.node.empty() ? "its node" : "node " + pod.node;
  return {.kind = ExitClass::kInfrastructure,
          .code = std::nullopt,
          .reason = "NodeLost",
          .message = "pod " + pod.key.name + " is lost: it was deleted, and " + node + " does not answer"};
}

// Someone deleted the pod, and its program was told to stop: the exit code says nothing about the program.
std::optional<RunExit> deletion_exit(const PodFacts& pod) {
  if (!pod.deleting || !pod.exit_code || *pod.exit_code == 0) return std::nullopt;
  return RunExit{.kind = ExitClass::kInfrastructure,
                 .code = pod.exit_code,
                 .reason = "PodDeleted",
                 .message = "pod " + pod.key.name + " was deleted while it ran"};
}

std::optional<RunExit> vanished_exit(const std::vector<PodFacts>& pods, const GangExpectation& expected) {
  for (const int rank : expected.created) {
    const auto is_rank = [rank](const PodFacts& pod) { return pod.rank == rank; };
    if (expected.daemons.contains(rank) || std::any_of(pods.begin(), pods.end(), is_rank)) continue;
    const auto gone = expected.gone.find(rank);
    const bool was_disrupted = gone != expected.gone.end() && gone->second.is_disrupted;
    return RunExit{
        .kind = ExitClass::kInfrastructure,
        .code = std::nullopt,
        .reason = "PodVanished",
        .message =
            was_disrupted
                ? with_detail("pod " + gone->second.key.name + " was stopped by the cluster", gone->second.disruption)
                : "the pod of rank " + std::to_string(rank) + " was deleted without leaving an exit code"};
  }
  return std::nullopt;
}

// Why the gang is over, the cause before its consequences: what the cluster did to one pod makes the others' programs
// fail, and one program's failure makes us delete the other pods.
std::optional<RunExit> exit_of_gang(const std::vector<PodFacts>& pods, const GangExpectation& expected) {
  std::vector<const PodFacts*> counted;
  for (const PodFacts& pod : pods) {
    if (!expected.daemons.contains(pod.rank)) counted.push_back(&pod);
  }
  for (const PodFacts* pod : counted) {
    if (auto exit = infrastructure_exit(*pod)) return exit;
  }
  for (const PodFacts* pod : counted) {
    if (is_lost(*pod, expected.now)) return lost_exit(*pod);
  }
  for (const PodFacts* pod : counted) {
    if (pod->deleting) continue;
    if (auto exit = program_exit(*pod)) return exit;
    if (auto exit = start_failure(*pod, expected.now)) return exit;
  }
  for (const PodFacts* pod : counted) {
    if (auto exit = deletion_exit(*pod)) return exit;
  }
  if (auto exit = vanished_exit(pods, expected)) return exit;
  // A sidecar may outlive the training; the training's own exit is what counts.
  const bool all_succeeded = std::all_of(counted.begin(), counted.end(), [](const PodFacts* pod) {
    return pod->exit_code == 0 || pod->phase == PodPhase::kSucceeded;
  });
  if (!all_succeeded || static_cast<int>(pods.size()) < expected.size) return std::nullopt;
  return RunExit{.kind = ExitClass::kSuccess,
                 .code = 0,
                 .reason = "Completed",
                 .message = "resources exited successfully with a zero exit code"};
}

model::AllocationState reached(const std::vector<PodFacts>& pods, int size) {
  using model::AllocationState;
  if (static_cast<int>(pods.size()) < size) return AllocationState::kPending;
  bool scheduled = true;
  bool running = true;
  for (const PodFacts& pod : pods) {
    scheduled = scheduled && (pod.is_scheduled || !pod.node.empty());
    running = running && (pod.main_is_running || pod.exit_code.has_value());
  }
  if (running) return AllocationState::kRunning;
  return scheduled ? AllocationState::kStarting : AllocationState::kPending;
}

}  // namespace

bool is_lost(const PodFacts& pod, WallTime now) {
  return pod.deleting && !ended(pod) && pod.deletion_due && now >= *pod.deletion_due + kLostPatience;
}

PodFacts view_pod(const json& object) {
  const json& meta = value_at(object, "metadata");
  const json& labels = value_at(meta, "labels");
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
  facts.started_at = time_at(status, "startTime");
  facts.node = text_at(value_at(object, "spec"), "nodeName");
  for (const json& container : list_at(value_at(object, "spec"), "containers")) {
    if (text_at(container, "name") != kMainContainer) continue;
    facts.memory_limit = text_at(value_at(value_at(container, "resources"), "limits"), "memory");
  }
  facts.phase = phase_of(text_at(status, "phase"));
  facts.ip = text_at(status, "podIP");
  facts.pod_reason = text_at(status, "reason");
  facts.pod_message = text_at(status, "message");
  for (const json& container : list_at(status, "initContainerStatuses")) read_container(container, facts, true);
  for (const json& container : list_at(status, "containerStatuses")) read_container(container, facts, false);
  read_conditions(object, status, facts);
  return facts;
}

GangState observe_gang(std::vector<PodFacts> pods, const GangExpectation& expected) {
  std::sort(pods.begin(), pods.end(), [](const PodFacts& a, const PodFacts& b) { return a.rank < b.rank; });
  GangState state;
  state.missing = expected.size - static_cast<int>(pods.size());
  state.reached = reached(pods, expected.size);
  state.exit = exit_of_gang(pods, expected);
  for (const PodFacts& pod : pods) {
    if (!ended(pod) && !is_lost(pod, expected.now)) ++state.alive;
    const auto next = next_verdict(pod, expected.now);
    if (next && (!state.look_again_at || *next < *state.look_again_at)) state.look_again_at = next;
    if (pod.running_since && (!state.all_running_since || *pod.running_since > *state.all_running_since)) {
      state.all_running_since = pod.running_since;
    }
    if (!ended(pod) && !pod.main_is_running && state.waiting_reason.empty()) {
      state.waiting_reason = pod.waiting_reason;
      state.waiting_message = with_detail("pod " + pod.key.name + " waits", pod.waiting_message);
    }
  }
  if (state.reached == model::AllocationState::kRunning) {
    state.waiting_reason = state.waiting_message = {};
  } else {
    state.all_running_since = std::nullopt;
  }
  state.pods = std::move(pods);
  return state;
}

}  // namespace det::op
