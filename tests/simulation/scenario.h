#pragma once

// What happens in a simulated world besides faults: an experiment, the nodes, the program, what people do.

#include <functional>
#include <string>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

#include "base/task.h"
#include "tests/simulation/training.h"

namespace det::simulation {

class World;

// What is broken on purpose, so that an invariant is seen to notice it (sabotage.h).
struct Broken {
  bool collects_no_garbage = false;  // of Secrets
  bool containers_outlive_pods = false;
  int never_binds_rank = -1;
  int writes_each = 1;                   // how often each write reaches the API server
  std::string sql;                       // once a program has reported two steps
  std::string sql_at_end;                // before the last look
  std::chrono::seconds bind_timeout{0};  // 0: the operator's default
};

// What the program of a Task object does.
struct TaskPlan {
  std::chrono::milliseconds time{2'000};
  std::function<int(int run)> exit_code;  // empty: 0
};

struct Scenario {
  std::string name;
  std::string about;
  nlohmann::json config;  // of the experiment
  std::vector<std::pair<std::string, int>> nodes = {{"node-1", 8}};
  int max_slots_per_pod = 8;
  int gpu_quota = 0;  // of the namespace; 0: none
  TrainingPlan plan;
  TaskPlan task;
  // What people do once the experiment is there; it returns when they are done. May be empty.
  std::function<Task<void>(World&)> act;
  Broken broken;
  // The steps of each trial's checkpoints that its policy leaves, "2,6"; empty: all of them.
  std::string keeps;
  bool first_removal_fails = false;
  // Parts of a trial's outcome that depend on when things happen, and so may differ from the undisturbed run.
  std::vector<std::string> free;
};

[[nodiscard]] const std::vector<Scenario>& scenarios();
// Null: there is no such scenario.
[[nodiscard]] const Scenario* find_scenario(const std::string& name);

}  // namespace det::simulation
