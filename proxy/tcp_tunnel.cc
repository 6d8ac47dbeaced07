#include "proxy/tcp_tunnel.h"

#include <memory>
#include <string>
#include <utility>

#include <boost/asio/error.hpp>
#include <boost/asio/experimental/awaitable_operators.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/use_awaitable.hpp>

#include "base/async.h"
#include "http/websocket_frames.h"
#include "proxy/refusals.h"

namespace det::proxy {
namespace {

using boost::system::error_code;
using asio::experimental::awaitable_operators::operator&&;  // NOLINT(misc-unused-using-decls): a template uses it

constexpr std::size_t kTurn = std::size_t{1} << 20;
constexpr std::size_t kMaxQueued = std::size_t{64} << 10;
constexpr std::chrono::seconds kPingAfter{45};  // proxies on the way give up what is silent for a minute
constexpr std::chrono::hours kForEver{24 * 365};
constexpr std::size_t kFrame = std::size_t{32} << 10;
constexpr int kNormal = 1000;
constexpr int kProtocolError = 1002;

class TcpTunnel final : Watch::Watched, Rights::Holder {
 public:
  TcpTunnel(asio::any_io_executor executor, Shared& shared, Passage& passage, http::ByteStream& client,
            http::ByteStream& program)
      : Watched(shared.watch),
        Holder(shared.rights, std::move(passage.ground)),
        shared_(shared),
        note_request_(std::move(passage.note_request)),
        client_(client),
        program_(program),
        ping_due_(executor),
        sent_(std::move(executor)),
        moved_at_(shared.clock.steady_now()),
        pinged_at_(moved_at_) {}

  Task<void> run() {
    co_await (carry() && keep_alive());
    program_.close();
  }

 private:
  void close() {
    client_.close();
    program_.close();
  }

  void look(SteadyTime now) override {
    const auto silent = now - moved_at_;
    if (silent > (is_closing_ ? shared_.patience.closing : shared_.patience.websocket)) return close();
    if (is_closing_ || silent < kPingAfter || now - pinged_at_ < kPingAfter || is_sending_) return;
    pinged_at_ = now;
    ping_due_.notify_all();
  }

  void lose_right() override { close(); }

  Task<void> carry() {
    co_await (from_client() && from_program());
    is_over_ = true;
    ping_due_.notify_all();
  }

  // Sends what look() finds due: over TLS nothing can be sent at once.
  Task<void> keep_alive() {
    for (std::uint64_t seen = ping_due_.version(); !is_over_; seen = ping_due_.version()) {
      if (!co_await ping_due_.wait(seen, kForEver) || is_over_) continue;
      if (!co_await send(http::frame(http::Opcode::kPing, {}))) close();
    }
  }

  // False: the client has gone. What another one sends meanwhile goes behind it, if that is no more than pings and
  // pongs.
  Task<bool> send(std::string bytes) {
    if (is_sending_) {
      queued_ += bytes;
      co_return queued_.size() <= kMaxQueued;
    }
    is_sending_ = true;
    error_code ec;
    while (!ec && !bytes.empty()) {
      std::string_view left(bytes);
      left.remove_prefix(client_.write_now(left));
      if (!left.empty()) ec = co_await client_.write(left);
      bytes = std::exchange(queued_, {});
    }
    is_sending_ = false;
    sent_.notify_all();
    co_return !ec;
  }

  Task<void> from_client() {
    http::FrameReader frames(http::FrameReader::Role::kServer);
    std::size_t moved = 0;
    for (;;) {
      error_code ec;
      const std::size_t got = client_.read_now(shared_.in.data(), shared_.in.size(), ec);
      if (ec == asio::error::would_block) {
        moved = 0;
        ec = co_await client_.wait_readable();
        if (!ec) continue;
      }
      if (ec) break;
      std::string answer;
      bool is_use = false;
      bool is_end = false;
      shared_.out.clear();
      const auto take = [&](http::Opcode opcode, std::string_view payload, bool) {
        if (is_end) return;
        if (opcode == http::Opcode::kBinary) {
          shared_.out.append(payload);
          is_use = true;
        } else if (opcode == http::Opcode::kPing) {
          ping_.append(payload);
        } else if (opcode == http::Opcode::kClose) {
          is_end = true;
        }
      };
      const auto take_ping = [&](http::Opcode opcode, std::string_view payload, bool is_last) {
        take(opcode, payload, is_last);
        if (opcode == http::Opcode::kPing && is_last)
          answer += http::frame(http::Opcode::kPong, std::exchange(ping_, {}));
      };
      const bool is_right = frames.feed(shared_.in.data(), got, take_ping);
      if (is_use) {
        note_request_();
        if (!is_closing_) moved_at_ = shared_.clock.steady_now();
      }
      if (!is_closing_ && !shared_.out.empty()) {
        std::string_view out(shared_.out);
        out.remove_prefix(program_.write_now(out));
        if (!out.empty()) {
          const std::string rest(out);
          if (co_await program_.write(rest)) co_return;  // from_program() notices too, and says Close
          moved = 0;
        }
      }
      if (!answer.empty() && !co_await send(std::move(answer))) break;
      if (!is_right) {
        close_status_ = kProtocolError;
        break;
      }
      if (is_end) co_return end_of_client();
      moved += got;
      if (moved > kTurn) {
        moved = 0;
        co_await asio::post(asio::use_awaitable);
      }
    }
    // Gone, or not to be understood: the program is told, and what it still says has nobody to hear it.
    if (close_status_ == kProtocolError) co_await send(http::close_frame(kProtocolError));
    has_closed_ = true;
    program_.close();
  }

