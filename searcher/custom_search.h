#pragma once

// A search whose decisions somebody outside makes: the runner of `searcher.name: custom`, as Determined had it up to
// 0.37. What happens to the search is told under a number; the runner answers with what it wants, once per number.
// Nothing is sampled here, and the search ends when the runner says so. Pure.

#include <cstdint>

#include "searcher/search_method.h"

namespace det::searcher {

// The seed of every trial, upstream's.
inline constexpr std::uint32_t kCustomTrialSeed = 42;

class CustomSearch final : public SearchMethod {
 public:
  Decisions initial_trials(SearchContext& context) override;
  Decisions trial_created(SearchContext& context, TrialNumber trial) override;
  Result<Decisions> validated(SearchContext& context, TrialNumber trial, const nlohmann::json& metrics) override;
  Decisions operation_completed(SearchContext& context, TrialNumber trial, double metric) override;
  Decisions exited_early(SearchContext& context, TrialNumber trial, ExitReason reason) override;
  Decisions exited(SearchContext& context, TrialNumber trial) override;

  [[nodiscard]] bool has_runner() const override { return true; }
  Decisions told(const Event& event) override;
  // What was answered before decides nothing more. kInvalidArgument for a number that was not told, and for trials that
  // this search does not have.
  Result<Decisions> commanded(SearchContext& context, const Commanded& event) override;

  // As the runner last set it.
  [[nodiscard]] double progress(const TrialBooks& trials) const override;
  [[nodiscard]] nlohmann::json state(const TrialBooks& trials) const override;
  Status restore(SearchContext& context, const nlohmann::json& state) override;

 private:
  std::int64_t told_ = 0;      // the last number
  std::int64_t answered_ = 0;  // every number up to it is
  double progress_ = 0;
};

}  // namespace det::searcher
