#include <algorithm>

#include "tests/simulation/world.h"

namespace det::simulation {
namespace {

using nlohmann::json;
using std::chrono::seconds;

constexpr int kHoldAt = 3;  // where programs wait for what people do
constexpr const char* kNobodyRuns = "SELECT count(*) FROM allocations WHERE ended_at IS NULL";

json config(int slots = 1) {
  return {{"name", "simulated"},
          {"entrypoint", "python3 train.py"},
          {"hyperparameters", {{"lr", 0.1}}},
          {"searcher", {{"name", "single"}, {"metric", "loss"}}},
          {"resources", {{"slots_per_trial", slots}}},
          {"reproducibility", {{"experiment_seed", 7}}},
          // Nothing is given up, but where a scenario is about that.
          {"checkpoint_storage",
           {{"type", "directory"}, {"container_path", "/tmp/checkpoints"}, {"save_trial_latest", 1'000}}},
          {"max_restarts", 2}};
}

json search_config(json searcher) {
  json document = config();
  document["hyperparameters"] = {{"lr", {{"type", "double"}, {"minval", 0}, {"maxval", 1}}}};
  document["searcher"] = std::move(searcher);
  return document;
}

TrainingPlan holding_in_first_run() {
  TrainingPlan plan;
  plan.holds = [](int run, int step) { return run == 1 && step == kHoldAt; };
  return plan;
}

Scenario single() {
  return {.name = "single", .about = "one trial on one slot", .config = config(), .plan = {}, .act = {}, .free = {}};
}

Scenario pause() {
  const auto act = [](World& world) -> Task<void> {
    co_await world.until([&] { return world.reported_steps() >= kHoldAt; });
    world.edit_experiment({{"suspend", true}});
    co_await world.until([&] { return world.states() == "PAUSED" && world.database().value(kNobodyRuns) == "0"; });
    co_await world.sleep(seconds(3));
    world.edit_experiment({{"suspend", false}});
  };
  return {.name = "pause",
          .about = "paused while it trains, and resumed",
          .config = config(),
          .plan = holding_in_first_run(),
          .act = act,
          .free = {}};
}

Scenario kill() {
  TrainingPlan plan;
  plan.holds = [](int, int step) { return step == kHoldAt; };
  const auto act = [](World& world) -> Task<void> {
    co_await world.until([&] { return world.reported_steps() >= kHoldAt; });
    world.edit_experiment({{"stop", "Kill"}});
  };
  return {.name = "kill",
          .about = "killed while it trains",
          .config = config(),
          .plan = std::move(plan),
          .act = act,
          .free = {}};
}

Scenario gang() {
  return {.name = "gang",
          .about = "four pods on two nodes",
          .config = config(4),
          .nodes = {{"node-1", 2}, {"node-2", 2}},
          .max_slots_per_pod = 1,
          .plan = {},
          .act = {},
          .free = {}};
}

Scenario restart() {
  TrainingPlan plan;
  plan.fails = [](int run, int step) {
    return run == 1 && step == 5 ? std::optional(3) : std::nullopt;  // after the checkpoint of step 4
  };
  return {.name = "restart",
          .about = "the program fails once, and goes on from its checkpoint",
          .config = config(),
          .plan = std::move(plan),
          .act = {},
          .free = {}};
}

Scenario deletion() {
  TrainingPlan plan;
  plan.holds = [](int, int step) { return step == kHoldAt; };
  const auto act = [](World& world) -> Task<void> {
    co_await world.until([&] { return world.reported_steps() >= kHoldAt; });
    world.delete_experiment();
  };
  return {.name = "delete",
          .about = "the object is deleted while it trains",
          .config = config(),
          .plan = std::move(plan),
          .act = act,
          .free = {"run"}};
}

// Which trial is stopped where depends on who reports first.
Scenario search() {
  return {
      .name = "search",
      .about = "eight trials of an asynchronous halving, some of them stopped",
      .config = search_config({{"name", "async_halving"},
                               {"metric", "loss"},
                               {"time_metric", "batches"},
                               {"max_time", 8},
                               {"num_rungs", 3},
                               {"divisor", 2},
                               {"max_trials", 8},
                               {"max_concurrent_trials", 4}}),
      .plan =
          {.steps = 8, .step_time = seconds(1), .validate_every = 2, .checkpoint_every = 4, .holds = {}, .fails = {}},
      .act = {},
      .free = {"request_id", "hparams", "seed", "run", "steps", "checkpoint", "best_metric"}};
}

Scenario warm_start() {
  const auto act = [](World& world) -> Task<void> {
    co_await world.until([&] { return world.states() == "COMPLETED"; });
    json document = config();
    // What was lost before its commit has used up a number.
    document["searcher"]["source_trial_id"] = std::stoll(world.database().value("SELECT id FROM trials"));
    world.create_experiment("heir", document);
    co_await world.until([&] { return world.states().find(',') != std::string::npos; });
  };
  return {
      .name = "warm-start",
      .about = "a second experiment begins with the first one's checkpoint",
      .config = config(),
      .plan =
          {.steps = 4, .step_time = seconds(1), .validate_every = 4, .checkpoint_every = 2, .holds = {}, .fails = {}},
      .act = act,
      .free = {}};
}

// At once: what the operator remembers of the first time must not decide the second.
Scenario continuation() {
  const auto act = [](World& world) -> Task<void> {
    co_await world.until([&] { return world.states() == "COMPLETED"; });
    co_await world.continue_experiment({{"hyperparameters", {{"lr", {{"type", "const"}, {"val", 0.2}}}}}});
    co_await world.until([&] { return world.database().value("SELECT max(run) FROM trials") == "2"; });
  };
  return {.name = "continue",
          .about = "continued with another configuration as soon as it is over",
          .config = config(),
          .plan = {},
          .act = act,
          .free = {}};
}

Scenario node_lost() {
  const auto act = [](World& world) -> Task<void> {
    co_await world.until([&] { return world.reported_steps() >= kHoldAt; });
    world.cluster().lose_node(world.database().value("SELECT node FROM allocation_resources"));
  };
  return {.name = "node-lost",
          .about = "its node dies, and it goes on on another one",
          .config = config(),
          .nodes = {{"node-1", 1}, {"node-2", 1}},
          .plan = holding_in_first_run(),
          .act = act,
          .free = {}};
}

Scenario quota() {
  return {
      .name = "quota",
      .about = "three trials, and a ResourceQuota that lets one of them run at a time",
      .config =
          search_config({{"name", "random"}, {"metric", "loss"}, {"max_trials", 3}, {"max_concurrent_trials", 3}}),
      .gpu_quota = 1,
      .plan =
          {.steps = 4, .step_time = seconds(1), .validate_every = 4, .checkpoint_every = 4, .holds = {}, .fails = {}},
      .act = {},
      .free = {}};
}

json collected_config(int trials) {
  json document =
      search_config({{"name", "random"}, {"metric", "loss"}, {"max_trials", trials}, {"max_concurrent_trials", 8}});
  document["checkpoint_storage"]["save_trial_latest"] = 1;
  return document;
}

TrainingPlan best_in_the_middle() {
  return {.steps = 8, .validate_every = 2, .checkpoint_every = 2, .best_at = 4, .holds = {}, .fails = {}};
}

Scenario collect() {
  return {.name = "collect",
          .about = "two trials whose policy keeps the best and the latest checkpoint, and a removal that fails once",
          .config = collected_config(2),
          .plan = best_in_the_middle(),
          .act = {},
          .keeps = "4,8",
          .first_removal_fails = true,
          .free = {}};
}

// Of more trials the exhaustive form would have thousands of cases more, each longer, and no other kind of call.
Scenario collect_many() {
  return {.name = "collect-5",
          .about = "five trials at once, of each the best and the latest checkpoint stays",
          .config = collected_config(5),
          .plan = best_in_the_middle(),
          .act = {},
          .keeps = "4,8",
          .free = {}};
}

}  // namespace

const std::vector<Scenario>& scenarios() {
  static const std::vector<Scenario> kAll = {single(),   pause(),   kill(),        gang(),         restart(),
                                             deletion(), search(),  warm_start(),  continuation(), node_lost(),
                                             quota(),    collect(), collect_many()};
  return kAll;
}

const Scenario* find_scenario(const std::string& name) {
  const auto found = std::ranges::find(scenarios(), name, &Scenario::name);
  return found == scenarios().end() ? nullptr : &*found;
}

}  // namespace det::simulation
