#pragma once

// Why something was decided, for people. A search gives a reason for every decision, and most are read once or never:
// the sentence is kept as its pattern and its numbers, and put together when somebody asks for its text. A value; pure.

#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>

namespace det::searcher {

class Reason {
 public:
  static constexpr std::size_t kMostNumbers = 4;

  Reason() = default;  // empty
  // NOLINTNEXTLINE(google-explicit-constructor): a text is a reason
  Reason(std::string text) : word_(std::move(text)) {}
  Reason(const char* text) : Reason(std::string(text)) {}  // NOLINT(google-explicit-constructor)
  // Reason("trial # of #", 3, 20) reads "trial 3 of 20". The pattern is a literal; there are as many # as numbers.
  template <std::integral... Numbers>
    requires(sizeof...(Numbers) > 0 && sizeof...(Numbers) <= kMostNumbers)
  Reason(const char* pattern, Numbers... numbers)
      : pattern_(pattern), numbers_{static_cast<std::int64_t>(numbers)...} {}
  // The same with a word, which stands where the pattern has @: Reason("# @", "batches", 8) reads "8 batches".
  template <std::integral... Numbers>
    requires(sizeof...(Numbers) <= kMostNumbers)
  Reason(const char* pattern, std::string word, Numbers... numbers)
      : pattern_(pattern), numbers_{static_cast<std::int64_t>(numbers)...}, word_(std::move(word)) {}

  [[nodiscard]] std::string text() const;
  // Equal when they read the same.
  bool operator==(const Reason& other) const { return text() == other.text(); }

 private:
  const char* pattern_ = "@";
  std::array<std::int64_t, kMostNumbers> numbers_{};
  std::string word_;
};

}  // namespace det::searcher
