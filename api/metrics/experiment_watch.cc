#include "api/metrics/experiment_watch.h"

#include <algorithm>

namespace det::api {

Result<std::chrono::seconds> read_period(QueryArguments& arguments) {
  constexpr std::int64_t kUsual = 30;
  constexpr std::int64_t kLongest = 3'600;
  const std::int64_t asked = arguments.integer("periodSeconds").value_or(0);
  DET_TRY(arguments.status());
  if (asked < 0) {
    return fail(ErrorCode::kInvalidArgument, "periodSeconds: " + std::to_string(asked) + " is less than zero",
                "periodSeconds");
  }
  return std::chrono::seconds(asked == 0 ? kUsual : std::min(asked, kLongest));
}

Task<Result<std::vector<store::ComparedExperiment>>> find_compared(ApiServices& services,
                                                                   std::vector<model::ExperimentId> ids) {
  auto found = co_await services.stores.experiment_metrics.compared(ids);
  DET_CO_TRY(found);
  for (const model::ExperimentId id : ids) {
    const bool is_there = std::ranges::any_of(*found, [id](const auto& experiment) { return experiment.id == id; });
    if (!is_there) co_return fail(ErrorCode::kNotFound, "experiment '" + to_string(id) + "' not found");
  }
  co_return found;
}

Task<Status> ExperimentWatch::begin_look() {
  const auto found = co_await services_.stores.experiment_metrics.compared(ids_);
  DET_CO_TRY(found);
  is_over_ = std::ranges::all_of(*found, [](const auto& experiment) { return experiment.is_over; });
  co_return Status();
}

Task<bool> ExperimentWatch::wait() {
  if (is_over_) co_return false;
  co_await services_.clock.sleep_for(period_);
  co_return true;
}

}  // namespace det::api
