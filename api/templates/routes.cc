#include "api/templates/routes.h"

#include <array>

namespace det::api {

namespace {

using namespace routes;

using enum Who;
using enum Whose;
using enum Manner;
using enum Limit;

constexpr auto kRoutes = std::to_array<RouteEntry>({
    {"GET", "/api/v1/templates", kPeople, kNobody, kPlain, kNone, kNoEvent, list_templates},
    {"GET", "/api/v1/templates/{name}", kPeople, kNobody, kPlain, kNone, kNoEvent, get_template},
    {"POST", "/api/v1/templates/{name}", kPeople, kNobody, kPlain, kText, "template.create", create_template},
    {"PATCH", "/api/v1/templates/{name}", kOwner, kTemplate, kPlain, kText, "template.change", patch_template},
    {"DELETE", "/api/v1/templates/{name}", kOwner, kTemplate, kPlain, kNone, "template.delete", delete_template},
});

}  // namespace

std::span<const RouteEntry> template_routes() {
  return kRoutes;
}

}  // namespace det::api
