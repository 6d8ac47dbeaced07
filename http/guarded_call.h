#pragma once

// Calls of handlers: what escapes one is a bug of that handler, and must not end the connection's coroutine. A detail
// of http/session.cc.

#include <exception>
#include <optional>
#include <string>

#include "base/log.h"
#include "base/task.h"
#include "http/message.h"

namespace det::http {

// `work`'s result, or nothing when it threw: then the log has the reason. Cancellation goes on. `log` and `request`
// outlive the call.
template <typename T>
Task<std::optional<T>> guarded(const Logger& log, const char* threw, const Request& request, Task<T> work) {
  std::exception_ptr thrown;
  std::string what;
  try {
    co_return co_await std::move(work);
  } catch (const std::exception& e) {
    thrown = std::current_exception();
    what = e.what();
  }
  const auto state = co_await asio::this_coro::cancellation_state;
  if (state.cancelled() != asio::cancellation_type::none) std::rethrow_exception(thrown);
  log.error(threw, {{"method", request.method}, {"path", request.path}, {"what", what}});
  co_return std::nullopt;
}

}  // namespace det::http
