#include "base/nearest_name.h"

#include <algorithm>
#include <cctype>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

namespace det {
namespace {

std::string folded(std::string_view text) {
  std::string letters;
  for (const unsigned char c : text) {
    if (c != '_' && c != '-') letters += static_cast<char>(std::tolower(c));
  }
  return letters;
}

// Letters to put in, take out, replace or swap with their neighbour to make one of the other.
std::size_t distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> before;
  std::vector<std::size_t> above(b.size() + 1);
  std::iota(above.begin(), above.end(), 0);
  for (std::size_t i = 0; i < a.size(); ++i) {
    std::vector<std::size_t> row(b.size() + 1, i + 1);
    for (std::size_t j = 0; j < b.size(); ++j) {
      row[j + 1] = std::min({above[j + 1] + 1, row[j] + 1, above[j] + (a[i] == b[j] ? 0 : 1)});
      const bool is_swap = i > 0 && j > 0 && a[i] == b[j - 1] && a[i - 1] == b[j];
      if (is_swap) row[j + 1] = std::min(row[j + 1], before[j - 1] + 1);
    }
    before = std::move(above);
    above = std::move(row);
  }
  return above.back();
}

}  // namespace

std::string_view nearest_name(std::string_view word, std::span<const std::string_view> names) {
  if (std::ranges::find(names, word) != names.end()) return {};
  constexpr std::size_t kLongest = 100;  // what people write may be of any length
  if (word.empty() || word.size() > kLongest) return {};
  const std::string wanted = folded(word);
  std::size_t best = std::clamp<std::size_t>(wanted.size() / 3, 1, 2) + 1;
  std::string_view nearest;
  for (const std::string_view name : names) {
    const std::string other = folded(name);
    if (wanted.size() > other.size() + 2 || other.size() > wanted.size() + 2) continue;
    const std::size_t far = distance(wanted, other);
    // A word of one or two letters may be anything.
    if (far >= best || far >= std::min(wanted.size(), other.size())) continue;
    best = far;
    nearest = name;
  }
  return nearest;
}

}  // namespace det
