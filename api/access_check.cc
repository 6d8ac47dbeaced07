#include "api/access_check.h"

#include <algorithm>
#include <utility>

#include "api/access/grant_cache.h"

namespace det::api {
namespace {

using model::Permission;

Status not_there(std::string_view kind, std::string_view id) {
  return fail(ErrorCode::kNotFound, std::string(kind) + " '" + std::string(id) + "' not found");
}

bool is_hidden(const Identity& caller, Permission to_see, const std::vector<model::WorkspaceId>& workspaces) {
  const auto hides = [&](model::WorkspaceId one) { return !may(caller, to_see, one); };
  return std::ranges::any_of(workspaces, hides);
}

std::string text_of(const std::string& key) {
  return key;
}
std::string text_of(std::int64_t key) {
  return std::to_string(key);
}

// `find` gives the workspaces of all the things of experiments together; one by one they are asked for only where some
// are hidden, so that the answer names one that is.
template <typename Key, typename Find>
Task<Status> require_named(Identity caller, std::vector<Key> keys, Permission needed, std::string_view kind,
                           Find find) {
  constexpr Permission kToSee = Permission::kViewExperimentMetadata;
  if (!caller.grants || keys.empty()) co_return Status();
  const auto workspaces = co_await find(keys);
  DET_CO_TRY(workspaces);
  if (!is_hidden(caller, kToSee, *workspaces)) co_return require_all(caller, needed, *workspaces);
  for (const Key& key : keys) {
    std::vector<Key> alone = {key};
    const auto at = co_await find(std::move(alone));
    DET_CO_TRY(at);
    if (is_hidden(caller, kToSee, *at)) co_return not_there(kind, text_of(key));
  }
  co_return Status();
}

}  // namespace

Task<Result<SharedIdentity>> with_grants(ApiServices& services, SharedIdentity caller) {
  if (!services.settings.master.authz.has_roles) co_return caller;
  auto grants = co_await services.grants.of(caller->user.id);
  DET_CO_TRY(grants);
  Identity granted = *caller;
  granted.grants = std::move(*grants);
  granted.user.admin = is_admin(granted);
  co_return std::make_shared<const Identity>(std::move(granted));
}

bool is_admin(const Identity& caller) {
  return caller.grants ? caller.grants->everywhere(Permission::kAdministrateUser) : caller.user.admin;
}

std::unexpected<Error> access_denied(Permission needed) {
  return fail(ErrorCode::kPermissionDenied,
              "access denied; required permissions: " + std::string(model::info_of(needed).word));
}

Status require(const Identity& caller, Permission needed) {
  if (!caller.grants || caller.grants->everywhere(needed)) return {};
  return access_denied(needed);
}

Status require(const Identity& caller, Permission needed, model::WorkspaceId workspace) {
  if (may(caller, needed, workspace)) return {};
  return access_denied(needed);
}

Status require_all(const Identity& caller, Permission needed, const std::vector<model::WorkspaceId>& workspaces) {
  for (const model::WorkspaceId one : workspaces) DET_TRY(require(caller, needed, one));
  return {};
}

bool may(const Identity& caller, Permission needed, model::WorkspaceId workspace) {
  return !caller.grants || caller.grants->in(needed, workspace);
}

Visible visible(const Identity& caller, Permission needed) {
  if (!caller.grants) return std::nullopt;
  return caller.grants->workspaces(needed);
}

Visible narrowed(Visible asked, const Identity& caller, Permission needed) {
  Visible seen = visible(caller, needed);
  if (!asked) return seen;
  if (seen) std::erase_if(*asked, [&](model::WorkspaceId one) { return std::ranges::find(*seen, one) == seen->end(); });
  return asked;
}

Task<Status> require_experiments(ApiServices& services, Identity caller, std::vector<std::int64_t> ids,
                                 Permission needed) {
  const auto find = [&services](std::vector<std::int64_t> keys) {
    return services.stores.place_of.experiments(std::move(keys));
  };
  co_return co_await require_named(std::move(caller), std::move(ids), needed, "experiment", find);
}

Task<Status> require_trials(ApiServices& services, Identity caller, std::vector<std::int64_t> ids, Permission needed) {
  const auto find = [&services](std::vector<std::int64_t> keys) {
    return services.stores.place_of.trials(std::move(keys));
  };
  co_return co_await require_named(std::move(caller), std::move(ids), needed, "trial", find);
}

Task<Status> require_checkpoints(ApiServices& services, Identity caller, std::vector<std::string> uuids,
                                 Permission needed) {
  const auto find = [&services](std::vector<std::string> keys) {
    return services.stores.place_of.checkpoints(std::move(keys));
  };
  co_return co_await require_named(std::move(caller), std::move(uuids), needed, "checkpoint", find);
}

Task<Status> require_template(ApiServices& services, Identity caller, std::string name) {
  if (!caller.grants || name.empty()) co_return Status();
  const auto workspace = co_await services.stores.place_of.config_template(name);
  DET_CO_TRY(workspace);
  if (!*workspace || may(caller, Permission::kViewTemplates, **workspace)) co_return Status();
  co_return not_there("template", name);
}

Task<Status> require_project(ApiServices& services, Identity caller, model::ProjectId id, Permission needed) {
  if (!caller.grants) co_return Status();
  const auto workspace = co_await services.stores.place_of.project(id);
  DET_CO_TRY(workspace);
  if (!*workspace) co_return Status();
  if (!may(caller, Permission::kViewProject, **workspace)) co_return not_there("project", to_string(id));
  co_return require(caller, needed, **workspace);
}

}  // namespace det::api
