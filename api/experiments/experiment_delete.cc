#include "api/arguments.h"
#include "api/experiments/routes.h"
#include "base/log.h"

namespace det::api::routes {

Task<Result<http::Response>> delete_experiment(ApiServices& services, Call call) {
  const auto id = path_id(call.request);
  DET_CO_TRY(id);
  const auto row = co_await services.stores.experiments.find(model::ExperimentId{*id});
  DET_CO_TRY(row);
  if (!*row) co_return fail(ErrorCode::kNotFound, "experiment '" + std::to_string(*id) + "' not found");
  if (!model::is_terminal((*row)->state)) {
    co_return fail(ErrorCode::kFailedPrecondition, "Experiment is not in terminal state.");
  }
  // Its files are in storage that the operator's pods reach: it goes when they are gone (operator/removal/collector.h).
  DET_CO_TRY(co_await services.stores.removals.begin_delete((*row)->id));
  const Logger log("api");
  log.info("experiment is being deleted", {{"experiment", *id}, {"user", call.caller.user.username}});
  co_return ok();
}

}  // namespace det::api::routes
