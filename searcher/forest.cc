#include "searcher/forest.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <numeric>
#include <optional>
#include <span>
#include <utility>

#include "searcher/prng.h"

namespace det::searcher {
namespace {

constexpr std::size_t kLeast = 2;          // points on each side of a split
constexpr std::size_t kAxesOfASplit = 32;  // that are tried
constexpr int kDepth = 60;

// A part of one axis.
struct Side {
  double low = 0;
  double high = 1;
  std::uint64_t mask = 0;  // of categories

  [[nodiscard]] double width(const Axis& axis) const {
    return axis.categories == 0 ? high - low : static_cast<double>(std::popcount(mask)) / axis.categories;
  }
};

struct Leaf {
  double value = 0;
  double volume = 1;
  std::vector<std::pair<std::size_t, Side>> sides;  // of the axes that it does not span
};

struct Split {
  std::size_t axis = 0;
  double threshold = 0;    // less goes to the left
  std::uint64_t left = 0;  // categories
  double gain = 0;

  [[nodiscard]] bool is_left(const Axis& of, std::size_t point) const {
    const double place = of.places[point];
    return of.categories == 0 ? place < threshold : (left >> static_cast<unsigned>(place) & 1U) != 0;
  }
};

std::uint64_t all_of(const Axis& axis) {
  return axis.categories == kMostCategories ? ~std::uint64_t{0} : (std::uint64_t{1} << axis.categories) - 1;
}

class Tree {
 public:
  Tree(const std::vector<Axis>& axes, const std::vector<double>& values, Prng& prng)
      : axes_(axes), values_(values), prng_(prng), box_(axes.size()), order_(axes.size()) {
    for (std::size_t i = 0; i < axes.size(); ++i) box_[i].mask = all_of(axes[i]);
    std::iota(order_.begin(), order_.end(), std::size_t{0});
  }

  // Fitted to points drawn with replacement. Adds to `sums` and `counts` what it predicts of the others.
  void grow(std::vector<double>& sums, std::vector<int>& counts) {
    const std::size_t n = values_.size();
    std::vector<std::size_t> seen(n);
    std::vector<bool> is_seen(n);
    for (std::size_t& point : seen) {
      point = static_cast<std::size_t>(prng_.below(static_cast<std::int64_t>(n)));
      is_seen[point] = true;
    }
    std::vector<std::size_t> others;
    for (std::size_t i = 0; i < n; ++i) {
      if (!is_seen[i]) others.push_back(i);
    }
    sums_ = &sums;
    counts_ = &counts;
    grow(seen, others, 0);
  }

  // What each axis alone makes of the variance, and at the end what they make together; nothing where there is none.
  [[nodiscard]] std::optional<std::vector<double>> shares() const {
    double mean = 0;
    double squares = 0;
    for (const Leaf& leaf : leaves_) {
      mean += leaf.volume * leaf.value;
      squares += leaf.volume * leaf.value * leaf.value;
    }
    const double variance = squares - mean * mean;
    if (leaves_.size() < 2 || !(variance > 1e-12)) return std::nullopt;
    std::vector<double> found(axes_.size() + 1);
    double rest = 1;
    for (std::size_t i = 0; i < axes_.size(); ++i) {
      found[i] = std::clamp(marginal(i, mean) / variance, 0.0, 1.0);
      rest -= found[i];
    }
    found.back() = std::max(0.0, rest);
    return found;
  }

 private:
  void grow(std::span<std::size_t> seen, std::span<std::size_t> others, int depth) {
    const std::optional<Split> split = depth < kDepth ? best_split(seen) : std::nullopt;
    if (!split) {
      end(seen, others);
      return;
    }
    const Axis& axis = axes_[split->axis];
    const auto is_left = [&](std::size_t point) { return split->is_left(axis, point); };
    const auto part = [&](std::span<std::size_t> points) {
      return static_cast<std::size_t>(std::ranges::partition(points, is_left).begin() - points.begin());
    };
    const std::size_t n = part(seen);
    const std::size_t m = part(others);
    Side& side = box_[split->axis];
    const Side whole = side;
    if (axis.categories == 0) side.high = split->threshold;
    side.mask = whole.mask & split->left;
    grow(seen.first(n), others.first(m), depth + 1);
    side = whole;
    if (axis.categories == 0) side.low = split->threshold;
    side.mask = whole.mask & ~split->left;
    grow(seen.subspan(n), others.subspan(m), depth + 1);
    side = whole;
  }

  void end(std::span<const std::size_t> seen, std::span<const std::size_t> others) {
    Leaf leaf;
    for (const std::size_t point : seen) leaf.value += values_[point];
    leaf.value /= static_cast<double>(seen.size());
    for (std::size_t i = 0; i < axes_.size(); ++i) {
      const double width = box_[i].width(axes_[i]);
      if (width >= 1) continue;
      leaf.volume *= width;
      leaf.sides.emplace_back(i, box_[i]);
    }
    for (const std::size_t point : others) {
      (*sums_)[point] += leaf.value;
      (*counts_)[point] += 1;
    }
    leaves_.push_back(std::move(leaf));
  }

  // The best of one random split on each of some axes.
  std::optional<Split> best_split(std::span<const std::size_t> points) {
    if (points.size() < 2 * kLeast) return std::nullopt;
    std::optional<Split> best;
    const std::size_t tried = std::min(kAxesOfASplit, order_.size());
    for (std::size_t i = 0; i < tried; ++i) {
      std::swap(order_[i], order_[i + prng_.up_to(order_.size() - 1 - i)]);
      std::optional<Split> one = draw(order_[i], points);
      if (one && score(*one, points) && (!best || one->gain > best->gain)) best = one;
    }
    return best;
  }

