#include "http/session.h"

#include <algorithm>
#include <array>
#include <limits>
#include <optional>
#include <string>
#include <utility>
#include <variant>

#include <boost/asio/experimental/awaitable_operators.hpp>
#include <boost/asio/redirect_error.hpp>
#include <boost/asio/ssl/stream.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/core/tcp_stream.hpp>
#include <boost/beast/http/parser.hpp>
#include <boost/beast/ssl/ssl_stream.hpp>

#include "http/client_watch.h"
#include "http/guarded_call.h"
#include "http/measured_request.h"
#include "http/refusals.h"
#include "http/request_reader.h"
#include "http/response_head.h"
#include "http/socket_stream.h"
#include "http/stream_writer.h"
#include "http/taken_stream.h"
#include "http/target.h"

namespace det::http {

namespace {

namespace beast = boost::beast;
namespace bhttp = boost::beast::http;
using asio::experimental::awaitable_operators::operator||;
using boost::system::error_code;
using PlainStream = beast::tcp_stream;
using TlsStream = beast::ssl_stream<beast::tcp_stream>;

constexpr std::size_t kDiscardPiece = std::size_t{64} << 10;
constexpr std::chrono::seconds kLinger{5};

// How one request is answered.
struct Reply {
  bool keep_alive = false;
  bool is_http11 = true;
  bool may_be_cut = false;
};

template <typename Stream>
class Session final : public Connection, public Writer {
 public:
  template <typename... Args>
  Session(SessionShared& shared, std::shared_ptr<StepMeter> meter, Args&&... args)
      : shared_(shared),
        meter_(std::move(meter)),
        stream_(std::forward<Args>(args)...),
        writer_(stream_, shared.options) {
    error_code ec;
    const auto peer = socket().remote_endpoint(ec);
    if (!ec) {
      const std::string ip = peer.address().to_string();
      peer_ = ip + ":" + std::to_string(peer.port());
      address = address_group(ip);
    }
    socket().set_option(asio::ip::tcp::no_delay(true), ec);
    socket().non_blocking(true, ec);  // for write_at_once
    watch_silence(socket());          // a long poll or a stream may be quiet for hours
  }

  Task<void> run() {
    if (!co_await handshake()) co_return;
    for (bool more = true; more;) more = co_await serve_one();
    co_await close();
  }

  void stop() override {
    if (!must_finish_) socket_close();
  }

  Task<bool> write(std::string text) override {
    if (text.empty()) co_return true;
    if (!is_chunked_) co_return co_await writer_.write(text);
    const std::string head = chunk_head(text.size());
    co_return co_await writer_.write_all(std::array<std::string_view, 3>{head, text, "\r\n"});
  }

 private:
  static constexpr bool kIsTls = !std::is_same_v<Stream, PlainStream>;
  SessionShared& shared_;
  std::shared_ptr<StepMeter> meter_;
  Stream stream_;
  StreamWriter<Stream> writer_;
  beast::flat_buffer buffer_;
  std::string peer_;
  bool must_finish_ = false;  // a handler runs that is not to be cut
  bool is_chunked_ = false;

  beast::tcp_stream& lowest() { return beast::get_lowest_layer(stream_); }
  asio::ip::tcp::socket& socket() { return lowest().socket(); }
  void socket_close() {
    error_code ignored;
    socket().close(ignored);
  }
  // Whether from now on only the client is waited for: a stranger who lets us wait makes room for others.
  void wait_for_client(bool yes) { is_idle = yes && account.empty(); }
  [[nodiscard]] const ServerOptions& options() const { return shared_.options; }

  Task<bool> handshake() {
    if constexpr (kIsTls) {
      error_code ec;
      lowest().expires_after(options().header_timeout);
      co_await stream_.async_handshake(asio::ssl::stream_base::server, asio::redirect_error(asio::use_awaitable, ec));
      co_return !ec;
    }
    co_return true;
  }

  Task<void> close() {
    if (!socket().is_open()) co_return;
    co_await end_sending();
    socket_close();
  }

  Task<void> end_sending() {
    error_code ec;
    if constexpr (kIsTls) {
      lowest().expires_after(std::chrono::seconds(2));
      co_await stream_.async_shutdown(asio::redirect_error(asio::use_awaitable, ec));
    }
    socket().shutdown(asio::ip::tcp::socket::shutdown_send, ec);
  }

