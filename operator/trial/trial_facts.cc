#include "operator/trial/trial_facts.h"

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <limits>

#include <nlohmann/json.hpp>

#include "model/slots.h"
#include "store/experiments/experiment_pool.h"

namespace det::op {

namespace {

// Added to a time, a timeout of centuries would lie before it: a clock counts nanoseconds.
constexpr std::chrono::seconds kMostPatience = std::chrono::hours(24 * 366);

}  // namespace

int pods_of(const ObservedTrial& trial, const model::MasterConfig& master, const std::string& moved_to) {
  if (trial.pods > 0 && moved_to.empty()) return trial.pods;
  const int most = moved_to.empty() ? master.max_slots_per_pod : model::slot_rule(moved_to, master).max_per_pod;
  const auto shape = model::gang_shape(trial.slots, most);
  return shape ? shape->pods : 1;
}

std::string leaves_pool(const std::optional<store::AllocationRow>& allocation, const store::ExperimentRow& experiment,
                        const std::string& moved_to) {
  if (!allocation || allocation->ended_at) return {};
  // Runs without a plan are older than moves.
  const std::string here = allocation->plan ? allocation->plan->resource_pool : std::string();
  if (here == moved_to) return {};
  return "moved to the resource pool " + (moved_to.empty() ? store::accepted_pool(experiment) : moved_to);
}

bool was_killed(const store::TrialRow& row) {
  return row.early_exit == "EXITED_REASON_USER_CANCELED";
}

RunFacts trial_facts(const ObservedTrial& object, const ObservedExperiment* owner, const store::TrialRow& row,
                     const std::optional<store::AllocationRow>& allocation, const model::ExperimentConfig& config) {
  RunFacts facts;
  facts.state = row.state;
  facts.run = row.run;
  facts.restarts = row.restarts;
  facts.no_retry = row.logs.no_retry;
  facts.max_restarts =
      static_cast<int>(std::clamp<std::int64_t>(config.max_restarts, 0, std::numeric_limits<int>::max()));
  facts.stop = object.stop;
  facts.has_invalid_hp =
      row.early_exit == "EXITED_REASON_INVALID_HP" || row.early_exit == "EXITED_REASON_INIT_INVALID_HP";
  facts.stopped_by_searcher = row.state == model::TrialState::kStoppingCompleted;
  facts.asks_for_work = row.work.is_asked_for;
  facts.has_worked = row.work.completed > 0;
  facts.awaits_work = row.work.is_awaited();
  facts.work_is_over = row.work.is_over();
  if (was_killed(row)) facts.stop = StopRequest::kKill;
  if (owner != nullptr) {
    facts.suspend = owner->suspend;
    // The harsher of the two requests counts.
    facts.stop = std::max(facts.stop, owner->stop);
  }
  if (config.preemption_timeout.count() >= 0) {
    facts.preemption_timeout = std::min(config.preemption_timeout, kMostPatience);
  }
  if (allocation) {
    facts.run_is_open = !allocation->ended_at;
    facts.is_ready = allocation->ready_at.has_value();
    facts.preempt_requested_at = allocation->preempt_requested_at;
    facts.preempt_acked = allocation->preempt_acked_at.has_value();
    facts.has_verdict = allocation->verdict.has_value();
    facts.last_run_was_good = allocation->ended_at && allocation->exit_code == 0;
  }
  return facts;
}

store::TrialEnd abandoned(const store::TrialRow& trial, std::string why) {
  store::TrialEnd end{.state = model::TrialState::kCanceled, .reason = std::move(why), .run = {}};
  if (trial.run > 0) end.run = store::TrialExit{.run = trial.run, .reason = end.reason};
  return end;
}

}  // namespace det::op
