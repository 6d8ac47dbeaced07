#pragma once

// Draws every trial at random and lets it run to its end. `single` is the same with one trial. Pure.

#include <cstdint>
#include <string>

#include "searcher/search_method.h"

namespace det::searcher {

class RandomSearch final : public SearchMethod {
 public:
  // One trial, never replaced. `length` > 0: in the form used before 0.38, each trial is told to train that far.
  [[nodiscard]] static RandomSearch single(std::int64_t length = 0);
  // `max_trials` >= 1, of which up to `max_concurrent` at a time (0: all at once). A trial whose hyperparameters turn
  // out to be invalid is replaced by another. `length` as above.
  [[nodiscard]] static RandomSearch random(std::int64_t max_trials, std::int64_t max_concurrent,
                                           std::int64_t length = 0);

  Decisions initial_trials(SearchContext& context) override;
  Decisions trial_created(SearchContext& context, TrialNumber trial) override;
  Result<Decisions> validated(SearchContext& context, TrialNumber trial, const nlohmann::json& metrics) override;
  Decisions operation_completed(SearchContext& context, TrialNumber trial, double metric) override;
  Decisions exited_early(SearchContext& context, TrialNumber trial, ExitReason reason) override;
  Decisions exited(SearchContext& context, TrialNumber trial) override;
  Decisions widened(SearchContext& context, std::int64_t from, std::int64_t to) override;
  // The average over the trials created so far; with lengths, the share of all that will be trained.
  [[nodiscard]] double progress(const TrialBooks& trials) const override;
  [[nodiscard]] nlohmann::json state(const TrialBooks& trials) const override;
  Status restore(SearchContext& context, const nlohmann::json& state) override;

 private:
  RandomSearch(std::string type, std::int64_t max_trials, std::int64_t max_concurrent, std::int64_t length);
  void create(SearchContext& context, Decisions& decisions);

  std::string type_;  // "single" or "random"
  std::int64_t max_trials_;
  std::int64_t max_concurrent_;
  std::int64_t length_;  // 0: none
  std::int64_t created_ = 0;
  std::int64_t pending_ = 0;
};

}  // namespace det::searcher
