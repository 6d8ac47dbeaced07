#include "proxy/exchange.h"

#include <algorithm>
#include <optional>
#include <utility>

#include <boost/asio/error.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <nlohmann/json.hpp>

#include "base/race.h"
#include "http/websocket_frames.h"
#include "proxy/refusals.h"
#include "proxy/tunnel.h"

namespace det::proxy {
namespace {

using boost::system::error_code;

constexpr std::size_t kTurn = std::size_t{1} << 20;
constexpr int kMaxInterim = 20;
// A program may close a connection that it thinks idle while a request is on its way to it: those that cannot be sent
// again go over connections that have just been used, or new ones.
constexpr std::chrono::seconds kFresh{2};
constexpr std::chrono::seconds kAny{60};

class Exchange final : Watch::Watched, Rights::Holder {
 public:
  Exchange(Shared& shared, Passage passage, http::Request& request, http::ClientStream& client)
      : Watched(shared.watch),
        Holder(shared.rights, std::exchange(passage.ground, {})),
        shared_(shared),
        passage_(std::move(passage)),
        request_(request),
        client_(client),
        moved_at_(shared.clock.steady_now()) {}

  Task<http::TakeoverEnd> run() {
    const BodyFraming framing = body_of(request_);
    has_body_ = framing.kind != BodyKind::kNone;
    wants_websocket_ = wants_websocket(request_);
    if (wants_websocket_ && has_body_) co_return refused(400, "a websocket's handshake has no body");
    passage_.note_request();
    for (int tries = 0; tries < 2; ++tries) {
      auto connected = co_await connect(tries > 0);
      if (failure_ == Failure::kNoRight) break;
      if (!connected) co_return refused(502, connected.error().message);
      co_await carry(framing);
      const bool may_repeat = can_repeat() && !has_come_ && failure_ != Failure::kNoRight && pod_ && pod_->is_used;
      if (!may_repeat || !client_.is_open()) break;
    }
    co_return co_await end();
  }

 private:
  // What went wrong, if anything, as the client is told while nothing has been sent.
  enum class Failure : std::uint8_t { kNone, kLost, kMalformed, kClientGone, kBadRequest, kTooLate, kNoRight };

  Task<Status> connect(bool only_new) {
    failure_ = Failure::kNone;
    if (!only_new) pod_ = shared_.pods.take(passage_.service, can_repeat() ? kAny : kFresh);
    if (only_new || !pod_) {
      auto made = co_await shared_.pods.connect(passage_.service);
      DET_CO_TRY(made);
      pod_ = std::move(*made);
    }
    co_return Status();
  }

  // Nothing of it would happen twice.
  [[nodiscard]] bool can_repeat() const {
    return !has_body_ && (request_.method == "GET" || request_.method == "HEAD" || request_.method == "OPTIONS");
  }

  Task<void> carry(BodyFraming framing) {
    const auto& service = passage_.service;
    const std::string host = service.address.contains(':') ? "[" + service.address + "]" : service.address;
    const RequestNotes notes{.target = passage_.target,
                             .fallback_host = host + ":" + std::to_string(service.port),
                             .is_https = passage_.is_https,
                             .has_our_token = passage_.has_our_token,
                             .may_continue = client_.is_http11};
    const std::string head = request_head(request_, notes);
    if (co_await pod().write(head)) {
      fail_by(Failure::kLost);
      co_return;
    }
    if (!has_body_) {
      is_sent_ = true;
      co_return co_await receive();
    }
    Task<void> sending = send_body(framing);
    Task<void> receiving = receive();
    co_await first_of(std::move(receiving), std::move(sending));
  }

  // Ends when the answer does: what it returned would end the answer.
  Task<void> send_body(BodyFraming framing) {
    BodyRelay body(framing, framing.kind == BodyKind::kChunked);
    const Failure failed = co_await relay(body, client_, pod(), Failure::kClientGone, Failure::kBadRequest);
    if (failed == Failure::kNone) {
      is_sent_ = true;
    } else if (failed != Failure::kLost) {
      fail_by(failed);
      pod().close();  // ends the wait for an answer
    }
    asio::steady_timer never(co_await asio::this_coro::executor, SteadyTime::max());
    co_await never.async_wait(asio::use_awaitable);
  }

