#pragma once

// What a client of GET /stream sends: which records it wants to follow, and which it knows of (Determined's stream of
// updates). Pure.

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "store/cluster/record_store.h"

namespace det::api {

// Ids from `first` to `last`, both of them.
struct KeyRange {
  std::int64_t first = 0;
  std::int64_t last = 0;

  bool operator==(const KeyRange&) const = default;
};
// Without overlaps, in order.
using KeySet = std::vector<KeyRange>;

// "1,3-7,9", or nothing. kInvalidArgument for any other text.
[[nodiscard]] Result<KeySet> read_key_set(std::string_view text);
[[nodiscard]] std::string key_set_text(const KeySet& set);
// What of `known` is not among `there` (in order).
[[nodiscard]] KeySet keys_gone(const KeySet& known, const std::vector<std::int64_t>& there);

// Of one kind of record.
struct Subscription {
  KeySet known;
  store::RecordFilter filter;  // as it was asked for: everything is visible
};

struct StartupMessage {
  std::string sync_id;
  // By RecordKind; nothing: not asked for.
  std::array<std::optional<Subscription>, 3> of;
};

inline constexpr std::size_t kMostNamed = 1'000;  // ids in one list

// {"sync_id": "1", "known": {"projects": "1-3"}, "subscribe": {"projects": {"workspace_ids": [1]}}}; `since` is not
// needed, and kinds that there are not are passed over. kInvalidArgument says what is wrong.
[[nodiscard]] Result<StartupMessage> read_startup_message(std::string_view text);

}  // namespace det::api
