#pragma once

// What is kept of a pod of ours: the part of its object that says how far it is and how it ended. Pure: JSON in, facts
// out; what is absent or of another type reads as empty.

#include <cstdint>
#include <optional>
#include <string>

#include <nlohmann/json_fwd.hpp>

#include "base/clock.h"
#include "k8sclient/resource.h"
#include "operator/gang/workload_key.h"

namespace det::op {

enum class PodPhase : std::uint8_t { kPending, kRunning, kSucceeded, kFailed };

// When our copy first showed a state that still lasts, by our own clock: times in the object are those of other
// machines. Nothing: it is in no such state, or the pod was not seen by see_pod().
struct FirstSeen {
  std::optional<WallTime> pod;
  std::optional<WallTime> stuck;     // a container cannot start, for a reason that may pass
  std::optional<WallTime> deletion;  // it was told to stop
  std::optional<WallTime> stop;      // all its containers have ended
};

// What is kept of a pod of ours.
struct PodFacts {
  k8s::ObjectKey key;
  std::string uid;
  WorkloadKey owner;
  std::string owner_uid;  // of the object that it belongs to; empty: it does not say
  int run = 0;
  int rank = 0;
  bool deleting = false;
  std::optional<WallTime> created;
  PodPhase phase = PodPhase::kPending;
  std::string node;
  std::string ip;
  bool is_scheduled = false;
  // Its node took it on, and has not mounted its volumes or set up its network yet. Pods that ended say so, too.
  bool lacks_sandbox = false;
  bool main_is_running = false;
  bool main_never_started = false;  // it counts as ended, because its pod was ended before it was made
  std::optional<int> exit_code;     // of determined-container
  std::string exit_reason;          // OOMKilled, Error, ContainerCannotRun...
  std::string exit_message;
  std::string failed_init;  // name of an init container that failed
  int failed_init_code = 0;
  std::string waiting_reason;  // ImagePullBackOff, ContainerCreating, Unschedulable, FailedMount...
  std::string waiting_message;
  std::string pod_reason;  // Evicted, NodeLost, DeadlineExceeded...
  std::string pod_message;
  bool is_disrupted = false;              // condition DisruptionTarget
  bool is_stopped_by_kubelet = false;     // and the node's kubelet set it: pressure, shutdown, room for a critical pod
  std::string disruption;                 // its reason and message: EvictionByEvictionAPI, DeletionByTaintManager...
  std::string memory_limit;               // of determined-container; empty: none
  std::optional<WallTime> started_at;     // a node took it on
  std::optional<WallTime> running_since;  // determined-container
  std::optional<WallTime> deletion_due;   // when the grace of its deletion is over
  std::optional<WallTime> told_to_stop;   // when that grace began: its containers get SIGTERM then, or after preStop
  std::optional<WallTime> disrupted_at;   // when the condition DisruptionTarget appeared
  std::optional<WallTime> finished_at;    // determined-container, or the init container that failed
  std::optional<WallTime> silent_since;   // its node's kubelet does not answer; nothing: it does
  // When the last of its containers ended; nothing while one runs or may still start. The phase follows about a second
  // later.
  std::optional<WallTime> stopped_at;
  FirstSeen first_seen;
};

// Index of the pods' informer: to_string of the workload that they belong to.
inline constexpr const char* kByWorkload = "workload";

[[nodiscard]] PodFacts view_pod(const nlohmann::json& object);

// What `now` keeps of the same pod's state before: that it ran, since when states last, and when it was first told to
// stop. The deletion that removes the object in the end, like every one that shortens the grace, sets that time anew,
// which would be after the program's end.
void carry_over(const PodFacts& before, PodFacts& now);

}  // namespace det::op
