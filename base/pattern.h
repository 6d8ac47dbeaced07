#pragma once

// A regular expression that somebody else wrote. It is matched in time linear in the text, whatever it says, with
// bounded memory: the engine is RE2, whose syntax is that of Go, so what Determined and Kubernetes accept is accepted.
// Immutable; any thread may match.

#include <memory>
#include <string>
#include <string_view>

#include "base/result.h"

namespace det {

class Pattern {
 public:
  // Bytes of an expression; longer ones are refused.
  static constexpr std::size_t kLongest = 4096;

  // kInvalidArgument says what is wrong with `text`: no expression, too long, or too large once compiled (8 MiB).
  [[nodiscard]] static Result<std::shared_ptr<const Pattern>> compile(std::string_view text);
  ~Pattern();
  Pattern(const Pattern&) = delete;
  Pattern& operator=(const Pattern&) = delete;

  // Whether it is found anywhere in `text`. Bytes that are not UTF-8 match nothing but `\C`.
  [[nodiscard]] bool found_in(std::string_view text) const;
  // As much of `text` as is looked through in a few seconds at worst: a byte costs up to 10 ns for each instruction
  // that the expression has, and one of 4 KiB can have 100,000. All of a text of 64 KiB for expressions of ordinary
  // size.
  [[nodiscard]] std::string_view affordable(std::string_view text) const;
  [[nodiscard]] const std::string& text() const { return text_; }

 private:
  struct Compiled;
  explicit Pattern(std::string text, std::unique_ptr<Compiled> compiled);

  std::string text_;
  std::unique_ptr<Compiled> compiled_;
};

}  // namespace det
