#include "k8sclient/request_path.h"

namespace det::k8s {

std::string percent_encode(std::string_view text) {
  constexpr std::string_view kUnreserved = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~";
  constexpr std::string_view kHex = "0123456789ABCDEF";
  std::string out;
  for (const char c : text) {
    if (kUnreserved.contains(c)) {
      out += c;
    } else {
      const auto byte = static_cast<unsigned char>(c);
      out += '%';
      out += kHex[byte >> 4U];
      out += kHex[byte & 0xFU];
    }
  }
  return out;
}

RequestPath& RequestPath::with(std::string_view name, std::string_view value) {
  if (value.empty()) return *this;
  text_ += has_query_ ? '&' : '?';
  has_query_ = true;
  text_.append(name).append("=").append(percent_encode(value));
  return *this;
}

}  // namespace det::k8s
