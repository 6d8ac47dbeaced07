#pragma once

// Reading objects that others wrote: what is absent or of another type reads as empty. Pure.

#include <cstdint>
#include <string>
#include <string_view>

#include <nlohmann/json_fwd.hpp>

namespace det::op {

// The member, or null. The reference lives as long as `object`.
[[nodiscard]] const nlohmann::json& value_at(const nlohmann::json& object, std::string_view name);
// The member if it is a list, else an empty one.
[[nodiscard]] const nlohmann::json& list_at(const nlohmann::json& object, std::string_view name);
[[nodiscard]] std::string text_at(const nlohmann::json& object, std::string_view name);
[[nodiscard]] std::int64_t number_at(const nlohmann::json& object, std::string_view name);
[[nodiscard]] bool truth_at(const nlohmann::json& object, std::string_view name);

}  // namespace det::op
