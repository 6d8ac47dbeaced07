#include "base/run_to_end.h"

#include <cstdlib>
#include <exception>
#include <utility>

#include <boost/asio/co_spawn.hpp>

#include "base/log.h"

namespace det {

void run_to_end(asio::io_context& io, Task<void> work, const std::string& what) {
  asio::co_spawn(io, std::move(work), [&what](const std::exception_ptr& thrown) {
    if (!thrown) return;
    try {
      std::rethrow_exception(thrown);
    } catch (const std::exception& error) {
      Logger("main").error(what + " failed", {{"what", error.what()}});
    }
    std::_Exit(EXIT_FAILURE);
  });
  io.run();
}

}  // namespace det
