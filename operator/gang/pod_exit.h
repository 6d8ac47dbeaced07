#pragma once

// How one pod of a run ended, told from what a kubelet and the control plane say in whatever order they say it. A
// program's own exit and its being stopped by the cluster are told apart by time: what finished before it was told to
// stop had ended by itself. docs/failures.md holds the table. Pure.

#include <chrono>
#include <optional>

#include <nlohmann/json_fwd.hpp>

#include "base/clock.h"
#include "model/run_exit.h"
#include "operator/gang/pod_facts.h"

namespace det::op {

using model::ExitClass;
using model::RunExit;

// That somebody other than the program's author ends the pod, or has ended it.
struct ClusterStop {
  RunExit exit;                // kInfrastructure
  std::optional<WallTime> at;  // when it began, as far as known
  bool is_deletion = false;    // no more is known than that somebody deleted the pod, or that its node is silent
};

// A pod that cannot start for a reason that may pass (its image cannot be pulled, a volume or Secret is missing) holds
// its gang's slots this long.
inline constexpr std::chrono::seconds kStartPatience{180};
// A deleted pod whose node does not confirm its end this long after the grace is over is taken for lost with its node.
inline constexpr std::chrono::seconds kLostPatience{30};
// A pod whose containers have all ended gets its final phase about a second later; after this long it is deleted, so
// that it does not hold its slots for a kubelet that went silent in between.
inline constexpr std::chrono::seconds kPhasePatience{60};

// Whether an event of this reason says that a node could not mount a pod's volumes or set up its network. It tries for
// ever, and what is only slow, such as a disk that another node still holds, looks the same: no verdict comes of it.
[[nodiscard]] bool is_set_up_failure(const std::string& reason);
// Whether a pod that waits for this reason waits for something that its node tried and could not do.
[[nodiscard]] bool is_start_failure(const std::string& waiting_reason);

// What is shown of a pod at this moment.
[[nodiscard]] PodFacts see_pod(const nlohmann::json& object, WallTime now);

// Succeeded or Failed.
[[nodiscard]] bool has_final_phase(const PodFacts& pod);
// Deleted, and its node does not confirm the end.
[[nodiscard]] bool is_lost(const PodFacts& pod, WallTime now);
// It has not started, has not ended, and its node could not start it.
[[nodiscard]] bool cannot_start(const PodFacts& pod);
// A container runs or may still start, or the pod should have had its final phase for long.
[[nodiscard]] bool is_alive(const PodFacts& pod, WallTime now);
// The earliest time at which time alone changes what is said of the pod; nothing if it does not.
[[nodiscard]] std::optional<WallTime> next_verdict(const PodFacts& pod, WallTime now);

// Nothing when nobody stops it, or when the program had ended by then.
[[nodiscard]] std::optional<ClusterStop> cluster_stop(const PodFacts& pod, WallTime now);
// How the pod ended; nothing while it has not.
[[nodiscard]] std::optional<RunExit> exit_of_pod(const PodFacts& pod, WallTime now);

}  // namespace det::op
