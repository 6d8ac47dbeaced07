#pragma once

// How long to wait between two starts of a server that ends by itself: one that cannot live would be started again, and
// write into its log, for ever. Pure.

#include <algorithm>
#include <chrono>

namespace det::local {

class RestartPause {
 public:
  static constexpr std::chrono::seconds kShortest{1};
  static constexpr std::chrono::seconds kLongest{30};
  // Longer than the longest pause: a server that has ended is not looked at before that is over.
  static constexpr std::chrono::seconds kLongLife{60};

  // After a start of a server whose former one lived for so long (zero: it could not be started).
  [[nodiscard]] std::chrono::seconds after(std::chrono::nanoseconds lived) {
    next_ = lived >= kLongLife ? kShortest : std::min(2 * next_, kLongest);
    return next_;
  }

 private:
  std::chrono::seconds next_ = kShortest;
};

}  // namespace det::local
