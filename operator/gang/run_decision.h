#pragma once

// What to do next for a trial, or for a task that people start by itself: one table, from facts to the next step. Pure.
// The reconciler performs the step and looks again, so each step must be safe to repeat and leave facts that lead
// further.

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>

#include "base/clock.h"
#include "model/states.h"
#include "operator/gang/gang_state.h"
#include "operator/views.h"
#include "store/trials/trial_rows.h"

namespace det::op {

struct RunFacts {
  model::TrialState state = model::TrialState::kActive;  // of a task: the one that means the same
  bool run_is_open = false;                              // there is an allocation that has not ended
  int restarts = 0;                                      // after failures of the program
  int max_restarts = 0;
  store::InfraFailures infra;  // within kInfraWindow
  std::string no_room;         // why the experiment's limits leave no room for this trial; empty: they do
  std::string moves;           // why its run has to go on elsewhere, from its latest checkpoint; empty: it has not
  bool suspend = false;
  StopRequest stop = StopRequest::kNone;
  bool stopped_by_searcher = false;
  bool has_invalid_hp = false;     // the program said that it cannot run with these hyperparameters
  bool asks_for_work = false;      // its harness is older than 0.38 and exits by itself when it is out of work
  bool has_worked = false;         // it has done some of what the search gave it
  bool awaits_work = false;        // it has done all of it, and may get more: meanwhile it gives its slots back
  bool work_is_over = false;       // it has done all of it, and will get no more
  bool last_run_was_good = false;  // the run that has ended exited with zero
  bool is_ready = false;           // the harness passed its rendezvous: it will hear a preemption signal
  bool hears_signals = true;       // false: it has no rendezvous and hears none, so that it can only be killed
  bool runs_once = false;          // what it has begun it does not begin again, whoever ended it
  std::string not_needed;          // why nobody needs it any more; empty: somebody may
  std::optional<WallTime> preempt_requested_at;
  bool preempt_acked = false;
  std::chrono::seconds preemption_timeout{3600};
  std::string no_retry;      // why a failure of the program is not tried again (a log policy); empty: it is
  int run = 0;               // 0: it never ran
  GangState gang;            // its exit is the written verdict, where there is one
  bool has_verdict = false;  // what ended the run is written and stands, whatever its pods look like afterwards
  std::optional<WallTime> bind_deadline;  // all pods of the gang should have their nodes by then
};

enum class RunStep : std::uint8_t {
  kRest,               // nothing until something changes, or the deadline
  kWait,               // the run goes on; look again at the deadline, if there is one
  kStartRun,           // the next run: Secret, allocation row
  kCreatePods,         // those of the gang that are missing
  kRequestPreemption,  // ask the harness to checkpoint and leave
  kRecordVerdict,      // write what ended the run, before anything of it is deleted
  kDeletePods,         // what still runs must go
  kEndRun,             // the run is over, the trial is not: it pauses, or runs again from its checkpoint
  kFinish,             // the trial is over
};

// Which counter the end of a run moves.
enum class Counts : std::uint8_t { kNothing, kRestart, kInfraRestart };

struct RunDecision {
  RunStep step = RunStep::kRest;
  model::TrialState final_state = model::TrialState::kActive;  // kFinish
  Counts counts = Counts::kNothing;                            // kEndRun
  std::string reason;                                          // kEndRun, kFinish, kDeletePods: why, for people
  std::optional<RunExit> verdict;                              // kRecordVerdict
  std::optional<WallTime> deadline;                            // kWait, kRest: look again then
  bool is_stalled = false;                                     // kRest: it needs somebody's attention
  bool is_rendezvous_slow = false;                             // kWait: the pods run and do not find each other
  bool withdraws = false;                                      // kEndRun: the gang was not bound in time
};

// A trial whose infrastructure failed this often within the window rests, Stalled, until the first of the failures has
// left the window: it is never given up, and a broken cluster is not busy with it.
inline constexpr int kMaxInfraRestarts = 10;
inline constexpr std::chrono::hours kInfraWindow{1};
// Before the second try after a failure of the infrastructure; doubled each time. The first one does not wait: a node
// that was drained says nothing about the next.
inline constexpr std::chrono::seconds kFirstBackOff{2};
inline constexpr std::chrono::seconds kMaxBackOff{300};

// Pods that all run are expected to have found each other by then.
inline constexpr std::chrono::seconds kRendezvousPatience{600};

// How long the next run waits after the `failures`th failure within the window.
[[nodiscard]] std::chrono::seconds infra_back_off(int failures);

[[nodiscard]] RunDecision decide_run(const RunFacts& facts, WallTime now);

}  // namespace det::op
