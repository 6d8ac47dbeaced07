#pragma once

// Several searches run side by side as one: the brackets of adaptive_asha. Each trial belongs to the one that created
// it. Pure.

#include <memory>
#include <vector>

#include "searcher/search_method.h"

namespace det::searcher {

class Tournament final : public SearchMethod {
 public:
  // In the order in which they begin; one at least.
  explicit Tournament(std::vector<std::unique_ptr<SearchMethod>> brackets);

  Decisions initial_trials(SearchContext& context) override;
  Decisions trial_created(SearchContext& context, TrialNumber trial) override;
  Result<Decisions> validated(SearchContext& context, TrialNumber trial, const nlohmann::json& metrics) override;
  Decisions operation_completed(SearchContext& context, TrialNumber trial, double metric) override;
  Decisions exited_early(SearchContext& context, TrialNumber trial, ExitReason reason) override;
  Decisions exited(SearchContext& context, TrialNumber trial) override;
  // Each bracket's share as at the beginning; what one cannot use goes to the others.
  Decisions widened(SearchContext& context, std::int64_t from, std::int64_t to) override;
  // The average of the brackets'.
  [[nodiscard]] double progress(const TrialBooks& trials) const override;
  [[nodiscard]] bool has_rungs() const override { return true; }
  [[nodiscard]] nlohmann::json state(const TrialBooks& trials) const override;
  Status restore(SearchContext& context, const nlohmann::json& state) override;

 private:
  // The first bracket for a trial that none is known to have created.
  [[nodiscard]] std::size_t bracket_of(TrialNumber trial) const;
  void assign(TrialNumber trial, std::size_t bracket);
  // Lets a bracket decide; the trials that it enters in the books are its own.
  template <typename Decide>
  auto decided_by(SearchContext& context, std::size_t bracket, Decide decide);

  std::vector<std::unique_ptr<SearchMethod>> brackets_;
  std::vector<std::int32_t> owners_;  // by trial number; -1: nobody
};

}  // namespace det::searcher
