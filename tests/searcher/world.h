#pragma once

// Trials that train, fail, hurry, dawdle and repeat themselves, as someone chooses: a random generator in the property
// test, the bytes of the fuzzer. Runs two equal searches side by side, of which one is restored from a snapshot again
// and again, and says what rule was broken.

#include <cstdint>
#include <deque>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

#include "searcher/event_json.h"
#include "searcher/grid_points.h"
#include "searcher/make_search.h"

namespace det::searcher {

struct WorldSettings {
  model::SearcherConfig config;
  nlohmann::json space;
  std::uint32_t seed = 0;
  Generation generation = Generation::kCurrent;
  std::int64_t most_failures = 10;
  std::int64_t most_steps = 20'000;
  std::uint32_t restore_every = 8;  // events, on average
};

class World {
 public:
  // choose(n): below n.
  using Choose = std::function<std::uint32_t(std::uint32_t)>;

  World(WorldSettings settings, Choose choose)
      : settings_(std::move(settings)), choose_(std::move(choose)), one_(fresh()), other_(fresh()) {}

  // Empty when the search came to its end and kept every rule; else what went wrong.
  std::string run() {
    tell(Started{});
    for (std::int64_t step = 0; problem_.empty() && !live_.empty(); ++step) {
      if (step > settings_.most_steps) return "the search does not end";
      if (!act()) return "nobody can do anything, and the search is not over";
    }
    if (!problem_.empty()) return problem_;
    if (shutdowns_ != 1 || !one_.is_over()) return "the search did not shut down once";
    if (created_ > budget() + replaced_) return "more trials than max_trials";
    return one_.take(Exited{RequestId()}) ? "an event of an unknown trial was taken" : "";
  }

  [[nodiscard]] std::int64_t created() const { return created_; }

 private:
  struct Trial {
    RequestId id;
    std::int64_t units = 0;
    std::optional<std::int64_t> operation;  // the length it trains to
    bool is_stopped = false;                // or closed
    bool is_failed = false;
  };

  Search fresh() const {
    return make_search(settings_.config, settings_.space, settings_.seed, settings_.generation).value();
  }
  [[nodiscard]] bool is_current() const { return settings_.generation == Generation::kCurrent; }
  [[nodiscard]] bool is_halving() const {
    return settings_.config.name == "async_halving" || settings_.config.name == "adaptive_asha";
  }
  [[nodiscard]] std::int64_t horizon() const {
    return is_current() ? settings_.config.max_time.value_or(20) : settings_.config.max_length->units;
  }

  [[nodiscard]] std::int64_t budget() const {
    if (settings_.config.name == "single") return 1;
    if (settings_.config.name == "grid") return GridPoints::of(settings_.space).value().size();
    if (settings_.config.name != "adaptive_asha") return settings_.config.max_trials;
    std::int64_t sum = 0;
    for (const Bracket& bracket : brackets_of(settings_.config, horizon())) sum += bracket.max_trials;
    return sum;
  }

  [[nodiscard]] std::int64_t most_at_once() const {
    if (settings_.config.name == "single") return 1;
    if (settings_.config.name == "async_halving") {
      return first_trials(
          {settings_.config.num_rungs, settings_.config.max_trials, settings_.config.max_concurrent_trials},
          settings_.config.divisor);
    }
    if (settings_.config.name != "adaptive_asha") {
      return settings_.config.max_concurrent_trials > 0 ? settings_.config.max_concurrent_trials : budget();
    }
    std::int64_t sum = 0;
    for (const Bracket& bracket : brackets_of(settings_.config, horizon())) sum += bracket.max_concurrent;
    return sum;
  }

  // Once in `n` times; never when there is nobody left to choose.
  bool happens(std::uint32_t n) { return choose_(n) + 1 == n; }

  // Both searches take the event; what they decide is carried out.
  void tell(const Event& event) {
    if (happens(settings_.restore_every)) restore();
    const auto decisions = one_.take(event);
    const auto others = other_.take(event);
    if (decisions.has_value() != others.has_value()) return broken("a restored search failed where the other did not");
    if (!decisions) return broken("refused " + to_json(event).dump() + ": " + decisions.error().message);
    if (*decisions != *others) {
      return broken("a restored search decided otherwise: " + to_json(*decisions).dump() + to_json(*others).dump());
    }
    for (const Decision& decision : *decisions) carry_out(decision);
    const double progress = one_.progress();
    if (!(progress >= 0)) broken("progress is " + std::to_string(progress));
  }

  void restore() {
    Search again = fresh();
    const nlohmann::json snapshot = nlohmann::json::parse(other_.snapshot().dump());
    if (!again.restore(snapshot)) return broken("a snapshot cannot be read back");
    if (again.snapshot() != snapshot) return broken("a restored search has another snapshot");
    other_ = std::move(again);
  }

  void carry_out(const Decision& decision) {
    if (shutdowns_ > 0) return broken("a decision after the end: " + to_json(decision).dump());
    if (decision.reason.text().empty()) return broken("a decision without a reason");
    if (const auto* create = std::get_if<Create>(&decision.action)) {
      ++created_;
      live_.push_back({.id = create->request_id});
      tell(TrialCreated{create->request_id});
      if (happens(8)) tell_again(TrialCreated{create->request_id});
    } else if (std::holds_alternative<Shutdown>(decision.action)) {
      ++shutdowns_;
    } else if (const auto* operation = std::get_if<ValidateAfter>(&decision.action)) {
      Trial* trial = find(operation->request_id);
      if (trial == nullptr || trial->is_failed || trial->operation)
        return broken("work for a trial that cannot take it");
      trial->operation = operation->length;
    } else if (const auto* stopped = std::get_if<Stop>(&decision.action)) {
      if (Trial* trial = find(stopped->request_id)) trial->is_stopped = true;
    } else if (const auto* closed = std::get_if<Close>(&decision.action)) {
      if (Trial* trial = find(closed->request_id)) trial->is_stopped = true;
    }
  }

