#include "operator/gang/pod_exit.h"

#include <algorithm>
#include <set>

#include "operator/sentence.h"

namespace det::op {
namespace {

// What pod_spec.activeDeadlineSeconds asks for is the author's wish, not an accident of the cluster.
constexpr const char* kDeadlineExceeded = "DeadlineExceeded";

bool has_ended(const PodFacts& pod) {
  return pod.exit_code.has_value() || !pod.failed_init.empty() || has_final_phase(pod);
}

bool finished_before(const PodFacts& pod, std::optional<WallTime> time) {
  return pod.finished_at && time && *pod.finished_at < *time;
}

RunExit infrastructure(const PodFacts& pod, std::string reason, std::string message) {
  return {.kind = ExitClass::kInfrastructure,
          .code = pod.exit_code,
          .reason = std::move(reason),
          .message = "pod " + pod.key.name + " " + std::move(message)};
}

// The runtime no longer knows how the container ended: the node was restarted, or lost its state.
bool is_status_lost(const PodFacts& pod) {
  return pod.exit_reason == "ContainerStatusUnknown" || (pod.exit_reason == "Unknown" && pod.exit_code == 255);
}

// What the kubelet says while a container cannot start. It tries for ever; a gang that waits with it holds its slots.
bool cannot_start_yet(const std::string& reason) {
  static const std::set<std::string> kReasons = {
      "ErrImagePull",      "ImagePullBackOff",           "RegistryUnavailable",
      "ImageInspectError", "CreateContainerConfigError", "CreateContainerError",
      "RunContainerError", "ErrImageNeverPull"};
  return kReasons.contains(reason);
}

bool may_start(const PodFacts& pod) {
  return !has_ended(pod) && !pod.deleting && !pod.main_is_running;
}

bool is_stuck(const PodFacts& pod) {
  return may_start(pod) && cannot_start_yet(pod.waiting_reason);
}

// When the patience with a pod that cannot start is over; nothing for pods that have no such trouble. What went before,
// a long fetch of code or another image, is no part of it.
std::optional<WallTime> start_deadline(const PodFacts& pod) {
  if (!is_stuck(pod)) return std::nullopt;
  return pod.first_seen.stuck.value_or(pod.started_at.value_or(WallTime{})) + kStartPatience;
}

std::optional<RunExit> start_failure(const PodFacts& pod, WallTime now) {
  const bool is_invalid = !has_ended(pod) && !pod.deleting && pod.waiting_reason == "InvalidImageName";
  if (const auto deadline = start_deadline(pod); !is_invalid && (!deadline || now < *deadline)) return std::nullopt;
  return RunExit{
      .kind = is_invalid ? ExitClass::kInvalidPod : ExitClass::kInfrastructure,
      .code = std::nullopt,
      .reason = pod.waiting_reason,
      .message = with_detail("pod " + pod.key.name + " cannot start (" + pod.waiting_reason + ")", pod.waiting_message),
      .never_ran = true};
}

constexpr int kNoShipper = 80;  // harness/ship_logs.py is not configured
// The first words are those that Determined's users search their logs for.
constexpr const char* kFailedWords = "resources failed with non-zero exit code: ";

RunExit init_exit(const PodFacts& pod) {
  return {.kind = ExitClass::kUserError,
          .code = pod.failed_init_code,
          .reason = "InitFailed",
          .message = kFailedWords + ("init container " + pod.failed_init + " of pod " + pod.key.name) + " (exit code " +
                     std::to_string(pod.failed_init_code) + ")"};
}

RunExit program_exit(const PodFacts& pod) {
  const bool out_of_memory = pod.exit_reason == "OOMKilled";
  std::string what = "pod " + pod.key.name;
  if (out_of_memory) {
    const std::string limit = pod.memory_limit.empty() ? "" : " of " + pod.memory_limit;
    what += " used more memory than its limit" + limit + " (OOMKilled); raise resources.limits.memory of pod_spec";
  }
  const bool not_started = pod.exit_reason == "StartError" || pod.exit_reason == "ContainerCannotRun";
  // What harness/fetch_code.py left for the experiment's author, start.sh and ship_logs.py say where no log can be sent
  // yet, or the container runtime when it found nothing to run. Otherwise the kubelet puts the log's end there, which
  // is anything.
  const bool is_for_people = not_started || pod.exit_message.starts_with("spec.context.") ||
                             pod.exit_message.starts_with("ERROR: this task needs Python") ||
                             (pod.exit_code == kNoShipper && pod.exit_message.starts_with("ship_logs: "));
  const std::string text = kFailedWords + what + " (exit code " + std::to_string(*pod.exit_code) + ")";
  return {.kind = ExitClass::kUserError,
          .code = pod.exit_code,
          .reason = out_of_memory ? "OOMKilled"
                    : not_started ? "StartError"
                                  : "NonZeroExit",
          .message = is_for_people ? with_detail(text, pod.exit_message) : text};
}

RunExit success() {
  return {.kind = ExitClass::kSuccess,
          .code = 0,
          .reason = "Completed",
          .message = "resources exited successfully with a zero exit code"};
}

std::optional<WallTime> phase_deadline(const PodFacts& pod) {
  if (has_final_phase(pod) || !pod.stopped_at) return std::nullopt;
  return pod.first_seen.stop.value_or(*pod.stopped_at) + kPhasePatience;
}

std::optional<WallTime> loss_deadline(const PodFacts& pod) {
  if (!pod.deleting || has_final_phase(pod) || !pod.deletion_due) return std::nullopt;
  // The server's clock may be behind ours: no pod is lost before its grace is over by ours.
  if (!pod.first_seen.deletion || !pod.told_to_stop) return *pod.deletion_due + kLostPatience;
  return *pod.first_seen.deletion + (*pod.deletion_due - *pod.told_to_stop) + kLostPatience;
}

}  // namespace

bool is_set_up_failure(const std::string& reason) {
  static const std::set<std::string> kReasons = {"FailedMount",     "FailedAttachVolume",
                                                 "FailedMapVolume", "FailedCreatePodSandBox",
                                                 "NetworkNotReady", "FailedPrepareDynamicResources"};
  return kReasons.contains(reason);
}

bool is_start_failure(const std::string& waiting_reason) {
  return cannot_start_yet(waiting_reason) || is_set_up_failure(waiting_reason);
}

bool cannot_start(const PodFacts& pod) {
  return may_start(pod) && is_start_failure(pod.waiting_reason);
}

PodFacts see_pod(const nlohmann::json& object, WallTime now) {
  PodFacts pod = view_pod(object);
  pod.first_seen.pod = now;
  if (is_stuck(pod)) pod.first_seen.stuck = now;
  if (pod.deleting) pod.first_seen.deletion = now;
  if (pod.stopped_at) pod.first_seen.stop = now;
  return pod;
}

bool has_final_phase(const PodFacts& pod) {
  return pod.phase == PodPhase::kSucceeded || pod.phase == PodPhase::kFailed;
}

bool is_lost(const PodFacts& pod, WallTime now) {
  const auto deadline = loss_deadline(pod);
  return deadline && now >= *deadline;
}

bool is_alive(const PodFacts& pod, WallTime now) {
  if (has_final_phase(pod) || is_lost(pod, now)) return false;
  const auto deadline = phase_deadline(pod);
  return !deadline || now >= *deadline;
}

std::optional<WallTime> next_verdict(const PodFacts& pod, WallTime now) {
  std::optional<WallTime> next;
  for (const auto& time : {start_deadline(pod), loss_deadline(pod), phase_deadline(pod)}) {
    if (time && *time > now && (!next || *time < *next)) next = time;
  }
  return next;
}

std::optional<ClusterStop> cluster_stop(const PodFacts& pod, WallTime now) {
  if (pod.phase == PodPhase::kFailed && !pod.pod_reason.empty() && pod.pod_reason != kDeadlineExceeded) {
    const std::string& detail = pod.pod_message.empty() ? pod.disruption : pod.pod_message;
    return ClusterStop{
        .exit = infrastructure(pod, pod.pod_reason,
                               with_detail("was stopped by the cluster (" + pod.pod_reason + ")", detail)),
        .at = std::nullopt};
  }
  // A kubelet sets the condition when the containers have ended, the control plane before it deletes.
  const auto disrupted_at = pod.is_stopped_by_kubelet ? std::nullopt : pod.disrupted_at;
  if (pod.is_disrupted && !finished_before(pod, disrupted_at)) {
    return ClusterStop{
        .exit = infrastructure(pod, "Disrupted", with_detail("was stopped by the cluster (Disrupted)", pod.disruption)),
        .at = disrupted_at};
  }
  if (is_lost(pod, now) && !has_ended(pod)) {
    const std::string node = pod.node.empty() ? "its node" : "node " + pod.node;
    return ClusterStop{
        .exit = infrastructure(pod, "NodeLost", "is lost: it was deleted, and " + node + " does not answer"),
        .at = pod.told_to_stop,
        .is_deletion = true};
  }
  if (pod.deleting && !finished_before(pod, pod.told_to_stop)) {
    return ClusterStop{.exit = infrastructure(pod, "PodDeleted", "was deleted while it ran"),
                       .at = pod.told_to_stop,
                       .is_deletion = true};
  }
  if (is_status_lost(pod)) {
    return ClusterStop{
        .exit = infrastructure(pod, "StatusLost",
                               with_detail("ended, and its node does not know how any more", pod.exit_message)),
        .at = std::nullopt};
  }
  if (pod.silent_since && !has_ended(pod)) {
    const std::string node = pod.node.empty() ? "its node" : "node " + pod.node;
    return ClusterStop{.exit = infrastructure(pod, "NodeNotReady", "is on " + node + ", which does not answer"),
                       .at = pod.silent_since,
                       .is_deletion = true};
  }
  return std::nullopt;
}

std::optional<RunExit> exit_of_pod(const PodFacts& pod, WallTime now) {
  if (has_ended(pod) || is_lost(pod, now)) {
    if (auto stop = cluster_stop(pod, now)) {
      stop->exit.never_ran = pod.main_never_started;
      return std::move(stop->exit);
    }
  }
  if (pod.phase == PodPhase::kFailed && pod.pod_reason == kDeadlineExceeded) {
    return RunExit{.kind = ExitClass::kUserError,
                   .code = pod.exit_code,
                   .reason = kDeadlineExceeded,
                   .message = "pod " + pod.key.name + " ran for longer than activeDeadlineSeconds of its pod_spec"};
  }
  if (!pod.failed_init.empty()) return init_exit(pod);
  // A sidecar may outlive the training; the training's own exit is what counts.
  if (pod.exit_code) return *pod.exit_code == 0 ? success() : program_exit(pod);
  if (pod.phase == PodPhase::kSucceeded) return success();
  if (pod.phase == PodPhase::kFailed) {
    return infrastructure(pod, "NoExitCode", with_detail("failed without an exit code", pod.pod_message));
  }
  return start_failure(pod, now);
}

}  // namespace det::op
