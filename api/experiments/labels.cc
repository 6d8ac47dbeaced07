// One label of an experiment put or taken away.

#include "api/arguments.h"
#include "api/experiments/routes.h"

namespace det::api::routes {

namespace {

http::Response labels_response(const std::vector<std::string>& labels) {
  return ok({{"labels", labels}});
}

}  // namespace

Task<Result<http::Response>> put_label(ApiServices& services, Call call) {
  const auto id = path_id(call.request);
  DET_CO_TRY(id);
  const auto labels =
      co_await services.stores.experiments.put_label(model::ExperimentId{*id}, path_text(call.request, "label"));
  DET_CO_TRY(labels);
  co_return labels_response(*labels);
}

Task<Result<http::Response>> delete_label(ApiServices& services, Call call) {
  const auto id = path_id(call.request);
  DET_CO_TRY(id);
  const auto labels =
      co_await services.stores.experiments.remove_label(model::ExperimentId{*id}, path_text(call.request, "label"));
  DET_CO_TRY(labels);
  co_return labels_response(*labels);
}

}  // namespace det::api::routes
