#include "http/server.h"

#include <sys/resource.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include <boost/asio/co_spawn.hpp>
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

namespace {

// For the database, Kubernetes, and files.
constexpr std::size_t kOtherDescriptors = 256;

// How many files the process may open, after asking for as many as it may ask for.
std::size_t raise_descriptor_limit() {
  rlimit limit{};
  if (::getrlimit(RLIMIT_NOFILE, &limit) != 0) return 2 * kOtherDescriptors;
  const rlim_t wanted = std::min<rlim_t>(limit.rlim_max, rlim_t{1} << 16);
  if (limit.rlim_cur < wanted) {
    limit.rlim_cur = wanted;
    ::setrlimit(RLIMIT_NOFILE, &limit);
    ::getrlimit(RLIMIT_NOFILE, &limit);
  }
  return static_cast<std::size_t>(limit.rlim_cur);
}

}  // namespace

class Server::Impl final : public SessionRegistry {
 public:
  Impl(asio::any_io_executor executor, ServerOptions options, const Router& router)
      : executor_(executor),
        options_(std::move(options)),
        spool_pool_(1),
        budget_(options_.bodies),
        book_(options_.connections),
        shared_{.router = router,
                .options = options_,
                .spool_pool = spool_pool_,
                .budget = budget_,
                .book = book_,
                .log = Logger("http")},
        acceptor_(executor),
        ended_(executor),
        tasks_(executor) {}

  Status start() {
    if (!options_.tls.certificate_file.empty()) {
      tls_.emplace(options_.tls, options_.certificate_look);
      DET_TRY(tls_->load());
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
    const std::size_t descriptors = raise_descriptor_limit();
    const std::size_t left = descriptors > 2 * kOtherDescriptors ? descriptors - kOtherDescriptors : kOtherDescriptors;
    book_.set_total(std::min(options_.connections.total, left));
    tasks_.spawn("http accept", accept_loop());
    return {};
  }

  Task<void> stop() {
    shared_.is_stopping = true;
    boost::system::error_code ignored;
    acceptor_.close(ignored);
    const std::list<Connection*> sessions = book_.all();
    for (Connection* session : sessions) session->stop();
    const auto deadline = std::chrono::steady_clock::now() + options_.drain_timeout;
    while (book_.size() > 0 && std::chrono::steady_clock::now() < deadline) {
      const auto seen = ended_.version();
      co_await ended_.wait(seen, deadline - std::chrono::steady_clock::now());
    }
    tasks_.cancel();
    co_await tasks_.join();
    spool_pool_.join();
  }

  void add(Connection& session) override { book_.add(session); }
  void remove(Connection& session) override {
    book_.remove(session);
    ended_.notify_all();
  }
  [[nodiscard]] std::uint16_t port() const { return port_; }
  [[nodiscard]] std::size_t connections() const { return book_.size(); }
  [[nodiscard]] ServerLoad load() const {
    return {.routes = shared_.routes,
            .connections = book_.size(),
            .body_bytes = budget_.held(),
            .connections_closed = book_.stopped(),
            .connections_refused = book_.refused(),
            .bodies_refused = budget_.refused()};
  }

 private:
  asio::any_io_executor executor_;
  ServerOptions options_;
  asio::thread_pool spool_pool_;
  BodyBudget budget_;
  ConnectionBook book_;
  SessionShared shared_;
  std::optional<TlsContexts> tls_;  // nothing: plain HTTP
  tcp::acceptor acceptor_;
  std::uint16_t port_ = 0;
  Signal ended_;
  TaskGroup tasks_;

  Task<void> serve(tcp::socket socket) {
    auto meter = std::make_shared<StepMeter>();
    const MeteredExecutor executor(executor_, meter);
    const std::shared_ptr<asio::ssl::context> tls = tls_ ? tls_->current() : nullptr;  // until its end
    co_await asio::co_spawn(executor, run_session(std::move(socket), tls.get(), &shared_, this, meter),
                            asio::use_awaitable);
  }

  Task<void> accept_loop() {
    while (acceptor_.is_open()) {
      boost::system::error_code ec;
      tcp::socket socket = co_await acceptor_.async_accept(asio::redirect_error(asio::use_awaitable, ec));
      if (!ec) {
        boost::system::error_code gone;
        const auto peer = socket.remote_endpoint(gone);
        if (gone || !book_.make_room(address_group(peer.address().to_string()))) continue;
        tasks_.spawn("http session", serve(std::move(socket)));
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
ServerLoad Server::load() const {
  return impl_->load();
}
Task<void> Server::stop() {
  return impl_->stop();
}

}  // namespace det::http
