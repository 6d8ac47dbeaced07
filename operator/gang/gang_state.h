#pragma once

// What the pods of one run, taken together, are doing, and how the run ended. Pure: pods in, facts out.

#include <chrono>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "base/clock.h"
#include "model/states.h"
#include "operator/gang/pod_exit.h"
#include "operator/gang/pod_facts.h"

namespace det::op {

struct GangState {
  std::vector<PodFacts> pods;  // by rank, those that exist
  int missing = 0;             // ranks whose pods were not made yet
  int alive = 0;               // is_alive
  model::AllocationState reached = model::AllocationState::kPending;
  std::optional<RunExit> exit;
  std::string waiting_reason;  // why it does not run yet; empty when it does
  std::string waiting_message;
  bool cannot_start = false;              // that is something which a node tried and could not do
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

inline constexpr const char* kPodVanished = "PodVanished";

// The exit is what the pods say now. Once a verdict was written for the run, that one stands, and this one is not
// asked.
[[nodiscard]] GangState observe_gang(std::vector<PodFacts> pods, const GangExpectation& expected);

// When a gang of these pods has to be bound, if there is a limit and it has pods. From when they were seen first: by a
// clock that is ahead of the API server's they would be late at once.
[[nodiscard]] std::optional<WallTime> bind_deadline(const std::vector<PodFacts>& pods,
                                                    std::optional<std::chrono::seconds> limit);

}  // namespace det::op
