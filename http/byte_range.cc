#include "http/byte_range.h"

#include <algorithm>
#include <charconv>

namespace det::http {

namespace {

constexpr std::string_view kUnit = "bytes=";

std::optional<std::uint64_t> number(std::string_view text) {
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (text.empty() || error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

}  // namespace

AskedRange read_range(std::string_view header, std::uint64_t total) {
  if (!header.starts_with(kUnit)) return {};
  const std::string_view range = header.substr(kUnit.size());
  const std::size_t dash = range.find('-');
  if (dash == std::string_view::npos) return {};
  const auto first = number(range.substr(0, dash));
  const auto last = number(range.substr(dash + 1));
  const bool is_open = range.size() == dash + 1;
  if (dash == 0) {  // so many bytes at the end
    if (!last) return {};
    if (*last == 0 || total == 0) return {.is_satisfiable = false, .range = {}};
    return {.range = ByteRange{.first = total - std::min(*last, total), .last = total - 1}};
  }
  if (!first || (!last && !is_open) || (last && *last < *first)) return {};
  if (*first >= total) return {.is_satisfiable = false, .range = {}};
  return {.range = ByteRange{.first = *first, .last = std::min(last.value_or(total - 1), total - 1)}};
}

std::string content_range(const std::optional<ByteRange>& range, std::uint64_t total) {
  const std::string part = range ? std::to_string(range->first) + "-" + std::to_string(range->last) : "*";
  return "bytes " + part + "/" + std::to_string(total);
}

}  // namespace det::http