  std::optional<Split> draw(std::size_t axis, std::span<const std::size_t> points) {
    const Axis& of = axes_[axis];
    Split split{.axis = axis};
    if (of.categories > 0) {
      split.left = prng_.bits64() & box_[axis].mask;
      if (split.left == 0 || split.left == box_[axis].mask) return std::nullopt;
      return split;
    }
    double low = 1;
    double high = 0;
    for (const std::size_t point : points) {
      low = std::min(low, of.places[point]);
      high = std::max(high, of.places[point]);
    }
    if (!(high > low)) return std::nullopt;
    split.threshold = prng_.uniform(low, high);
    if (split.threshold <= low) return std::nullopt;
    return split;
  }

  // False for a split that leaves too few on a side, or makes nothing better.
  bool score(Split& split, std::span<const std::size_t> points) const {
    const Axis& axis = axes_[split.axis];
    double sums[2] = {};
    std::size_t counts[2] = {};
    for (const std::size_t point : points) {
      const int side = split.is_left(axis, point) ? 0 : 1;
      sums[side] += values_[point];
      counts[side] += 1;
    }
    if (counts[0] < kLeast || counts[1] < kLeast) return false;
    const double all = sums[0] + sums[1];
    split.gain = sums[0] * sums[0] / static_cast<double>(counts[0]) +
                 sums[1] * sums[1] / static_cast<double>(counts[1]) - all * all / static_cast<double>(points.size());
    return split.gain > 1e-12;
  }

  // The variance of the tree's mean over all other axes.
  [[nodiscard]] double marginal(std::size_t axis, double mean) const {
    const Axis& of = axes_[axis];
    std::vector<std::pair<const Leaf*, const Side*>> parts;
    double base = 0;  // of leaves that span the axis
    for (const Leaf& leaf : leaves_) {
      const auto side = std::ranges::find(leaf.sides, axis, &std::pair<std::size_t, Side>::first);
      if (side == leaf.sides.end()) {
        base += leaf.value * leaf.volume;
      } else {
        parts.emplace_back(&leaf, &side->second);
      }
    }
    if (parts.empty()) return 0;
    const auto height = [&](const auto& part) {
      return part.first->value * part.first->volume / part.second->width(of);
    };
    double squares = 0;
    if (of.categories > 0) {
      for (int category = 0; category < of.categories; ++category) {
        double at = base;
        for (const auto& part : parts) {
          if ((part.second->mask >> category & 1U) != 0) at += height(part);
        }
        squares += at * at / of.categories;
      }
      return squares - mean * mean;
    }
    std::vector<std::pair<double, double>> steps;  // where the height changes, and by how much
    for (const auto& part : parts) {
      steps.emplace_back(part.second->low, height(part));
      steps.emplace_back(part.second->high, -height(part));
    }
    std::ranges::sort(steps);
    double at = base;
    double place = 0;
    for (const auto& [next, change] : steps) {
      squares += at * at * (next - place);
      place = next;
      at += change;
    }
    return squares + at * at * (1 - place) - mean * mean;
  }

  const std::vector<Axis>& axes_;
  const std::vector<double>& values_;
  Prng& prng_;
  std::vector<Side> box_;  // of the node that is being grown
  std::vector<std::size_t> order_;
  std::vector<Leaf> leaves_;
  std::vector<double>* sums_ = nullptr;
  std::vector<int>* counts_ = nullptr;
};

Share share_of(const std::vector<std::vector<double>>& trees, std::size_t at) {
  Share share;
  for (const auto& tree : trees) share.mean += tree[at] / static_cast<double>(trees.size());
  for (const auto& tree : trees) share.deviation += (tree[at] - share.mean) * (tree[at] - share.mean);
  share.deviation = trees.size() < 2 ? 0 : std::sqrt(share.deviation / static_cast<double>(trees.size() - 1));
  return share;
}

double fit_of(const std::vector<double>& values, const std::vector<double>& sums, const std::vector<int>& counts) {
  double mean = 0;
  double known = 0;
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (counts[i] == 0) continue;
    mean += values[i];
    known += 1;
  }
  if (known == 0) return 0;
  mean /= known;
  double wrong = 0;
  double spread = 0;
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (counts[i] == 0) continue;
    const double predicted = sums[i] / counts[i];
    wrong += (values[i] - predicted) * (values[i] - predicted);
    spread += (values[i] - mean) * (values[i] - mean);
  }
  return spread > 0 ? 1 - wrong / spread : 0;
}

}  // namespace

Shares shares_of(const std::vector<Axis>& axes, const std::vector<double>& values, int trees, std::uint32_t seed) {
  Shares shares{.of_axis = std::vector<Share>(axes.size()), .rest = {}, .fit = 0};
  if (values.empty() || axes.empty()) return shares;
  Prng prng(seed);
  std::vector<double> sums(values.size());
  std::vector<int> counts(values.size());
  std::vector<std::vector<double>> found;
  for (int i = 0; i < trees; ++i) {
    Tree tree(axes, values, prng);
    tree.grow(sums, counts);
    if (auto of_tree = tree.shares()) found.push_back(std::move(*of_tree));
  }
  shares.fit = fit_of(values, sums, counts);
  if (found.empty()) return shares;
  for (std::size_t i = 0; i < axes.size(); ++i) shares.of_axis[i] = share_of(found, i);
  shares.rest = share_of(found, axes.size());
  return shares;
}

}  // namespace det::searcher
