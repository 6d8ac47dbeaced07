#include "http/websocket.h"

#include <memory>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <boost/asio/this_coro.hpp>

#include "tests/http/raw_client.h"

namespace det::http {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::StartsWith;

constexpr const char* kOpen =
    "GET /echo HTTP/1.1\r\nHost: here:80\r\nUpgrade: websocket\r\nConnection: keep-alive, Upgrade\r\n"
    "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n";

std::string from_client(Opcode opcode, std::string_view payload, bool is_final = true) {
  std::string out = frame(opcode, payload);
  if (!is_final) out[0] = static_cast<char>(static_cast<unsigned char>(out[0]) & 0x7fU);
  out[1] = static_cast<char>(static_cast<unsigned char>(out[1]) | 0x80U);
  return out.insert(out.size() - payload.size(), 4, '\0');  // a mask of zeros
}

// Gives every message back; ends at "end".
struct Echo {
  explicit Echo(WebSocketLimits limits = {}, std::vector<std::string> own_hosts = {}) {
    RouteOptions options;
    options.takeover = [this, limits, own_hosts](Request& request, ClientStream& client) -> Task<TakeoverEnd> {
      if (auto refused = websocket_refusal(request, client.is_http11, own_hosts)) {
        co_return TakeoverEnd{.answer = refused};
      }
      WebSocket socket(co_await asio::this_coro::executor, clock, client, limits);
      bool goes_on = co_await socket.accept(request);
      while (goes_on) {
        const auto text = co_await socket.read();
        if (!text) break;
        if (*text == "end") co_await socket.close(kPolicyViolation, "as you wish");
        goes_on = *text != "end" && co_await socket.write(*text);
        socket.look();
        co_await socket.ping();
      }
      co_return TakeoverEnd();
    };
    router.add("GET", "/echo", {}, std::move(options));
    server.emplace(router);
  }
  // An open one.
  std::unique_ptr<RawClient> open() {
    auto client = std::make_unique<RawClient>(server->port());
    client->send(std::string(kOpen) + "\r\n");
    EXPECT_THAT(client->read_until("\r\n\r\n"),
                AllOf(StartsWith("HTTP/1.1 101"), HasSubstr("Sec-WebSocket-Accept: s3pPLMBiTxaQ9kYGzzhZRbK+xOo=")));
    return client;
  }
  std::string refused(const std::string& request) {
    RawClient client(server->port());
    client.send(request);
    return client.read_until("}");
  }

