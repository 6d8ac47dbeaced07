#pragma once

// Asynchronous successive halving that stops early (the `async_halving` searcher, and each bracket of adaptive_asha).
// Every trial sets out for the top; at each rung it goes on only while it is among the best 1/divisor of the results
// there so far, else it is told to stop and another trial takes its place. Decides as Determined 0.38.1. (The method is
// that of Li et al., "A System for Massively Parallel Hyperparameter Tuning", 2020, section 3, in its stopping form.)
// Pure.

#include <cstdint>
#include <string>
#include <vector>

#include "searcher/bracket_plan.h"
#include "searcher/ranked_list.h"
#include "searcher/search_method.h"

namespace det::searcher {

// What the trials of a search are compared by.
struct Objective {
  std::string metric;
  bool smaller_is_better = true;
  std::string time_metric;  // tells how far a trial is, in the unit of max_time
};

class Asha final : public SearchMethod {
 public:
  // `max_time` >= 1, in the unit of the time metric.
  Asha(Objective objective, const Bracket& bracket, double divisor, std::int64_t max_time);

  Decisions initial_trials(SearchContext& context) override;
  Decisions trial_created(SearchContext& context, TrialNumber trial) override;
  Result<Decisions> validated(SearchContext& context, TrialNumber trial, const nlohmann::json& metrics) override;
  Decisions operation_completed(SearchContext& context, TrialNumber trial, double metric) override;
  Decisions exited_early(SearchContext& context, TrialNumber trial, ExitReason reason) override;
  Decisions exited(SearchContext& context, TrialNumber trial) override;
  Decisions widened(SearchContext& context, std::int64_t from, std::int64_t to) override;
  // By the results in the bottom rung; counts on a fifth more work than that.
  [[nodiscard]] double progress(const TrialBooks& trials) const override;
  [[nodiscard]] bool has_rungs() const override { return true; }
  [[nodiscard]] nlohmann::json state(const TrialBooks& trials) const override;
  Status restore(SearchContext& context, const nlohmann::json& state) override;

 private:
  struct Rung {
    std::int64_t units = 1;  // in all, since the trial's beginning
    RankedList results;
  };
  // Of a trial of this bracket.
  struct Place {
    std::int32_t rung = -1;  // -1: it is not of this bracket
    bool exited_early = false;
    bool has_results = false;
  };
  struct Report {
    double metric = 0;  // smaller is better
    std::uint64_t time = 0;
    bool has_diverged = false;  // the metric is no finite number
  };

  [[nodiscard]] Result<Report> read(const TrialBooks& trials, TrialNumber trial, const nlohmann::json& metrics) const;
  void create_if_more_are_wanted(SearchContext& context, Decisions& decisions, const char* why);
  [[nodiscard]] Reason why_stopped(const Rung& rung, std::size_t rank, std::int64_t keep) const;
  Place& place(TrialNumber trial);

  Objective objective_;
  double divisor_;
  std::int64_t max_trials_;
  std::int64_t first_trials_;
  std::vector<Rung> rungs_;
  std::vector<Place> places_;  // by trial number
  std::int64_t trials_ = 0;    // those with a rung
  std::int64_t completed_ = 0;
  std::int64_t invalid_ = 0;
};

}  // namespace det::searcher
