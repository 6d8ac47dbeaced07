#include "api/pages/routes.h"

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
    {"GET", "/det/login", kAnyone, kNobody, kFree, kPlain, kNone, kNoEvent, login_page},
    {"GET", "/det/login.js", kAnyone, kNobody, kFree, kPlain, kNone, kNoEvent, login_script},
    // They look themselves who asks: strangers are sent to the login.
    {"GET", "/det/interactive/{id}/{rest...}", kAnyone, kNobody, kFree, kPlain, kNone, kNoEvent, interactive_page},
    {"GET", "/det/wait/{type}/{id}", kAnyone, kNobody, kFree, kPlain, kNone, kNoEvent, wait_page},
    {"GET", "/det/{path...}", kAnyone, kNobody, kFree, kPlain, kNone, kNoEvent, deep_link},
    {"GET", "/ui/assets/{name...}", kAnyone, kNobody, kFree, kPlain, kNone, kNoEvent, page_asset},
    {"GET", "/ui/{path...}", kAnyone, kNobody, kFree, kPlain, kNone, kNoEvent, page_index},
    {"GET", "/api/v1/openapi.json", kAnyone, kNobody, kFree, kPlain, kNone, kNoEvent, api_description},
    {"GET", "/docs", kAnyone, kNobody, kFree, kPlain, kNone, kNoEvent, docs_page},
    {"GET", "/docs/docs.js", kAnyone, kNobody, kFree, kPlain, kNone, kNoEvent, docs_script},
    {"GET", "/docs/docs.css", kAnyone, kNobody, kFree, kPlain, kNone, kNoEvent, docs_style},
});

}  // namespace

std::span<const RouteEntry> page_routes() {
  return kRoutes;
}

}  // namespace det::api