  SystemClock clock;
  Router router;
  std::optional<RunningServer> server;
};

TEST(WebSocket, CarriesWholeMessages) {
  Echo echo;
  const auto client = echo.open();
  client->send(from_client(Opcode::kText, "hello") + from_client(Opcode::kText, ""));
  EXPECT_EQ(client->read_exactly(9), frame(Opcode::kText, "hello") + frame(Opcode::kText, ""));
  const std::string much(100'000, 'x');
  client->send(from_client(Opcode::kText, much.substr(0, 70'000), false) + from_client(Opcode::kPing, "p") +
               from_client(Opcode::kContinuation, much.substr(70'000)));
  EXPECT_EQ(client->read_exactly(3), frame(Opcode::kPong, "p")) << "between the frames of a message";
  EXPECT_EQ(client->read_exactly(100'010), frame(Opcode::kText, much));
  client->send(from_client(Opcode::kPong, "") + from_client(Opcode::kClose, "\x03\xe8"));
  EXPECT_EQ(client->read_all(), close_frame(kNormalClose));
}

TEST(WebSocket, SaysWhyItEnds) {
  Echo echo({.message = 10});
  EXPECT_EQ(
      [&] {
        const auto client = echo.open();
        client->send(from_client(Opcode::kText, "end"));
        return client->read_exactly(2 + 2 + 11);
      }(),
      close_frame(kPolicyViolation, "as you wish"));
  const auto told = [&](const std::string& bytes) {
    const auto client = echo.open();
    client->send(bytes);
    return client->read_exactly(4);
  };
  EXPECT_EQ(told(from_client(Opcode::kBinary, "x")), close_frame(kNoText));
  EXPECT_EQ(told(from_client(Opcode::kText, "12345678901")), close_frame(kMessageTooBig));
  EXPECT_EQ(told(from_client(Opcode::kText, "123456", false) + from_client(Opcode::kContinuation, "123456")),
            close_frame(kMessageTooBig));
  EXPECT_EQ(told(frame(Opcode::kText, "unmasked")), close_frame(kProtocolError));
  EXPECT_EQ(told(from_client(Opcode::kContinuation, "of nothing")), close_frame(kProtocolError));
}

TEST(WebSocket, HangsUpOnWhoIsSilent) {
  Echo echo({.message = 10, .ping_after = std::chrono::seconds(0), .silence = std::chrono::seconds(90)});
  const auto client = echo.open();
  client->send(from_client(Opcode::kText, "a"));
  EXPECT_EQ(client->read_exactly(5), frame(Opcode::kText, "a") + frame(Opcode::kPing, "").substr(0, 2));
  Echo impatient({.message = 10, .ping_after = std::chrono::seconds(0), .silence = std::chrono::seconds(-1)});
  const auto gone = impatient.open();
  gone->send(from_client(Opcode::kText, "a"));
  EXPECT_EQ(gone->read_all(), frame(Opcode::kText, "a"));
}

TEST(WebSocket, TakesNoOtherRequestForOne) {
  Echo echo;
  EXPECT_THAT(echo.refused("GET /echo HTTP/1.1\r\nHost: here\r\n\r\n"),
              AllOf(StartsWith("HTTP/1.1 426"), HasSubstr("Upgrade: websocket")));
  std::string other = kOpen;
  other.replace(other.find("13"), 2, "12");
  EXPECT_THAT(echo.refused(other + "\r\n"), HasSubstr("version 13 is wanted"));
  other = kOpen;
  other.replace(other.find("dGhl"), 4, "dGh");
  EXPECT_THAT(echo.refused(other + "\r\n"), AllOf(StartsWith("HTTP/1.1 400"), HasSubstr("key is malformed")));
  EXPECT_THAT(echo.refused(std::string(kOpen) + "Content-Length: 3\r\n\r\nabc"), StartsWith("HTTP/1.1 426"));
}

// A browser sends cookies with websockets that pages of other sites open.
TEST(WebSocket, TakesNoPageOfAnotherOrigin) {
  Echo echo;
  for (const char* origin : {"http://evil.example", "http://here:81", "https://here", "null", "http://here:80.evil"}) {
    EXPECT_THAT(echo.refused(std::string(kOpen) + "Origin: " + origin + "\r\n\r\n"),
                AllOf(StartsWith("HTTP/1.1 403"), HasSubstr(origin)));
  }
  for (const char* origin : {"http://here:80", "http://here", "https://HERE:80"}) {
    RawClient client(echo.server->port());
    client.send(std::string(kOpen) + "Origin: " + origin + "\r\n\r\n");
    EXPECT_THAT(client.read_until("\r\n\r\n"), StartsWith("HTTP/1.1 101")) << origin;
  }
}

// As --allowed-host names them, where a proxy in front does not keep Host.
TEST(WebSocket, TakesThePagesOfHostsThatItIsToldOf) {
  Echo echo({}, {"pages.example"});
  RawClient client(echo.server->port());
  client.send(std::string(kOpen) + "Origin: https://pages.example\r\n\r\n");
  EXPECT_THAT(client.read_until("\r\n\r\n"), StartsWith("HTTP/1.1 101"));
  EXPECT_THAT(echo.refused(std::string(kOpen) + "Origin: https://pages.example.evil\r\n\r\n"),
              StartsWith("HTTP/1.1 403"));
}

}  // namespace
}  // namespace det::http
