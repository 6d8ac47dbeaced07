#pragma once

// What the agent knows of a running pod, and the status it reports from that. Pure; any thread.

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "base/clock.h"
#include "local/container_env.h"

namespace det::local {

// One end of a container, as status shows it.
struct Termination {
  int exit_code = 0;
  std::string reason;  // Completed, Error, OOMKilled, StartError, ContainerStatusUnknown
  std::string message;
  std::optional<WallTime> started_at;
  WallTime finished_at;
};

struct ContainerRecord {
  enum class State : std::uint8_t { kWaiting, kRunning, kTerminated };
  std::string name;
  std::string image;
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
  bool is_initialized = false;
  // Set when the pod ends for a reason of its own: refused, node shut down.
  bool is_failed = false;
  std::string reason;
  std::string message;
  std::map<std::string, std::pair<bool, WallTime>> conditions;  // value and since when
};

// Pending, Running, Succeeded or Failed.
[[nodiscard]] std::string pod_phase(const PodRecord& pod);
// The status to report; moves the times of conditions that changed to `now`.
[[nodiscard]] nlohmann::json pod_status(PodRecord& pod, const NodeFacts& node, WallTime now);

}  // namespace det::local
