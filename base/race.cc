#include "base/race.h"

#include <exception>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/deferred.hpp>
#include <boost/asio/experimental/parallel_group.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/system/system_error.hpp>

namespace det {
namespace {

bool is_cancellation(const std::exception_ptr& thrown) {
  try {
    std::rethrow_exception(thrown);
  } catch (const boost::system::system_error& error) {
    return error.code() == asio::error::operation_aborted;
  } catch (const std::exception&) {
    return false;
  }
}

Task<void> wait_for_signal(Signal& signal, std::uint64_t seen) {
  while (signal.version() == seen) co_await signal.wait(seen, std::chrono::hours(24));
}

}  // namespace

Task<std::size_t> first_of(Task<void> first, Task<void> second) {
  const auto executor = co_await asio::this_coro::executor;
  auto group = asio::experimental::make_parallel_group(asio::co_spawn(executor, std::move(first), asio::deferred),
                                                       asio::co_spawn(executor, std::move(second), asio::deferred));
  auto wait = group.async_wait(asio::experimental::wait_for_one(), asio::use_awaitable);
  const auto [order, first_thrown, second_thrown] = co_await std::move(wait);
  const std::size_t winner = order[0];
  const std::exception_ptr& thrown = winner == 0 ? first_thrown : second_thrown;
  const std::exception_ptr& lost = winner == 0 ? second_thrown : first_thrown;
  if (thrown) std::rethrow_exception(thrown);
  if (lost && !is_cancellation(lost)) std::rethrow_exception(lost);
  co_return winner;
}

Task<void> all_of(std::vector<Task<void>> tasks) {
  const auto executor = co_await asio::this_coro::executor;
  using Spawned = decltype(asio::co_spawn(executor, std::declval<Task<void>>(), asio::deferred));
  std::vector<Spawned> spawned;
  for (auto& task : tasks) spawned.push_back(asio::co_spawn(executor, std::move(task), asio::deferred));
  if (spawned.empty()) co_return;
  auto group = asio::experimental::make_parallel_group(std::move(spawned));
  auto wait = group.async_wait(asio::experimental::wait_for_one_error(), asio::use_awaitable);
  const auto [order, thrown] = co_await std::move(wait);
  for (const std::size_t place : order) {
    if (thrown[place]) std::rethrow_exception(thrown[place]);
  }
}

Task<std::exception_ptr> outcome_of(Task<void> work) {
  const auto executor = co_await asio::this_coro::executor;
  auto group = asio::experimental::make_parallel_group(asio::co_spawn(executor, std::move(work), asio::deferred));
  auto wait = group.async_wait(asio::experimental::wait_for_all(), asio::use_awaitable);
  const auto [order, thrown] = co_await std::move(wait);
  co_return thrown;
}

Task<bool> wait_on_clock(Signal& signal, std::uint64_t seen, Clock& clock, std::chrono::nanoseconds limit) {
  auto changed = wait_for_signal(signal, seen);
  auto over = clock.sleep_for(limit);
  co_await first_of(std::move(changed), std::move(over));
  co_return signal.version() != seen;
}

}  // namespace det
