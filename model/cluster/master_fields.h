#pragma once

// Which fields of master.yaml do something here, and what is said about the others: a field in neither list is answered
// with a warning as well. Pure.

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "model/expconf/config_warnings.h"

namespace det::model {

// Dotted paths; what is below one of them is checked where it is read. "resource_pools[].x" is field x of a pool; its
// task_container_defaults and pod_policy have the fields that the cluster's have.
[[nodiscard]] std::span<const std::string_view> used_master_fields();
// Those without effect about which there is more to say.
[[nodiscard]] std::span<const IdleField> idle_master_fields();

// `"X" has no effect in this version`, for every field of `yaml` that is not used and not empty. Names are cut, and
// made of letters, digits and "_-.[]"; values do not appear.
[[nodiscard]] std::vector<std::string> master_warnings(const nlohmann::json& yaml);
// The same of a pool's task_container_defaults, which stand at `path`.
[[nodiscard]] std::vector<std::string> task_defaults_warnings(const nlohmann::json& task, std::string_view path);

}  // namespace det::model
