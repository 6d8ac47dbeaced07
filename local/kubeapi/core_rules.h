#pragma once

// What the built-in types need beyond their schemas: defaults, checks, first status. Pure.

#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "base/wall_time.h"
#include "local/kubeapi/api_error.h"
#include "local/kubeapi/resource_type.h"

namespace det::local::kubeapi {

// Fills what the real server fills before it checks.
void complete(const ResourceType& type, nlohmann::json& object);
// The status of an object that is being created; a custom resource gets none.
void begin_status(const ResourceType& type, nlohmann::json& object, WallTime now);
// `before` is null for a creation.
void check_rules(const ResourceType& type, const nlohmann::json& object, const nlohmann::json* before,
                 std::vector<FieldError>& errors);

// Pods, in pod_rules.cc.
void complete_pod(nlohmann::json& pod);
void begin_pod_status(nlohmann::json& pod);
void check_pod(const nlohmann::json& pod, const nlohmann::json* before, std::vector<FieldError>& errors);
// The names in a pod's spec, in pod_names.cc.
void check_pod_names(const nlohmann::json& spec, std::vector<FieldError>& errors);

// Definitions: Established, and the names that were accepted.
[[nodiscard]] nlohmann::json definition_status(const nlohmann::json& definition, WallTime now);

}  // namespace det::local::kubeapi
