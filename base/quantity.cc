#include "base/quantity.h"

#include <array>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <utility>

namespace det {
namespace {

std::optional<double> suffix_factor(std::string_view suffix) {
  constexpr double kKibi = 1024;
  if (suffix.empty()) return 1;
  if (suffix == "n") return 1e-9;
  if (suffix == "u") return 1e-6;
  if (suffix == "m") return 1e-3;
  if (suffix == "k") return 1e3;
  if (suffix == "M") return 1e6;
  if (suffix == "G") return 1e9;
  if (suffix == "T") return 1e12;
  if (suffix == "P") return 1e15;
  if (suffix == "E") return 1e18;
  if (suffix == "Ki") return kKibi;
  if (suffix == "Mi") return kKibi * kKibi;
  if (suffix == "Gi") return kKibi * kKibi * kKibi;
  if (suffix == "Ti") return kKibi * kKibi * kKibi * kKibi;
  if (suffix == "Pi") return kKibi * kKibi * kKibi * kKibi * kKibi;
  if (suffix == "Ei") return kKibi * kKibi * kKibi * kKibi * kKibi * kKibi;
  return std::nullopt;
}

constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max();
constexpr std::int64_t kLeast = std::numeric_limits<std::int64_t>::min();

std::optional<double> read(const std::string& quantity, double scale) {
  // strtod would also take "inf", "nan" and hexadecimal.
  if (quantity.empty() || quantity.find_first_of("0123456789") > 1 || quantity.find_first_of("xX") != quantity.npos) {
    return std::nullopt;
  }
  char* end = nullptr;
  const double number = std::strtod(quantity.c_str(), &end);
  const auto factor = suffix_factor(end);
  if (!factor) return std::nullopt;
  return std::ceil(number * *factor * scale - 1e-9);
}

std::optional<std::int64_t> scaled(const std::string& quantity, double scale) {
  const auto value = read(quantity, scale);
  if (!value || !(std::abs(*value) < 9e18)) return std::nullopt;
  return static_cast<std::int64_t>(*value);
}

}  // namespace

std::optional<std::int64_t> parse_milli(const std::string& quantity) {
  return scaled(quantity, 1000);
}

std::optional<std::int64_t> parse_whole(const std::string& quantity) {
  return scaled(quantity, 1);
}

std::optional<std::int64_t> parse_milli_clamped(const std::string& quantity) {
  const auto value = read(quantity, 1000);
  if (!value || std::isnan(*value)) return std::nullopt;
  if (std::abs(*value) < 9e18) return static_cast<std::int64_t>(*value);
  return *value < 0 ? kLeast : kMost;
}

std::int64_t sum_clamped(std::int64_t a, std::int64_t b) {
  std::int64_t sum = 0;
  if (!__builtin_add_overflow(a, b, &sum)) return sum;
  return b < 0 ? kLeast : kMost;
}

std::int64_t difference_clamped(std::int64_t a, std::int64_t b) {
  std::int64_t difference = 0;
  if (!__builtin_sub_overflow(a, b, &difference)) return difference;
  return b > 0 ? kLeast : kMost;
}

std::int64_t product_clamped(std::int64_t amount, std::int64_t times) {
  std::int64_t product = 0;
  if (!__builtin_mul_overflow(amount, times, &product)) return product;
  return (amount < 0) == (times < 0) ? kMost : kLeast;
}

std::string quantity_text(std::string_view resource, std::int64_t milli) {
  if (milli % 1000 != 0) return std::to_string(milli) + "m";
  const std::int64_t whole = milli / 1000;
  const bool in_bytes = resource.find("memory") != resource.npos || resource.find("storage") != resource.npos ||
                        resource.find("hugepages") != resource.npos;
  if (!in_bytes) return std::to_string(whole);
  static constexpr std::array<std::pair<std::string_view, int>, 4> kUnits = {
      {{"Ti", 40}, {"Gi", 30}, {"Mi", 20}, {"Ki", 10}}};
  for (const auto& [unit, shift] : kUnits) {
    const std::int64_t size = std::int64_t{1} << shift;
    if (whole != 0 && whole % size == 0) return std::to_string(whole / size) + std::string(unit);
  }
  return std::to_string(whole);
}

}  // namespace det