  // Reads and answers one request; false when the connection is done.
  Task<bool> serve_one() {
    if (shared_.is_stopping) co_return false;
    HeadParser head;
    head.header_limit(static_cast<std::uint32_t>(options().head_limit));
    head.body_limit(std::numeric_limits<std::uint64_t>::max());  // the route's limit is checked in read_body
    RequestReader<Stream> reader(stream_, buffer_, options(), shared_.spool_pool);
    is_idle = true;
    const error_code read = co_await reader.read_head(head, account.empty());
    is_idle = false;
    if (!socket().is_open()) co_return false;  // stopped when the head had come in already
    if (read) {
      if (!is_lost_connection(read)) co_await refuse(refusal_of(read, options().head_limit));
      co_return false;
    }
    if (const char* wrong = framing_mistake(head.get())) {
      co_await refuse(refusal(400, wrong));
      co_return false;
    }
    Request request = make_request(head);
    auto target = parse_target(request.target);
    if (!target) {
      co_await refuse(refusal(400, target.error().message));
      co_return false;
    }
    request.path = std::move(target->path);
    request.query = std::move(target->query);
    if (auto refused = options().gate ? options().gate(request) : std::nullopt) {
      co_await refuse(std::move(*refused));
      co_return false;
    }
    const Router* own = options().router_of ? options().router_of(request) : nullptr;
    Router::Match match = (own != nullptr ? *own : shared_.router).find(request.method, target->segments);
    request.params = std::move(match.params);
    const MeasuredRequest measured(shared_, *meter_, *match.route);
    const Reply reply{.keep_alive = head.get().keep_alive(), .is_http11 = head.get().version() >= 11};
    if (auto refused = co_await ask_admission(*match.route, request)) {
      co_return co_await turn_away(std::move(*refused), head, reply);
    }
    if (match.route->options.takeover) co_return co_await hand_over(*match.route, request, head, reply);
    BodyBudget::Share share(shared_.budget, request.account.empty() ? account_at(address) : request.account);
    wait_for_client(true);
    if (!co_await read_body(reader, head, *match.route, request, share)) co_return false;
    wait_for_client(false);
    co_return co_await answer(request, match, reply);
  }

  Request make_request(HeadParser& head) {
    Request request;
    request.method = std::string(head.get().method_string());
    request.target = std::string(head.get().target());
    for (const auto& field : head.get()) {
      request.headers.add(std::string(field.name_string()), std::string(field.value()));
    }
    request.peer = peer_;
    request.is_tls = kIsTls;
    request.announces_body = has_body(head);
    return request;
  }

  // The answer of whom the route does not admit; nothing for the others, who are known from now on. A route that asks
  // nobody, as those of unknown paths, makes nobody known.
  Task<std::optional<Response>> ask_admission(const Route& route, Request& request) {
    if (!route.options.admit) {
      request.account = account_at(address);
      co_return std::nullopt;
    }
    auto admitting = route.options.admit(request);
    auto asked = co_await guarded(shared_.log, "an admission threw", request, std::move(admitting));
    if (!asked) co_return internal_error();
    if (*asked) co_return std::move(*asked);
    if (request.account.empty() || shared_.book.know(*this, request.account)) co_return std::nullopt;
    if (route.options.never_5xx) co_return Response::dropped();
    co_return refusal(429, "too many connections of one user or address at once");
  }

  // Without reading the body, which may be endless.
  Task<bool> turn_away(Response response, HeadParser& head, Reply reply) {
    if (response.drop_connection) co_return false;
    if (has_body(head)) {
      co_await refuse(std::move(response));
      co_return false;
    }
    reply.keep_alive = reply.keep_alive && !shared_.is_stopping;
    const bool sent = co_await send(response, reply, head.get().method() != bhttp::verb::head);
    co_return sent&& reply.keep_alive;
  }

  Task<bool> hand_over(const Route& route, Request& request, HeadParser& head, Reply reply) {
    const bool is_head = head.get().method() == bhttp::verb::head;
    const bool with_body = has_body(head);
    {
      // A websocket would keep it for hours.
      const bhttp::request_parser<bhttp::buffer_body> gone(std::move(head));
    }
    lowest().expires_never();
    must_finish_ = true;
    TakenStream<Stream> client(stream_, socket(), buffer_, [this](bool yes) { must_finish_ = !yes; });
    client.is_http11 = reply.is_http11;
    client.wants_keep_alive = reply.keep_alive && !shared_.is_stopping;
    auto taking = route.options.takeover(request, client);
    auto end = co_await guarded(shared_.log, "a takeover threw", request, std::move(taking));
    must_finish_ = false;
    if (!end || !socket().is_open()) co_return false;
    client.give_back();
    reply.keep_alive = reply.keep_alive && !shared_.is_stopping;
    if (!end->answer) {
      const bool goes_on = end->keep_alive && reply.keep_alive;
      // Of the body something may be unread: a program may answer before it has come.
      if (!goes_on && with_body) co_await linger();
      co_return goes_on;
    }
    if (with_body) {
      co_await refuse(std::move(*end->answer));
      co_return false;
    }
    const bool sent = co_await send(*end->answer, reply, !is_head);
    co_return sent&& reply.keep_alive;
  }

