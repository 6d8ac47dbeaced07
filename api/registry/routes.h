#pragma once

// The routes of the model registry. Handlers are plain functions that belong to the io thread.

#include <span>

#include "api/route_policy.h"

namespace det::api {

[[nodiscard]] std::span<const RouteEntry> registry_routes();

}  // namespace det::api

namespace det::api::routes {

// models.cc
Task<Result<http::Response>> list_models(ApiServices& services, Call call);
Task<Result<http::Response>> get_model(ApiServices& services, Call call);
Task<Result<http::Response>> model_labels(ApiServices& services, Call call);

// model_edit.cc
Task<Result<http::Response>> create_model(ApiServices& services, Call call);
Task<Result<http::Response>> patch_model(ApiServices& services, Call call);
Task<Result<http::Response>> archive_model(ApiServices& services, Call call);
Task<Result<http::Response>> unarchive_model(ApiServices& services, Call call);
Task<Result<http::Response>> move_model(ApiServices& services, Call call);
Task<Result<http::Response>> delete_model(ApiServices& services, Call call);

// model_versions.cc
Task<Result<http::Response>> list_model_versions(ApiServices& services, Call call);
Task<Result<http::Response>> get_model_version(ApiServices& services, Call call);
Task<Result<http::Response>> create_model_version(ApiServices& services, Call call);
Task<Result<http::Response>> patch_model_version(ApiServices& services, Call call);
Task<Result<http::Response>> delete_model_version(ApiServices& services, Call call);
Task<Result<http::Response>> model_version_metrics(ApiServices& services, Call call);

}  // namespace det::api::routes
