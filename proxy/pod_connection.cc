#include "proxy/pod_connection.h"

#include <poll.h>

#include <algorithm>
#include <optional>
#include <utility>

#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/redirect_error.hpp>
#include <boost/asio/ssl/stream.hpp>
#include <boost/asio/use_awaitable.hpp>

#include "http/socket_stream.h"

namespace det::proxy {
namespace {

using asio::ip::tcp;
using boost::system::error_code;

// One look at the socket, which a read of it would be, too, and tell less about one with TLS.
bool is_silent(tcp::socket& socket) {
  pollfd watched{.fd = socket.native_handle(), .events = POLLIN | POLLRDHUP, .revents = 0};
  return socket.is_open() && ::poll(&watched, 1, 0) == 0;
}

struct PlainConnection final : PodConnection {
  explicit PlainConnection(const asio::any_io_executor& executor) : socket(executor), bytes(socket, socket) {}
  http::ByteStream& stream() override { return bytes; }
  bool is_quiet() override { return is_silent(socket); }

  tcp::socket socket;
  http::SocketStream<tcp::socket, false> bytes;
};

struct TlsConnection final : PodConnection {
  TlsConnection(const asio::any_io_executor& executor, asio::ssl::context& context)
      : tls(executor, context), bytes(tls, tls.next_layer()) {}
  http::ByteStream& stream() override { return bytes; }
  bool is_quiet() override {
    char byte = 0;
    error_code ec;
    bytes.read_now(&byte, 1, ec);  // what is deciphered already
    return ec == asio::error::would_block && is_silent(tls.next_layer());
  }

  asio::ssl::stream<tcp::socket> tls;
  http::SocketStream<asio::ssl::stream<tcp::socket>, true> bytes;
};

// Closes a socket that is still not connected when its time is over.
class Deadline final : Watch::Watched {
 public:
  Deadline(Watch& watch, SteadyTime at, tcp::socket& socket) : Watched(watch), at_(at), socket_(socket) {}
  [[nodiscard]] bool is_over() const { return is_over_; }

 private:
  void look(SteadyTime now) override {
    if (now < at_) return;
    is_over_ = true;
    error_code ignored;
    socket_.close(ignored);
  }
  SteadyTime at_;
  tcp::socket& socket_;
  bool is_over_ = false;
};

Task<error_code> connect_socket(tcp::socket& socket, tcp::endpoint target) {
  error_code ec;
  socket.open(target.protocol(), ec);
  if (ec) co_return ec;
  co_await socket.async_connect(target, asio::redirect_error(asio::use_awaitable, ec));
  if (ec) co_return ec;
  socket.set_option(tcp::no_delay(true), ec);
  socket.non_blocking(true, ec);
  co_return error_code();
}

std::string key_of(const store::ProxyService& service) {
  return service.id + " " + service.allocation_id + " " + service.address + " " + std::to_string(service.port) +
         (service.is_tls ? " tls" : "");
}

std::unexpected<Error> not_ready(const store::ProxyService& service, const std::string& why) {
  return fail(ErrorCode::kUnavailable,
              "service '" + service.id + "' is not ready: its task runs, but nothing answers there yet (" + why + ")");
}

}  // namespace

PodConnections::PodConnections(asio::any_io_executor executor, Clock& clock, Watch& watch, TargetRules rules,
                               PoolLimits limits)
    : Watched(watch),
      executor_(std::move(executor)),
      clock_(clock),
      watch_(watch),
      rules_(std::move(rules)),
      limits_(limits),
      tls_(asio::ssl::context::tls_client) {
  tls_.set_verify_mode(asio::ssl::verify_none);
}
PodConnections::~PodConnections() = default;

PodConnectionPtr PodConnections::take(const store::ProxyService& service, std::chrono::nanoseconds younger_than) {
  const auto kept = kept_.find(key_of(service));
  if (kept == kept_.end()) return nullptr;
  PodConnectionPtr found;
  const SteadyTime oldest = clock_.steady_now() - younger_than;
  while (!found && !kept->second.empty() && kept->second.back()->idle_since >= oldest) {
    PodConnectionPtr one = std::move(kept->second.back());
    kept->second.pop_back();
    --idle_;
    if (one->is_quiet()) found = std::move(one);
  }
  if (kept->second.empty()) kept_.erase(kept);
  return found;
}

Task<Result<PodConnectionPtr>> PodConnections::connect(store::ProxyService service) {
  const auto target = target_of(service, rules_);
  DET_CO_TRY(target);
  const SteadyTime until = clock_.steady_now() + limits_.connect_timeout;
  error_code ec;
  PodConnectionPtr made;
  bool is_over = false;
  if (service.is_tls) {
    auto connection = std::make_unique<TlsConnection>(executor_, tls_);
    const Deadline deadline(watch_, until, connection->tls.next_layer());
    ec = co_await connect_socket(connection->tls.next_layer(), *target);
    if (!ec) {
      co_await connection->tls.async_handshake(asio::ssl::stream_base::client,
                                               asio::redirect_error(asio::use_awaitable, ec));
    }
    is_over = deadline.is_over();
    made = std::move(connection);
  } else {
    auto connection = std::make_unique<PlainConnection>(executor_);
    const Deadline deadline(watch_, until, connection->socket);
    ec = co_await connect_socket(connection->socket, *target);
    is_over = deadline.is_over();
    made = std::move(connection);
  }
  if (ec) co_return not_ready(service, is_over ? "no answer within 10 s" : ec.message());
  co_return made;
}

void PodConnections::keep(const store::ProxyService& service, PodConnectionPtr connection) {
  if (idle_ >= limits_.idle_in_all) return;
  auto& kept = kept_[key_of(service)];
  if (kept.size() >= limits_.idle_per_service) return;
  connection->is_used = true;
  connection->idle_since = clock_.steady_now();
  kept.push_back(std::move(connection));
  ++idle_;
}

void PodConnections::look(SteadyTime now) {
  for (auto kept = kept_.begin(); kept != kept_.end();) {
    const auto is_old = [&](const PodConnectionPtr& one) { return now - one->idle_since > limits_.idle_for; };
    idle_ -= static_cast<std::size_t>(std::erase_if(kept->second, is_old));
    kept = kept->second.empty() ? kept_.erase(kept) : std::next(kept);
  }
}

}  // namespace det::proxy