  // False when the connection is done: the body was too large, too slow, or never came, or there is no room for it.
  Task<bool> read_body(RequestReader<Stream>& reader, HeadParser& head, const Route& route, Request& request,
                       BodyBudget::Share& share) {
    if (!has_body(head)) co_return true;
    const auto length = head.content_length();
    const std::size_t limit = route.options.body_limit;
    if (length && *length > limit) {
      co_await refuse(too_large(limit));
      co_return false;
    }
    if (length) share.expect(*length);
    const auto expect = request.headers.find("Expect");
    if (expect && *expect == "100-continue" && !co_await writer_.write("HTTP/1.1 100 Continue\r\n\r\n"))
      co_return false;
    error_code ec;
    Status done;
    if (length && *length <= options().spool_above && share.keep_in_memory(*length)) {
      if (share.grow(*length)) {
        ec = co_await reader.read_small(*length, request);
      } else {
        done = no_room();
      }
    } else {
      done = co_await reader.read_large(head, limit, request, share, ec);
    }
    if (ec || !done) share.give_back();
    if (!ec && !done && route.options.never_5xx) co_return false;
    if (ec == bhttp::error::body_limit) {
      co_await refuse(too_large(limit));
    } else if (ec && !is_lost_connection(ec)) {
      co_await refuse(refusal_of(ec, options().head_limit));
    } else if (!ec && !done) {
      co_await refuse(refusal(503, done.error().message));
    }
    co_return !ec && done;
  }

  Task<bool> answer(const Request& request, const Router::Match& match, Reply reply) {
    lowest().expires_never();
    reply.may_be_cut = request.method == "GET" || request.method == "HEAD";
    must_finish_ = !reply.may_be_cut;
    std::optional<Response> response;
    Task<Response> handling = run_handler(*match.route, request);
    if (reply.may_be_cut) {
      Task<void> watching = wait_until_gone(socket());
      auto first = co_await (std::move(handling) || std::move(watching));
      if (first.index() == 1) co_return false;
      response = std::move(std::get<0>(first));
    } else {
      response = co_await std::move(handling);
    }
    if (response->drop_connection) co_return false;
    if (!match.allow.empty()) response->headers.add("Allow", match.allow);
    reply.keep_alive = reply.keep_alive && !shared_.is_stopping;
    wait_for_client(true);
    if (response->stream && request.method != "HEAD") {
      const bool goes_on = co_await send_stream(request, *response, reply);
      must_finish_ = false;
      co_return goes_on;
    }
    must_finish_ = !account.empty();
    const bool sent = co_await send(*response, reply, request.method != "HEAD");
    must_finish_ = false;
    co_return sent&& reply.keep_alive;
  }

  Task<Response> run_handler(const Route& route, const Request& request) {
    auto handling = route.handler(request);
    auto response = co_await guarded(shared_.log, "a handler threw", request, std::move(handling));
    co_return response ? std::move(*response) : internal_error();
  }

  Task<bool> send(const Response& response, Reply reply, bool with_body) {
    // Nobody knows the length of what would have been streamed.
    const Framing framing = response.stream ? Framing::kUntilClose : Framing::kLength;
    const std::string head = response_head(response, framing, reply.keep_alive);
    if (!with_body || response.body.empty()) co_return co_await writer_.write(head);
    co_return co_await writer_.write_all(std::array<std::string_view, 2>{head, response.body});
  }

  Task<bool> send_stream(const Request& request, const Response& response, Reply reply) {
    is_chunked_ = reply.is_http11;
    reply.keep_alive = reply.keep_alive && is_chunked_;
    const Framing framing = is_chunked_ ? Framing::kChunked : Framing::kUntilClose;
    const std::string head = response_head(response, framing, reply.keep_alive);
    if (!co_await writer_.write(head)) co_return false;
    Task<bool> streaming = run_stream(request, response.stream);
    bool ended = false;
    if (reply.may_be_cut) {
      Task<void> watching = wait_until_gone(socket());
      const auto first = co_await (std::move(streaming) || std::move(watching));
      ended = first.index() == 0 && std::get<0>(first);
    } else {
      ended = co_await std::move(streaming);
    }
    if (ended && is_chunked_) ended = co_await writer_.write("0\r\n\r\n");
    co_return ended&& reply.keep_alive;
  }

  // False when the stream broke: the missing last chunk tells the client.
  Task<bool> run_stream(const Request& request, const StreamBody& stream) {
    auto writing = write_stream(stream);
    co_return (co_await guarded(shared_.log, "a stream threw", request, std::move(writing))).has_value();
  }
  Task<bool> write_stream(const StreamBody& stream) {
    co_await stream(*this);
    co_return true;
  }

  // Answers and closes.
  Task<void> refuse(Response response) {
    wait_for_client(true);
    if (co_await send(response, Reply{}, true)) co_await linger();
  }

  // Closing at once with unread bytes would reset the connection and take the answer with it.
  Task<void> linger() {
    co_await end_sending();
    error_code ec;
    std::string discarded(kDiscardPiece, '\0');
    lowest().expires_after(kLinger);
    while (!ec) {
      co_await lowest().async_read_some(asio::buffer(discarded), asio::redirect_error(asio::use_awaitable, ec));
    }
    socket_close();
  }
};

}  // namespace

Task<void> run_session(asio::ip::tcp::socket socket, asio::ssl::context* tls, SessionShared* shared,
                       SessionRegistry* registry, std::shared_ptr<StepMeter> meter) {
  if (tls == nullptr) {
    Session<PlainStream> session(*shared, std::move(meter), std::move(socket));
    const Registered registered(*registry, session);
    co_await session.run();
  } else {
    Session<TlsStream> session(*shared, std::move(meter), std::move(socket), *tls);
    const Registered registered(*registry, session);
    co_await session.run();
  }
}

}  // namespace det::http
