#include "api/authorize_by_roles.h"

#include <optional>
#include <string>
#include <utility>

#include "api/access_check.h"
#include "api/arguments.h"

namespace det::api {

namespace {

using enum model::Permission;
using model::Permission;
using store::FoundWorkspace;

// Where an object is, what takes to look at it, and what it is called.
struct Place {
  model::WorkspaceId workspace;
  Permission to_see = kViewWorkspace;
  const char* kind = "";
  std::string name;
  bool is_trial_task = false;
};
using FoundPlace = std::optional<Place>;  // nothing: there is no such object

// A task of an experiment is a part of it.
Permission of_experiment(Permission of_task) {
  switch (of_task) {
    case kViewNsc:
      return kViewExperimentArtifacts;
    case kUpdateNsc:
      return kUpdateExperiment;
    default:
      return of_task;
  }
}

Result<FoundPlace> placed(Result<FoundWorkspace> found, Permission to_see, const char* kind, std::string name) {
  DET_TRY(found);
  if (!*found) return FoundPlace();
  return Place{.workspace = **found, .to_see = to_see, .kind = kind, .name = std::move(name)};
}

Result<FoundPlace> placed(Result<std::optional<store::TaskPlace>> found, const char* kind, std::string name) {
  DET_TRY(found);
  if (!*found) return FoundPlace();
  return Place{.workspace = (*found)->workspace,
               .to_see = (*found)->is_trial ? kViewExperimentMetadata : kViewNsc,
               .kind = kind,
               .name = std::move(name),
               .is_trial_task = (*found)->is_trial};
}

// Names in the path: ids are numbers, all else is a text. A path that is no number names nothing.
Task<Result<FoundPlace>> place_of(ApiServices& services, Whose whose, const http::Request& request) {
  store::PlaceOfStore& places = services.stores.place_of;
  const auto number = path_id(request);
  const std::string id = path_text(request, "id");
  const std::string name = path_text(request, "name");
  const std::string uuid = path_text(request, "uuid");
  switch (whose) {
    case Whose::kExperiment:
      if (!number) co_return FoundPlace();
      co_return placed(co_await places.experiment({*number}), kViewExperimentMetadata, "experiment", id);
    case Whose::kTrial:
      if (!number) co_return FoundPlace();
      co_return placed(co_await places.trial({*number}), kViewExperimentMetadata, "trial", id);
    case Whose::kProject:
      if (!number) co_return FoundPlace();
      co_return placed(co_await places.project({*number}), kViewProject, "project", id);
    case Whose::kWorkspace:
      if (!number) co_return FoundPlace();
      co_return placed(co_await places.workspace({*number}), kViewWorkspace, "workspace", id);
    case Whose::kCheckpoint:
      co_return placed(co_await places.checkpoint(uuid), kViewExperimentMetadata, "checkpoint", uuid);
    case Whose::kModel:
      co_return placed(co_await places.registered_model(name), kViewModelRegistry, "model", name);
    case Whose::kTemplate:
      co_return placed(co_await places.config_template(name), kViewTemplates, "template", name);
    case Whose::kTask:
      co_return placed(co_await places.task(id), "task", id);
    case Whose::kAllocation:
      co_return placed(co_await places.allocation(id), "allocation", id);
    case Whose::kNobody:
    case Whose::kUser:
    case Whose::kNamedInBody:
      break;
  }
  co_return FoundPlace();
}

Status check_place(const Identity& caller, const Place& place, Permission needed) {
  if (!may(caller, place.to_see, place.workspace)) {
    return fail(ErrorCode::kNotFound, std::string(place.kind) + " '" + place.name + "' not found");
  }
  return require(caller, place.is_trial_task ? of_experiment(needed) : needed, place.workspace);
}

}  // namespace

Task<Status> authorize_by_roles(ApiServices& services, const RoutePolicy& policy, const http::Request& request,
                                Identity caller) {
  if (policy.needs.is_exempt) co_return Status();
  const Permission needed = policy.needs.permission;
  if (policy.whose == Whose::kNobody) co_return require(caller, needed);
  if (policy.whose == Whose::kUser) {
    const auto number = path_id(request);
    if (number && *number == caller.user.id.value) co_return Status();
    co_return require(caller, needed);
  }
  const auto place = co_await place_of(services, policy.whose, request);
  DET_CO_TRY(place);
  if (!*place) co_return Status();
  co_return check_place(caller, **place, needed);
}

Task<Status> check_task_by_roles(ApiServices& services, Identity caller, std::string task_id) {
  const auto place = placed(co_await services.stores.place_of.task(task_id), "task", task_id);
  DET_CO_TRY(place);
  if (!*place) co_return Status();
  co_return check_place(caller, **place, kUpdateNsc);
}

}  // namespace det::api
