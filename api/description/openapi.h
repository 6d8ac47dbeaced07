#pragma once

// The description of the REST API as an OpenAPI 3.0 document: what the files of this folder say of the routes, and what
// the table says of who may call them and how much they take. Pure.

#include <span>

#include <nlohmann/json.hpp>

#include "api/description/description.h"
#include "api/route_policy.h"

namespace det::api {

// kInvalidArgument where a route has no description or a description no route, and for what the files say wrongly.
[[nodiscard]] Result<nlohmann::json> openapi_document(const Description& description,
                                                      std::span<const RouteEntry> routes);

}  // namespace det::api
