#pragma once

// The name of a trial inside a search: a version 4 UUID, kept as 16 bytes because a search holds up to a million of
// them and looks one up at every event. Values; pure.

#include <compare>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include <nlohmann/json_fwd.hpp>

#include "base/result.h"

namespace det::searcher {

struct RequestId {
  std::uint64_t high = 0;  // the first 8 bytes, most significant first
  std::uint64_t low = 0;

  auto operator<=>(const RequestId&) const = default;
};

// nullopt for everything but the canonical form, 36 characters with lower-case digits.
[[nodiscard]] std::optional<RequestId> parse_request_id(std::string_view text);
// "142ccb98-66d6-4027-b918-2272d241ef27".
[[nodiscard]] std::string to_string(RequestId id);
// The same as JSON, by nlohmann's protocol.
void to_json(nlohmann::json& value, RequestId id);

// For text from outside that should name a trial of a search: what is no request id names none. kInvalidArgument, in
// the words of Search.
[[nodiscard]] Result<RequestId> read_request_id(std::string_view text);
[[nodiscard]] std::string not_of_this_search(std::string_view request_id);

// The ids are random, but a snapshot from outside may hold anything.
[[nodiscard]] constexpr std::size_t hash_of(RequestId id) {
  const std::uint64_t mixed = (id.high ^ id.low * 0x9e3779b97f4a7c15U) * 0xbf58476d1ce4e5b9U;
  return static_cast<std::size_t>(mixed ^ mixed >> 32U);
}

}  // namespace det::searcher

template <>
struct std::hash<det::searcher::RequestId> {
  [[nodiscard]] std::size_t operator()(det::searcher::RequestId id) const noexcept {
    return det::searcher::hash_of(id);
  }
};
