#pragma once

// What the fast readers of the two hot bodies (plain_report, plain_log_lines) share: the fields of an object, read by
// simdjson. They know only what harnesses send; whatever else a body holds is left to the readers that name each error.
// For .cc files. Pure.

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

#include <simdjson.h>

namespace det::api {

// As in wire::RequestFields, a field has two names.
struct PlainName {
  std::string_view camel;
  std::string_view snake;
};

// The values of the named fields, in the names' order; null counts as absent, unknown fields are skipped.
template <std::size_t N>
using PlainFields = std::array<std::optional<simdjson::dom::element>, N>;

// Nothing when a field occurs twice: which one counts is for the other reader to say.
template <std::size_t N>
std::optional<PlainFields<N>> plain_fields(simdjson::dom::element from, const std::array<PlainName, N>& names) {
  simdjson::dom::object object;
  if (from.get(object) != simdjson::SUCCESS) return std::nullopt;
  PlainFields<N> fields;
  std::array<bool, N> seen{};
  for (const auto field : object) {
    for (std::size_t i = 0; i < N; ++i) {
      if (field.key != names[i].camel && field.key != names[i].snake) continue;
      if (seen[i]) return std::nullopt;
      seen[i] = true;
      if (!field.value.is_null()) fields[i] = field.value;
      break;
    }
  }
  return fields;
}

// False when there is a value of another type. Absent ones leave `to` as it is.
template <typename T>
bool read_plain(const std::optional<simdjson::dom::element>& from, T& to) {
  return !from || from->get(to) == simdjson::SUCCESS;
}

// False when `text` is not JSON, or nested deeper than any harness does it. `parser` owns what `root` shows.
inline bool parse_plain(simdjson::dom::parser& parser, std::string_view text, simdjson::dom::element& root) {
  constexpr std::size_t kMaxDepth = 20;
  if (text.empty() || parser.allocate(text.size(), kMaxDepth) != simdjson::SUCCESS) return false;
  return parser.parse(text.data(), text.size()).get(root) == simdjson::SUCCESS;
}

}  // namespace det::api
