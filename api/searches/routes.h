#pragma once

// The routes of searches: previews, replays, and those that others decide. Handlers are plain functions that belong to
// the io thread.

#include <span>

#include "api/route_policy.h"

namespace det::api {

[[nodiscard]] std::span<const RouteEntry> search_routes();

}  // namespace det::api

namespace det::api::routes {

// preview.cc
Task<Result<http::Response>> preview_search(ApiServices& services, Call call);
Task<Result<http::Response>> legacy_preview_search(ApiServices& services, Call call);

// search_replay.cc
Task<Result<http::Response>> replay_search(ApiServices& services, Call call);

// importance.cc
Task<Result<http::Response>> hyperparameter_importance(ApiServices& services, Call call);

// custom_search.cc
Task<Result<http::Response>> searcher_events(ApiServices& services, Call call);
Task<Result<http::Response>> post_searcher_operations(ApiServices& services, Call call);

// operations.cc
Task<Result<http::Response>> searcher_operation(ApiServices& services, Call call);
Task<Result<http::Response>> complete_operation(ApiServices& services, Call call);

}  // namespace det::api::routes
