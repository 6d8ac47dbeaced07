#pragma once

// One trial for every point of the grid, the last point first. Pure.

#include <cstdint>
#include <memory>

#include "searcher/grid_points.h"
#include "searcher/search_method.h"

namespace det::searcher {

class GridSearch final : public SearchMethod {
 public:
  // Up to `max_concurrent` trials at a time (0: all at once). `length` > 0: in the form used before 0.38, each trial is
  // told to train that far. An invalid point is used up like any other.
  GridSearch(GridPoints points, std::int64_t max_concurrent, std::int64_t length = 0);

  Decisions initial_trials(SearchContext& context) override;
  Decisions trial_created(SearchContext& context, TrialNumber trial) override;
  Result<Decisions> validated(SearchContext& context, TrialNumber trial, const nlohmann::json& metrics) override;
  Decisions operation_completed(SearchContext& context, TrialNumber trial, double metric) override;
  Decisions exited_early(SearchContext& context, TrialNumber trial, ExitReason reason) override;
  Decisions exited(SearchContext& context, TrialNumber trial) override;
  Decisions widened(SearchContext& context, std::int64_t from, std::int64_t to) override;
  [[nodiscard]] double progress(const TrialBooks& trials) const override;
  [[nodiscard]] nlohmann::json state(const TrialBooks& trials) const override;
  Status restore(SearchContext& context, const nlohmann::json& state) override;

 private:
  void create(SearchContext& context, Decisions& decisions);

  std::shared_ptr<const GridPoints> points_;
  std::int64_t max_concurrent_;
  std::int64_t length_;     // 0: none
  std::int64_t remaining_;  // the first so many points have no trial yet
  std::int64_t pending_ = 0;
};

}  // namespace det::searcher
