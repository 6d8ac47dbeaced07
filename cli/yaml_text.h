#pragma once

// JSON value -> YAML text in block style, keys sorted, so that reading it again gives the same value. Pure.

#include <string>

#include <nlohmann/json.hpp>

namespace det::cli {

[[nodiscard]] std::string yaml_text(const nlohmann::json& value);

}  // namespace det::cli
