#pragma once

// Sections that the complete documents of trials and of other tasks have in common, as their typed views. What is
// absent has its default. Pure.

#include <string_view>
#include <vector>

#include "base/json_reader.h"
#include "model/expconf/experiment_config.h"

namespace det::model {

// `slots`: the field that says how many slots there are, "slots_per_trial" or "slots".
[[nodiscard]] ResourcesConfig read_resources(JsonReader reader, std::string_view slots);
[[nodiscard]] EnvironmentConfig read_environment(JsonReader reader);
// Field `bind_mounts` of `root`.
[[nodiscard]] std::vector<BindMount> read_bind_mounts(JsonReader& root);

}  // namespace det::model
