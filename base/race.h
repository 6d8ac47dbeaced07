#pragma once

// Structured waiting for several coroutines: the ones that lose are cancelled AND have returned before the call
// returns, so nothing outlives the frame that started it. Cancelling the caller cancels all of them. Belongs to the io
// thread.

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/async.h"
#include "base/clock.h"
#include "base/result.h"

namespace det {

// Runs both until one has ended and cancels the other. Returns 0 or 1: which one ended first. An exception of the one
// that ended first is rethrown, as is any other than cancellation of the loser.
Task<std::size_t> first_of(Task<void> first, Task<void> second);

// Runs all; when one of them ends by an exception, the others are cancelled and it is rethrown.
Task<void> all_of(std::vector<Task<void>> tasks);

// What a cancelled `work` ended with: nothing when it returned, else its exception, for callers that must clean up with
// awaits of their own before they rethrow it. Cancellation reaches `work` as usual.
Task<std::exception_ptr> outcome_of(Task<void> work);

// Returns true when the signal's version is no longer `seen`, false after `limit` on `clock`.
Task<bool> wait_on_clock(Signal& signal, std::uint64_t seen, Clock& clock, std::chrono::nanoseconds limit);

namespace internal {
template <typename T>
Task<void> run_into(Task<Result<T>> work, std::optional<Result<T>>& into) {
  into.emplace(co_await std::move(work));
}
}  // namespace internal

// `work`'s result, or kDeadlineExceeded when it took longer than `limit` on `clock`; it is then cancelled.
template <typename T>
Task<Result<T>> with_deadline(Clock& clock, std::chrono::nanoseconds limit, Task<Result<T>> work) {
  std::optional<Result<T>> result;
  auto running = internal::run_into(std::move(work), result);
  auto over = clock.sleep_for(limit);
  co_await first_of(std::move(running), std::move(over));
  if (result) co_return std::move(*result);
  const auto millis = std::chrono::duration_cast<std::chrono::milliseconds>(limit).count();
  co_return fail(ErrorCode::kDeadlineExceeded, "no answer within " + std::to_string(millis) + " ms");
}

}  // namespace det
