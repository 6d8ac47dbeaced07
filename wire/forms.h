#pragma once

// The JSON forms that all messages of the REST protocol share: times, 64-bit integers, absent values, pages. Pure.

#include <cstdint>
#include <optional>
#include <string>

#include <nlohmann/json.hpp>

#include "base/wall_time.h"

namespace det::wire {

using Json = nlohmann::json;

// With as many digits as it needs, 0, 3 or 6, how protocol buffers' JSON has it: "2026-11-21T02:00:00.250Z".
[[nodiscard]] Json time(WallTime time);
[[nodiscard]] Json time_or_null(const std::optional<WallTime>& at);
// int64 travels as text.
[[nodiscard]] Json int64(std::int64_t value);
// JSON has no NaN and no infinities: they travel as "NaN", "Infinity", "-Infinity".
[[nodiscard]] Json number(double value);

template <typename T>
[[nodiscard]] Json or_null(const std::optional<T>& value) {
  return value ? Json(*value) : Json();
}
// Optional members are left out when they are not set.
template <typename T>
void put_if(Json& object, const char* name, const std::optional<T>& value) {
  if (value) object[name] = *value;
}

// A list's part: which of `total` were asked for and given. Clients ask on until end >= total, so end must advance.
struct Pagination {
  std::int64_t offset = 0;
  std::int64_t limit = 0;
  std::int64_t start = 0;
  std::int64_t end = 0;
  std::int64_t total = 0;
};
[[nodiscard]] Json to_json(const Pagination& page);
// Of a list that is given whole.
[[nodiscard]] Json whole_list(std::size_t total);

// JSON text of an answer; bytes that are not UTF-8 become U+FFFD.
[[nodiscard]] std::string dump(const Json& json);

}  // namespace det::wire
