#pragma once

// What acceptance asks of every configuration, whether of an experiment or of another task. Pure.

#include <string>
#include <string_view>

#include <nlohmann/json_fwd.hpp>

#include "base/json_reader.h"
#include "model/cluster/master_config.h"

namespace det::model {

[[nodiscard]] FieldErrors one_error(std::string_view field, std::string message);
// That it is an object, and not nested deeper than what walks it can stand. With an error nothing else may look at it.
[[nodiscard]] FieldErrors check_form(const nlohmann::json& config);
// That the cluster has the pool, and that it may be used; at kPoolField.
void check_pool(const std::string& pool, const MasterConfig& master, FieldErrors& errors);

}  // namespace det::model
