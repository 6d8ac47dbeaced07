#pragma once

// The routes of templates. Handlers are plain functions that belong to the io thread.

#include <span>

#include "api/route_policy.h"

namespace det::api {

[[nodiscard]] std::span<const RouteEntry> template_routes();

}  // namespace det::api

namespace det::api::routes {

// templates.cc
Task<Result<http::Response>> list_templates(ApiServices& services, Call call);
Task<Result<http::Response>> get_template(ApiServices& services, Call call);
Task<Result<http::Response>> create_template(ApiServices& services, Call call);
Task<Result<http::Response>> patch_template(ApiServices& services, Call call);
Task<Result<http::Response>> put_template(ApiServices& services, Call call);
Task<Result<http::Response>> rename_template(ApiServices& services, Call call);
Task<Result<http::Response>> delete_template(ApiServices& services, Call call);
// legacy_templates.cc
Task<Result<http::Response>> legacy_list_templates(ApiServices& services, Call call);
Task<Result<http::Response>> legacy_get_template(ApiServices& services, Call call);
Task<Result<http::Response>> legacy_put_template(ApiServices& services, Call call);

}  // namespace det::api::routes
