#pragma once

// Fewer points of a long series that still look like it: Largest-Triangle-Three-Buckets (Steinarsson 2013) over the
// smallest and largest values of small buckets (MinMaxLTTB, Van Der Donckt 2023), which is as fast as reading the
// series. Pure; any thread.

#include <cstddef>
#include <span>
#include <vector>

namespace det::model {

// Which points stay, ascending, at most `most` of them; all when they are not more. `x` ascends. Always there are the
// first and the last point, the smallest and the largest value, both sides of the widest holes in x, and of values that
// are no numbers (NaN, infinities) the first of each row of them, as far as `most` allows: a quarter of it each.
[[nodiscard]] std::vector<std::size_t> pick_points(std::span<const double> x, std::span<const double> y,
                                                   std::size_t most);

}  // namespace det::model
