#include <algorithm>

#include "tests/simulation/world.h"

namespace det::simulation {
namespace {

using nlohmann::json;
using std::chrono::milliseconds;
using std::chrono::seconds;

json config(int slots = 1) {
  return {{"name", "simulated"},
          {"entrypoint", "python3 train.py"},
          {"hyperparameters", {{"lr", 0.1}}},
          {"searcher", {{"name", "single"}, {"metric", "loss"}}},
          {"resources", {{"slots_per_trial", slots}}},
          {"reproducibility", {{"experiment_seed", 7}}},
          {"checkpoint_storage", {{"type", "directory"}, {"container_path", "/tmp/checkpoints"}}},
          {"max_restarts", 2}};
}

Scenario single() {
  return {.name = "single", .about = "one trial on one slot", .config = config()};
}

std::vector<Scenario> all() {
  std::vector<Scenario> list;
  list.push_back(single());
  return list;
}

}  // namespace

const std::vector<Scenario>& scenarios() {
  static const std::vector<Scenario> kAll = all();
  return kAll;
}

const Scenario* find_scenario(const std::string& name) {
  const auto found = std::ranges::find(scenarios(), name, &Scenario::name);
  return found == scenarios().end() ? nullptr : &*found;
}

}  // namespace det::simulation
