#pragma once

// A regular expression of a schema. Matching does not recurse, and gives up on what would take for ever: that counts as
// no match. Pure.

#include <memory>
#include <string>

#include "base/result.h"

namespace det::local::kubeapi {

class Pattern {
 public:
  // kInvalidArgument says what is wrong with `text`.
  [[nodiscard]] static Result<std::shared_ptr<const Pattern>> compile(const std::string& text);
  ~Pattern();
  Pattern(const Pattern&) = delete;
  Pattern& operator=(const Pattern&) = delete;

  // Whether it is found anywhere in `value`, as in the real server.
  [[nodiscard]] bool matches(const std::string& value) const;
  [[nodiscard]] const std::string& text() const { return text_; }

 private:
  explicit Pattern(std::string text);
  struct Compiled;
  std::string text_;
  std::unique_ptr<Compiled> compiled_;
};

}  // namespace det::local::kubeapi
