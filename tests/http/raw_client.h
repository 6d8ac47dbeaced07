#pragma once

// A server on a free port with its own io thread, and a blocking socket that says exactly what a test tells it to.

#include <future>
#include <string>
#include <string_view>
#include <thread>

#include <gtest/gtest.h>
#include <boost/asio/connect.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/read.hpp>
#include <boost/asio/write.hpp>

#include "base/async.h"
#include "http/server.h"

namespace det::http {

class RunningServer {
 public:
  explicit RunningServer(const Router& router, ServerOptions options = {})
      : server_(io_.get_executor(), std::move(options), router), guard_(asio::make_work_guard(io_)) {
    const Status started = server_.start();
    EXPECT_TRUE(started) << started.error().message;
    thread_ = std::thread([this] { io_.run(); });
  }
  ~RunningServer() {
    stop();
    guard_.reset();
    thread_.join();
  }

  void stop() {
    if (stopped_) return;
    stopped_ = true;
    std::promise<void> done;
    auto work = [&]() -> Task<void> {
      co_await server_.stop();
      done.set_value();
    };
    asio::co_spawn(io_, work(), asio::detached);
    done.get_future().wait();
  }
  [[nodiscard]] std::uint16_t port() const { return server_.port(); }
  // Once it has stopped.
  [[nodiscard]] ServerLoad load() const { return server_.load(); }
  asio::io_context& io() { return io_; }

 private:
  asio::io_context io_;
  Server server_;
  asio::executor_work_guard<asio::io_context::executor_type> guard_;
  std::thread thread_;
  bool stopped_ = false;
};

// What blocking clients over a `stream()` of asio's can do.
template <typename Client>
class BlockingClient {
 public:
  // False when the server has closed.
  bool send(std::string_view text) {
    boost::system::error_code ec;
    asio::write(stream(), asio::buffer(text), ec);
    return !ec;
  }
  // Reads until `text` holds `end`, or the server closes.
  std::string read_until(std::string_view end) {
    while (seen_.find(end) == std::string::npos && read_some()) {
    }
    const auto at = seen_.find(end);
    return take(at == std::string::npos ? seen_.size() : at + end.size());
  }
  std::string read_exactly(std::size_t bytes) {
    while (seen_.size() < bytes && read_some()) {
    }
    return take(bytes);
  }
  std::string read_all() {
    while (read_some()) {
    }
    return std::exchange(seen_, {});
  }

 private:
  auto& stream() { return static_cast<Client*>(this)->stream(); }
  std::string take(std::size_t bytes) {
    std::string out = seen_.substr(0, bytes);
    seen_.erase(0, bytes);
    return out;
  }
  bool read_some() {
    char bytes[4096];
    boost::system::error_code ec;
    const std::size_t got = stream().read_some(asio::buffer(bytes), ec);
    seen_.append(bytes, got);
    return !ec;
  }

  std::string seen_;
};

class RawClient : public BlockingClient<RawClient> {
 public:
  explicit RawClient(std::uint16_t port) : socket_(io_) {
    socket_.connect({asio::ip::make_address("127.0.0.1"), port});
  }
  void close() { socket_.close(); }
  asio::ip::tcp::socket& stream() { return socket_; }

 private:
  asio::io_context io_;
  asio::ip::tcp::socket socket_;
};

}  // namespace det::http
