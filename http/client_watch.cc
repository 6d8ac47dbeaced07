#include "http/client_watch.h"

#include <poll.h>
#include <sys/socket.h>

#include <cerrno>
#include <chrono>

#include <boost/asio/redirect_error.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/use_awaitable.hpp>

namespace det::http {

namespace {

bool has_hung_up(int fd) {
  pollfd watched{.fd = fd, .events = POLLRDHUP, .revents = 0};
  return ::poll(&watched, 1, 0) > 0 && (watched.revents & (POLLRDHUP | POLLHUP | POLLERR)) != 0;
}

bool has_unread_bytes(int fd) {
  char byte = 0;
  return ::recv(fd, &byte, 1, MSG_PEEK | MSG_DONTWAIT) > 0;
}

}  // namespace

Task<void> wait_until_gone(asio::ip::tcp::socket& socket) {
  asio::steady_timer timer(socket.get_executor());
  boost::system::error_code ec;
  while (socket.is_open()) {
    co_await socket.async_wait(asio::ip::tcp::socket::wait_read, asio::redirect_error(asio::use_awaitable, ec));
    if (ec || !socket.is_open() || has_hung_up(socket.native_handle())) co_return;
    // A pipelined request or a TLS record keeps the socket readable: look again now and then.
    if (has_unread_bytes(socket.native_handle())) {
      timer.expires_after(std::chrono::milliseconds(250));
      co_await timer.async_wait(asio::redirect_error(asio::use_awaitable, ec));
    }
  }
}

}  // namespace det::http
