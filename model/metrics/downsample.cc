#include "model/metrics/downsample.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace det::model {
namespace {

using Points = std::vector<std::size_t>;

// Buckets of the first pass for each point of the second; 4 keeps what looks different (section 4 of the paper).
constexpr std::size_t kCandidates = 4;
// A hole is wider than so many mean distances.
constexpr double kHole = 8;

void make_set(Points& points) {
  std::ranges::sort(points);
  points.erase(std::unique(points.begin(), points.end()), points.end());
}

// Both sides of the widest holes, at most `most` points.
Points holes(std::span<const double> x, std::size_t most) {
  const double mean = (x.back() - x.front()) / static_cast<double>(x.size() - 1);
  Points after;
  for (std::size_t i = 1; i < x.size(); ++i) {
    if (x[i] - x[i - 1] > kHole * mean) after.push_back(i);
  }
  const std::size_t shown = std::min(after.size(), most / 2);
  const auto wider = [x](std::size_t a, std::size_t b) { return x[a] - x[a - 1] > x[b] - x[b - 1]; };
  std::ranges::partial_sort(after, after.begin() + static_cast<std::ptrdiff_t>(shown), wider);
  after.resize(shown);
  Points sides;
  for (const std::size_t i : after) sides.insert(sides.end(), {i - 1, i});
  return sides;
}

// The first of each row of values that are no numbers.
Points breaks(std::span<const double> y, std::size_t most) {
  Points found;
  for (std::size_t i = 0; i < y.size() && found.size() < most; ++i) {
    if (!std::isfinite(y[i]) && (i == 0 || std::isfinite(y[i - 1]))) found.push_back(i);
  }
  return found;
}

// The smallest and the largest value of each bucket of `points`, and its ends.
Points extremes(std::span<const double> y, const Points& points, std::size_t buckets) {
  Points kept = {points.front()};
  for (std::size_t bucket = 0; bucket < buckets; ++bucket) {
    const std::size_t begin = bucket * points.size() / buckets;
    const std::size_t end = (bucket + 1) * points.size() / buckets;
    if (begin == end) continue;
    std::size_t low = points[begin];
    std::size_t high = low;
    for (std::size_t i = begin; i < end; ++i) {
      if (y[points[i]] < y[low]) low = points[i];
      if (y[points[i]] > y[high]) high = points[i];
    }
    for (const std::size_t i : {std::min(low, high), std::max(low, high)}) {
      if (i != kept.back()) kept.push_back(i);
    }
  }
  if (kept.back() != points.back()) kept.push_back(points.back());
  return kept;
}

// `most` of the points: of each bucket the one that makes the largest triangle with the last one taken and the middle
// of the next bucket.
Points largest_triangles(std::span<const double> x, std::span<const double> y, const Points& points, std::size_t most) {
  if (points.size() <= most) return points;
  if (most < 3) return Points(points.begin(), points.begin() + static_cast<std::ptrdiff_t>(most));
  const std::size_t inner = points.size() - 2;
  const std::size_t buckets = most - 2;
  const auto start_of = [&](std::size_t bucket) { return 1 + bucket * inner / buckets; };
  Points taken = {points.front()};
  for (std::size_t bucket = 0; bucket < buckets; ++bucket) {
    const std::size_t begin = start_of(bucket);
    const std::size_t end = start_of(bucket + 1);
    const std::size_t next_end = bucket + 1 == buckets ? points.size() : start_of(bucket + 2);
    double mean_x = 0;
    double mean_y = 0;
    for (std::size_t i = end; i < next_end; ++i) {
      mean_x += x[points[i]];
      mean_y += y[points[i]];
    }
    mean_x /= static_cast<double>(next_end - end);
    mean_y /= static_cast<double>(next_end - end);
    const double from_x = x[taken.back()];
    const double from_y = y[taken.back()];
    std::size_t best = points[begin];
    double largest = -1;
    for (std::size_t i = begin; i < end; ++i) {
      const std::size_t at = points[i];
      const double area = std::abs((from_x - mean_x) * (y[at] - from_y) - (from_x - x[at]) * (mean_y - from_y));
      if (area > largest) {
        largest = area;
        best = at;
      }
    }
    taken.push_back(best);
  }
  taken.push_back(points.back());
  return taken;
}

}  // namespace

std::vector<std::size_t> pick_points(std::span<const double> x, std::span<const double> y, std::size_t most) {
  Points all(y.size());
  std::iota(all.begin(), all.end(), std::size_t{0});
  if (y.size() <= most) return all;
  if (most == 0) return {};
  if (most == 1) return {y.size() - 1};
  Points kept = {0, y.size() - 1};
  Points finite;
  finite.reserve(all.size());
  std::ranges::copy_if(all, std::back_inserter(finite), [y](std::size_t i) { return std::isfinite(y[i]); });
  if (most >= 4 && !finite.empty()) {
    const auto by_value = [y](std::size_t a, std::size_t b) { return y[a] < y[b]; };
    const auto [low, high] = std::ranges::minmax_element(finite, by_value);
    kept.insert(kept.end(), {*low, *high});
  }
  if (most >= 16) {
    std::ranges::copy(holes(x, most / 4), std::back_inserter(kept));
    std::ranges::copy(breaks(y, most / 4), std::back_inserter(kept));
  }
  make_set(kept);
  if (finite.empty()) return kept;
  const std::size_t room = most - kept.size();
  Points few = extremes(y, finite, std::max<std::size_t>(room * kCandidates / 2, 1));
  std::erase_if(few, [&kept](std::size_t i) { return std::ranges::binary_search(kept, i); });
  if (few.empty() || room == 0) return kept;
  std::ranges::copy(largest_triangles(x, y, few, room), std::back_inserter(kept));
  make_set(kept);
  return kept;
}

}  // namespace det::model
