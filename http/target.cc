#include "http/target.h"

#include <optional>

#include "base/encoding.h"

namespace det::http {

namespace {

int hex_digit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

std::optional<std::string> decode(std::string_view text, bool plus_is_space) {
  std::string out;
  out.reserve(text.size());
  for (std::size_t i = 0; i < text.size(); ++i) {
    char c = text[i];
    if (c == '%') {
      if (i + 2 >= text.size()) return std::nullopt;
      const int high = hex_digit(text[i + 1]);
      const int low = hex_digit(text[i + 2]);
      if (high < 0 || low < 0) return std::nullopt;
      c = static_cast<char>(high * 16 + low);
      i += 2;
    } else if (c == '+' && plus_is_space) {
      c = ' ';
    }
    if (c == '\0') return std::nullopt;
    out.push_back(c);
  }
  if (!is_valid_utf8(out)) return std::nullopt;
  return out;
}

std::unexpected<Error> refuse(std::string_view what) {
  return fail(ErrorCode::kInvalidArgument,
              "the request's " + std::string(what) + " is malformed: it needs valid %-escapes of UTF-8 text");
}

// Calls `each` with the parts of `text` between separators until it returns false.
template <typename Each>
bool split(std::string_view text, char separator, Each each) {
  for (;;) {
    const auto at = text.find(separator);
    if (!each(text.substr(0, at))) return false;
    if (at == std::string_view::npos) return true;
    text.remove_prefix(at + 1);
  }
}

}  // namespace

Result<Target> parse_target(std::string_view target) {
  if (target.empty() || target.front() != '/') {
    return fail(ErrorCode::kInvalidArgument, "the request's target must be a path that begins with '/'");
  }
  target = target.substr(0, target.find('#'));
  const auto question = target.find('?');
  std::string_view path = target.substr(0, question);
  path.remove_prefix(1);
  if (path.ends_with('/')) path.remove_suffix(1);

  Target out;
  const auto add_segment = [&](std::string_view raw) {
    auto segment = decode(raw, false);
    if (!segment) return false;
    out.path += "/" + *segment;
    out.segments.push_back(std::move(*segment));
    return true;
  };
  if (path.empty()) {
    out.path = "/";
  } else if (!split(path, '/', add_segment)) {
    return refuse("path");
  }
  if (question == std::string_view::npos) return out;

  const auto add_pair = [&](std::string_view raw) {
    if (raw.empty()) return true;
    const auto equals = raw.find('=');
    auto name = decode(raw.substr(0, equals), true);
    auto value = decode(equals == std::string_view::npos ? std::string_view() : raw.substr(equals + 1), true);
    if (!name || !value) return false;
    out.query.add(std::move(*name), std::move(*value));
    return true;
  };
  if (!split(target.substr(question + 1), '&', add_pair)) return refuse("query");
  return out;
}

std::string encode_component(std::string_view text) {
  constexpr std::string_view kHex = "0123456789ABCDEF";
  std::string out;
  for (const char c : text) {
    const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' ||
                       c == '.' || c == '_' || c == '~' || c == ':';
    if (plain) {
      out.push_back(c);
      continue;
    }
    const auto byte = static_cast<unsigned char>(c);
    out.push_back('%');
    out.push_back(kHex[byte >> 4U]);
    out.push_back(kHex[byte & 15U]);
  }
  return out;
}

}  // namespace det::http
