#include "wire/quoted.h"

namespace det::wire {

std::string quoted(const Json& value) {
  constexpr std::size_t kLongest = 100;
  std::string shown = dump(value);
  if (shown.size() > kLongest) shown = shown.substr(0, kLongest) + "...";
  return shown;
}

}  // namespace det::wire
