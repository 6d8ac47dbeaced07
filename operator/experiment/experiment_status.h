#pragma once

// The status of an Experiment object: a summary under 10 KB, made anew each time from what the database holds. Pure.

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "base/clock.h"
#include "base/result.h"
#include "operator/refusal.h"
#include "operator/views.h"
#include "store/experiments/experiment_rows.h"
#include "store/trials/trial_rows.h"

namespace det::op {

struct ExperimentFacts {
  store::ExperimentRow row;
  std::optional<store::BestTrial> best;
  store::TrialCounts trials;
  int slots_per_trial = 0;
  int running_trials = 0;                    // all pods run
  int open_runs = 0;                         // trials that have or wait for pods
  std::optional<std::string> stalled_trial;  // what a trial that needs attention says
  std::string waiting_trial;                 // what a trial that waits says; empty: none waits
  std::string waits_for;                     // reason of that
  std::vector<std::string> other_metrics;    // reported where no trial reported the search's; empty: that is not so
  std::optional<Refusal> objection;          // to a later edit of an accepted object
  std::vector<std::string> warnings;         // what was accepted without effect, one sentence each
};

// Takes over what an open trial waits for, where it says more than what is known: what a node could not do more than a
// place in the queue.
void note_wait(ExperimentFacts& facts, const KeptTrial& trial);

// False from the first validation that lacks the metric of the search; not there where all is well.
inline constexpr const char* kMetricReported = "MetricReported";
// "no trial reported 'vall_loss', ...; reported: epoch, val_loss"; empty where all is well.
[[nodiscard]] std::string metric_message(const ExperimentFacts& facts);

[[nodiscard]] nlohmann::json experiment_status(const ObservedExperiment& object, const ExperimentFacts& facts,
                                               WallTime now);
// `object`'s conditions with Stalled=True for `reason` in them; the others stay as they are.
[[nodiscard]] nlohmann::json stall(const ObservedExperiment& object, std::string_view reason,
                                   const std::string& message, WallTime now);

// Of an object in a namespace where experiments do not run (now): not accepted yet, or stalled if it was.
inline constexpr std::string_view kNamespaceNotEnabled = "NamespaceNotEnabled";
[[nodiscard]] nlohmann::json elsewhere_status(const ObservedExperiment& object, bool is_accepted,
                                              const std::string& why, WallTime now);
// Of an object that has no row yet.
[[nodiscard]] nlohmann::json refused_status(const ObservedExperiment& object, const Refusal& objection, WallTime now);

}  // namespace det::op
