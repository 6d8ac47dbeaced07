#include "tests/support/run_task.h"

#include <exception>
#include <utility>

#include <boost/asio/co_spawn.hpp>

#include "base/check.h"

namespace det::test {

void run_to_completion(asio::io_context& io, Task<void> task) {
  bool completed = false;
  io.restart();
  asio::co_spawn(io, std::move(task), [&](const std::exception_ptr& thrown) {
    DET_CHECK(!thrown, "a task under test does not throw");
    completed = true;
    io.stop();
  });
  while (!completed && io.run_one() > 0) {
  }
  DET_CHECK(completed, "the task waits for something that nobody does");
}

}  // namespace det::test
