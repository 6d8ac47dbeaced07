#pragma once

// The fields of a pod_spec that need leave by themselves, whatever list there is for their values: those that
// model/pod/pod_allowed_fields.h refuses or does not know, and labels and annotations whose keys mean something to the
// cluster. Pure.

#include <string_view>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "model/pod/pod_uses.h"

namespace det::model {

// `pod`: metadata and spec; `path`: where it is within the configuration. Null and empty lists are no use.
[[nodiscard]] std::vector<PodUse> pod_field_uses(const nlohmann::json& pod, std::string_view path);

// A key that Kubernetes gives a meaning, and that changes only what people see, or what becomes of their own pod.
[[nodiscard]] bool is_harmless_label(std::string_view key);
[[nodiscard]] bool is_harmless_annotation(std::string_view key);

}  // namespace det::model
