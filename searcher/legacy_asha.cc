#include "searcher/legacy_asha.h"

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <limits>
#include <string>
#include <utility>

#include "base/json_reader.h"
#include "searcher/new_trial.h"
#include "searcher/rung_json.h"

namespace det::searcher {
namespace {

using nlohmann::json;

constexpr double kWorst = std::numeric_limits<double>::max();

std::int64_t share_of(std::size_t count, double divisor) {
  return static_cast<std::int64_t>(static_cast<double>(count) / divisor);
}

std::unexpected<Error> not_ours(const char* what) {
  return fail(ErrorCode::kDataLoss, std::string("the snapshot is not that of this async_halving search: ") + what);
}

}  // namespace

LegacyAsha::LegacyAsha(HalvingVariant variant, bool smaller_is_better, const Bracket& bracket, double divisor,
                       std::int64_t max_length)
    : variant_(variant),
      smaller_is_better_(smaller_is_better),
      divisor_(divisor),
      max_trials_(bracket.max_trials),
      first_trials_(first_trials(bracket, divisor)) {
  std::int64_t below = 0;
  for (const std::int64_t share : rung_units(bracket.num_rungs, divisor, max_length)) {
    rungs_.push_back({.units = below + share, .length = share, .results = {}});
    below += share;
  }
}

LegacyAsha::Place& LegacyAsha::place(TrialNumber trial) {
  if (trial >= places_.size()) places_.resize(std::max<std::size_t>(trial + 1, places_.size() * 2));
  return places_[trial];
}

TrialNumber LegacyAsha::create(SearchContext& context, Decisions& decisions, const char* why) {
  const TrialNumber trial = draw_trial(context, decisions, why);
  ++pending_;
  decisions.push_back(validate_after(context.trials, trial, rungs_.front().length, "the bottom rung"));
  return trial;
}

void LegacyAsha::create_another(SearchContext& context, Decisions& decisions, const char* why) {
  place(create(context, decisions, why)).rung = 0;
  ++trials_;
}

Decisions LegacyAsha::initial_trials(SearchContext& context) {
  Decisions decisions;
  constexpr const char* kWhy = "one of the trials to begin with";
  const bool counts_drawn =
      variant_ == HalvingVariant::kPromote ? context.counts_drawn_for_promotion : context.counts_drawn;
  for (std::int64_t i = 0; i < first_trials_; ++i) {
    if (counts_drawn) {
      create_another(context, decisions, kWhy);
    } else {
      create(context, decisions, kWhy);
    }
  }
  return decisions;
}

Decisions LegacyAsha::trial_created(SearchContext& /*context*/, TrialNumber trial) {
  ++rungs_.front().outstanding;
  Place& at = place(trial);
  if (at.rung < 0) ++trials_;
  at.rung = 0;
  return {};
}

Result<Decisions> LegacyAsha::validated(SearchContext& /*context*/, TrialNumber /*trial*/, const json& /*metrics*/) {
  return Decisions();
}

Decisions LegacyAsha::operation_completed(SearchContext& context, TrialNumber trial, double metric) {
  --pending_;
  return take_result(context, trial, smaller_is_better_ ? metric : -metric);
}

std::optional<TrialNumber> LegacyAsha::promote(Rung& rung, TrialNumber trial, double metric) {
  const std::int64_t before = share_of(rung.results.size(), divisor_);
  const std::int64_t now = share_of(rung.results.size() + 1, divisor_);
  const std::size_t rank = rung.results.insert_behind_equals({.metric = metric, .trial = trial});
  if (static_cast<std::int64_t>(rank) < now) {
    rung.results.set_promoted(rank, true);
    return trial;
  }
  if (now == before) return std::nullopt;
  const auto first_behind = static_cast<std::size_t>(before);
  const Ranked next = rung.results.at(first_behind);
  const Place& at = place(next.trial);
  // Closed when the bottom rung seemed full, before invalid hyperparameters made room in it again.
  const bool was_closed = at.is_closed && !at.exited_early;
  if (next.is_promoted || was_closed) return std::nullopt;
  rung.results.set_promoted(first_behind, true);
  return next.trial;
}

bool LegacyAsha::continues(Rung& rung, TrialNumber trial, double metric) {
  const std::int64_t keep = std::max<std::int64_t>(share_of(rung.results.size() + 1, divisor_), 1);
  const std::size_t rank = rung.results.insert_before_equals({.metric = metric, .trial = trial});
  const bool is_good = static_cast<std::int64_t>(rank) < keep;
  rung.results.set_promoted(rank, is_good);
  return is_good;
}

void LegacyAsha::move_up(SearchContext& context, TrialNumber trial, Decisions& decisions) {
  ++pending_;
  const Rung& rung = rungs_[static_cast<std::size_t>(place(trial).rung)];
  decisions.push_back(validate_after(context.trials, trial, rung.length, "among the best of the rung below"));
}

void LegacyAsha::close_trial(SearchContext& context, TrialNumber trial, const char* why, Decisions& decisions) {
  place(trial).is_closed = true;
  decisions.push_back(close(context.trials, trial, why));
}

Decisions LegacyAsha::take_result(SearchContext& context, TrialNumber trial, double metric) {
  Decisions decisions;
  // A promoted trial that is gone already counts at once, as the worst, in the rung it was promoted to.
  for (std::optional<TrialNumber> next = trial; next;) {
    const TrialNumber now = *next;
    next.reset();
    const auto r = static_cast<std::size_t>(std::max(place(now).rung, 0));
    Rung& rung = rungs_[r];
    const bool is_gone = place(now).exited_early;
    --rung.outstanding;
    if (r + 1 == rungs_.size()) {
      rung.results.append({.metric = metric, .trial = now});
      if (!is_gone) close_trial(context, now, "trained to the end", decisions);
      break;
    }
    std::optional<TrialNumber> up;
    if (variant_ == HalvingVariant::kPromote) {
      up = promote(rung, now, metric);
    } else if (const bool is_good = continues(rung, now, metric); !is_gone) {
      if (is_good) up = now;
      if (!is_good) close_trial(context, now, "not among the best of its rung", decisions);
    }
    if (!up) break;
    place(*up).rung = static_cast<std::int32_t>(r + 1);
    ++rungs_[r + 1].outstanding;
    if (!place(*up).exited_early) {
      move_up(context, *up, decisions);
      break;
    }
    next = up;
    metric = kWorst;
  }
  const bool has_work = std::ranges::any_of(
      decisions, [](const Decision& decision) { return std::holds_alternative<ValidateAfter>(decision.action); });
  if (!has_work && trials_ - invalid_ < max_trials_) {
    create_another(context, decisions, "nobody else can train on");
  }
  const bool all_passed = static_cast<std::int64_t>(rungs_.front().results.size()) == max_trials_;
  if (variant_ == HalvingVariant::kPromote && all_passed) close_out(context, decisions);
  return decisions;
}

void LegacyAsha::close_out(SearchContext& context, Decisions& decisions) {
  for (const Rung& rung : rungs_) {
    if (rung.outstanding > 0) return;
    rung.results.for_each([&](const Ranked& entry) {
      const Place& at = place(entry.trial);
      if (entry.is_promoted || at.is_closed || at.exited_early) return;
      close_trial(context, entry.trial, "no more trials can come in that would let it train on", decisions);
    });
  }
}

Decisions LegacyAsha::exited_early(SearchContext& context, TrialNumber trial, ExitReason reason) {
  --pending_;
  Place& at = place(trial);
  at.exited_early = true;
  at.is_closed = true;
  if (!is_invalid_hp(reason)) return take_result(context, trial, kWorst);
  Decisions decisions;
  decisions.push_back(close(context.trials, trial, "its hyperparameters are invalid"));
  ++invalid_;
  const auto highest = static_cast<std::size_t>(std::max(at.rung, 0));
  --rungs_[highest].outstanding;
  for (std::size_t r = 0; r <= highest; ++r) rungs_[r].results.erase_first(trial);
  create_another(context, decisions, "in place of one whose hyperparameters are invalid");
  return decisions;
}

Decisions LegacyAsha::exited(SearchContext& /*context*/, TrialNumber trial) {
  ++completed_;
  place(trial).is_closed = true;
  return {};
}

Decisions LegacyAsha::widened(SearchContext& context, std::int64_t from, std::int64_t to) {
  Decisions decisions;
  for (std::int64_t i = from; i < to && trials_ - invalid_ < max_trials_; ++i) {
    create_another(context, decisions, "more may run at once");
  }
  return decisions;
}

double LegacyAsha::progress(const TrialBooks& /*trials*/) const {
  return halving_progress(static_cast<std::int64_t>(rungs_.front().results.size()), max_trials_, completed_ - invalid_);
}

json LegacyAsha::state(const TrialBooks& trials) const {
  json rungs = json::array();
  for (const Rung& rung : rungs_) {
    rungs.push_back({{"units_needed", rung.units},
                     {"metrics", results_json(trials, rung.results, true)},
                     {"start_trials", 0},
                     {"promote_trials", 0},
                     {"outstanding_trials", rung.outstanding}});
  }
  json places = json::object();
  json early = json::object();
  json closed = json::object();
  for (TrialNumber trial = 0; trial < places_.size(); ++trial) {
    const Place& at = places_[trial];
    if (at.rung >= 0) places[trials.name(trial)] = at.rung;
    if (at.exited_early) early[trials.name(trial)] = true;
    if (at.is_closed) closed[trials.name(trial)] = true;
  }
  return {
      {"rungs", std::move(rungs)},          {"trial_rungs", std::move(places)}, {"early_exit_trials", std::move(early)},
      {"closed_trials", std::move(closed)}, {"trials_completed", completed_},   {"invalid_trials", invalid_},
      {"pending_trials", pending_},         {"search_method_type", "asha"}};
}

Status LegacyAsha::restore_rungs(SearchContext& context, const json& rungs) {
  if (!rungs.is_array() || rungs.size() != rungs_.size()) return not_ours("rungs");
  for (std::size_t r = 0; r < rungs.size(); ++r) {
    if (!rungs[r].is_object() || count_at(rungs[r], "units_needed") != rungs_[r].units) return not_ours("rungs");
    auto results = results_from_json(context.trials, rungs[r].value("metrics", json()));
    DET_TRY(results);
    const auto outstanding = whole_number(rungs[r].value("outstanding_trials", json()));
    if (!outstanding) return not_ours("rungs");
    rungs_[r].results = *std::move(results);
    rungs_[r].outstanding = *outstanding;
  }
  return {};
}

Status LegacyAsha::restore(SearchContext& context, const json& state) {
  if (!state.is_object() || state.value("search_method_type", json()) != "asha") return not_ours("type");
  if (Status read = restore_rungs(context, state.value("rungs", json())); !read) return read;
  places_.clear();
  trials_ = 0;
  const auto set_rung = [&](TrialNumber trial, const json& rung) {
    const auto number = whole_number(rung);
    if (!number || *number < 0 || *number >= std::ssize(rungs_)) return false;
    place(trial).rung = static_cast<std::int32_t>(*number);
    ++trials_;
    return true;
  };
  const auto marker = [&](bool Place::* mark) {
    return [this, mark](TrialNumber trial, const json& value) {
      place(trial).*mark = value == true;
      return value.is_boolean();
    };
  };
  const auto all = [&](const char* name, auto visit) {
    return for_each_trial(context.trials, state.value(name, json()), visit);
  };
  if (!all("trial_rungs", set_rung) || !all("early_exit_trials", marker(&Place::exited_early)) ||
      !all("closed_trials", marker(&Place::is_closed))) {
    return not_ours("trials");
  }
  const auto completed = count_at(state, "trials_completed");
  const auto invalid = count_at(state, "invalid_trials");
  const auto pending = whole_number(state.value("pending_trials", json()));
  if (!completed || !invalid || !pending) return not_ours("counts");
  completed_ = *completed;
  invalid_ = *invalid;
  pending_ = *pending;
  return {};
}

}  // namespace det::searcher
