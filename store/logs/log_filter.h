#pragma once

// Which lines a LogQuery wants. A detail of log_store.cc, apart for its tests. Pure.

#include <memory>

#include "base/pattern.h"
#include "base/result.h"
#include "store/logs/log_store.h"

namespace det::store {

class LogFilter {
 public:
  // kInvalidArgument for a search_text that is not a regular expression.
  [[nodiscard]] static Result<LogFilter> make(LogQuery query);

  [[nodiscard]] bool wants(const LineView& line) const;
  // Whether there is an expression: what it costs to look for one is up to whoever wrote it.
  [[nodiscard]] bool has_pattern() const { return pattern_ != nullptr; }
  // False where an expression is too large for a line as long as this.
  [[nodiscard]] bool affords(const LineView& line) const;
  // Bits of the levels that are wanted, all when there is no filter.
  [[nodiscard]] std::int32_t level_bits() const;

 private:
  explicit LogFilter(LogQuery query) : query_(std::move(query)) {}
  [[nodiscard]] bool finds_text(std::string_view text) const;

  LogQuery query_;                          // a plain search_text in small letters: ASCII's are not told apart
  std::shared_ptr<const Pattern> pattern_;  // none: plain text
};

}  // namespace det::store