  // It has said what it had to say, and may still listen.
  void end_of_client() {
    is_closing_ = true;
    moved_at_ = shared_.clock.steady_now();
    program_.finish_writing();
    // Where the program has ended already, this was the answer to our Close.
    if (has_closed_) client_.close();
  }

  Task<void> from_program() {
    std::size_t moved = 0;
    for (;;) {
      error_code ec;
      const std::size_t got = program_.read_now(shared_.in.data(), kFrame, ec);
      if (ec == asio::error::would_block) {
        moved = 0;
        ec = co_await program_.wait_readable();
        if (!ec) continue;
      }
      if (ec) break;
      moved_at_ = shared_.clock.steady_now();  // also for a client that has said all and still listens
      std::string message = http::binary_frame_head(got);
      message.append(shared_.in, 0, got);
      // Queued behind a ping or a pong, it would be read on however slowly the client takes it.
      for (std::uint64_t seen = sent_.version(); is_sending_; seen = sent_.version()) {
        co_await sent_.wait(seen, kForEver);
      }
      if (!co_await send(std::move(message))) {
        close();
        co_return;
      }
      moved += got;
      if (moved > kTurn) {
        moved = 0;
        co_await asio::post(asio::use_awaitable);
      }
    }
    if (has_closed_) co_return;
    has_closed_ = true;
    const bool was_clients = is_closing_;
    is_closing_ = true;
    moved_at_ = shared_.clock.steady_now();
    co_await send(http::close_frame(kNormal));
    // The client began: this was the answer. Else its own is waited for, for some seconds.
    if (was_clients) client_.finish_writing();
  }

  Shared& shared_;
  std::function<void()> note_request_;
  http::ByteStream& client_;
  http::ByteStream& program_;
  std::string queued_;  // frames that wait for the one that is being sent
  std::string ping_;    // payload of a ping that has not come wholly
  bool is_sending_ = false;
  bool is_closing_ = false;  // one of the two has ended
  bool has_closed_ = false;  // Close was sent
  bool is_over_ = false;     // both ways have ended
  int close_status_ = kNormal;
  Signal ping_due_;
  Signal sent_;  // nothing is being sent any more
  SteadyTime moved_at_;
  SteadyTime pinged_at_;
};

}  // namespace

Task<http::TakeoverEnd> run_tcp_tunnel(Shared& shared, Passage passage, http::Request& request,
                                       http::ClientStream& client) {
  const auto key = request.headers.find("Sec-WebSocket-Key");
  if (!wants_websocket(request) || body_of(request).kind != BodyKind::kNone || !client.is_http11) {
    auto end = refused(426, "service '" + passage.service.id + "' speaks TCP: open it as a websocket");
    end.answer->headers.add("Upgrade", "websocket");
    co_return end;
  }
  if (request.headers.find("Sec-WebSocket-Version").value_or("") != "13") {
    auto end = refused(426, "a websocket of version 13 is wanted");
    end.answer->headers.add("Sec-WebSocket-Version", "13");
    co_return end;
  }
  if (!key || !http::is_websocket_key(*key)) co_return refused(400, "the websocket's key is malformed");
  auto pod = co_await shared.pods.connect(passage.service);
  if (!pod) co_return refused(502, pod.error().message);
  passage.note_request();
  const std::string accepted = http::websocket_handshake(*key);
  request = {};  // nobody needs it for hours
  if (co_await client.write(accepted)) co_return http::TakeoverEnd();
  client.set_cuttable(true);
  client.settle();
  (*pod)->stream().settle();
  const auto tunnel =
      std::make_unique<TcpTunnel>(co_await asio::this_coro::executor, shared, passage, client, (*pod)->stream());
  co_await tunnel->run();
  co_return http::TakeoverEnd();
}

}  // namespace det::proxy
