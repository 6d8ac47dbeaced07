// test_simulation [--exhaustive SCENARIO,...|all] [--seeds N] [--first SEED] [--only SCENARIO,...] [--every K]
//                 [--seconds S] [--jobs N] [--replay SCENARIO SEED [FAULT]] [--verbose] [--list] [--sabotage]
// Without arguments: every scenario undisturbed, twice. docs/development.md, "Simulation".

#include <charconv>
#include <chrono>
#include <cstdio>
#include <optional>
#include <sstream>
#include <string>
#include <vector>

#include <sched.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/check.h"
#include "base/log.h"
#include "tests/simulation/campaign.h"
#include "tests/simulation/sabotage.h"

// Where this is a build with ASan: most of its time would go into the stacks of allocations. Those of a report are
// deeper with ASAN_OPTIONS=malloc_context_size=30.
extern "C" const char* __asan_default_options();
extern "C" const char* __asan_default_options() {
  return "detect_stack_use_after_return=0:malloc_context_size=2:quarantine_size_mb=8";
}

namespace det::simulation {
namespace {

// About two faults in a run of the smallest scenario.
constexpr std::size_t kFaultsOneIn = 60;

struct Options {
  std::string exhaustive;
  std::uint64_t seeds = 0;
  std::uint64_t first = 1;
  std::string only;
  std::size_t every = 1;      // of the cases
  std::uint64_t seconds = 0;  // no case is begun later; 0: all are
  int jobs = 2;
  std::vector<std::string> replay;
  bool is_verbose = false;
  bool lists = false;
  bool sabotages = false;
};

std::vector<std::string> names_of(const std::string& list) {
  std::vector<std::string> names;
  if (list.empty() || list == "all") {
    for (const Scenario& scenario : scenarios()) names.push_back(scenario.name);
    return names;
  }
  std::istringstream stream(list);
  for (std::string name; std::getline(stream, name, ',');) {
    if (find_scenario(name) == nullptr) {
      std::fprintf(stderr, "there is no scenario %s; --list names them\n", name.c_str());
      std::exit(2);
    }
    names.push_back(name);
  }
  return names;
}

std::optional<std::uint64_t> number(const std::string& text) {
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

std::optional<Options> parse(const std::vector<std::string>& words) {
  Options options;
  for (std::size_t i = 0; i < words.size(); ++i) {
    const std::string& word = words[i];
    const bool has_value = i + 1 < words.size();
    if (word == "--verbose") {
      options.is_verbose = true;
    } else if (word == "--list") {
      options.lists = true;
    } else if (word == "--sabotage") {
      options.sabotages = true;
    } else if (word == "--replay") {
      options.replay.assign(words.begin() + static_cast<std::ptrdiff_t>(i) + 1, words.end());
      std::erase(options.replay, "--verbose");
      if (words.back() == "--verbose") options.is_verbose = true;
      break;
    } else if (!has_value) {
      return std::nullopt;
    } else if (word == "--exhaustive") {
      options.exhaustive = words[++i];
    } else if (word == "--only") {
      options.only = words[++i];
    } else {
      const auto value = number(words[++i]);
      if (!value) return std::nullopt;
      if (word == "--seeds") {
        options.seeds = *value;
      } else if (word == "--first") {
        options.first = *value;
      } else if (word == "--seconds") {
        options.seconds = *value;
      } else if (word == "--every") {
        options.every = std::max<std::size_t>(1, *value);
      } else if (word == "--jobs") {
        options.jobs = std::max(1, static_cast<int>(*value));
      } else {
        return std::nullopt;
      }
    }
  }
  return options;
}

// Of `share`.jobs, every jobs-th case.
Counts run_share(const Options& options, int share) {
  Database database;
  Campaign campaign(database);
  std::vector<Case> cases;
  if (!options.exhaustive.empty()) {
    for (const std::string& name : names_of(options.exhaustive)) {
      for (Case& one : campaign.every_fault(name, options.first)) cases.push_back(std::move(one));
    }
  } else if (options.seeds > 0) {
    for (std::uint64_t seed = options.first; seed < options.first + options.seeds; ++seed) {
      for (const std::string& name : names_of(options.only)) {
        cases.push_back({.scenario = name, .seed = seed, .fault = {}, .faults_one_in = kFaultsOneIn});
      }
    }
  } else {
    for (const std::string& name : names_of(options.only)) {
      cases.push_back({.scenario = name, .seed = options.first, .fault = {}});
    }
  }
  int left = 0;
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(options.seconds);
  const std::size_t stride = options.every * static_cast<std::size_t>(options.jobs);
  for (std::size_t i = options.every * static_cast<std::size_t>(share); i < cases.size(); i += stride) {
    if (options.seconds > 0 && std::chrono::steady_clock::now() > end) {
      ++left;
      continue;
    }
    campaign.run(cases[i]);
  }
  Counts counts = campaign.counts();
  counts.left = left;
  return counts;
}

std::string line_of(const std::map<std::string, int>& counts) {
  std::string line;
  for (const auto& [name, count] : counts) line += (line.empty() ? "" : ", ") + name + " " + std::to_string(count);
  return line;
}

// A share and its PostgreSQL work in turns. To wake the other one on the same CPU takes a tenth of what it takes across
// CPUs, which was half of a run's time.
void stay_on_one_cpu(int share) {
  cpu_set_t allowed;
  if (sched_getaffinity(0, sizeof allowed, &allowed) != 0) return;
  std::vector<std::size_t> cpus;
  for (std::size_t cpu = 0; cpu < CPU_SETSIZE; ++cpu) {
    if (CPU_ISSET(cpu, &allowed)) cpus.push_back(cpu);
  }
  cpu_set_t own;
  CPU_ZERO(&own);
  CPU_SET(cpus.at(static_cast<std::size_t>(share) % cpus.size()), &own);
  static_cast<void>(sched_setaffinity(0, sizeof own, &own));  // where that is forbidden, it only takes longer
}

// Each share in a process with a database of its own; they tell their counts by a pipe.
Counts run_all(const Options& options) {
  std::vector<int> pipes;
  for (int share = 0; share < options.jobs; ++share) {
    int ends[2];
    DET_CHECK(pipe(ends) == 0, "a pipe");
    const pid_t child = fork();
    DET_CHECK(child >= 0, "fork");
    if (child == 0) {
      close(ends[0]);
      if (options.jobs > 1) stay_on_one_cpu(share);
      const Counts counts = run_share(options, share);
      nlohmann::json told = {{"runs", counts.runs},     {"calls", counts.calls},   {"left", counts.left},
                             {"failed", counts.failed}, {"faults", counts.faults}, {"by_kind", counts.by_kind},
                             {"played", counts.played}};
      const std::string text = told.dump();
      DET_CHECK(write(ends[1], text.data(), text.size()) == static_cast<ssize_t>(text.size()), "the counts are told");
      std::exit(0);
    }
    close(ends[1]);
    pipes.push_back(ends[0]);
  }
  Counts all;
  for (const int end : pipes) {
    std::string text;
    char buffer[4096];
    for (ssize_t n = 0; (n = read(end, buffer, sizeof buffer)) > 0;) text.append(buffer, static_cast<std::size_t>(n));
    close(end);
    const auto told = nlohmann::json::parse(text, nullptr, false);
    if (!told.is_object()) {  // it died
      ++all.failed;
      continue;
    }
    all.add({.runs = told["runs"],
             .calls = told["calls"],
             .left = told["left"],
             .failed = told["failed"],
             .faults = told["faults"],
             .by_kind = told["by_kind"],
             .played = told["played"]});
  }
  for (int status = 0; wait(&status) > 0;) {
    if (status != 0) ++all.failed;
  }
  return all;
}

int replay(const Options& options) {
  Case one;
  std::vector<std::string> words = options.replay;
  const auto seed = words.size() >= 2 ? number(words[1]) : std::nullopt;
  if (!seed || words.size() > 3 || find_scenario(words[0]) == nullptr) return 2;
  one.scenario = words[0];
  one.seed = *seed;
  if (words.size() == 3 && words[2].starts_with("one-in:")) {
    one.faults_one_in = number(words[2].substr(7)).value_or(0);
  } else if (words.size() == 3) {
    const auto fault = parse_fault(words[2]);
    if (!fault) return 2;
    one.fault = *fault;
  }
  Database database;
  Campaign campaign(database);
  const RunResult& calm = campaign.undisturbed(one.scenario, one.seed);
  if (options.is_verbose) {
    std::printf("%s\n", calm.outcome.dump(1).c_str());
    std::array<int, 2> at{};
    for (const Call& call : calm.calls) {
      const int n = ++at[static_cast<std::size_t>(call.place)];
      std::printf("%s:%d %s\n", call.place == Place::kApi ? "api" : "database", n, call.what.c_str());
    }
    std::fflush(stdout);
    configure_logging(LogLevel::kDebug);
  }
  const bool is_good = campaign.run(one);
  std::printf("%s: %s\n", to_string(one).c_str(), is_good ? "as it should be" : "failed");
  return is_good ? 0 : 1;
}

int run(const Options& options) {
  if (options.lists) {
    for (const Scenario& scenario : scenarios())
      std::printf("%-10s %s\n", scenario.name.c_str(), scenario.about.c_str());
    return 0;
  }
  if (!options.replay.empty()) return replay(options);
  if (options.sabotages) {
    Database database;
    const int unnoticed = Campaign(database).check_invariants();
    std::printf("sabotage: %zu worlds, %d not noticed\n", sabotages().size() + 1, unnoticed);
    return unnoticed == 0 ? 0 : 1;
  }
  const Counts counts = run_all(options);
  std::printf("faults injected: %s\n", line_of(counts.by_kind).c_str());
  std::printf("orders of kubelets: %s\n", line_of(counts.played).c_str());
  std::printf("simulation: %zu scenarios, %d runs, %d calls, %d faults injected, %d failed\n",
              names_of(options.exhaustive.empty() ? options.only : options.exhaustive).size(), counts.runs,
              counts.calls, counts.faults, counts.failed);
  if (counts.left > 0) std::printf("not run, because the time was over: %d cases\n", counts.left);
  const bool wants_faults = !options.exhaustive.empty() || options.seeds > 0;
  if (wants_faults && counts.faults == 0) std::printf("no fault was injected: nothing was shown\n");
  return counts.failed == 0 && counts.runs > 0 && (!wants_faults || counts.faults > 0) ? 0 : 1;
}

}  // namespace
}  // namespace det::simulation

int main(int argc, char** argv) {
  const auto options = det::simulation::parse({argv + 1, argv + argc});
  if (!options) {
    std::fprintf(stderr, "read the head of tests/simulation/main.cc\n");
    return 2;
  }
  det::configure_logging(det::LogLevel::kError);
  return det::simulation::run(*options);
}
