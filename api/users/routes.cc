#include "api/users/routes.h"

#include <array>

namespace det::api {

namespace {

using namespace routes;

using enum Who;
using enum Whose;
using enum Exempt;
using enum model::Permission;
using enum Manner;
using enum Limit;

constexpr auto kRoutes = std::to_array<RouteEntry>({
    {"POST", "/api/v1/auth/login", kAnyone, kNobody, kFree, kPlain, kLogin, "login", login},
    {"POST", "/api/v1/auth/logout", kPeople, kNobody, kFree, kPlain, kNone, "logout", logout},
    {"GET", "/api/v1/me", kAnyToken, kNobody, kFree, kHarness, kNone, kNoEvent, me},
    {"GET", "/api/v1/users", kPeople, kNobody, kFree, kPlain, kNone, kNoEvent, list_users},
    {"POST", "/api/v1/users", kAdminLogin, kNobody, kAdministrateUser, kPlain, kSmall, "user.create", create_user},
    {"PATCH", "/api/v1/users", kAdminLogin, kNobody, kAdministrateUser, kPlain, kSmall, "users.change", patch_users},
    {"GET", "/api/v1/users/setting", kPeople, kNobody, kFree, kPlain, kNone, kNoEvent, get_user_settings},
    {"POST", "/api/v1/users/setting", kPeople, kNobody, kFree, kPlain, kSmall, "user.settings", post_user_settings},
    {"POST", "/api/v1/users/setting/reset", kPeople, kNobody, kFree, kPlain, kSmall, "user.settings",
     reset_user_settings},
    {"POST", "/api/v1/users/{id}/password", kOwnerLogin, kUser, kAdministrateUser, kPlain, kSmall, "user.change",
     set_user_password},
    {"GET", "/api/v1/users/{id}", kPeople, kNobody, kFree, kPlain, kNone, kNoEvent, get_user},
    {"PATCH", "/api/v1/users/{id}", kOwnerLogin, kUser, kAdministrateUser, kPlain, kSmall, "user.change", patch_user},
    {"GET", "/api/v1/tokens", kPeople, kNobody, kHandlerAsks, kPlain, kNone, kNoEvent, list_access_tokens},
    {"POST", "/login", kAnyone, kNobody, kFree, kPlain, kLogin, "login", legacy_login},
    {"POST", "/logout", kPeople, kNobody, kFree, kPlain, kNone, "logout", logout},
    {"GET", "/users", kPeople, kNobody, kFree, kPlain, kNone, kNoEvent, legacy_users},
    {"GET", "/users/me", kPeople, kNobody, kFree, kPlain, kNone, kNoEvent, legacy_me},
    {"GET", "/api/v1/auth/user", kAnyToken, kNobody, kFree, kHarness, kNone, kNoEvent, me},
    {"POST", "/api/v1/users/activity", kPeople, kNobody, kHandlerAsks, kPlain, kSmall, "user.activity", post_activity},
    {"GET", "/api/v1/user/projects/activity", kPeople, kNobody, kHandlerAsks, kPlain, kNone, kNoEvent,
     visited_projects},
    // Whose it may be the handlers ask: one's own, and everybody's for admins.
    {"POST", "/api/v1/tokens", kOwnerLogin, kNamedInBody, kHandlerAsks, kPlain, kSmall, "token.create",
     create_access_token},
    {"PATCH", "/api/v1/tokens/{id}", kOwnerLogin, kNamedInBody, kHandlerAsks, kPlain, kSmall, "token.change",
     patch_access_token},
    {"GET", "/api/v1/users/{name}/by-username", kPeople, kNobody, kFree, kPlain, kNone, kNoEvent, get_user_by_name},
});

}  // namespace

std::span<const RouteEntry> user_routes() {
  return kRoutes;
}

}  // namespace det::api
