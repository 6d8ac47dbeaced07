#pragma once

// A Clock whose time the test advances. Belongs to the io thread of the io_context it is given, which the test runs
// only through this clock (settle, advance).

#include <chrono>
#include <list>
#include <optional>

#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>

#include "base/clock.h"

namespace det::test {

class FakeClock final : public Clock {
 public:
  // Starts on 2026-11-21 at 02:00 UTC.
  explicit FakeClock(asio::io_context& io);
  ~FakeClock() override;
  FakeClock(const FakeClock&) = delete;
  FakeClock& operator=(const FakeClock&) = delete;

  [[nodiscard]] SteadyTime steady_now() const override { return SteadyTime(kEpoch) + elapsed_; }
  [[nodiscard]] WallTime wall_now() const override;
  Task<void> sleep_for(std::chrono::nanoseconds duration) override;

  // Runs everything that can run without time going on.
  void settle();
  // Settles, then moves the time on. Sleepers wake in the order of their deadlines, and what each one starts runs
  // before the next one wakes.
  void advance(std::chrono::nanoseconds duration);
  // Moves the time on to the deadline of the next sleeper and wakes it, without running it. False: nobody sleeps.
  bool wake_next();
  // How long until then.
  [[nodiscard]] std::optional<std::chrono::nanoseconds> until_next() const;
  // Since the clock was made.
  [[nodiscard]] std::chrono::nanoseconds elapsed() const { return elapsed_; }
  // How many coroutines sleep.
  [[nodiscard]] std::size_t sleepers() const { return sleepers_.size(); }

 private:
  static constexpr std::chrono::hours kEpoch{1000};
  struct Sleeper {
    std::chrono::nanoseconds wakes_at;
    asio::steady_timer timer;
    bool due = false;
  };
  [[nodiscard]] Sleeper* next() const;

  asio::io_context& io_;
  std::chrono::nanoseconds elapsed_{0};
  std::list<Sleeper*> sleepers_;
};

}  // namespace det::test
