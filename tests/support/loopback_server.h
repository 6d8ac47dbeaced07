#pragma once

// A TCP server on a free loopback port that speaks by script: for tests of what goes over the wire. Each connection is
// given to one coroutine of the test. Belongs to the io thread.

#include <cstdint>
#include <functional>
#include <string>

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>

#include "base/async.h"
#include "base/task.h"

namespace det::test {

class LoopbackServer {
 public:
  using Serve = std::function<Task<void>(asio::ip::tcp::socket)>;

  LoopbackServer(asio::io_context& io, Serve serve);

  [[nodiscard]] std::string url() const { return "http://127.0.0.1:" + std::to_string(port_); }
  [[nodiscard]] std::uint16_t port() const { return port_; }
  [[nodiscard]] int connections() const { return connections_; }
  // Accepts for ever; ends by cancellation, with every connection.
  Task<void> run();

 private:
  asio::ip::tcp::acceptor acceptor_;
  Serve serve_;
  std::uint16_t port_;
  int connections_ = 0;
  TaskGroup sessions_;
};

// Reads up to the blank line that ends a request's head. Empty when the peer closed.
Task<std::string> read_head(asio::ip::tcp::socket& socket);
// Returns false when the peer is gone.
Task<bool> write_text(asio::ip::tcp::socket& socket, std::string text);
// Returns when the peer has closed its side.
Task<void> wait_for_close(asio::ip::tcp::socket& socket);

}  // namespace det::test
