#include "api/oidc/remote_user.h"

#include "api/access/grant_cache.h"
#include "api/authenticator.h"
#include "api/oidc/identity_provider.h"
#include "api/users/user_fields.h"
#include "base/log.h"

namespace det::api {

namespace {

constexpr std::size_t kShortestUsername = 2;

Task<Result<store::UserRow>> make_user(ApiServices& services, const model::RemotePerson& person) {
  const store::UserRow nobody{.id = {}, .username = {}, .display_name = {}, .modified_at = {}};
  const auto name = clean_name(person.username, kShortestUsername, nobody, "username");
  DET_CO_TRY(name);
  auto hash = co_await services.authenticator.unknown_hash("sign-in");
  DET_CO_TRY(hash);
  store::NewUser row{.username = *name, .display_name = {}, .password_hash = *std::move(hash), .remote = true};
  auto made = co_await services.stores.users.create(std::move(row));
  if (made) {
    const Logger log("sign-in");
    log.info("a user was made who signed in for the first time", {{"user", made->username}});
    co_return made;
  }
  // Somebody who signs in twice at once.
  if (made.error().code != ErrorCode::kAlreadyExists) co_return std::unexpected(made.error());
  auto found = co_await services.stores.users.find_by_name(person.username);
  DET_CO_TRY(found);
  if (!*found) co_return std::unexpected(made.error());
  co_return std::move(**found);
}

// The rules are those for people who choose a name themselves: at many providers they do. A name that does not do is
// left out, and the one before stays.
Task<Result<std::optional<std::string>>> new_display_name(ApiServices& services, const store::UserRow& user,
                                                          const model::RemotePerson& person) {
  if (!person.display_name || *person.display_name == user.display_name) co_return std::nullopt;
  const auto clean = clean_name(*person.display_name, 1, user, "displayName");
  if (!clean) co_return std::nullopt;
  if (*clean == user.display_name) co_return std::nullopt;
  const auto is_taken = co_await services.stores.users.is_name_taken(*clean, user.id);
  DET_CO_TRY(is_taken);
  if (*is_taken) co_return std::nullopt;
  co_return *clean;
}

// What of the user the provider says otherwise, for upstream's switch auto_provision_users.
Task<Result<store::UserRow>> keep_as_known(ApiServices& services, const Call& call, store::UserRow user,
                                           const model::RemotePerson& person) {
  store::UserPatch patch;
  auto name = co_await new_display_name(services, user, person);
  DET_CO_TRY(name);
  patch.display_name = *std::move(name);
  if (const auto account = person.account(user.agent); account != user.agent) patch.agent = account;
  if (!patch.display_name && !patch.agent) co_return user;
  co_return co_await services.authenticator.change(user.id, std::move(patch), call.request);
}

}  // namespace

Task<Result<store::UserRow>> remote_user(ApiServices& services, const Call& call, model::RemotePerson person) {
  const model::OidcConfig& config = services.identity_provider.config();
  auto found = co_await services.stores.users.find_by_name(person.username);
  DET_CO_TRY(found);
  if (!*found && !config.provisions_users) {
    co_return fail(ErrorCode::kNotFound, "user has not been provisioned: an admin makes users with --remote");
  }
  if (!*found) {
    auto made = co_await make_user(services, person);
    DET_CO_TRY(made);
    *found = *std::move(made);
  }
  store::UserRow user = std::move(**found);
  if (!user.remote) {
    co_return fail(ErrorCode::kInvalidArgument, "user exists but was not created with the --remote option");
  }
  if (!user.active) co_return fail(ErrorCode::kPermissionDenied, "user is inactive");
  if (config.provisions_users) {
    auto kept = co_await keep_as_known(services, call, std::move(user), person);
    DET_CO_TRY(kept);
    user = *std::move(kept);
  }
  if (!config.groups_claim.empty()) {
    const auto changed = co_await services.stores.user_groups.set_groups_of(user.id, person.groups);
    DET_CO_TRY(changed);
    if (*changed) services.grants.forget_all();
  }
  co_return user;
}

}  // namespace det::api
