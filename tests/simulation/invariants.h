#pragma once

// What must hold in every world, whatever goes wrong. Some of it after every step, some of it every half second of
// virtual time, the rest at the end; what was violated is kept in words.

#include <chrono>
#include <map>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "tests/simulation/cluster.h"
#include "tests/simulation/database.h"
#include "tests/support/fake_api_server.h"
#include "tests/support/fake_clock.h"

namespace det::simulation {

class Invariants {
 public:
  Invariants(Database& database, test::FakeApiServer& server, Cluster& cluster, test::FakeClock& clock)
      : database_(database), server_(server), cluster_(cluster), clock_(clock) {}

  // After every step: no trial runs twice.
  void check_now();
  // No half gang, orphan or open allocation for longer than its bound; run numbers rise.
  void look();
  // All trials are over and nothing of them lives.
  bool is_quiet();
  // Everything is over: reports and checkpoints that were acknowledged are there once, the log replays, nothing is left
  // that lives.
  void check_end(const Record& record);
  // Nothing is left to remove.
  bool has_removed_all();
  // At the end: of each trial the checkpoints of these steps are left, of the others the files are gone, and rows and
  // files tell the same. `keeps` empty: all are left.
  void check_removals(const Record& record, const std::string& keeps);
  // How it ended, for comparison; `free`: what of a trial is left out.
  [[nodiscard]] nlohmann::json outcome(const std::vector<std::string>& free);

  void add(std::string violation);
  [[nodiscard]] const std::vector<std::string>& violations() const { return violations_; }

 private:
  struct TrialFacts {
    int run = 0;
    bool is_over = false;
    std::vector<int> open_runs;
  };
  std::map<std::int64_t, TrialFacts> trials();
  void look_at_pods(const std::map<std::int64_t, TrialFacts>& trials);
  void look_at_secrets();
  void check_reports(const Record& record);
  void check_log();
  // `is_bad` for longer than its bound is a violation.
  void bound(const std::string& what, bool is_bad, std::chrono::seconds limit);

  Database& database_;
  test::FakeApiServer& server_;
  Cluster& cluster_;
  test::FakeClock& clock_;
  std::map<std::string, SteadyTime> since_;
  std::map<std::int64_t, int> last_runs_;
  std::vector<std::string> violations_;
};

}  // namespace det::simulation
