#pragma once

// What all pods of one run are like, decided when it starts and kept with its allocation: those that are made later, by
// another program or under another master.yaml, must not differ from those that are there. Pure.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "model/cluster/agent_account.h"

namespace det::store {

struct RunPlan {
  int pods = 1;
  int slots_per_pod = 1;
  std::string checkpoint;                   // uuid of what it starts from; empty: nothing
  std::int64_t steps = 0;                   // of that checkpoint: later reports of earlier runs become invisible
  bool starts_warm = false;                 // that is a checkpoint of another trial
  int port_base = 0;                        // 0: the harness' default ports
  std::vector<std::string> excluded_nodes;  // where none of its pods may run
  // As whom they run. When the run starts, the cluster's account; then the workspace's of then or its owner's, where
  // they name one, takes its place. Nothing: as the image or the pod_spec says.
  std::optional<model::AgentAccount> account;

  // Where the experiment was moved to; empty: the pool that it was accepted with.
  std::string resource_pool;

  bool operator==(const RunPlan&) const = default;
};

// As column `plan` of the allocations holds it.
[[nodiscard]] nlohmann::json to_json(const RunPlan& plan);
// Fields that a program of another version left out have their defaults.
[[nodiscard]] RunPlan read_run_plan(const nlohmann::json& json);

}  // namespace det::store
