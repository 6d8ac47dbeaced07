#include "cli/websocket_tunnel.h"

#include <sys/socket.h>
#include <unistd.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <boost/asio/as_tuple.hpp>
#include <boost/asio/bind_cancellation_slot.hpp>
#include <boost/asio/cancellation_signal.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/beast/core.hpp>
#include <boost/beast/http.hpp>
#include <boost/beast/websocket.hpp>

#include "tests/support/loopback_server.h"
#include "tests/support/run_task.h"

namespace det::cli {
namespace {

namespace beast = boost::beast;
namespace websocket = beast::websocket;
using asio::ip::tcp;
using testing::HasSubstr;
using testing::StartsWith;

constexpr auto kTuple = asio::as_tuple(asio::use_awaitable);

// The far end of the tunnel: what ssh would be.
struct Wire {
  Wire() {
    int both[2] = {-1, -1};
    EXPECT_EQ(::socketpair(AF_UNIX, SOCK_STREAM, 0, both), 0);
    ours = both[0];
    tunnels = both[1];
  }
  ~Wire() {
    ::close(ours);
    ::close(tunnels);
  }
  Wire(const Wire&) = delete;
  Wire& operator=(const Wire&) = delete;

  // All there is until the other side has closed it.
  std::string read_all() const {
    ::shutdown(tunnels, SHUT_WR);
    std::string text;
    char chunk[4096];
    for (ssize_t got = 0; (got = ::read(ours, chunk, sizeof chunk)) > 0;) text.append(chunk, got);
    return text;
  }

  int ours = -1;
  int tunnels = -1;
};

struct WebsocketTunnel : testing::Test {
  using Socket = websocket::stream<beast::tcp_stream, false>;
  using Talk = std::function<Task<void>(Socket& socket)>;

  // One master, which lets the tunnel in and talks.
  Status tunnel(Talk talk) {
    test::LoopbackServer server(io, [this, talk](tcp::socket raw) -> Task<void> {
      beast::tcp_stream stream(std::move(raw));
      beast::flat_buffer buffer;
      beast::http::request<beast::http::string_body> head;
      const auto [error, count] = co_await beast::http::async_read(stream, buffer, head, kTuple);
      if (error) co_return;
      asked = std::string(head.target());
      authorization = std::string(head[beast::http::field::authorization]);
      Socket socket(std::move(stream));
      socket.binary(true);
      co_await socket.async_accept(head, kTuple);
      co_await talk(socket);
    });
    return run(server);
  }
  Status run(test::LoopbackServer& server) {
    asio::cancellation_signal stop;
    asio::co_spawn(io, server.run(), asio::bind_cancellation_slot(stop.slot(), asio::detached));
    const TunnelTarget target{.master_url = server.url(), .service = "a b:22", .token = "T", .tls = {}};
    const Status done = test::run_task(io, run_tunnel(target, wire.tunnels, wire.tunnels));
    stop.emit(asio::cancellation_type::terminal);
    io.restart();
    io.poll();
    return done;
  }

  asio::io_context io;
  Wire wire;
  std::string asked;
  std::string authorization;
};

TEST_F(WebsocketTunnel, CarriesBytesBothWaysUntilTheServiceEnds) {
  const std::string big(300'000, 'x');
  ASSERT_EQ(::write(wire.ours, "hello", 5), 5);
  std::string heard;
  const Status done = tunnel([&](Socket& socket) -> Task<void> {
    beast::flat_buffer buffer;
    co_await socket.async_read(buffer, kTuple);
    heard = beast::buffers_to_string(buffer.data());
    co_await socket.async_write(asio::buffer(std::string_view("good bye")), kTuple);
    co_await socket.async_close(websocket::close_code::normal, kTuple);
  });
  EXPECT_TRUE(done.has_value());
  EXPECT_EQ(heard, "hello");
  EXPECT_EQ(wire.read_all(), "good bye");
  EXPECT_EQ(asked, "/proxy/a%20b%3A22/");
  EXPECT_EQ(authorization, "Bearer T");
}

TEST_F(WebsocketTunnel, HearsAnAnswerAfterTheEndOfItsInput) {
  ASSERT_EQ(::write(wire.ours, "question", 8), 8);
  ::shutdown(wire.ours, SHUT_WR);
  bool was_closed = false;
  const Status done = tunnel([&](Socket& socket) -> Task<void> {
    beast::flat_buffer buffer;
    co_await socket.async_read(buffer, kTuple);
    for (const std::string_view part : {"an ", "answer"}) co_await socket.async_write(asio::buffer(part), kTuple);
    const auto [error, count] = co_await socket.async_read(buffer, kTuple);
    was_closed = error == websocket::error::closed;
  });
  EXPECT_TRUE(done.has_value()) << done.error().message;
  EXPECT_TRUE(was_closed);
  EXPECT_EQ(wire.read_all(), "an answer");
}

TEST_F(WebsocketTunnel, SaysThatTheConnectionWasLost) {
  const Status done = tunnel([](Socket& socket) -> Task<void> {
    beast::get_lowest_layer(socket).close();
    co_return;
  });
  ASSERT_FALSE(done.has_value());
  EXPECT_EQ(done.error().code, ErrorCode::kUnavailable);
  EXPECT_THAT(done.error().message, StartsWith("the connection was lost"));
}

TEST_F(WebsocketTunnel, SaysWhatTheMasterAnswersInstead) {
  test::LoopbackServer server(io, [](tcp::socket socket) -> Task<void> {
    co_await test::read_head(socket);
    co_await test::write_text(socket,
                              "HTTP/1.1 502 Bad Gateway\r\nContent-Length: 24\r\n\r\n"
                              "{\"message\":\"no program\"}");
  });
  const Status done = run(server);
  ASSERT_FALSE(done.has_value());
  EXPECT_EQ(done.error().message, "no program");
}

TEST_F(WebsocketTunnel, EndsWhenItIsCancelled) {
  bool has_ended = false;
  asio::cancellation_signal stop;
  test::LoopbackServer server(io, [&stop](tcp::socket raw) -> Task<void> {
    Socket socket(std::move(raw));
    co_await socket.async_accept(kTuple);
    stop.emit(asio::cancellation_type::terminal);
    beast::flat_buffer buffer;
    co_await socket.async_read(buffer, kTuple);
  });
  asio::cancellation_signal stop_server;
  asio::co_spawn(io, server.run(), asio::bind_cancellation_slot(stop_server.slot(), asio::detached));
  const TunnelTarget target{.master_url = server.url(), .service = "x", .token = "", .tls = {}};
  asio::co_spawn(io, run_tunnel(target, wire.tunnels, wire.tunnels),
                 asio::bind_cancellation_slot(
                     stop.slot(), [&has_ended](const std::exception_ptr&, const Status&) { has_ended = true; }));
  test::run_until(io, [&] { return has_ended; });
  stop_server.emit(asio::cancellation_type::terminal);
  io.restart();
  io.poll();
  EXPECT_TRUE(has_ended);
}

TEST(WebsocketTunnelToNobody, IsRefused) {
  asio::io_context io;
  Wire wire;
  const TunnelTarget target{.master_url = "http://127.0.0.1:1", .service = "x", .token = "", .tls = {}};
  const Status done = test::run_task(io, run_tunnel(target, wire.tunnels, wire.tunnels));
  ASSERT_FALSE(done.has_value());
  EXPECT_THAT(done.error().message, HasSubstr("cannot reach a master at http://127.0.0.1:1"));
}

}  // namespace
}  // namespace det::cli
