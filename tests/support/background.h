#pragma once

// Coroutines that run for ever, for as long as a test needs them: destruction cancels them and runs the io_context
// until the last has unwound. Declare it after everything the coroutines use.

#include <string>
#include <utility>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>

#include "base/async.h"
#include "base/check.h"
#include "base/task.h"

namespace det::test {

class Background {
 public:
  explicit Background(asio::io_context& io) : io_(io), group_(io.get_executor()) {}
  ~Background() { stop(); }
  Background(const Background&) = delete;
  Background& operator=(const Background&) = delete;

  void start(Task<void> task) { group_.spawn("background", std::move(task)); }
  void stop() {
    group_.cancel();
    io_.restart();
    while (group_.size() > 0) {
      DET_CHECK(io_.run_one() > 0, "a coroutine did not react to cancellation");
    }
  }

 private:
  asio::io_context& io_;
  TaskGroup group_;
};

}  // namespace det::test