  Task<void> receive() {
    std::string head_bytes;
    for (int interim = 0; interim <= kMaxInterim; ++interim) {
      auto head = co_await read_head(head_bytes);
      if (!head) co_return;
      if (head->status == 101) co_return co_await begin_websocket(*head, head_bytes);
      if (head->status >= 200) co_return co_await answer(*head, head_bytes);
      const std::size_t size = head->size;
      if (client_.is_http11 && co_await client_.write(interim_head(*head, false))) {
        co_return fail_by(Failure::kClientGone);
      }
      head_bytes.erase(0, size);
    }
    fail_by(Failure::kMalformed);
  }

  // Reads until `bytes` begin with a head, of which the result is views. Nothing: it failed.
  Task<std::optional<ResponseHead>> read_head(std::string& bytes) {
    for (;;) {
      if (!bytes.empty()) {
        auto head = read_response_head(bytes);
        if (!head) {
          fail_by(Failure::kMalformed);
          co_return std::nullopt;
        }
        if (*head) co_return std::move(**head);
      }
      waits_for_ = Waits::kAnswer;
      error_code ec = co_await pod().wait_readable();  // hardly ever is it there already
      std::size_t got = 0;
      if (!ec) got = pod().read_now(shared_.in.data(), shared_.in.size(), ec);
      if (ec == asio::error::would_block) continue;
      if (ec) {
        fail_by(Failure::kLost);
        co_return std::nullopt;
      }
      has_come_ = true;
      note_movement();
      bytes.append(shared_.in, 0, got);
    }
  }

  Task<void> answer(const ResponseHead& head, std::string_view bytes) {
    const auto framing = framing_of(head, request_.method);
    if (!framing) co_return fail_by(Failure::kMalformed);
    const bool has_body = framing->kind != BodyKind::kNone;
    const bool has_length = framing->kind == BodyKind::kLength;
    const bool sends_chunks = has_body && !has_length && client_.is_http11;
    keep_alive_ = client_.wants_keep_alive && (!has_body || has_length || sends_chunks) && is_sent_;
    BodyRelay body(*framing, sends_chunks);
    bytes.remove_prefix(head.size);
    std::string text = answer_head(head, {.body = *framing,
                                          .sends_chunks = sends_chunks,
                                          .keep_alive = keep_alive_,
                                          .is_apis_origin = passage_.is_apis_origin,
                                          .set_cookie = passage_.set_cookie});
    const bool pod_goes_on = head.is_http11 && !head.has_word("Connection", "close");
    has_begun_ = true;
    if (!bytes.empty()) {
      const auto step = body.take(bytes, shared_.out);
      if (!step) co_return fail_by(Failure::kMalformed);
      text.append(step->send);
      bytes.remove_prefix(step->used);
    }
    const bool has_more = !bytes.empty();
    waits_for_ = Waits::kReader;
    if (co_await client_.write(text)) co_return fail_by(Failure::kClientGone);
    const Failure failed = co_await relay(body, pod(), client_, Failure::kLost, Failure::kMalformed);
    if (failed != Failure::kNone) co_return fail_by(failed);
    is_answered_ = true;
    if (pod_goes_on && !has_more && is_sent_ && framing->kind != BodyKind::kUntilClose) {
      shared_.pods.keep(passage_.service, std::move(pod_));
    }
  }

  // `lost`: `from` has gone; `malformed`: what it sent is no body. kLost or kClientGone of the other side.
  Task<Failure> relay(BodyRelay& body, http::ByteStream& from, http::ByteStream& to, Failure lost, Failure malformed) {
    const bool is_clients = lost == Failure::kClientGone;
    const Failure other_lost = is_clients ? Failure::kLost : Failure::kClientGone;
    std::size_t moved = 0;
    while (!body.is_done()) {
      error_code ec;
      const std::size_t got = from.read_now(shared_.in.data(), body.at_most(shared_.in.size()), ec);
      if (ec == asio::error::would_block) {
        moved = 0;
        if (is_clients) owes_body_ = true;
        waits_for_ = is_clients ? waits_for_ : Waits::kAnswer;
        ec = co_await from.wait_readable();
        owes_body_ = is_clients ? false : owes_body_;
        if (!ec) continue;
      }
      std::string_view send;
      if (ec) {
        const auto last = body.finish();
        if (ec != asio::error::eof || !last) co_return lost;
        send = *last;
      } else {
        const auto step = body.take({shared_.in.data(), got}, shared_.out);
        if (!step) co_return malformed;
        if (is_clients && step->used < got) client_.unread({shared_.in.data() + step->used, got - step->used});
        send = step->send;
      }
      note_movement();
      send.remove_prefix(to.write_now(send));
      if (!send.empty()) {
        const std::string rest(send);
        if (!is_clients) waits_for_ = Waits::kReader;
        if (co_await to.write(rest)) co_return other_lost;
        note_movement();
        moved = 0;
      }
      moved += got;
      if (moved > kTurn) {
        moved = 0;
        co_await asio::post(asio::use_awaitable);
      }
    }
    co_return Failure::kNone;
  }

