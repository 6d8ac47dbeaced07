#include <cmath>

#include "api/access_check.h"
#include "api/agents/launch_warnings.h"
#include "api/arguments.h"
#include "api/authorize.h"
#include "api/body.h"
#include "api/experiments/experiment_continue.h"
#include "api/experiments/experiment_create.h"
#include "api/experiments/experiment_json.h"
#include "api/experiments/live_edit.h"
#include "api/experiments/routes.h"
#include "api/views.h"
#include "base/json_get.h"
#include "model/expconf/secret_fields.h"
#include "wire/request_fields.h"

namespace det::api::routes {

namespace {

std::unexpected<Error> not_found(model::ExperimentId id) {
  return fail(ErrorCode::kNotFound, "experiment '" + to_string(id) + "' not found");
}

Task<Result<store::ExperimentView>> view_of(ApiServices& services, Call call) {
  const auto id = path_id(call.request);
  DET_CO_TRY(id);
  auto view = co_await services.stores.experiments.view(model::ExperimentId{*id});
  DET_CO_TRY(view);
  if (!*view) co_return not_found(model::ExperimentId{*id});
  co_return std::move(**view);
}

}  // namespace

Task<Result<http::Response>> create_experiment(ApiServices& services, Call call) {
  auto work = [body = call.request.body.view()]() { return read_create_request(body); };
  auto request = co_await run_guarded(services.workers, std::move(work));
  DET_CO_TRY(request);
  const bool needs_slots = !request->is_unmanaged;
  auto created = co_await api::create_experiment(services, std::move(*request), call.caller);
  DET_CO_TRY(created);
  if (!created->id) {
    co_return ok({{"experiment", wire::unspecified_experiment()},
                  {"config", model::hide_secrets(created->config)},
                  {"warnings", wire::Json::array()},
                  {"configWarnings", created->warnings}});
  }
  call.note.object = "experiments/" + to_string(*created->id);
  auto view = co_await services.stores.experiments.view(*created->id);
  DET_CO_TRY(view);
  if (!*view) co_return not_found(*created->id);
  const wire::Json& resources = get_any(created->config, "resources");
  wire::Json warnings = co_await launch_warnings(services, get_string(resources, "resource_pool"),
                                                 needs_slots ? get_integer(resources, "slots_per_trial") : 0);
  auto write = [&] {
    return ok({{"experiment", experiment_json(services, **view)},
               {"config", model::hide_secrets(created->config)},
               {"warnings", std::move(warnings)},
               {"configWarnings", created->warnings}});
  };
  co_return co_await write_experiment_answer(services, **view, std::move(write));
}

// {"id":1,"overrideConfig":"<yaml>"}
Task<Result<http::Response>> continue_experiment(ApiServices& services, Call call) {
  auto body = co_await parse_body(services, call);
  DET_CO_TRY(body);
  wire::RequestFields fields(*body);
  fields.require("id");
  const model::ExperimentId id{fields.integer("id").value_or(0)};
  std::string yaml = fields.string("overrideConfig").value_or("");
  DET_CO_TRY(fields.status());
  call.note.object = "experiments/" + to_string(id);
  const auto warnings = co_await api::continue_experiment(services, id, std::move(yaml), call.caller);
  DET_CO_TRY(warnings);
  auto view = co_await services.stores.experiments.view(id);
  DET_CO_TRY(view);
  if (!*view) co_return not_found(id);
  auto write = [&] {
    return ok({{"experiment", experiment_json(services, **view)},
               {"warnings", wire::Json::array()},
               {"configWarnings", *warnings}});
  };
  co_return co_await write_experiment_answer(services, **view, std::move(write));
}

Task<Result<http::Response>> get_experiment(ApiServices& services, Call call) {
  const auto view = co_await view_of(services, call);
  DET_CO_TRY(view);
  auto write = [&] {
    return ok({{"experiment", experiment_json(services, *view)},
               {"config", model::hide_secrets(shown_config(view->row))},
               {"jobSummary", nullptr}});
  };
  co_return co_await write_experiment_answer(services, *view, std::move(write));
}

Task<Result<http::Response>> patch_experiment(ApiServices& services, Call call) {
  const auto id = path_id(call.request);
  DET_CO_TRY(id);
  auto body = wire::parse_body(call.request.body.view());
  DET_CO_TRY(body);
  wire::RequestFields fields(*body);
  store::ExperimentPatch patch{.title = fields.string("name"),
                               .description = fields.string("description"),
                               .labels = fields.strings("labels"),
                               .notes = fields.string("notes")};
  wire::RequestFields resources = fields.object("resources");
  wire::RequestFields storage = fields.object("checkpointStorage");
  DET_CO_TRY(fields.status());
  auto settings = read_live_settings(std::move(resources));
  DET_CO_TRY(settings);
  const auto saves = read_save_settings(std::move(storage));
  DET_CO_TRY(saves);
  // What is given up is deleted: as deleting checkpoints is.
  if (!saves->empty()) DET_CO_TRY(co_await check_experiment_owner(services, call.caller, model::ExperimentId{*id}));
  settings->update(*saves);
  if (patch.title && patch.title->find_first_not_of(" \t\r\n") == std::string::npos) {
    co_return fail(ErrorCode::kInvalidArgument, "`name` must not be an empty or whitespace string", "name");
  }
  if (!settings->empty()) {
    std::vector<std::int64_t> ids = {*id};
    DET_CO_TRY(
        co_await require_experiments(services, call.caller, std::move(ids), model::Permission::kUpdateExperiment));
    DET_CO_TRY(co_await edit_live_settings(services, model::ExperimentId{*id}, *settings));
    patch.changed_live = std::move(*settings);
  }
  DET_CO_TRY(co_await services.stores.experiments.patch(model::ExperimentId{*id}, std::move(patch)));
  if (!saves->empty()) DET_CO_TRY(co_await services.stores.removals.policy_changed(model::ExperimentId{*id}));
  const auto view = co_await view_of(services, call);
  DET_CO_TRY(view);
  auto write = [&] { return ok({{"experiment", experiment_json(services, *view)}}); };
  co_return co_await write_experiment_answer(services, *view, std::move(write));
}

Task<Result<http::Response>> best_validation_metric(ApiServices& services, Call call) {
  const auto id = path_id(call.request);
  DET_CO_TRY(id);
  const auto best = co_await services.stores.experiments.best_trial(model::ExperimentId{*id});
  DET_CO_TRY(best);
  // A harness that saves only what is better than the best finds nothing better than NaN.
  if (!*best || std::isnan((*best)->metric)) {
    co_return fail(ErrorCode::kNotFound, "experiment '" + std::to_string(*id) + "' has no validation metric yet");
  }
  co_return ok({{"metric", wire::number((*best)->metric)}});
}

}  // namespace det::api::routes
