#include "store/logs/log_filter.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "base/lower_case.h"

namespace det::store {
namespace {

// Lines that were posted before they had a limit may be longer: of them the beginning is enough.
constexpr std::size_t kLongLine = std::size_t{64} << 10;

// As lower_case() of each line, but quick: the compiler makes one instruction of many of these.
constexpr char folded(char c) {
  return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
}

template <typename T, typename U>
bool one_of(const std::vector<T>& wanted, const U& value) {
  return wanted.empty() || std::ranges::find(wanted, value) != wanted.end();
}

}  // namespace

Result<LogFilter> LogFilter::make(LogQuery query) {
  LogFilter filter(std::move(query));
  if (!filter.query_.search_is_regex) filter.query_.search_text = lower_case(std::move(filter.query_.search_text));
  if (!filter.query_.search_is_regex || filter.query_.search_text.empty()) return filter;
  auto pattern = Pattern::compile(filter.query_.search_text);
  if (!pattern) {
    return fail(ErrorCode::kInvalidArgument,
                "'" + filter.query_.search_text + "' is not a regular expression: " + pattern.error().message,
                "searchText");
  }
  filter.pattern_ = std::move(*pattern);
  return filter;
}

std::int32_t LogFilter::level_bits() const {
  if (query_.levels.empty()) return -1;
  std::int32_t bits = 0;
  for (const LineLevel level : query_.levels) bits |= 1 << static_cast<int>(level);
  return bits;
}

bool LogFilter::wants(const LineView& line) const {
  if (query_.after && line.time <= *query_.after) return false;
  if (query_.before && line.time > *query_.before) return false;
  return one_of(query_.levels, line.level) && one_of(query_.rank_ids, line.rank.value_or(-1)) &&
         one_of(query_.allocation_ids, line.allocation_id) && one_of(query_.agent_ids, line.agent_id) &&
         one_of(query_.container_ids, line.container_id) && one_of(query_.sources, line.source) &&
         one_of(query_.stdtypes, line.stdtype) && finds_text(line.text);
}

bool LogFilter::affords(const LineView& line) const {
  return !pattern_ || pattern_->affordable(line.text).size() >= std::min(line.text.size(), kLongLine);
}

bool LogFilter::finds_text(std::string_view text) const {
  if (query_.search_text.empty()) return true;
  if (pattern_) return pattern_->found_in(pattern_->affordable(text));
  // Whoever looks for "error" means "RuntimeError", too. Folded first: memmem is far quicker than a loop over both.
  thread_local std::string line;
  line.resize(text.size());
  std::ranges::transform(text, line.begin(), folded);
  return ::memmem(line.data(), line.size(), query_.search_text.data(), query_.search_text.size()) != nullptr;
}

}  // namespace det::store
