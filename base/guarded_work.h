#pragma once

// Work on what strangers wrote, on a pool. An exception there would end the process: one request must not do that to
// everybody else's. It comes back to the coroutine instead, whose server answers 500 and logs it.

#include <exception>
#include <expected>
#include <type_traits>
#include <utility>

#include "base/async.h"

namespace det {

// As run_on, but `work` may throw.
template <typename Work>
Task<std::invoke_result_t<Work>> run_guarded(asio::thread_pool& pool, Work work) {
  using R = std::invoke_result_t<Work>;
  using Outcome = std::expected<R, std::exception_ptr>;
  auto guarded = [work = std::move(work)]() mutable -> Outcome {
    try {
      return Outcome(std::in_place, work());
    } catch (...) {
      return Outcome(std::unexpect, std::current_exception());
    }
  };
  Outcome outcome = co_await run_on(pool, std::move(guarded));
  if (!outcome) std::rethrow_exception(outcome.error());
  co_return std::move(*outcome);
}

}  // namespace det
