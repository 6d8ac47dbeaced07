#include "api/templates/routes.h"

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
    {"GET", "/api/v1/templates", kPeople, kNobody, kHandlerAsks, kPlain, kNone, kNoEvent, list_templates},
    {"GET", "/api/v1/templates/{name}", kPeople, kTemplate, kViewTemplates, kPlain, kNone, kNoEvent, get_template},
    {"POST", "/api/v1/templates/{name}", kPeople, kNobody, kHandlerAsks, kPlain, kText, "template.create",
     create_template},
    {"PATCH", "/api/v1/templates/{name}", kOwner, kTemplate, kUpdateTemplates, kPlain, kText, "template.change",
     patch_template},
    {"DELETE", "/api/v1/templates/{name}", kOwner, kTemplate, kDeleteTemplates, kPlain, kNone, "template.delete",
     delete_template},
    {"PUT", "/api/v1/templates/{name}", kOwner, kTemplate, kHandlerAsks, kPlain, kText, "template.change",
     put_template},
    {"GET", "/templates", kPeople, kNobody, kHandlerAsks, kPlain, kNone, kNoEvent, legacy_list_templates},
    {"GET", "/templates/{name}", kPeople, kTemplate, kViewTemplates, kPlain, kNone, kNoEvent, legacy_get_template},
    {"PUT", "/templates/{name}", kOwner, kTemplate, kHandlerAsks, kPlain, kText, "template.change",
     legacy_put_template},
    {"DELETE", "/templates/{name}", kOwner, kTemplate, kDeleteTemplates, kPlain, kNone, "template.delete",
     delete_template},
    {"PATCH", "/api/v1/template/rename", kPeople, kNamedInBody, kHandlerAsks, kPlain, kSmall, "template.rename",
     rename_template},
});

}  // namespace

std::span<const RouteEntry> template_routes() {
  return kRoutes;
}

}  // namespace det::api
