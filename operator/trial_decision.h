#pragma once

// What to do next for one trial: one table, from facts to the next step. Pure. The reconciler performs the step and
// looks again, so each step must be safe to repeat and leave facts that lead further.

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>

#include "base/clock.h"
#include "model/states.h"
#include "operator/gang_state.h"
#include "operator/views.h"

namespace det::op {

struct TrialFacts {
  model::TrialState state = model::TrialState::kActive;
  bool run_is_open = false;  // there is an allocation that has not ended
  int restarts = 0;          // after failures of the program
  int max_restarts = 0;
  int infra_restarts = 0;
  bool suspend = false;
  StopRequest stop = StopRequest::kNone;
  bool stopped_by_searcher = false;
  bool is_ready = false;  // the harness passed its rendezvous: it will hear a preemption signal
  std::optional<WallTime> preempt_requested_at;
  bool preempt_acked = false;
  std::chrono::seconds preemption_timeout{3600};
  GangState gang;
  std::optional<WallTime> bind_deadline;  // all pods of the gang should have their nodes by then
};

enum class TrialStep : std::uint8_t {
  kRest,               // nothing until something changes
  kWait,               // the run goes on; look again at the deadline, if there is one
  kStartRun,           // the next run: Secret, allocation row
  kCreatePods,         // those of the gang that are missing
  kRequestPreemption,  // ask the harness to checkpoint and leave
  kDeletePods,         // what still runs must go
  kEndRun,             // the run is over, the trial is not: it pauses, or runs again from its checkpoint
  kFinish,             // the trial is over
};

// Which counter the end of a run moves.
enum class Counts : std::uint8_t { kNothing, kRestart, kInfraRestart };

struct TrialDecision {
  TrialStep step = TrialStep::kRest;
  model::TrialState final_state = model::TrialState::kActive;  // kFinish
  Counts counts = Counts::kNothing;                            // kEndRun
  std::string reason;                                          // kEndRun, kFinish, kDeletePods: why, for people
  std::optional<WallTime> deadline;                            // kWait
  bool withdraws = false;                                      // kEndRun: the gang was not bound in time
};

// Infrastructure may fail this often before a trial is given up.
inline constexpr int kMaxInfraRestarts = 10;

[[nodiscard]] TrialDecision decide_trial(const TrialFacts& facts, WallTime now);

}  // namespace det::op
