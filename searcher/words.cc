#include "searcher/words.h"

#include <array>
#include <charconv>

namespace det::searcher {

void append_word(std::string& text, std::int64_t number) {
  std::array<char, 20> digits;
  const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), number).ptr;
  text.append(digits.data(), end);
}

}  // namespace det::searcher
