#include "api/access_check.h"
#include "api/arguments.h"
#include "api/body.h"
#include "api/experiments/bulk_filter.h"
#include "api/projects/routes.h"
#include "wire/request_fields.h"

namespace det::api::routes {

Task<Result<http::Response>> move_experiment(ApiServices& services, Call call) {
  const auto id = path_id(call.request);
  DET_CO_TRY(id);
  auto body = wire::parse_body(call.request.body.view());
  DET_CO_TRY(body);
  wire::RequestFields fields(*body);
  fields.require("destinationProjectId");
  const model::ProjectId to{fields.integer("destinationProjectId").value_or(0)};
  DET_CO_TRY(fields.status());
  DET_CO_TRY(co_await require_project(services, call.caller, to, model::Permission::kCreateExperiment));
  DET_CO_TRY(co_await services.stores.projects.move_experiment(model::ExperimentId{*id}, to));
  co_return ok();
}

// Those of the path's project, each for itself.
Task<Result<http::Response>> move_experiments(ApiServices& services, Call call) {
  const auto from = path_id(call.request);
  DET_CO_TRY(from);
  const auto body = co_await parse_body(services, call);
  DET_CO_TRY(body);
  wire::RequestFields fields(*body);
  fields.require("destinationProjectId");
  const model::ProjectId to{fields.integer("destinationProjectId").value_or(0)};
  DET_CO_TRY(fields.status());
  auto choice = read_bulk_choice(fields);
  DET_CO_TRY(choice);
  std::vector<std::int64_t> ids = std::move(choice->ids);
  if (choice->filter) {
    choice->filter->project = model::ProjectId{*from};
    if (!choice->filter->archived) choice->filter->archived = false;  // those do not move
    const auto found = co_await find_filtered(services, std::move(*choice->filter));
    DET_CO_TRY(found);
    ids.clear();
    for (const model::ExperimentId id : *found) ids.push_back(id.value);
  }
  DET_CO_TRY(co_await require_project(services, call.caller, to, model::Permission::kCreateExperiment));
  std::optional<model::UserId> owner;
  if (!has_roles(call.caller) && !call.caller.user.admin) owner = call.caller.user.id;
  const auto moved =
      co_await services.stores.projects.move_experiments(model::ProjectId{*from}, std::move(ids), to, owner);
  DET_CO_TRY(moved);
  wire::Json results = wire::Json::array();
  for (const store::MovedExperiment& one : *moved) results.push_back({{"id", one.id.value}, {"error", one.error}});
  co_return ok({{"results", std::move(results)}});
}

}  // namespace det::api::routes
