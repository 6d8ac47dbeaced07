#include "http/server.h"

#include <list>
#include <utility>
#include <vector>

#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/redirect_error.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/thread_pool.hpp>
#include <boost/asio/use_awaitable.hpp>

#include "base/async.h"
#include "base/log.h"
#include "http/session.h"
#include "http/tls_context.h"

namespace det::http {

namespace asio = boost::asio;
using asio::ip::tcp;

class Server::Impl final : public SessionRegistry {
 public:
  Impl(asio::any_io_executor executor, ServerOptions options, const Router& router)
      : executor_(executor),
        options_(std::move(options)),
        spool_pool_(1),
        shared_{.router = router, .options = options_, .spool_pool = spool_pool_, .log = Logger("http")},
        acceptor_(executor),
        ended_(executor),
        tasks_(executor) {}

  Status start() {
    if (!options_.tls.certificate_file.empty()) {
      auto context = make_tls_context(options_.tls);
      if (!context) return std::unexpected(context.error());
      tls_ = std::move(*context);
    }
    boost::system::error_code ec;
    const auto address = asio::ip::make_address(options_.address, ec);
    if (ec) return fail(ErrorCode::kInvalidArgument, "'" + options_.address + "' is not an IP address to listen on");
    const tcp::endpoint endpoint(address, options_.port);
    acceptor_.open(endpoint.protocol(), ec);
    if (!ec) acceptor_.set_option(tcp::acceptor::reuse_address(true), ec);
    if (!ec) acceptor_.bind(endpoint, ec);
    if (!ec) acceptor_.listen(asio::socket_base::max_listen_connections, ec);
    if (ec) {
      return fail(ErrorCode::kUnavailable,
                  "cannot listen on " + options_.address + ":" + std::to_string(options_.port) + ": " + ec.message());
    }
    port_ = acceptor_.local_endpoint(ec).port();
    tasks_.spawn("http accept", accept_loop());
    return {};
  }

  Task<void> stop() {
    shared_.is_stopping = true;
    boost::system::error_code ignored;
    acceptor_.close(ignored);
    for (SessionControl* session : sessions_) session->stop();
    const auto deadline = std::chrono::steady_clock::now() + options_.drain_timeout;
    while (!sessions_.empty() && std::chrono::steady_clock::now() < deadline) {
      const auto seen = ended_.version();
      co_await ended_.wait(seen, deadline - std::chrono::steady_clock::now());
    }
    tasks_.cancel();
    co_await tasks_.join();
    spool_pool_.join();
  }

  void add(SessionControl* session) override { sessions_.push_back(session); }
  void remove(SessionControl* session) override {
    sessions_.remove(session);
    ended_.notify_all();
  }
  [[nodiscard]] std::uint16_t port() const { return port_; }
  [[nodiscard]] std::size_t connections() const { return sessions_.size(); }

 private:
  asio::any_io_executor executor_;
  ServerOptions options_;
  asio::thread_pool spool_pool_;
  SessionShared shared_;
  std::unique_ptr<asio::ssl::context> tls_;
  tcp::acceptor acceptor_;
  std::uint16_t port_ = 0;
  std::list<SessionControl*> sessions_;
  Signal ended_;
  TaskGroup tasks_;

  Task<void> accept_loop() {
    while (acceptor_.is_open()) {
      boost::system::error_code ec;
      tcp::socket socket = co_await acceptor_.async_accept(asio::redirect_error(asio::use_awaitable, ec));
      if (!ec) {
        tasks_.spawn("http session", run_session(std::move(socket), tls_.get(), &shared_, this));
      } else if (acceptor_.is_open()) {
        // Out of file descriptors, most likely: connections that end make room.
        shared_.log.warn("a connection was not accepted", {{"reason", ec.message()}});
        asio::steady_timer pause(executor_, std::chrono::milliseconds(100));
        co_await pause.async_wait(asio::redirect_error(asio::use_awaitable, ec));
      }
    }
  }
};

Server::Server(asio::any_io_executor executor, ServerOptions options, const Router& router)
    : impl_(std::make_unique<Impl>(std::move(executor), std::move(options), router)) {}
Server::~Server() = default;

Status Server::start() {
  return impl_->start();
}
std::uint16_t Server::port() const {
  return impl_->port();
}
std::size_t Server::connections() const {
  return impl_->connections();
}
Task<void> Server::stop() {
  return impl_->stop();
}

}  // namespace det::http
