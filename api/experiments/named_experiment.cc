#include "api/experiments/named_experiment.h"

#include "api/arguments.h"

namespace det::api {

Task<Result<store::ExperimentRow>> named_experiment(ApiServices& services, Call call) {
  const auto id = path_id(call.request);
  DET_CO_TRY(id);
  auto row = co_await services.stores.experiments.find(model::ExperimentId{*id});
  DET_CO_TRY(row);
  if (!*row) co_return fail(ErrorCode::kNotFound, "experiment '" + std::to_string(*id) + "' not found");
  co_return std::move(**row);
}

}  // namespace det::api
