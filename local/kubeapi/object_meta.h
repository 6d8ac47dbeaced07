#pragma once

// metadata: what may stand in it, names, and the fields that only the server writes. Pure except for generated names.

#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "local/kubeapi/api_error.h"
#include "local/kubeapi/resource_type.h"

namespace det::local::kubeapi {

// Removes unknown fields of metadata and what this server does not keep (managedFields, selfLink); the paths of the
// unknown ones are returned. Null members count as absent.
std::vector<std::string> prune_meta(nlohmann::json& object);

// Name, labels, annotations, finalizers and owner references.
void check_meta(const ResourceType& type, const nlohmann::json& object, std::vector<FieldError>& errors);

// `base` and five random characters, cut to 63.
[[nodiscard]] std::string generate_name(std::string_view base);

// What an update may not change is taken from `before`; the rest of metadata is `after`'s.
void keep_server_fields(const nlohmann::json& before, nlohmann::json& after);

[[nodiscard]] const nlohmann::json& meta_of(const nlohmann::json& object);
[[nodiscard]] std::string name_of(const nlohmann::json& object);
[[nodiscard]] std::string namespace_of(const nlohmann::json& object);
[[nodiscard]] std::string uid_of(const nlohmann::json& object);
[[nodiscard]] bool is_deleting(const nlohmann::json& object);
[[nodiscard]] std::vector<std::string> finalizers_of(const nlohmann::json& object);
[[nodiscard]] std::vector<std::string> owner_uids_of(const nlohmann::json& object);

}  // namespace det::local::kubeapi
