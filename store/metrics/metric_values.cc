#include "store/metrics/metric_values.h"

#include <charconv>
#include <chrono>
#include <cmath>

namespace det::store {

void append_values(std::string_view array, std::size_t count, std::vector<double>& values, double null) {
  const char* at = array.data();
  const char* const end = at + array.size();
  for (std::size_t i = 0; i < count; ++i) {
    double value = null;
    if (at != end) ++at;  // '{' or ','
    // "NULL" is no number and leaves it as it is; "NaN" and "Infinity" are taken.
    const auto [stop, ec] = std::from_chars(at, end, value);
    at = stop;
    while (at != end && *at != ',' && *at != '}') ++at;
    values.push_back(value);
  }
}

WallTime time_of_seconds(double seconds) {
  return WallTime(std::chrono::microseconds(std::llround(seconds * 1e6)));
}

}  // namespace det::store
