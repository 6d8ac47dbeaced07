#pragma once

// What of a function's variance each of its arguments is responsible for, estimated from values at some points: a
// forest of randomised trees is fitted to them, and each tree's variance over the whole cube is taken apart exactly
// (functional ANOVA; Hutter, Hoos and Leyton-Brown, "An Efficient Approach for Assessing Hyperparameter Importance",
// ICML 2014; trees as in Geurts, Ernst and Wehenkel, "Extremely randomized trees", 2006). Pure; any thread.

#include <cstddef>
#include <cstdint>
#include <vector>

namespace det::searcher {

inline constexpr int kMostCategories = 64;

// One argument of the function: a number from 0 to 1, or one of so many categories (0, 1, ...), all alike.
struct Axis {
  int categories = 0;          // 0: a number; at most kMostCategories
  std::vector<double> places;  // of each point

  bool operator==(const Axis&) const = default;
};

struct Share {
  double mean = 0;       // from 0 to 1, over the trees
  double deviation = 0;  // standard, over the trees

  bool operator==(const Share&) const = default;
};

struct Shares {
  std::vector<Share> of_axis;  // of the variance that this argument alone makes
  Share rest;                  // what arguments make together
  // How much of the variance of points that a tree has not seen the trees predict: 1 is all, 0 or less is none.
  double fit = 0;

  bool operator==(const Shares&) const = default;
};

// Every axis has as many places as there are values. All shares are 0 where no tree found anything to split. The same
// arguments give the same answer. Takes time in proportion to points times axes (up to 32 of them a split) times trees.
[[nodiscard]] Shares shares_of(const std::vector<Axis>& axes, const std::vector<double>& values, int trees,
                               std::uint32_t seed);

}  // namespace det::searcher
