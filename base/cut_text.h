#pragma once

#include <cstddef>
#include <string>

namespace det {

// At most `most` bytes of UTF-8 text, not cut within a character: an API server would refuse the rest of one.
[[nodiscard]] inline std::string cut_text(std::string text, std::size_t most) {
  if (text.size() <= most) return text;
  while (most > 0 && (static_cast<unsigned char>(text[most]) & 0xC0) == 0x80) --most;
  text.resize(most);
  return text;
}

}  // namespace det
