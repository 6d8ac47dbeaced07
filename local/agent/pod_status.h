#pragma once

// What the agent knows of a running pod, and the status it reports from that: phases, conditions, reasons and their
// order are a kubelet's (pkg/kubelet/status, kubelet_pods.go of Kubernetes 1.36). Pure; any thread.

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "base/clock.h"
#include "local/agent/container_env.h"

namespace det::local {

// One end of a container, as status shows it.
struct Termination {
  int exit_code = 0;
  std::string reason;  // Completed, Error, OOMKilled, StartError, ContainerStatusUnknown
  std::string message;
  std::optional<WallTime> started_at;
  std::optional<WallTime> finished_at;  // nothing: nobody saw it end
  std::string container_id;
};

struct ContainerRecord {
  enum class State : std::uint8_t { kWaiting, kRunning, kTerminated };
  std::string name;
  std::string image;
  std::string id;  // of this attempt, once it was started
  State state = State::kWaiting;
  std::string waiting_reason = "PodInitializing";
  std::string waiting_message;
  std::optional<WallTime> started_at;
  std::optional<Termination> ended;         // of this attempt, when kTerminated
  std::optional<Termination> ended_before;  // of the attempt before
  int restarts = 0;
  bool is_final = false;  // ended and will not be started again
};

struct PodRecord {
  std::vector<ContainerRecord> init_containers;
  std::vector<ContainerRecord> containers;
  WallTime started_at;
  bool has_sandbox = false;  // its volumes are there: containers may start
  bool is_initialized = false;
  bool is_over = false;  // nothing of it can run any more
  // Set when the pod ends for a reason of its own: refused, node shut down.
  bool is_failed = false;
  bool is_disrupted = false;  // the node stopped it, not its program
  std::string reason;
  std::string message;
  std::map<std::string, std::pair<bool, WallTime>> conditions;  // value and since when
};

// Pending, Running, Succeeded or Failed.
[[nodiscard]] std::string pod_phase(const PodRecord& pod);
// For a container that is not known to have ended when its pod is over: it counts as failed, as a kubelet has it.
[[nodiscard]] Termination unseen_termination();
// The status to report; moves the times of conditions that changed to `now`. Until the pod is over the phase stays what
// it was, and the reason of its own is held back: containers that have ended are told before.
[[nodiscard]] nlohmann::json pod_status(PodRecord& pod, const NodeFacts& node, WallTime now);

}  // namespace det::local
