// One label of an experiment put or taken away, and all that there are.

#include "api/access_check.h"
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

Task<Result<http::Response>> list_labels(ApiServices& services, Call call) {
  QueryArguments query(call.request.query);
  const std::int64_t asked = query.integer("projectId").value_or(0);
  DET_CO_TRY(query.status());
  std::optional<model::ProjectId> project;
  if (asked != 0) {
    project = model::ProjectId{asked};
    DET_CO_TRY(co_await require_project(services, call.caller, *project, model::Permission::kViewProject));
  }
  const auto labels = co_await services.stores.list_columns.labels(
      visible(call.caller, model::Permission::kViewExperimentMetadata), project);
  DET_CO_TRY(labels);
  co_return labels_response(*labels);
}

}  // namespace det::api::routes
