#pragma once

// Many runs, one after another: every applicable fault at every external call of a scenario, or faults by chance over
// many seeds. Each run is compared with the same seed's undisturbed one.

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "tests/simulation/world.h"

namespace det::simulation {

// One run, by what it takes to repeat it.
struct Case {
  std::string scenario;
  std::uint64_t seed = 1;
  Fault fault;
  std::size_t faults_one_in = 0;
};

// "single 7 api:12:request-lost", "single 7 one-in:40".
[[nodiscard]] std::string to_string(const Case& one);

struct Counts {
  int runs = 0;
  int calls = 0;  // of operators, in all of them
  int left = 0;   // cases that were not run
  int failed = 0;
  int faults = 0;  // injected
  std::map<std::string, int> by_kind;
  std::map<std::string, int> played;  // kubelet orders

  void add(const Counts& other);
};

class Campaign {
 public:
  explicit Campaign(Database& database) : database_(database) {}

  // Says on standard output what is wrong with it, and how to repeat it. True: nothing.
  bool run(const Case& one);
  // The undisturbed run of this seed; kept.
  const RunResult& undisturbed(const std::string& scenario, std::uint64_t seed);
  // Every case of the exhaustive form.
  std::vector<Case> every_fault(const std::string& scenario, std::uint64_t seed);

  // Whether each sabotage is noticed; says which are not. The number of those.
  int check_invariants();

  [[nodiscard]] const Counts& counts() const { return counts_; }

 private:
  RunResult play(const Case& one);
  RunResult play(const Case& one, const Scenario& scenario);
  std::vector<std::string> judge(const Case& one, RunResult result);
  bool run_to_end(const Case& one);
  void tell_failed(const Case& one, const std::vector<std::string>& wrong);

  Database& database_;
  std::map<std::pair<std::string, std::uint64_t>, RunResult> undisturbed_;
  Counts counts_;
};

}  // namespace det::simulation
