#include "api/oidc/routes.h"

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
    {"GET", "/oidc/sso", kAnyone, kNobody, kFree, kPlain, kNone, kNoEvent, begin_sign_in},
    {"GET", "/oidc/callback", kAnyone, kNobody, kFree, kPlain, kNone, "login", end_sign_in},
});

}  // namespace

std::span<const RouteEntry> oidc_routes() {
  return kRoutes;
}

}  // namespace det::api
