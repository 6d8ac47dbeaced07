#pragma once

// Draws every trial at random and lets it run to its end. `single` is the same with one trial. Pure.

#include <cstdint>
#include <string>

#include "searcher/search_method.h"

namespace det::searcher {

class RandomSearch final : public SearchMethod {
 public:
  // One trial, never replaced.
  [[nodiscard]] static RandomSearch single();
  // `max_trials` >= 1, of which up to `max_concurrent` at a time (0: all at once). A trial whose hyperparameters turn
  // out to be invalid is replaced by another.
  [[nodiscard]] static RandomSearch random(std::int64_t max_trials, std::int64_t max_concurrent);

  Decisions initial_trials(SearchContext& context) override;
  Decisions trial_created(SearchContext& context, const std::string& request_id) override;
  Result<Decisions> validated(SearchContext& context, const Validated& event) override;
  Decisions exited_early(SearchContext& context, const ExitedEarly& event) override;
  Decisions exited(SearchContext& context, const std::string& request_id) override;
  // The average over the trials created so far.
  [[nodiscard]] double progress(const SearchContext& context) const override;
  [[nodiscard]] nlohmann::json state() const override;
  Status restore(const nlohmann::json& state) override;

 private:
  RandomSearch(std::string type, std::int64_t max_trials, std::int64_t max_concurrent);
  Decision create(SearchContext& context);

  std::string type_;  // "single" or "random"
  std::int64_t max_trials_;
  std::int64_t max_concurrent_;
  std::int64_t created_ = 0;
  std::int64_t pending_ = 0;
};

}  // namespace det::searcher
