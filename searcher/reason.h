#pragma once

// Why something was decided, for people. A search gives a reason for every decision, and most are read once or never:
// the sentence is kept as its pattern and its numbers, and put together when somebody asks for its text. A value; pure.

#include <algorithm>
#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <string>
#include <type_traits>
#include <utility>

namespace det::searcher {

// A sentence with # for each of its numbers. Only literals, and only those with as many #, compile.
template <std::size_t kNumbers>
struct ReasonPattern {
  template <std::size_t kSize>
  consteval ReasonPattern(const char (&literal)[kSize]) : text(literal) {  // NOLINT(google-explicit-constructor)
    if (std::count(literal, literal + kSize, '#') != static_cast<std::ptrdiff_t>(kNumbers)) throw "not as many #";
  }

  const char* text;
};

class Reason {
 public:
  static constexpr std::size_t kMostNumbers = 4;

  Reason() = default;  // empty
  // NOLINTNEXTLINE(google-explicit-constructor): a text is a reason
  Reason(std::string text) : word_(std::move(text)) {}
  Reason(const char* text) : Reason(std::string(text)) {}  // NOLINT(google-explicit-constructor)
  // Reason("trial # of #", 3, 20) reads "trial 3 of 20".
  template <std::integral... Numbers>
    requires(sizeof...(Numbers) > 0 && sizeof...(Numbers) <= kMostNumbers)
  Reason(std::type_identity_t<ReasonPattern<sizeof...(Numbers)>> pattern, Numbers... numbers)
      : pattern_(pattern.text), numbers_{static_cast<std::int64_t>(numbers)...} {}
  // The same with a word, which stands where the pattern has @: Reason("# @", "batches", 8) reads "8 batches".
  template <std::integral... Numbers>
    requires(sizeof...(Numbers) <= kMostNumbers)
  Reason(std::type_identity_t<ReasonPattern<sizeof...(Numbers)>> pattern, std::string word, Numbers... numbers)
      : pattern_(pattern.text), numbers_{static_cast<std::int64_t>(numbers)...}, word_(std::move(word)) {}

  [[nodiscard]] std::string text() const;
  // Equal when they read the same.
  bool operator==(const Reason& other) const { return text() == other.text(); }

 private:
  const char* pattern_ = "@";
  std::array<std::int64_t, kMostNumbers> numbers_{};
  std::string word_;
};

}  // namespace det::searcher
