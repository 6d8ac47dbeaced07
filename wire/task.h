#pragma once

// v1Task and v1Allocation. Pure.

#include <optional>
#include <string>
#include <vector>

#include "base/wall_time.h"
#include "model/states.h"
#include "wire/forms.h"

namespace det::wire {

struct Allocation {
  std::string id;
  std::string task_id;
  model::AllocationState state = model::AllocationState::kPending;
  bool is_ready = false;
  int slots = 0;
  WallTime start_time;
  std::optional<WallTime> end_time;
  std::string exit_reason;
  std::optional<int> exit_code;
};
[[nodiscard]] Json to_json(const Allocation& allocation);

struct Task {
  std::string id;
  std::string type = "TASK_TYPE_TRIAL";
  WallTime start_time;
  std::optional<WallTime> end_time;
  std::vector<Allocation> allocations;  // newest first, as clients look at the first
  // Of generic tasks.
  std::optional<model::TaskState> state;
  std::string config;  // JSON
  std::string parent;
  std::string forked_from;
  std::optional<bool> no_pause;
};
[[nodiscard]] Json to_json(const Task& task);

// v1AllocationSummary: a run that holds slots, or is about to.
struct AllocationSummary {
  struct Pod {
    std::string resources_id;
    std::string container;  // the pod's name
    std::string agent;      // the node's; empty until it has one
  };
  // v1ProxyPortConfig.
  struct Port {
    std::string service_id;  // behind /proxy/
    int port = 0;
    bool is_tcp = false;
    bool is_unauthenticated = false;
  };
  std::string allocation_id;
  std::string task_id;
  std::string name;
  WallTime registered;
  int slots = 0;
  int priority = 0;
  std::string resource_pool;
  std::vector<Pod> pods;
  std::vector<Port> ports;
};
[[nodiscard]] Json to_json(const AllocationSummary& summary);
// The same in the words of GET /tasks, which older scripts read.
[[nodiscard]] Json legacy_json(const AllocationSummary& summary);

}  // namespace det::wire
