// The verbs for many experiments of a project, by their ids or by a filter: each for itself, with an error of its own.

#include "api/access_check.h"
#include "api/arguments.h"
#include "api/authorize.h"
#include "api/body.h"
#include "api/experiments/bulk_filter.h"
#include "api/experiments/routes.h"
#include "api/experiments/verbs.h"
#include "api/id_list.h"
#include "wire/request_fields.h"

namespace det::api::routes {

namespace {

using model::ExperimentState;

struct Asked {
  std::vector<std::int64_t> ids;
  std::optional<store::ExperimentFilter> filter;  // instead of ids
};

Result<Asked> read_asked(std::string_view text) {
  const auto body = wire::parse_body(text);
  DET_TRY(body);
  wire::RequestFields fields(*body);
  Asked asked;
  auto ids = read_id_list(fields.any("experimentIds"), "experimentIds");
  DET_TRY(ids);
  asked.ids = std::move(*ids);
  auto filter = read_bulk_filter(fields);
  DET_TRY(filter);
  asked.filter = std::move(*filter);
  return asked;
}

// A filter that says nothing of states means those to which the verb does something.
std::vector<ExperimentState> states_of(ExperimentVerb verb) {
  switch (verb) {
    case ExperimentVerb::kPause:
      return {ExperimentState::kActive};
    case ExperimentVerb::kActivate:
      return {ExperimentState::kPaused};
    case ExperimentVerb::kCancel:
    case ExperimentVerb::kKill:
      return {ExperimentState::kActive,         ExperimentState::kPaused,        ExperimentState::kStoppingCanceled,
              ExperimentState::kStoppingKilled, ExperimentState::kStoppingError, ExperimentState::kStoppingCompleted};
    case ExperimentVerb::kArchive:
    case ExperimentVerb::kUnarchive:
      return {ExperimentState::kCompleted, ExperimentState::kCanceled, ExperimentState::kError};
    case ExperimentVerb::kDelete:
      return {ExperimentState::kCompleted, ExperimentState::kCanceled, ExperimentState::kError,
              ExperimentState::kDeleteFailed};
  }
  return {};
}

model::Permission needed_for(ExperimentVerb verb) {
  switch (verb) {
    case ExperimentVerb::kPause:
    case ExperimentVerb::kActivate:
    case ExperimentVerb::kCancel:
    case ExperimentVerb::kKill:
      return model::Permission::kUpdateExperiment;
    case ExperimentVerb::kArchive:
    case ExperimentVerb::kUnarchive:
      return model::Permission::kUpdateExperimentMetadata;
    case ExperimentVerb::kDelete:
      return model::Permission::kDeleteExperiment;
  }
  return model::Permission::kDeleteExperiment;
}

// Those of the path's project; 0 is every project.
Task<Result<std::vector<model::ExperimentId>>> chosen(ApiServices& services, Identity caller, Asked asked,
                                                      ExperimentVerb verb, std::int64_t project) {
  if (!asked.filter) {
    std::vector<model::ExperimentId> ids;
    for (const std::int64_t id : asked.ids) ids.push_back({id});
    co_return ids;
  }
  if (asked.filter->states.empty()) asked.filter->states = states_of(verb);
  if (project != 0) asked.filter->project = model::ProjectId{project};
  asked.filter->visible = visible(caller, needed_for(verb));
  co_return co_await find_filtered(services, std::move(*asked.filter));
}

Task<Status> apply_one(ApiServices& services, Identity caller, ExperimentVerb verb, model::ExperimentId id,
                       std::int64_t project) {
  const auto row = co_await services.stores.experiments.find(id);
  DET_CO_TRY(row);
  if (!*row || (project != 0 && (**row).project.value != project)) {
    co_return fail(ErrorCode::kNotFound, "experiment '" + to_string(id) + "' not found");
  }
  std::vector<std::int64_t> ids = {id.value};
  DET_CO_TRY(co_await require_experiments(services, caller, std::move(ids), needed_for(verb)));
  if (verb == ExperimentVerb::kDelete) {
    DET_CO_TRY(co_await check_experiment_owner(services, std::move(caller), id));
  }
  co_return co_await apply_verb(services, verb, id);
}

Task<Result<http::Response>> apply(ApiServices& services, Call call, ExperimentVerb verb) {
  const std::string path = path_text(call.request, "id");
  const bool is_any = path == "0" || path == "-1";
  const auto project = is_any ? Result<std::int64_t>(0) : path_id(call.request);
  DET_CO_TRY(project);
  auto asked = co_await read_body(services, call.request, read_asked);
  DET_CO_TRY(asked);
  const auto ids = co_await chosen(services, call.caller, std::move(*asked), verb, *project);
  DET_CO_TRY(ids);
  wire::Json results = wire::Json::array();
  for (const model::ExperimentId id : *ids) {
    const Status done = co_await apply_one(services, call.caller, verb, id, *project);
    results.push_back({{"id", id.value}, {"error", done ? "" : done.error().message}});
  }
  co_return ok({{"results", std::move(results)}});
}

}  // namespace

Task<Result<http::Response>> pause_many(ApiServices& services, Call call) {
  return apply(services, std::move(call), ExperimentVerb::kPause);
}

Task<Result<http::Response>> activate_many(ApiServices& services, Call call) {
  return apply(services, std::move(call), ExperimentVerb::kActivate);
}

Task<Result<http::Response>> cancel_many(ApiServices& services, Call call) {
  return apply(services, std::move(call), ExperimentVerb::kCancel);
}

Task<Result<http::Response>> kill_many(ApiServices& services, Call call) {
  return apply(services, std::move(call), ExperimentVerb::kKill);
}

Task<Result<http::Response>> archive_many(ApiServices& services, Call call) {
  return apply(services, std::move(call), ExperimentVerb::kArchive);
}

Task<Result<http::Response>> unarchive_many(ApiServices& services, Call call) {
  return apply(services, std::move(call), ExperimentVerb::kUnarchive);
}

Task<Result<http::Response>> delete_many(ApiServices& services, Call call) {
  return apply(services, std::move(call), ExperimentVerb::kDelete);
}

}  // namespace det::api::routes
