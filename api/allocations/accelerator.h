#pragma once

// What a harness says of its pod's accelerators (v1AcceleratorData), which is kept as it came. Pure.

#include <string>
#include <vector>

#include <nlohmann/json.hpp>

namespace det::api {

// "acceleratorUuids", as harnesses say; "accelerators", which this server's description said before. What is no text is
// left out.
[[nodiscard]] std::vector<std::string> accelerator_uuids(const nlohmann::json& reported);

}  // namespace det::api
