#include "cli/websocket_tunnel.h"

#include <chrono>
#include <variant>

#include <fcntl.h>
#include <unistd.h>
#include <boost/asio/as_tuple.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/experimental/awaitable_operators.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>
#include <boost/asio/ssl.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/asio/write.hpp>
#include <boost/beast/core.hpp>
#include <boost/beast/http.hpp>
#include <boost/beast/ssl.hpp>
#include <boost/beast/websocket.hpp>
#include <boost/beast/websocket/ssl.hpp>

#include "cli/master_client.h"

namespace det::cli {
namespace {

namespace beast = boost::beast;
namespace websocket = beast::websocket;
namespace ssl = asio::ssl;
using asio::ip::tcp;
using asio::posix::stream_descriptor;
using asio::experimental::awaitable_operators::operator||;

constexpr std::chrono::seconds kConnectTimeout{30};
constexpr std::chrono::seconds kQuiet{2};
constexpr std::size_t kChunk = std::size_t{32} << 10;
constexpr auto kTuple = asio::as_tuple(asio::use_awaitable);

using Plain = websocket::stream<beast::tcp_stream, false>;
using Secure = websocket::stream<beast::ssl_stream<beast::tcp_stream>, false>;

std::unexpected<Error> lost(const std::string& what, const boost::system::error_code& error) {
  return fail(ErrorCode::kUnavailable, what + ": " + error.message());
}

// A descriptor of ours for `borrowed`, whose mode (its own, shared with whoever else has it) is put back.
class Borrowed {
 public:
  Borrowed(const asio::any_io_executor& executor, int borrowed)
      : borrowed_(borrowed), flags_(::fcntl(borrowed, F_GETFL)), stream_(executor, ::dup(borrowed)) {}
  ~Borrowed() { ::fcntl(borrowed_, F_SETFL, flags_); }
  Borrowed(const Borrowed&) = delete;
  Borrowed& operator=(const Borrowed&) = delete;

  stream_descriptor& operator*() { return stream_; }

