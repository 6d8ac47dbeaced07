#pragma once

// What is served, for clients that ask: discovery (plain and aggregated), a small OpenAPI v3, the version. Pure.

#include <string>

#include <nlohmann/json_fwd.hpp>

#include "local/kubeapi/resource_type.h"

namespace det::local::kubeapi {

// What `GET /version` says; kubectl compares it with its own.
[[nodiscard]] nlohmann::json version_info();

[[nodiscard]] nlohmann::json api_versions();                                                       // GET /api
[[nodiscard]] nlohmann::json api_groups(const Registry& registry);                                 // GET /apis
[[nodiscard]] nlohmann::json api_group(const Registry& registry, const std::string& group);        // null: none
[[nodiscard]] nlohmann::json api_resources(const Registry& registry, const std::string& version);  // null: none
// The same in one document: the core group or all the others.
[[nodiscard]] nlohmann::json aggregated_discovery(const Registry& registry, bool is_core);

// OpenAPI v3: the index, and the document of "v1" or "group/version" (null: none). Schemas are those that are enforced;
// the built-in types' say how little of them is described.
[[nodiscard]] nlohmann::json openapi_index(const Registry& registry);
[[nodiscard]] nlohmann::json openapi_document(const Registry& registry, const std::string& version);
// OpenAPI v2 as the Protocol Buffers message that kubectl asks for when it is given a `kind: List`: a document without
// definitions, because the server itself checks each item when it comes.
[[nodiscard]] std::string openapi_v2_message();

}  // namespace det::local::kubeapi
