#pragma once

// HTTP/1.1 server: keep-alive, chunked streams, optional TLS. Everything runs on the io thread of the executor it is
// given; large bodies are written to disk by a thread of the server's own. The Router outlives the server.
//
//   Router router;
//   router.add("GET", "/healthz", [](const Request&) -> Task<Response> { co_return Response::text("ok"); });
//   Server server(io.get_executor(), ServerOptions{.port = 0}, router);
//   if (Status started = server.start(); !started) ...
//   ... co_await server.stop();   // before the io_context goes
//
// Time limits: a client has `header_timeout` for a request's head once it began, and must keep a body and the reading
// of its answer moving (`io_timeout`), else the connection is closed; a body must come at `body_rate` once `body_grace`
// is over, and one that came quicker may stand still for `body_stall`; while a handler works or waits there is no
// limit. What the server itself refuses (malformed, too large, no room) it answers with {"message": "..."} and closes.
// The route's admission is asked before any of a body is read.

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include <boost/asio/any_io_executor.hpp>

#include "base/result.h"
#include "base/task.h"
#include "http/body_budget.h"
#include "http/connection_book.h"
#include "http/message.h"
#include "http/router.h"
#include "http/server_load.h"

namespace det::http {

// PEM files, read by start() and again when they have changed. With `client_ca_file` only clients with a certificate
// signed by it are let in.
struct TlsFiles {
  std::string certificate_file;  // the chain, the server's own certificate first
  std::string key_file;
  std::string client_ca_file;
};

struct ServerOptions {
  std::string address = "127.0.0.1";
  std::uint16_t port = 0;                              // 0: a free one
  TlsFiles tls = {};                                   // no certificate_file: plain HTTP
  std::chrono::milliseconds certificate_look{60'000};  // how often it is asked whether the TLS files have changed
  std::filesystem::path spool_directory = std::filesystem::temp_directory_path();
  std::size_t spool_above = std::size_t{1} << 20;  // bodies larger than this go to disk
  std::size_t head_limit = std::size_t{64} << 10;  // bytes of request line and headers
  std::chrono::milliseconds idle_timeout{120'000};
  std::chrono::milliseconds header_timeout{15'000};
  std::chrono::milliseconds io_timeout{60'000};
  // Asked once a request's head is there, before its body is read: an answer refuses it.
  std::function<std::optional<Response>(const Request&)> gate = {};
  // Asked before the route is looked for; null: the server's own router. What it returns outlives the server.
  std::function<const Router*(const Request&)> router_of = {};
  std::chrono::milliseconds body_grace{30'000};
  std::chrono::milliseconds body_stall{60'000};
  std::size_t body_rate = std::size_t{16} << 10;    // bytes a second
  std::chrono::milliseconds drain_timeout{10'000};  // what stop() gives running requests that must not be cut
  ConnectionLimits connections = {};                // `total` is lowered to what the process may open
  BodyBudget::Limits bodies = {};
};

class Server {
 public:
  Server(boost::asio::any_io_executor executor, ServerOptions options, const Router& router);
  ~Server();  // stop() has returned, or start() was never called
  Server(const Server&) = delete;
  Server& operator=(const Server&) = delete;

  // Listens. kInvalidArgument for a bad address or certificate, kUnavailable when the port is taken.
  [[nodiscard]] Status start();
  // The port it listens on, after start().
  [[nodiscard]] std::uint16_t port() const;
  [[nodiscard]] std::size_t connections() const;
  [[nodiscard]] ServerLoad load() const;

  // Stops listening, closes idle connections and those whose GET handlers wait, lets other requests finish within
  // `drain_timeout`, cancels the rest and returns when the last has ended.
  Task<void> stop();

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace det::http