 private:
  int borrowed_;
  int flags_;
  stream_descriptor stream_;
};

// What the two directions know of each other.
struct Progress {
  std::uint64_t received = 0;  // bytes
  bool is_closing = false;     // our Close was sent
};

// Never ends before receive() does: what the service still says is heard.
template <typename Socket>
Task<void> send(Socket& socket, stream_descriptor& input, Progress& progress) {
  std::string chunk(kChunk, '\0');
  while (true) {
    const auto [read_error, count] = co_await input.async_read_some(asio::buffer(chunk), kTuple);
    if (read_error) break;
    const auto [error, sent] = co_await socket.async_write(asio::buffer(chunk.data(), count), kTuple);
    if (error) break;
  }
  const bool is_canceled = (co_await asio::this_coro::cancellation_state).cancelled() != asio::cancellation_type::none;
  if (is_canceled) {
    beast::get_lowest_layer(socket).close();
    co_return;
  }
  // The library throws away what comes after Close: an answer that is under way is waited for.
  asio::steady_timer timer(co_await asio::this_coro::executor);
  std::uint64_t before = 0;
  do {
    before = progress.received;
    timer.expires_after(kQuiet);
    const auto [stopped] = co_await timer.async_wait(kTuple);
    if (stopped) co_return;
  } while (progress.received != before);
  progress.is_closing = true;
  co_await socket.async_close(websocket::close_code::normal, kTuple);
  timer.expires_at(asio::steady_timer::time_point::max());
  co_await timer.async_wait(kTuple);
}

template <typename Socket>
Task<Status> receive(Socket& socket, stream_descriptor& output, Progress& progress) {
  beast::flat_buffer buffer;
  while (true) {
    const auto [error, count] = co_await socket.async_read_some(buffer, kChunk, kTuple);
    if (error == websocket::error::closed || (error && progress.is_closing)) co_return Status();
    if (error) co_return lost("the connection was lost", error);
    const auto [write_error, written] = co_await asio::async_write(output, buffer.data(), kTuple);
    if (write_error) co_return Status();  // nobody listens any more
    progress.received += count;
    buffer.consume(buffer.size());
  }
}

template <typename Socket>
Task<Status> carry(Socket& socket, const TunnelTarget& target, const MasterPlace& place, int input, int output) {
  websocket::stream_base::timeout patience{};
  patience.handshake_timeout = kConnectTimeout;
  patience.idle_timeout = websocket::stream_base::none();  // the server asks whether we are there
  socket.set_option(patience);
  socket.set_option(websocket::stream_base::decorator([&target](websocket::request_type& request) {
    if (!target.token.empty()) request.set(beast::http::field::authorization, "Bearer " + target.token);
  }));
  socket.binary(true);
  socket.read_message_max(0);
  websocket::response_type answer;
  const std::string path = place.path + "/proxy/" + path_segment(target.service) + "/";
  const auto [error] = co_await socket.async_handshake(answer, place.authority, path, kTuple);
  if (error == websocket::error::upgrade_declined) {
    co_return std::unexpected(
        error_of(HttpResponse{.status = static_cast<int>(answer.result_int()), .headers = {}, .body = answer.body()}));
  }
  if (error) co_return lost("the master at " + target.master_url + " opened no websocket", error);
  const auto executor = co_await asio::this_coro::executor;
  Progress progress;
  Borrowed in(executor, input);
  Borrowed out(executor, output);
  auto done = co_await (receive(socket, *out, progress) || send(socket, *in, progress));
  co_return done.index() == 0 ? std::get<0>(std::move(done)) : Status();
}

Task<Status> connect(beast::tcp_stream& stream, const TunnelTarget& target, const MasterPlace& place) {
  const std::string what = "cannot reach a master at " + target.master_url;
  tcp::resolver resolver(co_await asio::this_coro::executor);
  const auto [resolve_error, addresses] = co_await resolver.async_resolve(place.host, place.port, kTuple);
  if (resolve_error) co_return lost(what, resolve_error);
  stream.expires_after(kConnectTimeout);
  const auto [error, address] = co_await stream.async_connect(addresses, kTuple);
  if (error) co_return lost(what, error);
  stream.expires_never();
  boost::system::error_code ignored;
  stream.socket().set_option(tcp::no_delay(true), ignored);  // keys are typed one by one
  co_return Status();
}

Status trust(ssl::context& context, const TlsConfig& tls) {
  boost::system::error_code error;
  if (!tls.verify) {
    context.set_verify_mode(ssl::verify_none, error);
  } else {
    context.set_verify_mode(ssl::verify_peer, error);
    if (tls.ca_pem.empty()) {
      context.set_default_verify_paths(error);
    } else {
      context.add_certificate_authority(asio::buffer(tls.ca_pem), error);
      // The file may hold the server's own certificate, whoever signed it.
      X509_STORE_set_flags(SSL_CTX_get_cert_store(context.native_handle()), X509_V_FLAG_PARTIAL_CHAIN);
    }
  }
  if (error) return lost("cannot use the certificate that DET_MASTER_CERT_FILE names", error);
  return {};
}

Task<Status> run_secure(const TunnelTarget& target, const MasterPlace& place, int input, int output) {
  const TlsConfig tls = target.tls ? *target.tls : TlsConfig();
  ssl::context context(ssl::context::tls_client);
  DET_CO_TRY(trust(context, tls));
  Secure socket(co_await asio::this_coro::executor, context);
  DET_CO_TRY(co_await connect(beast::get_lowest_layer(socket), target, place));
  const std::string name = tls.server_name.empty() ? place.host : tls.server_name;
  SSL_set_tlsext_host_name(socket.next_layer().native_handle(), name.c_str());
  boost::system::error_code ignored;
  if (tls.verify) socket.next_layer().set_verify_callback(ssl::host_name_verification(name), ignored);
  beast::get_lowest_layer(socket).expires_after(kConnectTimeout);
  const auto [error] = co_await socket.next_layer().async_handshake(ssl::stream_base::client, kTuple);
  if (error) {
    co_return fail(ErrorCode::kPermissionDenied, "cannot trust the certificate of " + target.master_url + ": " +
                                                     error.message() +
                                                     "; set DET_MASTER_CERT_FILE to a file with its certificate or CA");
  }
  beast::get_lowest_layer(socket).expires_never();
  co_return co_await carry(socket, target, place, input, output);
}

// One connection of serve_tunnels. Owns `client`.
Task<void> serve_one(TunnelTarget target, int client, std::function<void(const Error&)> on_error) {
  const Status done = co_await run_tunnel(std::move(target), client, client);
  if (!done) on_error(done.error());
  ::close(client);
}

}  // namespace

Task<Status> run_tunnel(TunnelTarget target, int input, int output) {
  const MasterPlace place = place_of(target.master_url);
  if (place.is_secure) co_return co_await run_secure(target, place, input, output);
  Plain socket(co_await asio::this_coro::executor);
  DET_CO_TRY(co_await connect(beast::get_lowest_layer(socket), target, place));
  co_return co_await carry(socket, target, place, input, output);
}

Task<Status> serve_tunnels(TunnelTarget target, std::uint16_t port, std::function<void(const Error&)> on_error) {
  const auto executor = co_await asio::this_coro::executor;
  tcp::acceptor acceptor(executor);
  const tcp::endpoint here(asio::ip::address_v4::loopback(), port);
  boost::system::error_code error;
  acceptor.open(here.protocol(), error);
  if (!error) acceptor.set_option(tcp::acceptor::reuse_address(true), error);
  if (!error) acceptor.bind(here, error);
  if (!error) acceptor.listen(asio::socket_base::max_listen_connections, error);
  if (error) co_return lost("cannot listen on port " + std::to_string(port), error);
  while (true) {
    auto [accept_error, client] = co_await acceptor.async_accept(kTuple);
    if (accept_error) co_return lost("cannot accept connections", accept_error);
    client.set_option(tcp::no_delay(true), error);
    asio::co_spawn(executor, serve_one(target, client.release(error), on_error), asio::detached);
  }
}

}  // namespace det::cli
