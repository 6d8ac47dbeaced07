#pragma once

// The header Range of a request (RFC 9110, section 14). Pure.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace det::http {

struct ByteRange {
  std::uint64_t first = 0;
  std::uint64_t last = 0;  // included

  bool operator==(const ByteRange&) const = default;
};

struct AskedRange {
  bool is_satisfiable = true;      // false: 416
  std::optional<ByteRange> range;  // nothing: all of it, with 200

  bool operator==(const AskedRange&) const = default;
};

// What is to be sent of `total` bytes. One range works; several, or what is no range of bytes, are as if nothing was
// asked, which the RFC allows: many of them would make much work of few bytes.
[[nodiscard]] AskedRange read_range(std::string_view header, std::uint64_t total);

// "bytes 0-9/100"; without a range that of an answer 416: "bytes */100".
[[nodiscard]] std::string content_range(const std::optional<ByteRange>& range, std::uint64_t total);

}  // namespace det::http
