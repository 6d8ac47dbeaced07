#pragma once

// The routes of pages. Handlers are plain functions that belong to the io thread.

#include <span>
#include <string_view>

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
// page_files.cc
Task<Result<http::Response>> page_asset(ApiServices& services, Call call);
Task<Result<http::Response>> page_index(ApiServices& services, Call call);
Task<Result<http::Response>> deep_link(ApiServices& services, Call call);
// Whether a browser that asks for something to look at is sent to the web page, which has to be there.
[[nodiscard]] bool leads_to_page(const ApiServices& services, const http::Request& request);
// Determined's own page, or a file of it, for what follows /det/ (decoded).
[[nodiscard]] http::Response upstream_page(const UpstreamPages& pages, const http::Request& request,
                                           std::string_view path);
// Sends it to an address within the web page. `address` is a path without a slash at its start, encoded.
[[nodiscard]] http::Response to_page(const http::Request& request, const std::string& address);
// task_page.cc
Task<Result<http::Response>> interactive_page(ApiServices& services, Call call);
Task<Result<http::Response>> wait_page(ApiServices& services, Call call);

}  // namespace det::api::routes
