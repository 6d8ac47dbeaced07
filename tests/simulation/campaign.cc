#include "tests/simulation/campaign.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <exception>
#include <utility>

#include "base/check.h"
#include "base/json_get.h"
#include "tests/simulation/sabotage.h"

namespace det::simulation {
namespace {

using std::chrono::seconds;

// What one fault may cost: another leader takes over after 20 s, which lists everything; a call may last 30 s.
constexpr seconds kLonger{240};
constexpr std::uint64_t kWritesTimes = 3;
constexpr std::uint64_t kWritesMore = 100;
// Faults by chance come again and again.
constexpr seconds kLongerByChance{900};
constexpr std::uint64_t kWritesTimesByChance = 12;

std::int64_t whole_seconds(std::chrono::nanoseconds time) {
  return std::chrono::duration_cast<seconds>(time).count();
}

// A pod that others deleted after its exit, when no operator was there to see it, leaves no exit code: another run.
bool may_vanish(const RunResult& result) {
  return std::ranges::any_of(result.played, [](const auto& order) {
    return order.first.find("then ") != std::string::npos && order.first.find("sidecar") == std::string::npos;
  });
}

// In the order that what is left gives.
void forget_runs(nlohmann::json& outcome) {
  for (nlohmann::json& trial : outcome["trials"]) {
    for (const char* part : {"run", "infra_restarts"}) trial.erase(part);
  }
  std::sort(outcome["trials"].begin(), outcome["trials"].end());
}

// A failure whose exit code nobody saw counts as the infrastructure's: fewer restarts are then no other outcome, more
// are.
void allow_fewer_restarts(const nlohmann::json& expected, nlohmann::json& outcome) {
  const nlohmann::json& before = expected["trials"];
  for (std::size_t i = 0; i < outcome["trials"].size() && i < before.size(); ++i) {
    nlohmann::json& trial = outcome["trials"][i];
    if (get_integer(trial, "restarts") < get_integer(before[i], "restarts")) trial["restarts"] = before[i]["restarts"];
  }
}

// Where two runs that should be the same part; empty where they are.
std::string first_difference(const std::vector<Call>& before, const std::vector<Call>& now) {
  const auto shown = [](const std::vector<Call>& calls, std::size_t at) {
    return at < calls.size() ? "'" + calls[at].what + "'" : std::string("nothing");
  };
  const auto [one, other] = std::ranges::mismatch(before, now);
  if (one == before.end() && other == now.end()) return {};
  const auto at = static_cast<std::size_t>(one - before.begin());
  return "call " + std::to_string(at) + " is " + shown(now, at) + ", and was " + shown(before, at);
}

}  // namespace

std::string to_string(const Case& one) {
  std::string text = one.scenario + " " + std::to_string(one.seed);
  if (one.fault.at > 0) text += " " + to_string(one.fault);
  if (one.faults_one_in > 0) text += " one-in:" + std::to_string(one.faults_one_in);
  return text;
}

void Counts::add(const Counts& other) {
  runs += other.runs;
  calls += other.calls;
  left += other.left;
  failed += other.failed;
  faults += other.faults;
  for (const auto& [name, count] : other.by_kind) by_kind[name] += count;
  for (const auto& [name, count] : other.played) played[name] += count;
}

RunResult Campaign::play(const Case& one) {
  const Scenario* scenario = find_scenario(one.scenario);
  DET_CHECK(scenario != nullptr, "a scenario of that name");
  return play(one, *scenario);
}

RunResult Campaign::play(const Case& one, const Scenario& scenario) {
  database_.reset();
  World world(database_, scenario, {.seed = one.seed, .fault = one.fault, .faults_one_in = one.faults_one_in});
  return world.run();
}

const RunResult& Campaign::undisturbed(const std::string& scenario, std::uint64_t seed) {
  const auto key = std::pair(scenario, seed);
  const auto known = undisturbed_.find(key);
  if (known != undisturbed_.end()) return known->second;
  return undisturbed_.emplace(key, play({.scenario = scenario, .seed = seed, .fault = {}})).first->second;
}

std::vector<Case> Campaign::every_fault(const std::string& scenario, std::uint64_t seed) {
  std::vector<Case> cases;
  std::array<int, 2> at{};
  const RunResult& calm = undisturbed(scenario, seed);
  for (std::size_t i = 0; i < calm.calls_to_end; ++i) {
    const Call& call = calm.calls[i];
    const int n = ++at[static_cast<std::size_t>(call.place)];
    for (const FaultKind kind : applicable(call)) {
      cases.push_back({.scenario = scenario, .seed = seed, .fault = {.place = call.place, .at = n, .kind = kind}});
    }
  }
  return cases;
}

std::vector<std::string> Campaign::judge(const Case& one, RunResult result) {
  const RunResult& calm = undisturbed(one.scenario, one.seed);
  std::vector<std::string> wrong = calm.violations;
  for (std::string& text : wrong) text = "undisturbed: " + text;
  for (std::string& text : result.violations) wrong.push_back(std::move(text));
  nlohmann::json expected = calm.outcome;
  if (may_vanish(result) && result.injected.size() > 0) {
    forget_runs(expected);
    forget_runs(result.outcome);
    allow_fewer_restarts(expected, result.outcome);
  }
  if (result.outcome != expected) {
    wrong.push_back("another outcome: " + nlohmann::json::diff(expected, result.outcome).dump());
  }
  const bool by_chance = one.faults_one_in > 0;
  if (result.took > calm.took + (by_chance ? kLongerByChance : kLonger)) {
    wrong.push_back("it took " + std::to_string(whole_seconds(result.took)) + " s and not " +
                    std::to_string(whole_seconds(calm.took)));
  }
  if (result.writes > calm.writes * (by_chance ? kWritesTimesByChance : kWritesTimes) + kWritesMore) {
    wrong.push_back("it wrote " + std::to_string(result.writes) + " times to the API server and not " +
                    std::to_string(calm.writes));
  }
  if (one.fault.at > 0 && result.injected.empty()) wrong.emplace_back("the fault was never injected");
  if (one.fault.at == 0 && !by_chance) {
    if (const std::string difference = first_difference(calm.calls, result.calls); !difference.empty()) {
      wrong.push_back("it does not replay: " + difference);
    }
  }
  return wrong;
}

bool Campaign::run(const Case& one) {
  try {
    return run_to_end(one);
  } catch (const std::exception& thrown) {
    // Of the world itself: the other cases are played none the less.
    ++counts_.runs;
    tell_failed(one, {std::string("it threw: ") + thrown.what()});
    return false;
  }
}

bool Campaign::run_to_end(const Case& one) {
  undisturbed(one.scenario, one.seed);
  RunResult result = play(one);
  ++counts_.runs;
  counts_.calls += static_cast<int>(result.calls.size());
  counts_.faults += static_cast<int>(result.injected.size());
  for (const Fault& fault : result.injected) ++counts_.by_kind[to_string(fault.kind)];
  for (const auto& [order, times] : result.played) counts_.played[order] += times;
  const std::vector<std::string> wrong = judge(one, std::move(result));
  if (wrong.empty()) return true;
  tell_failed(one, wrong);
  return false;
}

void Campaign::tell_failed(const Case& one, const std::vector<std::string>& wrong) {
  ++counts_.failed;
  std::printf("FAILED: %s\n", to_string(one).c_str());
  for (const std::string& text : wrong) std::printf("  %s\n", text.c_str());
  std::printf("  again: test_simulation --replay %s\n", to_string(one).c_str());
  std::fflush(stdout);
}

int Campaign::check_invariants() {
  int unnoticed = 0;
  for (const Sabotage& sabotage : sabotages()) {
    const Case one{.scenario = sabotage.scenario.name, .seed = 1, .fault = {}};
    undisturbed(one.scenario, one.seed);
    const std::vector<std::string> wrong = judge(one, play(one, sabotage.scenario));
    const bool is_noticed = std::ranges::any_of(
        wrong, [&](const std::string& text) { return text.find(sabotage.noticed) != std::string::npos; });
    std::printf("%s: %s\n", is_noticed ? "noticed" : "NOT NOTICED", sabotage.name.c_str());
    for (const std::string& text : wrong) {
      if (!is_noticed) std::printf("  %s\n", text.c_str());
    }
    std::fflush(stdout);
    if (!is_noticed) ++unnoticed;
  }
  // A fault at a call that is never made.
  const Case never{
      .scenario = "single", .seed = 1, .fault = {.place = Place::kApi, .at = 1'000'000, .kind = FaultKind::kBusy}};
  if (judge(never, play(never)).empty()) {
    std::printf("NOT NOTICED: a fault is never injected\n");
    ++unnoticed;
  }
  return unnoticed;
}

}  // namespace det::simulation
