#include "storage/url_text.h"

#include <algorithm>
#include <cctype>

#include "base/encoding.h"

namespace det::storage {

std::string percent_encoded(std::string_view text, bool keeps_slashes) {
  constexpr std::string_view kHex = "0123456789ABCDEF";
  std::string result;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    const bool is_plain = std::isalnum(byte) != 0 || c == '-' || c == '.' || c == '_' || c == '~';
    if (is_plain || (keeps_slashes && c == '/')) {
      result += c;
    } else {
      result += {'%', kHex[byte >> 4], kHex[byte & 15]};
    }
  }
  return result;
}

Result<std::string> percent_decoded(std::string_view text, bool plus_is_space) {
  std::string result;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '+' && plus_is_space) {
      result += ' ';
    } else if (text[i] != '%') {
      result += text[i];
    } else {
      const auto byte = hex_decode(text.substr(i + 1, 2));
      if (!byte || byte->size() != 1) return fail(ErrorCode::kUnavailable, "a key of the listing cannot be read");
      result += *byte;
      i += 2;
    }
  }
  return result;
}

std::string query_text(const std::map<std::string, std::string>& query) {
  std::string result;
  for (const auto& [name, value] : query) {
    result += (result.empty() ? "" : "&") + percent_encoded(name, false) + "=" + percent_encoded(value, false);
  }
  return result;
}

std::string without_scheme(std::string_view url) {
  const std::size_t colon = url.find("://");
  return std::string(colon == std::string_view::npos ? url : url.substr(colon + 3));
}

bool is_host(std::string_view text) {
  return !text.empty() && std::ranges::all_of(text, [](unsigned char c) {
    return std::isalnum(c) != 0 || c == '-' || c == '.' || c == '_' || c == ':' || c == '[' || c == ']';
  });
}

}  // namespace det::storage
