// The first line is the expression of a log search or a log policy, the rest the line it looks at.

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "base/pattern.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const std::size_t end = std::min(text.find('\n'), text.size());
  const auto pattern = det::Pattern::compile(text.substr(0, end));
  if (!pattern) {
    if (pattern.error().message.empty()) std::abort();
    return 0;
  }
  const std::string_view line = end == text.size() ? std::string_view() : text.substr(end + 1);
  if ((*pattern)->found_in(line) != (*pattern)->found_in(line)) std::abort();
  return 0;
}
