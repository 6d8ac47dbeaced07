#include "tests/support/fake_clock.h"

#include <algorithm>

#include <boost/asio/redirect_error.hpp>
#include <boost/asio/use_awaitable.hpp>

#include "base/check.h"

namespace det::test {

FakeClock::FakeClock(asio::io_context& io) : io_(io) {}

FakeClock::~FakeClock() {
  DET_CHECK(sleepers_.empty(), "a coroutine still sleeps on this clock");
}

WallTime FakeClock::wall_now() const {
  constexpr std::chrono::sys_days kDay{std::chrono::year(2026) / 11 / 21};
  return WallTime(kDay) + std::chrono::hours(2) + std::chrono::duration_cast<std::chrono::microseconds>(elapsed_);
}

Task<void> FakeClock::sleep_for(std::chrono::nanoseconds duration) {
  if (duration <= std::chrono::nanoseconds::zero()) co_return;
  struct Listed {
    std::list<Sleeper*>& list;
    std::list<Sleeper*>::iterator place;
    ~Listed() { list.erase(place); }
  };
  Sleeper sleeper{.wakes_at = elapsed_ + duration,
                  .timer = asio::steady_timer(io_, asio::steady_timer::time_point::max())};
  const Listed listed{sleepers_, sleepers_.insert(sleepers_.end(), &sleeper)};
  while (!sleeper.due) {
    boost::system::error_code ignored;
    co_await sleeper.timer.async_wait(asio::redirect_error(asio::use_awaitable, ignored));
  }
}

void FakeClock::settle() {
  io_.restart();
  io_.poll();
}

FakeClock::Sleeper* FakeClock::next() const {
  const auto first = std::ranges::min_element(sleepers_, {}, [](const Sleeper* s) { return s->wakes_at; });
  return first == sleepers_.end() || (*first)->due ? nullptr : *first;
}

bool FakeClock::wake_next() {
  Sleeper* sleeper = next();
  if (sleeper == nullptr) return false;
  elapsed_ = std::max(elapsed_, sleeper->wakes_at);
  sleeper->due = true;
  sleeper->wakes_at = std::chrono::nanoseconds::max();
  sleeper->timer.cancel();
  return true;
}

std::optional<std::chrono::nanoseconds> FakeClock::until_next() const {
  const Sleeper* sleeper = next();
  if (sleeper == nullptr) return std::nullopt;
  return sleeper->wakes_at - elapsed_;
}

void FakeClock::advance(std::chrono::nanoseconds duration) {
  const auto target = elapsed_ + duration;
  for (;;) {
    settle();
    const auto left = until_next();
    if (!left || elapsed_ + *left > target) break;
    wake_next();
  }
  elapsed_ = target;
}

}  // namespace det::test
