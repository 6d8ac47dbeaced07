#pragma once

// The routes of webhooks. Handlers are plain functions that belong to the io thread.

#include <span>

#include "api/route_policy.h"

namespace det::api {

[[nodiscard]] std::span<const RouteEntry> webhook_routes();

}  // namespace det::api

namespace det::api::routes {

// webhooks.cc
Task<Result<http::Response>> list_webhooks(ApiServices& services, Call call);
Task<Result<http::Response>> get_webhook(ApiServices& services, Call call);
Task<Result<http::Response>> list_deliveries(ApiServices& services, Call call);

// webhook_edit.cc
Task<Result<http::Response>> create_webhook(ApiServices& services, Call call);
Task<Result<http::Response>> patch_webhook(ApiServices& services, Call call);
Task<Result<http::Response>> delete_webhook(ApiServices& services, Call call);
Task<Result<http::Response>> test_webhook(ApiServices& services, Call call);

// custom_event.cc
Task<Result<http::Response>> custom_event(ApiServices& services, Call call);

}  // namespace det::api::routes
