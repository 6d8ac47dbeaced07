#pragma once

// Says everything that is wrong with a pod_spec (a Kubernetes Pod object: metadata, spec) before any pod is made of it:
// fields that belong to the operator (with the texts Determined's users know), unknown fields, wrong types, containers
// without a name, volumes without a source, malformed quantities. What only the API server can know is left to its dry
// run. Pure.

#include <string_view>

#include <nlohmann/json_fwd.hpp>

#include "base/json_reader.h"

namespace det::model {

// The name of the container that the user's code runs in.
inline constexpr std::string_view kMainContainer = "determined-container";
// How the names of the volumes begin that a pod gets for its bind_mounts; a number follows.
inline constexpr std::string_view kBindMountVolume = "det-host-volume-";

// Adds an error at or below `path` for everything in `value`, an object, that Determined refuses.
void check_pod_spec(const nlohmann::json& value, std::string_view path, FieldErrors& errors);
// The same for what it takes and the API server would not, or would silently forget.
void check_pod_spec_runnable(const nlohmann::json& value, std::string_view path, FieldErrors& errors);

}  // namespace det::model
