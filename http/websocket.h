#pragma once

// A websocket of the server's own (RFC 6455), on a connection that a handler took over: whole text messages in, whole
// text messages out. Belongs to the io thread; the client's stream and the clock outlive it. One coroutine reads, and
// one at a time writes.

#include <chrono>
#include <cstddef>
#include <deque>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include <boost/asio/any_io_executor.hpp>

#include "base/async.h"
#include "base/clock.h"
#include "http/message.h"
#include "http/takeover.h"
#include "http/websocket_frames.h"

namespace det::http {

struct WebSocketLimits {
  std::size_t message = std::size_t{256} << 10;  // bytes of one message of the client
  std::chrono::seconds ping_after{30};           // of silence: proxies on the way give up what is silent for a minute
  std::chrono::seconds silence{90};              // after which the client is taken for gone: it answers pings
  std::chrono::seconds stalled{60};              // how long the client may leave unread what is sent
};

// Status codes of Close.
inline constexpr int kNormalClose = 1000;
inline constexpr int kProtocolError = 1002;
inline constexpr int kNoText = 1003;
inline constexpr int kPolicyViolation = 1008;
inline constexpr int kMessageTooBig = 1009;

// What is wrong with a request that should become a websocket: 426 and 400 for its form; 403 for a page of another
// origin, which a browser would let open one with the cookies of this one. `own_hosts`: as is_from_own_page has them.
[[nodiscard]] std::optional<Response> websocket_refusal(const Request& request, bool is_http11,
                                                        std::span<const std::string> own_hosts = {});

class WebSocket {
 public:
  WebSocket(boost::asio::any_io_executor executor, Clock& clock, ClientStream& client, WebSocketLimits limits = {});
  WebSocket(const WebSocket&) = delete;
  WebSocket& operator=(const WebSocket&) = delete;

  // Answers a request that websocket_refusal() has nothing against. False: the client has gone.
  Task<bool> accept(const Request& request);
  // The next message. Nothing: there are no more, because the client ended it, is gone, or broke the protocol or a
  // limit; the last two are told to it.
  Task<std::optional<std::string>> read();
  // False: the client has gone.
  Task<bool> write(std::string_view text);
  // Ends it from here; `reason` is cut to what fits. Returns when the client has closed its side, too: callers limit
  // that.
  Task<void> close(int status, std::string_view reason);
  // Hangs up on who is gone: to be called about once a second.
  void look();
  // Pings who is silent; as often. May take as long as look() lets a client leave unread what is sent.
  Task<void> ping();

 private:
  // Of the bytes that just came; false: no more can be read.
  bool take(char* bytes, std::size_t size);
  Task<bool> send(std::string bytes);

  Clock& clock_;
  ClientStream& client_;
  WebSocketLimits limits_;
  FrameReader frames_{FrameReader::Role::kServer};
  std::deque<std::string> messages_;  // that came and were not read yet
  std::string message_;               // as far as it has come
  std::string ping_;                  // payload of a ping that has not come wholly
  std::string answers_;               // pongs that are to be sent
  int end_ = 0;                       // why it ends, as a status of Close; 0: it does not
  bool has_closed_ = false;           // Close was sent
  bool is_sending_ = false;
  Signal sent_;
  SteadyTime heard_at_;
  SteadyTime pinged_at_;
  SteadyTime sending_since_;
};

}  // namespace det::http
