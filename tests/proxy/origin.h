#pragma once

// The program of a task, as far as a test needs one: a blocking server that says what it is told to, a thread for each
// connection; and a server of ours that carries requests to it.

#include <functional>
#include <future>
#include <list>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/read.hpp>
#include <boost/asio/use_future.hpp>
#include <boost/asio/write.hpp>

#include "proxy/exchange.h"
#include "proxy/tcp_tunnel.h"
#include "tests/http/raw_client.h"

namespace det::proxy {

class Peer {
 public:
  explicit Peer(asio::ip::tcp::socket socket) : socket_(std::move(socket)) {}

  bool send(std::string_view text) {
    boost::system::error_code ec;
    asio::write(socket_, asio::buffer(text), ec);
    return !ec;
  }
  // Up to and with `end`; less at the end of the connection.
  std::string read_until(std::string_view end) {
    while (seen_.find(end) == std::string::npos && read_some()) {
    }
    const auto at = seen_.find(end);
    return take(at == std::string::npos ? seen_.size() : at + end.size());
  }
  std::string read_exactly(std::size_t bytes) {
    while (seen_.size() < bytes && read_some()) {
    }
    return take(std::min(bytes, seen_.size()));
  }
  std::string read_all() {
    while (read_some()) {
    }
    return take(seen_.size());
  }
  std::string read_head() { return read_until("\r\n\r\n"); }
  void finish() {
    boost::system::error_code ignored;
    socket_.shutdown(asio::ip::tcp::socket::shutdown_send, ignored);
  }
  asio::ip::tcp::socket& socket() { return socket_; }

 private:
  std::string take(std::size_t size) {
    std::string out = seen_.substr(0, size);
    seen_.erase(0, size);
    return out;
  }
  bool read_some() {
    char bytes[65536];
    boost::system::error_code ec;
    const std::size_t got = socket_.read_some(asio::buffer(bytes), ec);
    seen_.append(bytes, got);
    return !ec;
  }
  asio::ip::tcp::socket socket_;
  std::string seen_;
};

class Origin {
 public:
  // `serve` is called for each connection, on a thread of its own.
  explicit Origin(std::function<void(Peer&)> serve)
      : serve_(std::move(serve)), acceptor_(io_, {asio::ip::make_address("127.0.0.1"), 0}) {
    accepting_ = std::thread([this] { accept(); });
  }
  ~Origin() {
    ::shutdown(acceptor_.native_handle(), SHUT_RDWR);
    accepting_.join();
    {
      const std::lock_guard lock(mutex_);
      for (auto& peer : peers_) ::shutdown(peer.socket().native_handle(), SHUT_RDWR);
    }
    for (auto& thread : threads_) thread.join();
  }
  [[nodiscard]] int port() const { return acceptor_.local_endpoint().port(); }
  [[nodiscard]] std::size_t connections() {
    const std::lock_guard lock(mutex_);
    return peers_.size();
  }

 private:
  void accept() {
    for (;;) {
      boost::system::error_code ec;
      asio::ip::tcp::socket socket = acceptor_.accept(ec);
      if (ec) return;
      const std::lock_guard lock(mutex_);
      Peer& peer = peers_.emplace_back(std::move(socket));
      threads_.emplace_back([this, &peer] {
        serve_(peer);
        ::shutdown(peer.socket().native_handle(), SHUT_RDWR);
      });
    }
  }
  std::function<void(Peer&)> serve_;
  asio::io_context io_;
  asio::ip::tcp::acceptor acceptor_;
  std::mutex mutex_;
  std::list<Peer> peers_;
  std::list<std::thread> threads_;
  std::thread accepting_;
};

// The system's, put forward as a test says. Belongs to the io thread.
class AheadClock final : public Clock {
 public:
  [[nodiscard]] SteadyTime steady_now() const override { return system_.steady_now() + ahead; }
  [[nodiscard]] WallTime wall_now() const override { return system_.wall_now(); }
  Task<void> sleep_for(std::chrono::nanoseconds duration) override { return system_.sleep_for(duration); }

