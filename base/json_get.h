#pragma once

// Reading members of an object that the API server has already checked: what is absent or of another type reads as
// empty. (What people write is read by base/json_reader.h, which reports instead.) Pure.

#include <cstdint>
#include <string>
#include <string_view>

#include <nlohmann/json_fwd.hpp>

namespace det {

// The member, or a null value that lives for ever.
[[nodiscard]] const nlohmann::json& get_any(const nlohmann::json& object, std::string_view key);
[[nodiscard]] std::string get_string(const nlohmann::json& object, std::string_view key);
// A number with a fraction loses it.
[[nodiscard]] std::int64_t get_integer(const nlohmann::json& object, std::string_view key);
[[nodiscard]] bool get_bool(const nlohmann::json& object, std::string_view key);
// The member when it is an object (an array), else an empty one.
[[nodiscard]] const nlohmann::json& get_object(const nlohmann::json& object, std::string_view key);
[[nodiscard]] const nlohmann::json& get_array(const nlohmann::json& object, std::string_view key);

}  // namespace det
