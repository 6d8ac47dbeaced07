#pragma once

// Sentences from words and numbers, in one allocation: a search gives a reason for every decision. Pure.

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <type_traits>

namespace det::searcher {

inline void append_word(std::string& text, std::string_view word) {
  text.append(word);
}
void append_word(std::string& text, std::int64_t number);

// sentence("trial ", 3, " of ", 20) -> "trial 3 of 20".
template <typename... Words>
[[nodiscard]] std::string sentence(const Words&... words) {
  constexpr std::size_t kUsual = 90;
  std::string text;
  text.reserve(kUsual);
  const auto append = [&text](const auto& word) {
    if constexpr (std::integral<std::remove_cvref_t<decltype(word)>>) {
      append_word(text, static_cast<std::int64_t>(word));
    } else {
      append_word(text, std::string_view(word));
    }
  };
  (append(words), ...);
  return text;
}

}  // namespace det::searcher