  Task<void> begin_websocket(const ResponseHead& head, std::string_view bytes) {
    const auto key = request_.headers.find("Sec-WebSocket-Key");
    const bool is_right = wants_websocket_ && key && is_same_name(head.find("Upgrade"), "websocket") &&
                          head.find("Sec-WebSocket-Accept") == http::accept_of(*key);
    if (!is_right) co_return fail_by(Failure::kMalformed);
    std::string text = interim_head(head, true);
    text.append(bytes.substr(head.size));
    has_begun_ = true;
    if (co_await client_.write(text)) co_return fail_by(Failure::kClientGone);
    is_websocket_ = true;
  }

  Task<http::TakeoverEnd> end() {
    if (is_websocket_) {
      request_ = {};  // nobody needs it for hours
      client_.set_cuttable(true);
      waits_for_ = Waits::kTunnel;
      co_await run_tunnel(shared_, client_, pod(), std::move(passage_.note_request));
      co_return http::TakeoverEnd();
    }
    if (is_answered_) co_return http::TakeoverEnd{.keep_alive = keep_alive_ && is_sent_};
    if (has_begun_ || failure_ == Failure::kClientGone || !client_.is_open()) {
      client_.close();  // the missing end tells the client
      co_return http::TakeoverEnd();
    }
    if (failure_ == Failure::kBadRequest) co_return refused(400, "the request's body is malformed");
    if (failure_ == Failure::kNoRight) {
      co_return refused(401, "the right to service '" + passage_.service.id + "' has ended");
    }
    if (failure_ == Failure::kTooLate) {
      co_return refused(504, "the program of service '" + passage_.service.id + "' did not answer in time");
    }
    co_return refused(502, "the program of service '" + passage_.service.id +
                               (failure_ == Failure::kMalformed ? "' gave no proper HTTP answer"
                                                                : "' closed the connection without an answer"));
  }

  void look(SteadyTime now) override {
    const auto silent = now - moved_at_;
    const Patience& patience = shared_.patience;
    const bool is_over = (waits_for_ == Waits::kAnswer && silent > patience.answer) ||
                         (waits_for_ == Waits::kReader && silent > patience.reader) ||
                         (owes_body_ && silent > patience.client_body);
    const bool has_left =
        waits_for_ == Waits::kAnswer && !owes_body_ && silent > patience.after_client_end && client_.has_hung_up();
    if (is_over && !has_begun_) fail_by(Failure::kTooLate);
    if (has_left || (is_over && has_begun_)) client_.close();
    if ((is_over || has_left) && pod_) pod().close();
  }

  // In the middle of whatever it is: a websocket's tunnel and the body of an answer end with their connections.
  void lose_right() override {
    fail_by(Failure::kNoRight);
    if (has_begun_) client_.close();
    if (pod_) pod().close();
  }

  void fail_by(Failure failure) {
    if (failure_ == Failure::kNone) failure_ = failure;
  }
  void note_movement() { moved_at_ = shared_.clock.steady_now(); }
  [[nodiscard]] http::ByteStream& pod() { return pod_->stream(); }

  enum class Waits : std::uint8_t { kNothing, kAnswer, kReader, kTunnel };

  Shared& shared_;
  Passage passage_;
  http::Request& request_;
  http::ClientStream& client_;
  PodConnectionPtr pod_;
  SteadyTime moved_at_;
  Waits waits_for_ = Waits::kNothing;
  Failure failure_ = Failure::kNone;
  bool owes_body_ = false;  // the client does
  bool has_body_ = false;
  bool wants_websocket_ = false;
  bool is_sent_ = false;      // the whole request
  bool has_come_ = false;     // a byte of an answer
  bool has_begun_ = false;    // a byte of the answer has gone to the client
  bool is_answered_ = false;  // the whole answer has
  bool keep_alive_ = false;
  bool is_websocket_ = false;
};

}  // namespace

Task<http::TakeoverEnd> run_exchange(Shared& shared, Passage passage, http::Request& request,
                                     http::ClientStream& client) {
  // On the heap: what a websocket needs for hours is less than what its beginning needed.
  const auto exchange = std::make_unique<Exchange>(shared, std::move(passage), request, client);
  co_return co_await exchange->run();
}

}  // namespace det::proxy
