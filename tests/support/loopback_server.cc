#include "tests/support/loopback_server.h"

#include <exception>
#include <utility>

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/buffer.hpp>
#include <boost/asio/read_until.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/asio/write.hpp>

#include "base/race.h"

namespace det::test {
namespace {

constexpr auto kTuple = asio::as_tuple(asio::use_awaitable);

}  // namespace

LoopbackServer::LoopbackServer(asio::io_context& io, Serve serve)
    : acceptor_(io, asio::ip::tcp::endpoint(asio::ip::address_v4::loopback(), 0)),
      serve_(std::move(serve)),
      port_(acceptor_.local_endpoint().port()),
      sessions_(io.get_executor()) {}

Task<void> LoopbackServer::run() {
  auto accepting = [](LoopbackServer* self) -> Task<void> {
    for (;;) {
      auto [error, socket] = co_await self->acceptor_.async_accept(kTuple);
      if (error) continue;
      ++self->connections_;
      self->sessions_.spawn("session", self->serve_(std::move(socket)));
    }
  };
  auto work = accepting(this);
  const std::exception_ptr ended = co_await outcome_of(std::move(work));
  co_await asio::this_coro::reset_cancellation_state(asio::enable_terminal_cancellation());
  sessions_.cancel();
  co_await sessions_.join();
  if (ended) std::rethrow_exception(ended);
}

Task<std::string> read_head(asio::ip::tcp::socket& socket) {
  std::string text;
  auto buffer = asio::dynamic_buffer(text);
  auto [error, length] = co_await asio::async_read_until(socket, buffer, "\r\n\r\n", kTuple);
  co_return error ? std::string() : text;
}

Task<bool> write_text(asio::ip::tcp::socket& socket, std::string text) {
  const auto buffer = asio::buffer(text);
  auto [error, written] = co_await asio::async_write(socket, buffer, kTuple);
  co_return !error;
}

Task<void> wait_for_close(asio::ip::tcp::socket& socket) {
  char byte = 0;
  for (;;) {
    const auto buffer = asio::buffer(&byte, 1);
    auto [error, length] = co_await socket.async_read_some(buffer, kTuple);
    if (error) co_return;
  }
}

}  // namespace det::test
