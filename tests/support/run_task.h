#pragma once

// Runs one coroutine to its end on an io_context, for tests that have no loop of their own.

#include <chrono>
#include <optional>
#include <utility>

#include <boost/asio/io_context.hpp>

#include "base/task.h"

namespace det::test {

// Other coroutines of the context go on while it waits. The task must not throw.
void run_to_completion(asio::io_context& io, Task<void> task);

template <typename T>
Task<void> keep_result(Task<T> task, std::optional<T>& result) {
  result.emplace(co_await std::move(task));
}

// Returns what the task returned. Only a Task<void> is spawned: that is much code, and each T would have its own.
template <typename T>
T run_task(asio::io_context& io, Task<T> task) {
  std::optional<T> result;
  run_to_completion(io, keep_result(std::move(task), result));
  return std::move(*result);
}

// Lets what others have started go on until `claim` holds; a claim that never does is stopped by the suite's own limit.
template <typename Claim>
void run_until(asio::io_context& io, Claim claim) {
  while (!claim()) {
    io.restart();
    io.run_for(std::chrono::milliseconds(1));
  }
}

}  // namespace det::test
