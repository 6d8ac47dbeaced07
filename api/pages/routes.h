#pragma once

// The routes of pages. Handlers are plain functions that belong to the io thread.

#include <span>

#include "api/route_policy.h"

namespace det::api {

[[nodiscard]] std::span<const RouteEntry> page_routes();

}  // namespace det::api

namespace det::api::routes {

// login_page.cc
Task<Result<http::Response>> login_page(ApiServices& services, Call call);
Task<Result<http::Response>> login_script(ApiServices& services, Call call);
// docs_page.cc
Task<Result<http::Response>> api_description(ApiServices& services, Call call);
Task<Result<http::Response>> docs_page(ApiServices& services, Call call);
Task<Result<http::Response>> docs_script(ApiServices& services, Call call);
Task<Result<http::Response>> docs_style(ApiServices& services, Call call);
// task_page.cc
Task<Result<http::Response>> interactive_page(ApiServices& services, Call call);
Task<Result<http::Response>> wait_page(ApiServices& services, Call call);

}  // namespace det::api::routes
