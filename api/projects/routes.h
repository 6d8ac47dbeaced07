#pragma once

// The routes of projects, and of which of them experiments are in. Handlers are plain functions that belong to the io
// thread.

#include <span>

#include "api/route_policy.h"

namespace det::api {

[[nodiscard]] std::span<const RouteEntry> project_routes();

}  // namespace det::api

namespace det::api::routes {

// projects.cc
Task<Result<http::Response>> list_projects(ApiServices& services, Call call);
Task<Result<http::Response>> get_project(ApiServices& services, Call call);
Task<Result<http::Response>> get_project_by_key(ApiServices& services, Call call);
Task<Result<http::Response>> create_project(ApiServices& services, Call call);
Task<Result<http::Response>> patch_project(ApiServices& services, Call call);

// project_verbs.cc
Task<Result<http::Response>> archive_project(ApiServices& services, Call call);
Task<Result<http::Response>> unarchive_project(ApiServices& services, Call call);
Task<Result<http::Response>> move_project(ApiServices& services, Call call);
Task<Result<http::Response>> delete_project(ApiServices& services, Call call);
Task<Result<http::Response>> add_project_note(ApiServices& services, Call call);
Task<Result<http::Response>> put_project_notes(ApiServices& services, Call call);

// experiment_moves.cc
Task<Result<http::Response>> move_experiment(ApiServices& services, Call call);
Task<Result<http::Response>> move_experiments(ApiServices& services, Call call);

}  // namespace det::api::routes
