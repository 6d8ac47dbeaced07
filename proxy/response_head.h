#pragma once

// Reads the head of an answer of a task's program, strictly: what a client could take for another message is an error.
// Pure.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"

namespace det::proxy {

inline constexpr std::size_t kMaxResponseHead = std::size_t{64} << 10;

// Views into the bytes it was read from.
struct ResponseHead {
  int status = 0;
  bool is_http11 = true;
  std::string_view reason;
  std::vector<std::pair<std::string_view, std::string_view>> fields;
  std::size_t size = 0;  // of the head, the empty line included

  // The first field of that name, in any case; empty where there is none.
  [[nodiscard]] std::string_view find(std::string_view name) const;
  // Whether a list such as Connection names `word`, in any case.
  [[nodiscard]] bool has_word(std::string_view name, std::string_view word) const;
};

// Nothing while the head is not complete. kInvalidArgument for what is no head, or one of more than kMaxResponseHead.
[[nodiscard]] Result<std::optional<ResponseHead>> read_response_head(std::string_view bytes);

enum class BodyKind : std::uint8_t { kNone, kLength, kChunked, kUntilClose };
struct BodyFraming {
  BodyKind kind = BodyKind::kNone;
  std::uint64_t length = 0;

  bool operator==(const BodyFraming&) const = default;
};

// Where the body of the answer to a request with `method` ends. kInvalidArgument when that can be read in two ways.
[[nodiscard]] Result<BodyFraming> framing_of(const ResponseHead& head, std::string_view method);

// "12", digits only; nothing for anything else, or more than 18 of them.
[[nodiscard]] std::optional<std::uint64_t> parse_length(std::string_view text);

[[nodiscard]] bool is_same_name(std::string_view a, std::string_view b);
// Without spaces and tabs around it.
[[nodiscard]] std::string_view trimmed(std::string_view text);

}  // namespace det::proxy
