#pragma once

// One route as an operation of OpenAPI. Pure.

#include <string>

#include <nlohmann/json.hpp>

#include "api/description/description.h"
#include "api/route_policy.h"

namespace det::api {

// "/det/interactive/{id}/{rest...}" -> "/det/interactive/{id}/{rest}".
[[nodiscard]] std::string openapi_path(std::string pattern);

// `schemas` gets the forms that have no name in the files: v1GetTrialResponse, v1PatchTrialRequest.
[[nodiscard]] Result<nlohmann::json> build_operation(const Description& description, const RouteText& text,
                                                     const RouteEntry& entry, nlohmann::json& schemas);

}  // namespace det::api
