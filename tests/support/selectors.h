#pragma once

// Label and field selectors of a fake API server: "a=b,c!=d,e,!f" and "metadata.name=x,status.phase!=Running". Pure.

#include <string>

#include <nlohmann/json_fwd.hpp>

namespace det::test {

[[nodiscard]] bool matches_labels(const nlohmann::json& object, const std::string& selector);
[[nodiscard]] bool matches_fields(const nlohmann::json& object, const std::string& selector);

}  // namespace det::test
