#pragma once

// Runs one coroutine to its end on an io_context, for tests that have no loop of their own.

#include <chrono>
#include <exception>
#include <optional>
#include <utility>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>

#include "base/check.h"
#include "base/task.h"

namespace det::test {

// Returns what the task returned; other coroutines of the context go on while it waits.
template <typename T>
T run_task(asio::io_context& io, Task<T> task) {
  std::optional<T> result;
  auto done = [&result, &io](const std::exception_ptr& thrown, T value) {
    DET_CHECK(!thrown, "a task under test does not throw");
    result.emplace(std::move(value));
    io.stop();
  };
  io.restart();
  asio::co_spawn(io, std::move(task), done);
  while (!result && io.run_one() > 0) {
  }
  DET_CHECK(result.has_value(), "the task waits for something that nobody does");
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
