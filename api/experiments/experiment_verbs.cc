#include "api/arguments.h"
#include "api/experiments/routes.h"
#include "api/experiments/verbs.h"
#include "base/log.h"

namespace det::api::routes {

namespace {

Task<Result<http::Response>> apply(ApiServices& services, Call call, ExperimentVerb verb) {
  const auto id = path_id(call.request);
  DET_CO_TRY(id);
  DET_CO_TRY(co_await apply_verb(services, verb, model::ExperimentId{*id}));
  if (verb == ExperimentVerb::kDelete) {
    Logger("api").info("experiment is being deleted", {{"experiment", *id}, {"user", call.caller.user.username}});
  }
  co_return ok();
}

}  // namespace

Task<Result<http::Response>> pause(ApiServices& services, Call call) {
  return apply(services, std::move(call), ExperimentVerb::kPause);
}

Task<Result<http::Response>> activate(ApiServices& services, Call call) {
  return apply(services, std::move(call), ExperimentVerb::kActivate);
}

Task<Result<http::Response>> cancel(ApiServices& services, Call call) {
  return apply(services, std::move(call), ExperimentVerb::kCancel);
}

Task<Result<http::Response>> kill(ApiServices& services, Call call) {
  return apply(services, std::move(call), ExperimentVerb::kKill);
}

Task<Result<http::Response>> archive(ApiServices& services, Call call) {
  return apply(services, std::move(call), ExperimentVerb::kArchive);
}

Task<Result<http::Response>> unarchive(ApiServices& services, Call call) {
  return apply(services, std::move(call), ExperimentVerb::kUnarchive);
}

Task<Result<http::Response>> delete_experiment(ApiServices& services, Call call) {
  return apply(services, std::move(call), ExperimentVerb::kDelete);
}

}  // namespace det::api::routes
