#pragma once

// ByteStream on a TCP socket, or on a TLS stream over one. The stream and its socket outlive it and are non-blocking.

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>

#include <algorithm>
#include <cstring>
#include <string>
#include <type_traits>
#include <utility>

#include <boost/asio/buffer.hpp>
#include <boost/asio/error.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/redirect_error.hpp>
#include <boost/asio/ssl/error.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/asio/write.hpp>

#include "http/byte_stream.h"

namespace det::http {

// The kernel asks a silent peer after a minute, and gives it up after two.
inline void watch_silence(asio::ip::tcp::socket& socket) {
  boost::system::error_code ignored;
  socket.set_option(asio::socket_base::keep_alive(true), ignored);
  const auto set = [&socket](int option, int value) {
    static_cast<void>(::setsockopt(socket.native_handle(), IPPROTO_TCP, option, &value, sizeof value));
  };
  set(TCP_KEEPIDLE, 60);
  set(TCP_KEEPINTVL, 15);
  set(TCP_KEEPCNT, 4);
}

// `Base` is ByteStream or derived from it; the rest of it is left to who derives.
template <typename Stream, bool kIsTls, typename Base = ByteStream>
class SocketStream : public Base {
  using error_code = boost::system::error_code;

 public:
  SocketStream(Stream& stream, asio::ip::tcp::socket& socket) : stream_(stream), socket_(socket) {}

  std::size_t read_now(char* to, std::size_t size, error_code& ec) override {
    if constexpr (!kIsTls) {
      return socket_.read_some(asio::buffer(to, size), ec);
    } else {
      if (at_ == stash_.size()) {
        ec = stash_error_;
        return 0;
      }
      const std::size_t taken = std::min(size, stash_.size() - at_);
      std::memcpy(to, stash_.data() + at_, taken);
      at_ += taken;
      ec = {};
      return taken;
    }
  }

  Task<error_code> wait_readable() override {
    error_code ec;
    if constexpr (!kIsTls) {
      co_await socket_.async_wait(asio::ip::tcp::socket::wait_read, asio::redirect_error(asio::use_awaitable, ec));
      co_return ec;
    } else {
      if (at_ < stash_.size()) co_return error_code();
      // A busy connection reads whole records; one that was silent holds little while it waits.
      const std::size_t room = was_full_ ? kBusyRoom : kIdleRoom;
      if (stash_.capacity() != room) stash_ = std::string();
      stash_.reserve(room);
      stash_.resize(room);
      const std::size_t got =
          co_await stream_.async_read_some(asio::buffer(stash_), asio::redirect_error(asio::use_awaitable, ec));
      was_full_ = got == room || (was_full_ && got > kIdleRoom);
      stash_.resize(got);
      at_ = 0;
      // Few peers close TLS in the way they should.
      if (ec == asio::ssl::error::stream_truncated) ec = asio::error::eof;
      stash_error_ = ec ? ec : error_code(asio::error::would_block);
      co_return ec == asio::error::eof ? error_code() : ec;
    }
  }

  std::size_t write_now(std::string_view bytes) override {
    if constexpr (kIsTls) {
      return 0;
    } else {
      error_code ignored;
      return socket_.write_some(asio::buffer(bytes), ignored);
    }
  }

  Task<error_code> write(std::string_view bytes) override {
    error_code ec;
    if constexpr (!kIsTls) {
      bytes.remove_prefix(write_now(bytes));
      if (bytes.empty()) co_return ec;
      co_await asio::async_write(socket_, asio::buffer(bytes), asio::redirect_error(asio::use_awaitable, ec));
    } else {
      co_await asio::async_write(stream_, asio::buffer(bytes), asio::redirect_error(asio::use_awaitable, ec));
    }
    co_return ec;
  }

  void finish_writing() override {
    error_code ignored;
    socket_.shutdown(asio::ip::tcp::socket::shutdown_send, ignored);
  }
  void close() override {
    error_code ignored;
    socket_.close(ignored);
  }
  [[nodiscard]] bool is_open() const override { return socket_.is_open(); }
  [[nodiscard]] bool has_hung_up() const override {
    if (!socket_.is_open()) return true;
    pollfd watched{.fd = socket_.native_handle(), .events = POLLRDHUP, .revents = 0};
    return ::poll(&watched, 1, 0) > 0 && (watched.revents & (POLLRDHUP | POLLHUP | POLLERR)) != 0;
  }
  void settle() override { watch_silence(socket_); }

 protected:
  // What was read from TLS and not taken.
  [[nodiscard]] std::string_view left_over() const { return std::string_view(stash_).substr(at_); }

 private:
  static constexpr std::size_t kIdleRoom = 1024;
  static constexpr std::size_t kBusyRoom = std::size_t{16} << 10;

  Stream& stream_;
  asio::ip::tcp::socket& socket_;
  // What TLS has deciphered and nobody has taken.
  std::string stash_;
  std::size_t at_ = 0;
  bool was_full_ = false;
  error_code stash_error_ = asio::error::would_block;
};

}  // namespace det::http