  // Something is told a second time: nothing may come of it.
  void tell_again(const Event& event) {
    const nlohmann::json before = one_.snapshot();
    const auto decisions = one_.take(event);
    if (decisions && !decisions->empty()) broken("an event told twice had a second effect");
    if (one_.snapshot() != before) broken("an event told twice changed the search");
  }

  Trial* find(RequestId id) {
    for (Trial& trial : live_) {
      if (trial.id == id) return &trial;
    }
    return nullptr;
  }

  [[nodiscard]] bool can_act(const Trial& trial) const {
    return is_current() || trial.operation || trial.is_stopped || trial.is_failed;
  }

  // One trial does something; false when none can.
  bool act() {
    check_concurrency();
    std::vector<std::size_t> able;
    for (std::size_t i = 0; i < live_.size(); ++i) {
      if (can_act(live_[i])) able.push_back(i);
    }
    if (able.empty()) return false;
    const std::size_t index = able[choose_(static_cast<std::uint32_t>(able.size()))];
    const RequestId id = live_[index].id;
    if (settings_.config.max_concurrent_trials > 0 && happens(16)) widen();
    const bool may_fail = !live_[index].is_failed && !live_[index].is_stopped && failures_ < settings_.most_failures;
    if (may_fail && (is_current() || live_[index].operation) && happens(10)) {
      fail_trial(id);
    } else if (is_current()) {
      train(id);
    } else {
      operate(id);
    }
    return true;
  }

  void fail_trial(RequestId id) {
    constexpr ExitReason kReasons[] = {ExitReason::kErrored, ExitReason::kUserRequestedStop, ExitReason::kUserCanceled,
                                       ExitReason::kInvalidHp, ExitReason::kInitInvalidHp};
    const ExitReason reason = kReasons[choose_(5)];
    ++failures_;
    if (is_invalid_hp(reason)) ++replaced_;
    find(id)->is_failed = true;
    find(id)->operation.reset();
    tell(ExitedEarly{id, reason});
    if (happens(4) && problem_.empty()) tell_again(ExitedEarly{id, reason});
  }

  void leave(RequestId id) {
    std::erase_if(live_, [&](const Trial& trial) { return trial.id == id; });
    tell(Exited{id});
    if (happens(4) && problem_.empty()) tell_again(Exited{id});
  }

  void train(RequestId id) {
    Trial& trial = *find(id);
    if (trial.is_failed || trial.is_stopped || trial.units >= horizon() + 5) return leave(id);
    trial.units += 1 + choose_(static_cast<std::uint32_t>(horizon() / 3 + 1));
    const std::int64_t units = trial.units;
    tell(Progressed{id, static_cast<double>(units) / static_cast<double>(horizon())});
    // Few values, so that there are ties.
    tell(Validated{id, {{"loss", static_cast<double>(choose_(12)) / 4}, {"batches", units}}});
  }

  void operate(RequestId id) {
    Trial& trial = *find(id);
    if (!trial.operation) return leave(id);
    const std::int64_t length = *trial.operation;
    trial.operation.reset();
    tell(Progressed{id, static_cast<double>(length)});
    tell(OperationCompleted{id, length, static_cast<double>(choose_(12)) / 4});
    const Trial* after = find(id);
    const bool is_same_again = after != nullptr && after->operation == length;
    if (happens(4) && problem_.empty() && !is_same_again) tell_again(OperationCompleted{id, length, 0});
  }

  void widen() {
    const std::int64_t more = 1 + choose_(3);
    const Widened event{.from = width_, .to = width_ + more};
    const std::int64_t before = created_;
    tell(event);
    if (created_ > before + more) broken("widened by " + std::to_string(more) + ", it created more");
    width_ = event.to;
    if (happens(4) && problem_.empty()) tell_again(event);
  }

  // Those that hold resources: not stopped, not gone; with operations, those that have work.
  void check_concurrency() {
    std::int64_t running = 0;
    for (const Trial& trial : live_) {
      if (is_halving()) {
        running += is_current() ? !trial.is_stopped && !trial.is_failed : trial.operation.has_value();
      } else {
        ++running;
      }
    }
    const std::int64_t most = most_at_once() + width_ - settings_.config.max_concurrent_trials;
    if (running > most) broken(std::to_string(running) + " trials at once, allowed are " + std::to_string(most));
  }

  void broken(std::string what) {
    if (problem_.empty()) problem_ = std::move(what);
  }

  WorldSettings settings_;
  Choose choose_;
  Search one_;
  Search other_;
  std::deque<Trial> live_;
  std::int64_t width_ = settings_.config.max_concurrent_trials;
  std::int64_t created_ = 0;
  std::int64_t replaced_ = 0;
  std::int64_t failures_ = 0;
  int shutdowns_ = 0;
  std::string problem_;
};

}  // namespace det::searcher
