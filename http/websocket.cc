#include "http/websocket.h"

#include <array>
#include <utility>

#include <boost/asio/error.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <nlohmann/json.hpp>

#include "base/lower_case.h"
#include "http/host_check.h"

namespace det::http {

namespace {

using boost::system::error_code;

constexpr std::size_t kPiece = 4'096;
constexpr std::size_t kTurn = std::size_t{64} << 10;  // bytes read before others get the thread: a ping has six
constexpr std::size_t kLongestReason = 123;
constexpr std::size_t kMostAnswers = std::size_t{16} << 10;  // bytes of pongs to a client that reads none of them
constexpr std::chrono::minutes kLong{10};

Response refused(int status, const std::string& message) {
  const nlohmann::json body = {{"message", message}};
  Response response = Response::json(body.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace), status);
  if (status == 426) {
    response.headers.add("Upgrade", "websocket");
    response.headers.add("Sec-WebSocket-Version", "13");
  }
  return response;
}

}  // namespace

std::optional<Response> websocket_refusal(const Request& request, bool is_http11,
                                          std::span<const std::string> own_hosts) {
  const auto header = [&request](const char* name) { return request.headers.find(name).value_or(""); };
  const bool wants_one = lower_case(std::string(header("Upgrade"))) == "websocket" &&
                         lower_case(std::string(header("Connection"))).contains("upgrade");
  const bool has_body = request.headers.find("Transfer-Encoding") ||
                        (!header("Content-Length").empty() && header("Content-Length") != "0");
  if (!is_http11 || !wants_one || has_body) return refused(426, "this is a websocket: open it as one");
  if (header("Sec-WebSocket-Version") != "13") return refused(426, "a websocket of version 13 is wanted");
  if (!is_websocket_key(header("Sec-WebSocket-Key"))) return refused(400, "the websocket's key is malformed");
  if (!is_from_own_page(request, own_hosts)) {
    return refused(403, "a page of " + std::string(header("Origin")) + " may not open websockets here");
  }
  return std::nullopt;
}

WebSocket::WebSocket(boost::asio::any_io_executor executor, Clock& clock, ClientStream& client, WebSocketLimits limits)
    : clock_(clock),
      client_(client),
      limits_(limits),
      sent_(std::move(executor)),
      heard_at_(clock.steady_now()),
      pinged_at_(heard_at_) {}

Task<bool> WebSocket::accept(const Request& request) {
  return send(websocket_handshake(request.headers.find("Sec-WebSocket-Key").value_or("")));
}

bool WebSocket::take(char* bytes, std::size_t size) {
  const auto take_piece = [this](Opcode opcode, std::string_view payload, bool is_frame_end) {
    if (end_ != 0) return;
    switch (opcode) {
      case Opcode::kText:
        message_.append(payload);
        if (message_.size() > limits_.message) {
          end_ = kMessageTooBig;
          return;
        }
        if (is_frame_end && !frames_.is_in_message()) messages_.push_back(std::exchange(message_, {}));
        break;
      case Opcode::kPing:
        ping_.append(payload);
        if (is_frame_end) answers_ += frame(Opcode::kPong, std::exchange(ping_, {}));
        break;
      case Opcode::kPong:
        break;
      case Opcode::kClose:
        end_ = kNormalClose;
        break;
      case Opcode::kContinuation:
      case Opcode::kBinary:
        end_ = kNoText;
        break;
    }
  };
  if (!frames_.feed(bytes, size, take_piece) && end_ == 0) end_ = kProtocolError;
  return end_ == 0;
}

Task<std::optional<std::string>> WebSocket::read() {
  std::size_t moved = 0;
  for (;;) {
    if (!messages_.empty()) {
      std::string message = std::move(messages_.front());
      messages_.pop_front();
      co_return message;
    }
    if (end_ != 0) {
      co_await close(end_, {});
      co_return std::nullopt;
    }
    std::array<char, kPiece> piece;
    error_code ec;
    const std::size_t got = client_.read_now(piece.data(), piece.size(), ec);
    if (ec == asio::error::would_block) {
      ec = co_await client_.wait_readable();
      moved = 0;
    }
    if (ec) co_return std::nullopt;
    if (got == 0) continue;
    // Who sends without a pause must not keep the thread from all others.
    moved += got;
    if (moved > kTurn) {
      moved = 0;
      co_await asio::post(asio::use_awaitable);
    }
    heard_at_ = clock_.steady_now();
    static_cast<void>(take(piece.data(), got));
    if (!answers_.empty() && !co_await send({})) co_return std::nullopt;
  }
}

Task<bool> WebSocket::write(std::string_view text) {
  return send(frame(Opcode::kText, text));
}

// One at a time; the pongs that wait go with whoever sends.
Task<bool> WebSocket::send(std::string bytes) {
  if (is_sending_ && bytes.empty()) co_return answers_.size() <= kMostAnswers;
  while (is_sending_) {
    const auto seen = sent_.version();
    co_await sent_.wait(seen, kLong);
  }
  is_sending_ = true;
  sending_since_ = clock_.steady_now();
  error_code ec;
  for (bytes += std::exchange(answers_, {}); !ec && !bytes.empty(); bytes = std::exchange(answers_, {})) {
    std::string_view left(bytes);
    left.remove_prefix(client_.write_now(left));
    if (!left.empty()) ec = co_await client_.write(left);
  }
  is_sending_ = false;
  sent_.notify_all();
  co_return !ec;
}

Task<void> WebSocket::close(int status, std::string_view reason) {
  if (std::exchange(has_closed_, true)) co_return;
  // In the middle of a message nothing else can be said.
  if (is_sending_) co_return client_.close();
  co_await send(close_frame(status, reason.substr(0, kLongestReason)));
  client_.finish_writing();
  // Whoever said Close first has nothing more to say. What others still send is read away, up to their own: closing
  // with unread bytes would reset the connection and take the reason with it.
  std::array<char, kPiece> piece;
  for (error_code ec; end_ != kNormalClose && !ec;) {
    client_.read_now(piece.data(), piece.size(), ec);
    if (ec == asio::error::would_block) ec = co_await client_.wait_readable();
    if (!ec) co_await asio::post(asio::use_awaitable);
  }
}

void WebSocket::look() {
  const SteadyTime now = clock_.steady_now();
  if (now - heard_at_ > limits_.silence || (is_sending_ && now - sending_since_ > limits_.stalled)) {
    return client_.close();
  }
}

Task<void> WebSocket::ping() {
  const SteadyTime now = clock_.steady_now();
  if (is_sending_ || now - heard_at_ < limits_.ping_after || now - pinged_at_ < limits_.ping_after) co_return;
  pinged_at_ = now;
  static_cast<void>(co_await send(frame(Opcode::kPing, {})));
}

}  // namespace det::http
