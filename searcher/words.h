#pragma once

// Sentences from words and numbers, in one allocation: a search gives a reason for every decision. Pure.

#include <charconv>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <string>
#include <string_view>
#include <type_traits>

namespace det::searcher {

inline constexpr std::size_t kLongestNumber = std::numeric_limits<std::int64_t>::digits10 + 2;  // its digits and a sign

[[nodiscard]] inline std::size_t longest(std::string_view word) {
  return word.size();
}
[[nodiscard]] inline std::size_t longest(std::int64_t /*number*/) {
  return kLongestNumber;
}
// Each writes at `to`, where there is room, and returns the end.
[[nodiscard]] inline char* write_word(char* to, std::string_view word) {
  std::memcpy(to, word.data(), word.size());
  return to + word.size();
}
[[nodiscard]] inline char* write_word(char* to, std::int64_t number) {
  return std::to_chars(to, to + kLongestNumber, number).ptr;
}

// What a word of a sentence is written as: an integer or a text. The length of a literal is known beforehand.
template <std::size_t kSize>
[[nodiscard]] std::string_view as_word(const char (&literal)[kSize]) {
  return {literal, kSize - 1};
}
template <typename Word>
[[nodiscard]] auto as_word(const Word& word) {
  if constexpr (std::integral<Word>) {
    return static_cast<std::int64_t>(word);
  } else {
    return std::string_view(word);
  }
}

// sentence("trial ", 3, " of ", 20) -> "trial 3 of 20".
template <typename... Words>
[[nodiscard]] std::string sentence(const Words&... words) {
  std::string text;
  text.resize_and_overwrite((longest(as_word(words)) + ...), [&](char* begin, std::size_t) {
    char* end = begin;
    ((end = write_word(end, as_word(words))), ...);
    return end - begin;
  });
  return text;
}

}  // namespace det::searcher
