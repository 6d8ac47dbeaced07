#include "base/printable.h"

#include <cstdint>

namespace det {
namespace {

bool is_harmless(std::uint32_t c) {
  if (c < 0x20) return c == '\n' || c == '\t';
  const bool is_control = c >= 0x7F && c < 0xA0;
  const bool turns = (c >= 0x202A && c <= 0x202E) || (c >= 0x2066 && c <= 0x2069) || c == 0x200E || c == 0x200F;
  return !is_control && !turns;
}

// Of the character that begins here; only those of up to three bytes can be harmful.
struct Character {
  std::uint32_t code = 0;
  std::size_t bytes = 1;
};

Character first_of(std::string_view text) {
  const auto at = [text](std::size_t i) -> std::uint32_t { return static_cast<unsigned char>(text[i]); };
  if ((at(0) & 0xE0) == 0xC0 && text.size() > 1) return {.code = (at(0) & 0x1F) << 6 | (at(1) & 0x3F), .bytes = 2};
  if ((at(0) & 0xF0) == 0xE0 && text.size() > 2) {
    return {.code = (at(0) & 0x0F) << 12 | (at(1) & 0x3F) << 6 | (at(2) & 0x3F), .bytes = 3};
  }
  return {.code = at(0) < 0x80 ? at(0) : 0xFFFD, .bytes = 1};
}

}  // namespace

std::string printable(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  while (!text.empty()) {
    const Character c = first_of(text);
    if (is_harmless(c.code)) {
      out += text.substr(0, c.bytes);
    } else {
      out += "\\u";
      for (int shift = 12; shift >= 0; shift -= 4) out += "0123456789abcdef"[c.code >> shift & 0xF];
    }
    text.remove_prefix(c.bytes);
  }
  return out;
}

}  // namespace det
