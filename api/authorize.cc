#include "api/authorize.h"

#include <optional>
#include <string_view>
#include <utility>

#include "api/access_check.h"
#include "api/arguments.h"
#include "api/authorize_by_roles.h"
#include "api/nobody_may.h"
#include "api/tasks/any_task.h"

namespace det::api {

namespace {

using Owner = std::optional<model::UserId>;  // nobody: only admins
using FoundOwner = std::optional<Owner>;     // nothing: there is no such object. `std::optional(Owner)` is an Owner

std::unexpected<Error> denied(std::string message) {
  return fail(ErrorCode::kPermissionDenied, std::move(message));
}

bool is_task(const Identity& caller) {
  return caller.kind == TokenKind::kTaskUser || caller.kind == TokenKind::kTaskSession;
}

bool is_admin_login(const Identity& caller) {
  return caller.user.admin && caller.kind == TokenKind::kLogin;
}

// Whether the object of the path is the caller's own run, or what that run is part of. A path that is no number names
// nothing.
bool is_own_run(const Identity& caller, Whose whose, const http::Request& request) {
  if (!caller.run) return false;
  const OwnRun& run = *caller.run;
  const auto number = path_id(request);
  switch (whose) {
    case Whose::kExperiment:
      return run.experiment && number && run.experiment->value == *number;
    case Whose::kTrial:
      return run.trial && number && run.trial->value == *number;
    case Whose::kTask:
      return run.task_id == path_text(request, "id");
    case Whose::kAllocation:
      return run.allocation_id == path_text(request, "id");
    case Whose::kNobody:
    case Whose::kTemplate:
    case Whose::kModel:
    case Whose::kUser:
    case Whose::kWorkspace:
    case Whose::kProject:
    case Whose::kCheckpoint:
    case Whose::kNamedInBody:
      return false;
  }
  return false;
}

Task<Result<FoundOwner>> owner_of_experiment(ApiServices& services, model::ExperimentId id) {
  const auto row = co_await services.stores.experiments.find(id);
  DET_CO_TRY(row);
  co_return *row ? FoundOwner(std::in_place, (*row)->owner) : FoundOwner();
}

Task<Result<FoundOwner>> owner_of_trial(ApiServices& services, Result<std::optional<store::TrialRow>> trial) {
  DET_CO_TRY(trial);
  if (!*trial) co_return FoundOwner();
  co_return co_await owner_of_experiment(services, (*trial)->experiment);
}

Task<Result<FoundOwner>> owner_of_task(ApiServices& services, std::string id) {
  const auto found = co_await find_any_task(services, std::move(id));
  if (!found && found.error().code == ErrorCode::kNotFound) co_return FoundOwner();
  DET_CO_TRY(found);
  if (found->task) co_return FoundOwner(std::in_place, found->task->owner);
  co_return co_await owner_of_experiment(services, found->trial->experiment);
}

Task<Result<FoundOwner>> owner_of_template(ApiServices& services, std::string name) {
  const auto row = co_await services.stores.templates.find(std::move(name));
  DET_CO_TRY(row);
  co_return *row ? FoundOwner(std::in_place, (*row)->owner) : FoundOwner();
}

Task<Result<FoundOwner>> owner_of_model(ApiServices& services, std::string identifier) {
  const auto row = co_await services.stores.models.find(std::move(identifier));
  DET_CO_TRY(row);
  co_return *row ? FoundOwner(std::in_place, (*row)->owner) : FoundOwner();
}

Task<Result<FoundOwner>> owner_of_allocation(ApiServices& services, std::string id) {
  const auto row = co_await services.stores.allocations.find(std::move(id));
  DET_CO_TRY(row);
  co_return *row ? FoundOwner(std::in_place, (*row)->owner) : FoundOwner();
}

Task<Result<FoundOwner>> owner_of_workspace(ApiServices& services, model::WorkspaceId id) {
  const auto owner = co_await services.stores.workspaces.owner(id);
  DET_CO_TRY(owner);
  co_return *owner ? FoundOwner(std::in_place, **owner) : FoundOwner();
}

// Of its two owners the caller, where the caller is one.
Task<Result<FoundOwner>> owner_of_project(ApiServices& services, model::ProjectId id, model::UserId caller) {
  const auto owners = co_await services.stores.projects.owners(id);
  DET_CO_TRY(owners);
  if (!*owners) co_return FoundOwner();
  co_return FoundOwner(std::in_place, (*owners)->workspace == caller ? caller : (*owners)->project);
}

// Nothing when there is no such object.
Task<Result<FoundOwner>> owner_of(ApiServices& services, Whose whose, const http::Request& request,
                                  model::UserId caller) {
  const auto number = path_id(request);
  switch (whose) {
    case Whose::kExperiment:
      if (!number) co_return FoundOwner();
      co_return co_await owner_of_experiment(services, model::ExperimentId{*number});
    case Whose::kTrial: {
      if (!number) co_return FoundOwner();
      auto trial = co_await services.stores.trials.find(model::TrialId{*number});
      co_return co_await owner_of_trial(services, std::move(trial));
    }
    case Whose::kTask:
      co_return co_await owner_of_task(services, path_text(request, "id"));
    case Whose::kAllocation:
      co_return co_await owner_of_allocation(services, path_text(request, "id"));
    case Whose::kTemplate:
      co_return co_await owner_of_template(services, path_text(request, "name"));
    case Whose::kModel:
      co_return co_await owner_of_model(services, path_text(request, "name"));
    case Whose::kUser:
      co_return number ? FoundOwner(std::in_place, model::UserId{*number}) : FoundOwner();
    case Whose::kWorkspace:
      if (!number) co_return FoundOwner();
      co_return co_await owner_of_workspace(services, model::WorkspaceId{*number});
    case Whose::kProject:
      if (!number) co_return FoundOwner();
      co_return co_await owner_of_project(services, model::ProjectId{*number}, caller);
    case Whose::kCheckpoint:
    case Whose::kNobody:
    case Whose::kNamedInBody:
      co_return FoundOwner();
  }
  co_return FoundOwner();
}

// Some have a sentence that people know from Determined.
constexpr std::pair<std::string_view, const char*> kWorkspaceRefusals[] = {
    {"workspace.change", "only admins may set other user's workspaces names"},
    {"workspace.archive", "only admins may archive other user's workspaces"},
    {"workspace.unarchive", "only admins may unarchive other user's workspaces"},
    {"workspace.delete", "only admins may delete other user's workspaces"},
    {"policy.set", "only admins may set config policies for workspaces"},
    {"policy.delete", "only admins may set config policies for workspaces"},
};

const char* refusal_of(Whose whose, std::string_view action) {
  switch (whose) {
    case Whose::kExperiment:
      return "only its owner and admins can do this to an experiment";
    case Whose::kTemplate:
      return "only its owner and admins can change a template: what it says runs with the token of everybody who uses "
             "it";
    case Whose::kModel:
      return "non-admin users may not delete other users' models";
    case Whose::kUser:
      return "only admins can change other users";
    case Whose::kWorkspace:
      for (const auto& [of, refusal] : kWorkspaceRefusals) {
        if (of == action) return refusal;
      }
      return "only its owner and admins can do this to a workspace";
    case Whose::kProject:
      return "non admin users need to own the project or workspace";
    case Whose::kTask:
      return "only its owner and admins can do this to a task";
    case Whose::kTrial:
    case Whose::kAllocation:
    case Whose::kCheckpoint:
    case Whose::kNobody:
    case Whose::kNamedInBody:
      break;
  }
  return "only the task itself, its owner and admins can report for a task";
}

// What Who lets through, roles may still refuse.
Task<Status> check_roles(ApiServices& services, const RoutePolicy& policy, const http::Request& request,
                         SharedIdentity caller) {
  if (!has_roles(*caller)) co_return Status();
  co_return co_await authorize_by_roles(services, policy, request, *caller);
}

Task<Status> check_owner(ApiServices& services, const RoutePolicy& policy, const http::Request& request,
                         SharedIdentity identity) {
  const Identity& caller = *identity;
  if (has_roles(caller)) co_return co_await authorize_by_roles(services, policy, request, caller);
  if (caller.user.admin) co_return Status();
  const auto owner = co_await owner_of(services, policy.whose, request, caller.user.id);
  DET_CO_TRY(owner);
  if (!*owner || **owner == caller.user.id) co_return Status();
  DET_CO_TRY(co_await check_anybody_may(services, policy.action, request, caller.user.id));
  co_return denied(refusal_of(policy.whose, policy.action));
}

std::unexpected<Error> only_own_run() {
  return denied("a task's token reports for its own run only");
}

std::unexpected<Error> people_only() {
  return denied("DET_SESSION_TOKEN is for the task's own reports only: take DET_USER_TOKEN, or log in");
}

std::unexpected<Error> logins_only() {
  return denied("a task's token cannot change users, passwords, tokens, roles or policies: log in");
}

}  // namespace

Task<Status> authorize(ApiServices& services, const RoutePolicy& policy, const http::Request& request,
                       SharedIdentity identity) {
  const Identity& caller = *identity;
  const bool is_session = caller.kind == TokenKind::kTaskSession;
  const bool is_about_runs =
      policy.whose != Whose::kNobody && policy.whose != Whose::kNamedInBody && policy.whose != Whose::kCheckpoint;
  switch (policy.who) {
    case Who::kAnyone:
      co_return Status();
    case Who::kAnyToken:
      if (is_own_run(caller, policy.whose, request)) co_return Status();
      if (is_session && is_about_runs) co_return people_only();
      co_return co_await check_roles(services, policy, request, std::move(identity));
    case Who::kPeople:
      if (is_session) co_return people_only();
      co_return co_await check_roles(services, policy, request, std::move(identity));
    case Who::kOwner:
      if (is_session) co_return people_only();
      co_return co_await check_owner(services, policy, request, std::move(identity));
    case Who::kItsTask:
      if (policy.whose == Whose::kNamedInBody) co_return Status();
      if (!is_task(caller)) co_return co_await check_owner(services, policy, request, std::move(identity));
      if (!is_own_run(caller, policy.whose, request)) co_return only_own_run();
      co_return Status();
    case Who::kOwnerLogin:
      if (is_task(caller)) co_return logins_only();
      co_return co_await check_owner(services, policy, request, std::move(identity));
    case Who::kAdminLogin:
      if (is_task(caller)) co_return logins_only();
      if (has_roles(caller)) co_return co_await authorize_by_roles(services, policy, request, caller);
      if (is_admin_login(caller)) co_return Status();
      DET_CO_TRY(co_await check_anybody_may(services, policy.action, request, caller.user.id));
      break;
  }
  co_return denied("user does not have permission");
}

Task<Status> check_experiment_owner(ApiServices& services, Identity caller, model::ExperimentId experiment) {
  if (has_roles(caller)) {
    std::vector<std::int64_t> ids = {experiment.value};
    co_return co_await require_experiments(services, std::move(caller), std::move(ids),
                                           model::Permission::kDeleteExperiment);
  }
  if (caller.user.admin) co_return Status();
  const auto owner = co_await owner_of_experiment(services, experiment);
  DET_CO_TRY(owner);
  if (!*owner || **owner == caller.user.id) co_return Status();
  co_return denied(refusal_of(Whose::kExperiment, {}));
}

Task<Status> check_reporter(ApiServices& services, Identity caller, model::ExperimentId experiment) {
  if (!has_roles(caller)) co_return co_await check_experiment_owner(services, std::move(caller), experiment);
  std::vector<std::int64_t> ids = {experiment.value};
  co_return co_await require_experiments(services, std::move(caller), std::move(ids),
                                         model::Permission::kUpdateExperiment);
}

Task<Status> check_task(ApiServices& services, Identity caller, std::string task_id) {
  if (is_task(caller)) {
    if (caller.run && caller.run->task_id == task_id) co_return Status();
    co_return only_own_run();
  }
  if (has_roles(caller)) co_return co_await check_task_by_roles(services, std::move(caller), std::move(task_id));
  if (caller.user.admin) co_return Status();
  const auto owner = co_await owner_of_task(services, std::move(task_id));
  DET_CO_TRY(owner);
  if (!*owner || **owner == caller.user.id) co_return Status();
  co_return denied(refusal_of(Whose::kTask, {}));
}

}  // namespace det::api
