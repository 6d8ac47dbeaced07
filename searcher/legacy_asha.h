#pragma once

// Asynchronous successive halving as Determined ran it before 0.38, by operations: a trial trains to its rung's length,
// reports, and waits. `kPromote` calls the best of a rung back to train on whenever its share has grown, and closes the
// rest when all trials have passed the bottom rung; `kStopOnce` decides at once and for good. Pure.

#include <cstdint>
#include <optional>
#include <vector>

#include "searcher/bracket_plan.h"
#include "searcher/ranked_list.h"
#include "searcher/search_method.h"

namespace det::searcher {

enum class HalvingVariant : std::uint8_t { kPromote, kStopOnce };

class LegacyAsha final : public SearchMethod {
 public:
  // `max_length` >= 1 in the unit of searcher.max_length.
  LegacyAsha(HalvingVariant variant, bool smaller_is_better, const Bracket& bracket, double divisor,
             std::int64_t max_length);

  Decisions initial_trials(SearchContext& context) override;
  Decisions trial_created(SearchContext& context, TrialNumber trial) override;
  Result<Decisions> validated(SearchContext& context, TrialNumber trial, const nlohmann::json& metrics) override;
  Decisions operation_completed(SearchContext& context, TrialNumber trial, double metric) override;
  Decisions exited_early(SearchContext& context, TrialNumber trial, ExitReason reason) override;
  Decisions exited(SearchContext& context, TrialNumber trial) override;
  Decisions widened(SearchContext& context, std::int64_t from, std::int64_t to) override;
  [[nodiscard]] double progress(const TrialBooks& trials) const override;
  [[nodiscard]] bool has_rungs() const override { return true; }
  [[nodiscard]] nlohmann::json state(const TrialBooks& trials) const override;
  Status restore(SearchContext& context, const nlohmann::json& state) override;

 private:
  struct Rung {
    std::int64_t units = 1;   // the sum of its own and all lower rungs' shares, as upstream counts
    std::int64_t length = 1;  // what its trials are told to train in all
    RankedList results;
    std::int64_t outstanding = 0;  // trials at work on it
  };
  struct Place {
    std::int32_t rung = -1;  // -1: not of this bracket
    bool exited_early = false;
    bool is_closed = false;
  };

  Place& place(TrialNumber trial);
  TrialNumber create(SearchContext& context, Decisions& decisions, const char* why);
  // Another trial, which counts from now on.
  void create_another(SearchContext& context, Decisions& decisions, const char* why);
  // The trial's result at its rung is in; `metric` with smaller better.
  Decisions take_result(SearchContext& context, TrialNumber trial, double metric);
  // Who trains on after `trial` has come in: itself, one that waited, or nobody.
  std::optional<TrialNumber> promote(Rung& rung, TrialNumber trial, double metric);
  bool continues(Rung& rung, TrialNumber trial, double metric);
  void move_up(SearchContext& context, TrialNumber trial, Decisions& decisions);
  void close_trial(SearchContext& context, TrialNumber trial, const char* why, Decisions& decisions);
  void close_out(SearchContext& context, Decisions& decisions);
  Status restore_rungs(SearchContext& context, const nlohmann::json& rungs);

  HalvingVariant variant_;
  bool smaller_is_better_;
  double divisor_;
  std::int64_t max_trials_;
  std::int64_t first_trials_;
  std::vector<Rung> rungs_;
  std::vector<Place> places_;  // by trial number
  std::int64_t trials_ = 0;    // those with a rung
  std::int64_t pending_ = 0;   // operations handed out and not answered
  std::int64_t completed_ = 0;
  std::int64_t invalid_ = 0;
};

}  // namespace det::searcher
