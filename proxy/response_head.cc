#include "proxy/response_head.h"

#include <strings.h>

#include <algorithm>

namespace det::proxy {
namespace {

bool is_token_char(char c) {
  if ((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9')) return true;
  return std::string_view("!#$%&'*+-.^_`|~").contains(c);
}

bool is_text_char(char c) {
  return (static_cast<unsigned char>(c) >= 0x20 && c != 0x7f) || c == '\t';
}

std::unexpected<Error> malformed(std::string_view what) {
  return fail(ErrorCode::kInvalidArgument, "the program's answer has " + std::string(what));
}

// "HTTP/1.1 200 OK"
bool read_status_line(std::string_view line, ResponseHead& head) {
  if (line.starts_with("HTTP/1.0 ")) {
    head.is_http11 = false;
  } else if (!line.starts_with("HTTP/1.1 ")) {
    return false;
  }
  line.remove_prefix(9);
  const std::string_view status = line.substr(0, 3);
  if (status.size() < 3 || !std::ranges::all_of(status, [](char c) { return c >= '0' && c <= '9'; })) return false;
  head.status = (status[0] - '0') * 100 + (status[1] - '0') * 10 + (status[2] - '0');
  line.remove_prefix(3);
  if (!line.empty() && line.front() != ' ') return false;
  head.reason = line.empty() ? line : line.substr(1);
  return head.status >= 100 && std::ranges::all_of(head.reason, is_text_char);
}

bool read_field(std::string_view line, ResponseHead& head) {
  const auto colon = line.find(':');
  if (colon == std::string_view::npos || colon == 0) return false;
  const std::string_view name = line.substr(0, colon);
  const std::string_view value = trimmed(line.substr(colon + 1));
  if (!std::ranges::all_of(name, is_token_char) || !std::ranges::all_of(value, is_text_char)) return false;
  head.fields.emplace_back(name, value);
  return true;
}

}  // namespace

bool is_same_name(std::string_view a, std::string_view b) {
  return a.size() == b.size() && ::strncasecmp(a.data(), b.data(), a.size()) == 0;
}

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && (text.front() == ' ' || text.front() == '\t')) text.remove_prefix(1);
  while (!text.empty() && (text.back() == ' ' || text.back() == '\t')) text.remove_suffix(1);
  return text;
}

namespace {

// Whether the comma-separated `list` names `word`, in any case.
bool list_has(std::string_view list, std::string_view word) {
  while (!list.empty()) {
    const auto comma = list.find(',');
    if (is_same_name(trimmed(list.substr(0, comma)), word)) return true;
    list = comma == std::string_view::npos ? std::string_view() : list.substr(comma + 1);
  }
  return false;
}

}  // namespace

std::string_view ResponseHead::find(std::string_view name) const {
  for (const auto& [field, value] : fields) {
    if (is_same_name(field, name)) return value;
  }
  return {};
}

bool ResponseHead::has_word(std::string_view name, std::string_view word) const {
  return std::ranges::any_of(
      fields, [&](const auto& field) { return is_same_name(field.first, name) && list_has(field.second, word); });
}

Result<std::optional<ResponseHead>> read_response_head(std::string_view bytes) {
  const auto end = bytes.find("\r\n\r\n");
  if (end == std::string_view::npos) {
    if (bytes.size() > kMaxResponseHead) return malformed("a head without end");
    // Who speaks another protocol is told at once.
    constexpr std::string_view kStart = "HTTP/1.";
    if (!kStart.starts_with(bytes.substr(0, kStart.size()))) return malformed("no HTTP status line");
    return std::nullopt;
  }
  if (end > kMaxResponseHead) return malformed("a head of more than 64 KiB");
  ResponseHead head;
  head.size = end + 4;
  std::string_view left = bytes.substr(0, end + 2);
  for (bool is_first = true; !left.empty(); is_first = false) {
    const auto break_at = left.find("\r\n");
    const std::string_view line = left.substr(0, break_at);
    left.remove_prefix(break_at + 2);
    if (is_first ? !read_status_line(line, head) : !read_field(line, head)) {
      return malformed(is_first ? "a malformed status line" : "a malformed header field");
    }
  }
  return head;
}

std::optional<std::uint64_t> parse_length(std::string_view text) {
  if (text.empty() || text.size() > 18) return std::nullopt;
  std::uint64_t length = 0;
  for (const char c : text) {
    if (c < '0' || c > '9') return std::nullopt;
    length = length * 10 + static_cast<std::uint64_t>(c - '0');
  }
  return length;
}

Result<BodyFraming> framing_of(const ResponseHead& head, std::string_view method) {
  std::optional<std::uint64_t> length;
  bool is_chunked = false;
  for (const auto& [name, value] : head.fields) {
    if (is_same_name(name, "Content-Length")) {
      const auto one = parse_length(value);
      if (!one) return malformed("a Content-Length that is no number");
      if (length) return malformed("more than one Content-Length");
      length = one;
    } else if (is_same_name(name, "Transfer-Encoding")) {
      if (is_chunked || !is_same_name(value, "chunked")) return malformed("a Transfer-Encoding other than chunked");
      is_chunked = true;
    }
  }
  if (is_chunked && (length || !head.is_http11)) return malformed("a body with two lengths");
  if (method == "HEAD" || head.status < 200 || head.status == 204 || head.status == 304) return BodyFraming();
  if (is_chunked) return BodyFraming{.kind = BodyKind::kChunked};
  if (!length) return BodyFraming{.kind = BodyKind::kUntilClose};
  return BodyFraming{.kind = *length > 0 ? BodyKind::kLength : BodyKind::kNone, .length = *length};
}

}  // namespace det::proxy
