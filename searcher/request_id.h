#pragma once

// The name of a trial inside a search: a version 4 UUID, kept as 16 bytes because a search holds up to a million of
// them and looks one up at every event. Values; pure.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace det::searcher {

struct RequestId {
  std::uint64_t high = 0;  // the first 8 bytes, most significant first
  std::uint64_t low = 0;

  bool operator==(const RequestId&) const = default;
};

// nullopt for everything but the canonical form, 36 characters with lower-case digits.
[[nodiscard]] std::optional<RequestId> parse_request_id(std::string_view text);
// "142ccb98-66d6-4027-b918-2272d241ef27".
[[nodiscard]] std::string to_string(RequestId id);

}  // namespace det::searcher
