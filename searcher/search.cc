#include "searcher/search.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <optional>
#include <utility>

#include "base/check.h"

namespace det::searcher {

using nlohmann::json;

namespace {

std::unexpected<Error> unknown(RequestId request_id) {
  return fail(ErrorCode::kInvalidArgument, not_of_this_search(to_string(request_id)));
}

}  // namespace

Search::Search(std::unique_ptr<SearchMethod> method, const json& hyperparameters, std::uint32_t seed,
               Generation generation)
    : method_(std::move(method)),
      space_(std::make_shared<const HparamSpace>(hyperparameters)),
      generation_(generation),
      prng_(seed),
      has_runner_(method_ != nullptr && method_->has_runner()) {
  DET_CHECK(method_ != nullptr, "a search has a method");
}

SearchContext Search::context() {
  return {.prng = prng_, .space = space_, .trials = trials_};
}

Result<Decisions> Search::take(const Event& event) {
  return std::visit([this](const auto& each) { return on(each); }, event);
}

bool Search::is_over() const {
  if (has_runner_) return is_shut_down_;
  return trials_requested_ > 0 && trials_requested_ == trials_.count(Mark::kClosed);
}

bool Search::is_stopped(RequestId request_id) const {
  const auto trial = trials_.find(request_id);
  return trial && trials_.has(*trial, Mark::kStopped);
}

std::optional<Search::Work> Search::work_of(RequestId request_id) const {
  const auto trial = trials_.find(request_id);
  const auto given = trial ? operations_.find(*trial) : operations_.end();
  if (given == operations_.end()) return std::nullopt;
  return given->second;
}

void Search::note(const Decisions& decisions) {
  for (const Decision& decision : decisions) {
    if (std::holds_alternative<Create>(decision.action)) {
      ++trials_requested_;
    } else if (const auto* stopped = std::get_if<Stop>(&decision.action)) {
      if (const auto trial = trials_.find(stopped->request_id)) trials_.set(*trial, Mark::kStopped);
    } else if (const auto* operation = std::get_if<ValidateAfter>(&decision.action)) {
      const auto trial = trials_.find(operation->request_id);
      if (trial) operations_[*trial] = {.length = operation->length};
    } else if (const auto* closed = std::get_if<Close>(&decision.action)) {
      if (const auto trial = trials_.find(closed->request_id)) operations_[*trial].is_last = true;
    } else if (std::holds_alternative<Shutdown>(decision.action)) {
      is_shut_down_ = true;
    }
  }
}

void Search::tell_runner(const Event& event, Decisions& decisions) {
  for (Decision& tell : method_->told(event)) decisions.push_back(std::move(tell));
}

// Nothing for a trial that this search never created.
std::optional<TrialNumber> Search::created_trial(RequestId request_id) const {
  const auto trial = trials_.find(request_id);
  return trial && trials_.has(*trial, Mark::kCreated) ? trial : std::nullopt;
}

// Only when every requested trial is closed; the flags only when they are true of all of them.
void Search::shut_down_if_over(Decisions& decisions) const {
  if (has_runner_ || trials_requested_ != trials_.count(Mark::kClosed)) return;
  const Shutdown shutdown{.is_canceled = trials_requested_ > 0 && trials_.count(Mark::kCanceled) >= trials_requested_,
                          .is_failed = trials_requested_ > 0 && trials_.count(Mark::kFailed) >= trials_requested_};
  const char* how = shutdown.is_failed ? "failed" : shutdown.is_canceled ? "were canceled" : "have ended";
  decisions.push_back({.action = shutdown, .reason = {"all # trials of the search @", how, trials_requested_}});
}

Result<Decisions> Search::on(const Started& event) {
  if (trials_requested_ > 0) return Decisions();
  SearchContext now = context();
  now.counts_drawn = event.is_counted;
  now.counts_drawn_for_promotion = event.is_counted_for_promotion;
  Decisions decisions = method_->initial_trials(now);
  note(decisions);
  shut_down_if_over(decisions);
  // The limit is between the search and its log: with nothing held back, the log forgets it.
  if (has_runner_) tell_runner(Started{}, decisions);
  if (event.limit <= 0) return decisions;
  held_back_.assign(std::make_move_iterator(decisions.begin()), std::make_move_iterator(decisions.end()));
  return release(event.limit);
}

Result<Decisions> Search::on(const Released& event) {
  return release(event.limit);
}

// A trial and what it is told at once stay together.
Decisions Search::release(std::int64_t limit) {
  Decisions decisions;
  while (!held_back_.empty()) {
    if (std::holds_alternative<Create>(held_back_.front().action) && limit-- <= 0) break;
    decisions.push_back(std::move(held_back_.front()));
    held_back_.pop_front();
  }
  return decisions;
}

Result<Decisions> Search::on(const TrialCreated& event) {
  auto trial = trials_.find(event.request_id);
  if (trial && trials_.has(*trial, Mark::kCreated)) return Decisions();
  // A snapshot taken between Create and its answer does not always say whose answer is missing.
  if (!trial && trials_.count(Mark::kCreated) < trials_requested_) trial = trials_.enter(event.request_id);
  if (!trial) return unknown(event.request_id);
  trials_.set(*trial, Mark::kCreated);
  trials_.set_progress(*trial, 0);
  SearchContext now = context();
  Decisions decisions = method_->trial_created(now, *trial);
  note(decisions);
  if (has_runner_) tell_runner(event, decisions);
  return decisions;
}

Result<Decisions> Search::on(const Validated& event) {
  const auto trial = created_trial(event.request_id);
  if (!trial) return unknown(event.request_id);
  if (is_over()) return Decisions();
  SearchContext now = context();
  auto decisions = method_->validated(now, *trial, event.metrics);
  if (decisions) note(*decisions);
  return decisions;
}

Status Search::check_operation(TrialNumber trial, std::int64_t length) const {
  const auto refuse = [&](const std::string& text) { return fail(ErrorCode::kInvalidArgument, text); };
  const auto text = [&](std::int64_t units) {
    return "{ValidateAfter " + trials_.name(trial) + ", " + std::to_string(units) + "}";
  };
  const auto given = operations_.find(trial);
  if (given == operations_.end()) {
    // Restored from a snapshot that says only what is done.
    return completed_.contains({trial, length}) ? refuse("operation " + text(length) + " was already completed")
                                                : Status();
  }
  if (given->second.length != length) {
    return refuse("expected op " + text(given->second.length) + " but received op " + text(length));
  }
  return given->second.is_complete ? refuse("received op " + text(length) + " which was previously completed")
                                   : Status();
}

Result<Decisions> Search::on(const OperationCompleted& event) {
  const auto trial = created_trial(event.request_id);
  if (!trial) return unknown(event.request_id);
  if (generation_ != Generation::kOperations) {
    return fail(ErrorCode::kInvalidArgument, "this search hands out no operations");
  }
  if (std::isnan(event.metric)) {
    return fail(ErrorCode::kInvalidArgument, "the metric of an operation must be a number");
  }
  DET_TRY(check_operation(*trial, event.length));
  if (is_over()) return Decisions();
  operations_[*trial].length = event.length;
  operations_[*trial].is_complete = true;
  completed_.insert({*trial, event.length});
  SearchContext now = context();
  Decisions decisions = method_->operation_completed(now, *trial, event.metric);
  note(decisions);
  if (has_runner_) tell_runner(event, decisions);
  return decisions;
}

Result<Decisions> Search::on(const ExitedEarly& event) {
  const auto trial = created_trial(event.request_id);
  if (!trial) return unknown(event.request_id);
  if (trials_.has(*trial, Mark::kExited) || is_over()) return Decisions();
  if (is_invalid_hp(event.reason)) trials_.drop_progress(*trial);
  if (event.reason == ExitReason::kUserCanceled) trials_.set(*trial, Mark::kCanceled);
  if (event.reason == ExitReason::kErrored) trials_.set(*trial, Mark::kFailed);
  SearchContext now = context();
  Decisions decisions = method_->exited_early(now, *trial, event.reason);
  note(decisions);
  trials_.set(*trial, Mark::kExited);
  if (has_runner_) tell_runner(event, decisions);
  return decisions;
}

Result<Decisions> Search::on(const Exited& event) {
  const auto trial = created_trial(event.request_id);
  if (!trial) return unknown(event.request_id);
  if (trials_.has(*trial, Mark::kClosed)) return Decisions();
  trials_.set(*trial, Mark::kClosed);
  SearchContext now = context();
  Decisions decisions = method_->exited(now, *trial);
  note(decisions);
  shut_down_if_over(decisions);
  if (has_runner_ && !is_shut_down_) tell_runner(event, decisions);
  return decisions;
}

Result<Decisions> Search::on(const Progressed& event) {
  const auto trial = created_trial(event.request_id);
  if (!trial) return unknown(event.request_id);
  trials_.set_progress(*trial, std::isfinite(event.fraction) ? event.fraction : 0);
  Decisions decisions;
  if (has_runner_ && !is_over()) tell_runner(event, decisions);
  return decisions;
}

Result<Decisions> Search::on(const Commanded& event) {
  if (!has_runner_) {
    return fail(ErrorCode::kInvalidArgument, "this search has no runner: only `searcher.name: custom` has one");
  }
  if (is_over()) return Decisions();
  SearchContext now = context();
  auto decisions = method_->commanded(now, event);
  if (decisions) note(*decisions);
  return decisions;
}

Result<Decisions> Search::on(const Widened& event) {
  if (is_over() || event.to <= std::max(event.from, width_)) return Decisions();
  SearchContext now = context();
  Decisions decisions = method_->widened(now, std::max(event.from, width_), event.to);
  note(decisions);
  width_ = event.to;
  return decisions;
}

double Search::progress() const {
  const double fraction = method_->progress(trials_);
  return std::isfinite(fraction) ? fraction : 0;
}

}  // namespace det::searcher
