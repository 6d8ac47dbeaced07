#pragma once

// The routes of users, their logins and their access tokens. Handlers are plain functions that belong to the io thread.

#include <span>
#include <string>

#include "api/route_policy.h"

namespace det::api {

[[nodiscard]] std::span<const RouteEntry> user_routes();

}  // namespace det::api

namespace det::api::routes {

// auth.cc
Task<Result<http::Response>> login(ApiServices& services, Call call);
Task<Result<http::Response>> logout(ApiServices& services, Call call);

// users.cc
Task<Result<http::Response>> me(ApiServices& services, Call call);
Task<Result<http::Response>> list_users(ApiServices& services, Call call);
Task<Result<http::Response>> get_user(ApiServices& services, Call call);
Task<Result<http::Response>> get_user_by_name(ApiServices& services, Call call);

// user_edit.cc
Task<Result<http::Response>> create_user(ApiServices& services, Call call);
Task<Result<http::Response>> patch_user(ApiServices& services, Call call);
Task<Result<http::Response>> patch_users(ApiServices& services, Call call);
Task<Result<http::Response>> set_user_password(ApiServices& services, Call call);

// access_tokens.cc
Task<Result<http::Response>> list_access_tokens(ApiServices& services, Call call);
Task<Result<http::Response>> create_access_token(ApiServices& services, Call call);
Task<Result<http::Response>> patch_access_token(ApiServices& services, Call call);

// user_settings.cc
Task<Result<http::Response>> get_user_settings(ApiServices& services, Call call);
Task<Result<http::Response>> post_user_settings(ApiServices& services, Call call);
Task<Result<http::Response>> reset_user_settings(ApiServices& services, Call call);
// legacy.cc
Task<Result<http::Response>> legacy_login(ApiServices& services, Call call);
Task<Result<http::Response>> legacy_me(ApiServices& services, Call call);
Task<Result<http::Response>> legacy_users(ApiServices& services, Call call);
// activity.cc
Task<Result<http::Response>> post_activity(ApiServices& services, Call call);
Task<Result<http::Response>> visited_projects(ApiServices& services, Call call);

// auth.cc: the cookie of a login, for a header Set-Cookie.
[[nodiscard]] std::string session_cookie(const std::string& token, bool is_tls);

}  // namespace det::api::routes
