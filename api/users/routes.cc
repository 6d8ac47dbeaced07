#include "api/users/routes.h"

#include <array>

namespace det::api {

namespace {

using namespace routes;

using enum Who;
using enum Whose;
using enum Manner;
using enum Limit;

constexpr auto kRoutes = std::to_array<RouteEntry>({
    {"POST", "/api/v1/auth/login", kAnyone, kNobody, kPlain, kLogin, "login", login},
    {"POST", "/api/v1/auth/logout", kPeople, kNobody, kPlain, kNone, "logout", logout},
    {"GET", "/api/v1/me", kAnyToken, kNobody, kHarness, kNone, kNoEvent, me},
    {"GET", "/api/v1/users", kPeople, kNobody, kPlain, kNone, kNoEvent, list_users},
    {"POST", "/api/v1/users", kAdminLogin, kNobody, kPlain, kSmall, "user.create", create_user},
    {"GET", "/api/v1/users/{id}", kPeople, kNobody, kPlain, kNone, kNoEvent, get_user},
    {"PATCH", "/api/v1/users/{id}", kOwnerLogin, kUser, kPlain, kSmall, "user.change", patch_user},
    {"GET", "/api/v1/users/{name}/by-username", kPeople, kNobody, kPlain, kNone, kNoEvent, get_user_by_name},
});

}  // namespace

std::span<const RouteEntry> user_routes() {
  return kRoutes;
}

}  // namespace det::api
