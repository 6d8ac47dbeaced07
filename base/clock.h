#pragma once

// Time as a dependency: what waits or stamps takes a Clock&, so that tests drive it (tests/support/fake_clock.h).
// A Clock outlives everything that was given it. Any thread may read the time; sleep_for belongs to the io thread.

#include <chrono>

#include "base/task.h"
#include "base/wall_time.h"

namespace det {

using SteadyTime = std::chrono::steady_clock::time_point;
using Millis = std::chrono::milliseconds;

class Clock {
 public:
  virtual ~Clock() = default;
  [[nodiscard]] virtual SteadyTime steady_now() const = 0;
  [[nodiscard]] virtual WallTime wall_now() const = 0;
  virtual Task<void> sleep_for(std::chrono::nanoseconds duration) = 0;
};

class SystemClock final : public Clock {
 public:
  [[nodiscard]] SteadyTime steady_now() const override;
  [[nodiscard]] WallTime wall_now() const override;
  Task<void> sleep_for(std::chrono::nanoseconds duration) override;
};

}  // namespace det
