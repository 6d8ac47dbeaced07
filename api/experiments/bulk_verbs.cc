// The verbs for many experiments of a project, by their ids or by a filter: each for itself, with an error of its own.

#include "api/authorize.h"
#include "api/body.h"
#include "api/experiments/bulk_filter.h"
#include "api/experiments/routes.h"
#include "api/experiments/verbs.h"
#include "wire/request_fields.h"

namespace det::api::routes {

namespace {

using model::ExperimentState;

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

// The same, of archived ones.
std::optional<bool> archived_of(ExperimentVerb verb) {
  if (verb == ExperimentVerb::kArchive) return false;
  if (verb == ExperimentVerb::kUnarchive) return true;
  return std::nullopt;
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

Result<BulkChoice> read_choice(std::string_view text) {
  const auto body = wire::parse_body(text);
  DET_TRY(body);
  wire::RequestFields fields(*body);
  return read_bulk_choice(fields);
}

Task<Result<std::optional<Unseen>>> apply_one(ApiServices& services, Identity caller, ExperimentVerb verb,
                                              model::ExperimentId id, std::optional<model::ProjectId> project) {
  DET_CO_TRY(co_await check_chosen(services, caller, id, needed_for(verb), project));
  if (verb == ExperimentVerb::kDelete) {
    DET_CO_TRY(co_await check_experiment_owner(services, std::move(caller), id));
  }
  co_return co_await begin_verb(services, verb, id);
}

Task<Result<http::Response>> apply(ApiServices& services, Call call, ExperimentVerb verb) {
  const auto project = bulk_project(call.request);
  DET_CO_TRY(project);
  auto choice = co_await read_body(services, call.request, read_choice);
  DET_CO_TRY(choice);
  if (choice->filter && choice->filter->states.empty()) choice->filter->states = states_of(verb);
  if (choice->filter && !choice->filter->archived) choice->filter->archived = archived_of(verb);
  const auto ids = co_await find_chosen(services, call.caller, std::move(*choice), needed_for(verb), *project);
  DET_CO_TRY(ids);
  wire::Json results = wire::Json::array();
  std::vector<Unseen> unseen;
  for (const model::ExperimentId id : *ids) {
    auto begun = co_await apply_one(services, call.caller, verb, id, *project);
    results.push_back({{"id", id.value}, {"error", begun ? "" : begun.error().message}});
    if (begun && *begun) unseen.push_back(std::move(**begun));
  }
  co_await wait_until_seen(services, std::move(unseen));
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
