#pragma once

// v1Agent and v1ResourcePool: nodes, their slots, and the pools of slots. Pure.

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "base/wall_time.h"
#include "wire/forms.h"
#include "wire/job.h"

namespace det::wire {

struct Slot {
  std::string container;  // name of the pod that holds it; empty: free
  bool is_disabled = false;
  bool is_draining = false;  // disabled, and what ran on it was left to end by itself
};

struct Agent {
  std::string id;  // the node's name
  std::string version;
  std::optional<WallTime> registered;
  std::vector<std::string> addresses;
  std::vector<std::string> pools;
  bool is_enabled = true;
  bool is_draining = false;             // takes no new work; what it had was left to end by itself
  std::vector<std::string> containers;  // pods of tasks, also those without slots
  std::vector<Slot> slots;
  std::string device_type;  // "TYPE_CUDA", "TYPE_ROCM", "TYPE_CPU"
  std::string device_brand;
};
[[nodiscard]] Json to_json(const Agent& agent);
// v1Slot. `slot` is below the number of the agent's slots.
[[nodiscard]] Json slot_json(const Agent& agent, std::size_t slot);

struct ResourcePool {
  std::string name;
  std::string description;
  bool is_default_compute = false;
  bool is_default_aux = false;
  bool is_ordered_here = false;  // the operator places its pods, in the order of the queue; else the cluster does
  std::string device_type;
  int slots_per_agent = 0;  // most slots of one pod
  int agents = 0;
  int slots = 0;
  int slots_used = 0;
  QueueStats stats;
};
[[nodiscard]] Json to_json(const ResourcePool& pool);

}  // namespace det::wire
