#include "searcher/asha.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <utility>

#include "base/json_reader.h"
#include "searcher/new_trial.h"
#include "searcher/rung_json.h"

namespace det::searcher {
namespace {

using nlohmann::json;

// What a trial that ended early, or diverged, is ranked with, whichever way the metric goes.
constexpr double kWorst = std::numeric_limits<double>::max();

// Null when it is not there.
const json* value_of(const json& metrics, const std::string& name) {
  const auto* object = metrics.get_ptr<const json::object_t*>();
  if (object == nullptr) return nullptr;
  // A few metrics are looked through faster than searched: their lengths differ.
  constexpr std::size_t kFew = 8;
  const auto found =
      object->size() > kFew
          ? object->find(name)
          : std::ranges::find(*object, name, [](const auto& each) -> const std::string& { return each.first; });
  return found == object->end() ? nullptr : &found->second;
}

std::optional<double> number_of(const json* value) {
  if (value == nullptr || !value->is_number()) return std::nullopt;
  const auto* real = value->get_ptr<const json::number_float_t*>();
  const double number = real != nullptr ? *real : value->get<double>();
  return std::isnan(number) ? std::nullopt : std::optional(number);
}

// Training diverged: what is no finite number travels as a text.
bool is_diverged(const json* value) {
  return value != nullptr && value->is_string() && (*value == "NaN" || *value == "Infinity" || *value == "-Infinity");
}

std::uint64_t whole_units(double time) {
  constexpr double kLimit = 18446744073709549568.0;  // the largest double below 2^64
  return static_cast<std::uint64_t>(std::clamp(time, 0.0, kLimit));
}

}  // namespace

Asha::Asha(Objective objective, const Bracket& bracket, double divisor, std::int64_t max_time)
    : objective_(std::move(objective)),
      divisor_(divisor),
      max_trials_(bracket.max_trials),
      first_trials_(first_trials(bracket, divisor)) {
  for (const std::int64_t units : rung_units(bracket.num_rungs, divisor, max_time)) {
    rungs_.push_back({.units = units, .results = {}});
  }
}

Asha::Place& Asha::place(TrialNumber trial) {
  if (trial >= places_.size()) places_.resize(std::max<std::size_t>(trial + 1, places_.size() * 2));
  return places_[trial];
}

Decisions Asha::initial_trials(SearchContext& context) {
  Decisions decisions;
  for (std::int64_t i = 1; i <= first_trials_; ++i) {
    const TrialNumber trial = draw_trial(context, decisions, {"trial # of # to begin with", i, max_trials_});
    if (!context.counts_drawn) continue;
    place(trial).rung = 0;
    ++trials_;
  }
  return decisions;
}

void Asha::create_if_more_are_wanted(SearchContext& context, Decisions& decisions, const char* why) {
  const std::int64_t counted = trials_ - invalid_;
  if (counted >= max_trials_) return;
  draw_trial(context, decisions, {"trial # of # takes the place of one that @", why, counted + 1, max_trials_});
}

Decisions Asha::trial_created(SearchContext& /*context*/, TrialNumber trial) {
  Place& at = place(trial);
  if (at.rung < 0) ++trials_;
  at.rung = 0;
  return {};
}

Result<Asha::Report> Asha::read(const TrialBooks& trials, TrialNumber trial, const json& metrics) const {
  const auto refuse = [&](const char* what, const std::string& name, const char* where) {
    return fail(ErrorCode::kInvalidArgument, "error while handling a validation completed event: " +
                                                 trials.name(trial) + ": error parsing searcher " + what + " (" + name +
                                                 ") " + where + " validation metrics: " + metrics.dump());
  };
  const json* const given = value_of(metrics, objective_.metric);
  const auto metric = number_of(given);
  const bool diverged = is_diverged(given);
  if (!metric && !diverged) return refuse("metric", objective_.metric, "from");
  const auto time = number_of(value_of(metrics, objective_.time_metric));
  if (!time) return refuse("time metric", objective_.time_metric, "in");
  Report report{.time = whole_units(*time), .has_diverged = diverged};
  report.metric = diverged ? kWorst : objective_.smaller_is_better ? *metric : -*metric;
  return report;
}

Reason Asha::why_stopped(const Rung& rung, std::size_t rank, std::int64_t keep) const {
  return {"number # of # after # @, where the best # go on",
          objective_.time_metric,
          rank + 1,
          rung.results.size(),
          rung.units,
          keep};
}

Result<Decisions> Asha::validated(SearchContext& context, TrialNumber trial, const json& metrics) {
  auto report = read(context.trials, trial, metrics);
  DET_TRY(report);
  Place& at = place(trial);
  Decisions decisions;
  for (auto r = static_cast<std::size_t>(std::max(at.rung, 0)); r < rungs_.size(); ++r) {
    Rung& rung = rungs_[r];
    if (at.rung < 0) ++trials_;
    at.rung = static_cast<std::int32_t>(r);
    if (report->time < static_cast<std::uint64_t>(rung.units)) break;
    const Ranked result{.metric = report->metric, .trial = trial};
    // Of trials that diverged no later one is better than those before it.
    const std::size_t rank =
        report->has_diverged ? rung.results.insert_behind_equals(result) : rung.results.insert_before_equals(result);
    at.has_results = true;
    if (r + 1 == rungs_.size()) {
      decisions.push_back(stop(context.trials, trial, {"trained to the end: # @", objective_.time_metric, rung.units}));
      break;
    }
    const auto keep =
        std::max<std::int64_t>(static_cast<std::int64_t>(static_cast<double>(rung.results.size()) / divisor_), 1);
    if (static_cast<std::int64_t>(rank) >= keep) {
      decisions.reserve(2);
      decisions.push_back(stop(context.trials, trial, why_stopped(rung, rank, keep)));
      break;
    }
  }
  if (!decisions.empty()) create_if_more_are_wanted(context, decisions, "was stopped");
  return decisions;
}

Decisions Asha::operation_completed(SearchContext& /*context*/, TrialNumber /*trial*/, double /*metric*/) {
  return {};
}

Decisions Asha::exited_early(SearchContext& context, TrialNumber trial, ExitReason reason) {
  Place& at = place(trial);
  const auto rung = static_cast<std::size_t>(std::max(at.rung, 0));
  at.exited_early = true;
  Decisions decisions;
  if (is_invalid_hp(reason)) {
    ++invalid_;
    for (std::size_t r = 0; at.has_results && r <= rung; ++r) rungs_[r].results.erase_first(trial);
    decisions.push_back(stop(context.trials, trial, "its hyperparameters are invalid"));
    draw_trial(context, decisions, "in place of one whose hyperparameters are invalid");
    return decisions;
  }
  rungs_[rung].results.insert_before_equals({.metric = kWorst, .trial = trial});
  at.has_results = true;
  create_if_more_are_wanted(context, decisions, "ended early");
  return decisions;
}

Decisions Asha::exited(SearchContext& /*context*/, TrialNumber /*trial*/) {
  ++completed_;
  return {};
}

Decisions Asha::widened(SearchContext& context, std::int64_t from, std::int64_t to) {
  Decisions decisions;
  for (std::int64_t i = from; i < to && trials_ - invalid_ < max_trials_; ++i) {
    const TrialNumber trial =
        draw_trial(context, decisions, {"trial # of #: more may run at once", trials_ - invalid_ + 1, max_trials_});
    // Counted at once: a bracket can be widened twice by one event.
    place(trial).rung = 0;
    ++trials_;
  }
  return decisions;
}

double Asha::progress(const TrialBooks& /*trials*/) const {
  return halving_progress(static_cast<std::int64_t>(rungs_.front().results.size()), max_trials_, completed_ - invalid_);
}

json Asha::state(const TrialBooks& trials) const {
  json rungs = json::array();
  for (const Rung& rung : rungs_) {
    rungs.push_back({{"units_needed", rung.units}, {"metrics", results_json(trials, rung.results, false)}});
  }
  json places = json::object();
  json early = json::object();
  for (TrialNumber trial = 0; trial < places_.size(); ++trial) {
    const Place& at = places_[trial];
    if (at.rung >= 0) places[trials.name(trial)] = at.rung;
    if (at.exited_early) early[trials.name(trial)] = true;
  }
  return {{"rungs", std::move(rungs)},      {"trial_rungs", std::move(places)}, {"early_exit_trials", std::move(early)},
          {"trials_completed", completed_}, {"invalid_trials", invalid_},       {"search_method_type", "asha"}};
}

Status Asha::restore(SearchContext& context, const json& state) {
  const auto not_ours = [](const char* what) {
    return fail(ErrorCode::kDataLoss, std::string("the snapshot is not that of this async_halving search: ") + what);
  };
  if (!state.is_object() || state.value("search_method_type", json()) != "asha") return not_ours("type");
  const json rungs = state.value("rungs", json());
  if (!rungs.is_array() || rungs.size() != rungs_.size()) return not_ours("rungs");
  places_.clear();
  trials_ = 0;
  for (std::size_t r = 0; r < rungs.size(); ++r) {
    if (!rungs[r].is_object() || count_at(rungs[r], "units_needed") != rungs_[r].units) return not_ours("rungs");
    auto results = results_from_json(context.trials, rungs[r].value("metrics", json()));
    DET_TRY(results);
    rungs_[r].results = *std::move(results);
    rungs_[r].results.for_each([this](const Ranked& entry) { place(entry.trial).has_results = true; });
  }
  const auto set_rung = [&](TrialNumber trial, const json& rung) {
    const auto number = whole_number(rung);
    if (!number || *number < 0 || *number >= std::ssize(rungs_)) return false;
    place(trial).rung = static_cast<std::int32_t>(*number);
    ++trials_;
    return true;
  };
  const auto set_early = [&](TrialNumber trial, const json& mark) {
    place(trial).exited_early = mark == true;
    return mark.is_boolean();
  };
  if (!for_each_trial(context.trials, state.value("trial_rungs", json()), set_rung)) return not_ours("trial_rungs");
  if (!for_each_trial(context.trials, state.value("early_exit_trials", json()), set_early)) {
    return not_ours("early_exit_trials");
  }
  const auto completed = count_at(state, "trials_completed");
  const auto invalid = count_at(state, "invalid_trials");
  if (!completed || !invalid) return not_ours("counts");
  completed_ = *completed;
  invalid_ = *invalid;
  return {};
}

}  // namespace det::searcher
