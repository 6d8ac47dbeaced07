#pragma once

// What a harness says of its pod's accelerators (v1AcceleratorData), which is kept as it came. Pure.

#include <string>
#include <vector>

#include <nlohmann/json.hpp>

namespace det::api {

// "acceleratorUuids", and "accelerators" of rows from before this server knew better. What is no text is left out.
[[nodiscard]] std::vector<std::string> accelerator_uuids(const nlohmann::json& reported);

}  // namespace det::api