  std::chrono::seconds ahead{0};

 private:
  SystemClock system_;
};

// Carries everything below /proxy/ to one port of 127.0.0.1; "/here" answers by itself.
class Carrier {
 public:
  explicit Carrier(int port, bool is_tcp = false, http::ServerOptions options = {})
      : server_((add_routes(), router_), std::move(options)) {
    service_.id = "s";
    service_.address = "127.0.0.1";
    service_.port = port;
    service_.is_tcp = is_tcp;
    on_io([this] {
      pods_ = std::make_unique<PodConnections>(server_.io().get_executor(), clock_, watch_,
                                               TargetRules{.shares_host_network = true});
      shared_ = std::make_unique<Shared>(Shared{.clock = clock_, .watch = watch_, .pods = *pods_, .rights = rights_});
    });
  }
  ~Carrier() {
    server_.stop();
    on_io([this] { pods_.reset(); });
  }

  // As if so much time had passed.
  void look_after(std::chrono::seconds passed) {
    on_io([&] { watch_.look(clock_.steady_now() + passed); });
  }
  // So much time passes, for what comes later, too.
  void pass(std::chrono::seconds time) {
    on_io([&] {
      clock_.ahead += time;
      watch_.look(clock_.steady_now());
    });
  }
  // As if so much time had passed, and the right of all were asked for again: how often it was.
  int ask_again(std::chrono::seconds passed, Result<bool> answer) {
    on_io([&] { answer_ = std::move(answer), asked_ = 0; });
    asio::co_spawn(server_.io(), rights_.look(clock_.steady_now() + passed), asio::use_future).get();
    int asked = 0;
    on_io([&] { asked = asked_; });
    return asked;
  }
  [[nodiscard]] int uses() {
    int uses = 0;
    on_io([&] { uses = uses_; });
    return uses;
  }
  [[nodiscard]] std::size_t idle() {
    std::size_t idle = 0;
    on_io([&] { idle = pods_->idle(); });
    return idle;
  }
  [[nodiscard]] std::uint16_t port() const { return server_.port(); }
  void stop() { server_.stop(); }
  store::ProxyService& service() { return service_; }
  bool has_our_token = false;
  bool is_apis_origin = false;

 private:
  void on_io(const std::function<void()>& work) {
    std::promise<void> done;
    asio::post(server_.io(), [&] {
      work();
      done.set_value();
    });
    done.get_future().wait();
  }
  void add_routes() {
    http::RouteOptions options;
    options.takeover = [this](http::Request& request, http::ClientStream& client) -> Task<http::TakeoverEnd> {
      Passage passage{.service = service_,
                      .target = request.target,
                      .has_our_token = has_our_token,
                      .is_apis_origin = is_apis_origin,
                      .ground = Ground{.token_hash = std::string(request.query.get("by")), .service = service_},
                      .note_request = [this] { ++uses_; }};
      if (service_.is_tcp) co_return co_await run_tcp_tunnel(*shared_, std::move(passage), request, client);
      co_return co_await run_exchange(*shared_, std::move(passage), request, client);
    };
    router_.add("*", "/proxy/{service}/{rest...}", {}, std::move(options));
    router_.add("GET", "/here",
                [](const http::Request&) -> Task<http::Response> { co_return http::Response::text("here"); });
  }

  AheadClock clock_;
  Watch watch_;
  Result<bool> answer_ = true;
  int asked_ = 0;
  Rights rights_{clock_, [this](Ground) -> Task<Result<bool>> {
                   ++asked_;
                   co_return answer_;
                 }};
  store::ProxyService service_;
  int uses_ = 0;
  http::Router router_;
  http::RunningServer server_;
  std::unique_ptr<PodConnections> pods_;
  std::unique_ptr<Shared> shared_;
};

}  // namespace det::proxy
