#include "base/clock.h"

#include <boost/asio/steady_timer.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>

namespace det {

SteadyTime SystemClock::steady_now() const {
  return std::chrono::steady_clock::now();
}

WallTime SystemClock::wall_now() const {
  return std::chrono::time_point_cast<std::chrono::microseconds>(std::chrono::system_clock::now());
}

Task<void> SystemClock::sleep_for(std::chrono::nanoseconds duration) {
  asio::steady_timer timer(co_await asio::this_coro::executor, std::chrono::steady_clock::now() + duration);
  co_await timer.async_wait(asio::use_awaitable);
}

}  // namespace det
