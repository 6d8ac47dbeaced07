#include "api/webhooks/routes.h"

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

// Whose a webhook is its workspace says, which the handlers know: a workspace's belong to its owner and admins, those
// of all workspaces to admins.
constexpr auto kRoutes = std::to_array<RouteEntry>({
    {"GET", "/api/v1/webhooks", kPeople, kNobody, kHandlerAsks, kPlain, kNone, kNoEvent, list_webhooks},
    {"POST", "/api/v1/webhooks", kOwnerLogin, kNamedInBody, kHandlerAsks, kPlain, kSmall, "webhook.create",
     create_webhook},
    {"POST", "/api/v1/webhooks/custom", kAnyToken, kNamedInBody, kHandlerAsks, kHarness, kSmall, kNoEvent,
     custom_event},
    {"GET", "/api/v1/webhooks/{id}", kPeople, kNobody, kHandlerAsks, kPlain, kNone, kNoEvent, get_webhook},
    {"PATCH", "/api/v1/webhooks/{id}", kOwnerLogin, kNamedInBody, kHandlerAsks, kPlain, kSmall, "webhook.change",
     patch_webhook},
    {"DELETE", "/api/v1/webhooks/{id}", kOwnerLogin, kNamedInBody, kHandlerAsks, kPlain, kNone, "webhook.delete",
     delete_webhook},
    {"POST", "/api/v1/webhooks/{id}/test", kOwnerLogin, kNamedInBody, kHandlerAsks, kPlain, kSmall, "webhook.test",
     test_webhook},
    {"GET", "/api/v1/webhooks/{id}/deliveries", kPeople, kNobody, kHandlerAsks, kPlain, kNone, kNoEvent,
     list_deliveries},
});

}  // namespace

std::span<const RouteEntry> webhook_routes() {
  return kRoutes;
}

}  // namespace det::api
