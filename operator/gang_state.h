#pragma once

// What the pods of one run, taken together, are doing, and how the run ended. Pure: pods in, facts out.

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "base/clock.h"
#include "k8sclient/resource.h"
#include "model/states.h"

namespace det::op {

enum class PodPhase : std::uint8_t { kPending, kRunning, kSucceeded, kFailed };

// What is kept of a pod of ours.
struct PodFacts {
  k8s::ObjectKey key;
  std::string uid;
  std::string trial;  // name of the Trial object
  int run = 0;
  int rank = 0;
  bool deleting = false;
  std::optional<WallTime> created;
  PodPhase phase = PodPhase::kPending;
  std::string node;
  std::string ip;
  bool is_scheduled = false;
  bool main_is_running = false;
  std::optional<int> exit_code;  // of determined-container
  std::string exit_reason;       // OOMKilled, Error, ContainerCannotRun...
  std::string exit_message;
  std::string failed_init;  // name of an init container that failed
  int failed_init_code = 0;
  std::string waiting_reason;  // ImagePullBackOff, ContainerCreating, Unschedulable...
  std::string waiting_message;
  std::string pod_reason;  // Evicted, NodeLost, DeadlineExceeded...
  std::string pod_message;
  bool is_disrupted = false;              // condition DisruptionTarget
  std::string disruption;                 // its reason and message: EvictionByEvictionAPI, DeletionByTaintManager...
  std::string memory_limit;               // of determined-container; empty: none
  std::optional<WallTime> started_at;     // a node took it on
  std::optional<WallTime> running_since;  // determined-container
  std::optional<WallTime> deletion_due;   // when the grace of its deletion is over
};

[[nodiscard]] PodFacts view_pod(const nlohmann::json& object);

enum class ExitClass : std::uint8_t {
  kSuccess,
  kUserError,       // the program failed: counts as a restart
  kInfrastructure,  // eviction, node loss, a pod that vanished: never counts against max_restarts
  kInvalidPod,      // no node can ever run such a pod: another try is no use
};

struct RunExit {
  ExitClass kind = ExitClass::kSuccess;
  std::optional<int> code;
  std::string reason;      // CamelCase: Completed, NonZeroExit, OOMKilled, Evicted, PodVanished, InitFailed...
  std::string message;     // for people; names the pod
  bool never_ran = false;  // withdrawn while it still waited: nothing of the program is lost with its pods

  bool operator==(const RunExit&) const = default;
};

struct GangState {
  std::vector<PodFacts> pods;  // by rank, those that exist
  int missing = 0;             // of the gang's size
  int alive = 0;               // neither succeeded nor failed
  model::AllocationState reached = model::AllocationState::kPending;
  std::optional<RunExit> exit;
  std::string waiting_reason;  // why it does not run yet; empty when it does
  std::string waiting_message;
  std::optional<WallTime> look_again_at;  // when time alone may change the verdict
  std::optional<WallTime> all_running_since;
};

struct GangExpectation {
  int size = 1;
  std::set<int> created;  // ranks whose pods were made in this run: missing ones have vanished
  std::set<int> daemons;  // ranks whose exit does not matter
  WallTime now{};
  std::map<int, PodFacts> gone;  // by rank: what was last seen of pods that exist no more, as far as known
};

// A pod that cannot start for a reason that may pass (its image cannot be pulled, a volume or Secret is missing) holds
// its gang's slots this long.
inline constexpr std::chrono::seconds kStartPatience{180};
// A deleted pod whose node does not confirm its end this long after the grace is over is taken for lost with its node.
inline constexpr std::chrono::seconds kLostPatience{30};

[[nodiscard]] bool is_lost(const PodFacts& pod, WallTime now);

[[nodiscard]] GangState observe_gang(std::vector<PodFacts> pods, const GangExpectation& expected);

}  // namespace det::op
