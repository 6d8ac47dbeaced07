#include "base/short_number.h"

#include <array>
#include <cmath>
#include <cstdio>

namespace det {

std::string short_number(double number) {
  constexpr double kWholeFrom = 1000;
  constexpr double kPowersFrom = 1e15;
  const double size = std::abs(number);
  std::array<char, 64> text{};
  const char* format = size >= kWholeFrom && size < kPowersFrom ? "%.0f" : "%.4g";
  std::snprintf(text.data(), text.size(), format, number);
  return text.data();
}

}  // namespace det
