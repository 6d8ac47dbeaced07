#pragma once

// The program in a pod, as far as the control plane sees it: finds the other ranks, trains, reports, saves checkpoints,
// asks whether it should stop. It talks to the stores as the REST handlers do, and what it was told is kept it writes
// into the Record. Belongs to the thread of the simulation.

#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "store/checkpoints/checkpoint_store.h"
#include "store/experiments/experiment_store.h"
#include "store/metrics/metric_batch.h"
#include "store/trials/allocation_store.h"
#include "tests/simulation/database.h"
#include "tests/simulation/draw.h"
#include "tests/simulation/turns.h"
#include "tests/support/fake_clock.h"

namespace det::simulation {

// What the program does.
struct TrainingPlan {
  int steps = 6;
  std::chrono::milliseconds step_time{1'000};
  int validate_every = 3;
  int checkpoint_every = 2;
  bool has_metric = true;  // of the search; false: it reports another one
  int best_at = 0;         // the step with the least loss; 0: the last one
  // True: there a run of the trial trains no further, and waits to be stopped.
  std::function<bool(int run, int step)> holds;
  // The exit code with which a run fails after a step of its chief; nothing: it goes on.
  std::function<std::optional<int>(int run, int step)> fails;
};

// A report that was acknowledged.
struct Acknowledged {
  std::int64_t trial = 0;
  int run = 0;
  std::string group;
  int steps = 0;
  double value = 0;
};

// What the programs saw.
struct Record {
  std::vector<Acknowledged> reports;
  std::set<std::string> checkpoints;            // acknowledged
  std::set<std::string> removed;                // checkpoints whose files were taken away
  std::set<std::string> unneeded;               // checkpoints of experiments that people deleted with their history
  int removals = 0;                             // programs that were to take some away
  int steps = 0;                                // the last one that any trial reported
  std::map<std::int64_t, std::string> hparams;  // by trial: those of the run that began last
};

// An API replica, as far as programs need one.
struct Replica {
  Replica(Database& database, Turns::Outage outage);
  Turns turns;
  pg::Pool pool;
  store::AllocationStore allocations{pool};
  store::CheckpointStore checkpoints{pool};
  store::ExperimentStore experiments{pool};
  store::MetricBatch metrics;
};

class Training {
 public:
  // `environment`: of the pod, with its Secret. Everything borrowed outlives it. `reported` is called after each write
  // of metrics, which may have told the searcher something.
  Training(test::FakeClock& clock, Draw& draw, Database& database, Replica& replica, const TrainingPlan& plan,
           Record& record, std::set<std::string>& finished_gangs, std::map<std::string, std::string> environment,
           std::function<void()> reported);

  // The exit code.
  Task<int> run();

 private:
  Task<void> meet();
  Task<int> follow();
  Task<int> lead();
  Task<bool> may_go_on();
  Task<void> report(int step, std::string group, double loss);
  Task<void> save(int step);
  [[nodiscard]] std::string env(const char* name) const;
  Task<void> pause(std::chrono::milliseconds least, std::chrono::milliseconds most);

  test::FakeClock& clock_;
  Draw& draw_;
  Database& database_;
  Replica& replica_;
  const TrainingPlan& plan_;
  Record& record_;
  std::set<std::string>& finished_gangs_;  // allocations whose chief ended well
  std::map<std::string, std::string> environment_;
  std::function<void()> reported_;
  std::int64_t trial_ = 0;
  int run_ = 0;
};

}  // namespace det::simulation
