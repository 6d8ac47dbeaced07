#include "operator/trial/trial_end_events.h"

namespace det::op {
namespace {

using model::TrialState;
using searcher::ExitReason;

std::optional<ExitReason> reason_of(const WorkPlan& plan, const searcher::Search& search, const store::TrialRow& trial,
                                    searcher::RequestId id) {
  if (trial.early_exit == "EXITED_REASON_INVALID_HP") return ExitReason::kInvalidHp;
  if (trial.early_exit == "EXITED_REASON_INIT_INVALID_HP") return ExitReason::kInitInvalidHp;
  const bool by_operations = plan.generation == searcher::Generation::kOperations && !plan.is_custom;
  const auto work = by_operations ? search.work_of(id) : std::nullopt;
  // A second result would be counted in its rung, and the search would wait for ever for one that it has too many.
  if (work && work->is_complete) return std::nullopt;
  if (trial.state == TrialState::kError) return ExitReason::kErrored;
  if (trial.state == TrialState::kCanceled) return ExitReason::kUserCanceled;
  // The search waits for the result that it will not give.
  if (work && !search.is_stopped(id)) return ExitReason::kUserRequestedStop;
  return std::nullopt;
}

}  // namespace

Result<std::vector<searcher::Event>> events_of_end(const WorkPlan& plan, const searcher::Search& search,
                                                   const store::TrialRow& trial) {
  const auto id = searcher::read_request_id(trial.request_id);
  DET_TRY(id);
  std::vector<searcher::Event> events;
  if (const auto reason = reason_of(plan, search, trial, *id)) events.push_back(searcher::ExitedEarly{*id, *reason});
  events.push_back(searcher::Exited{*id});
  return events;
}

}  // namespace det::op
