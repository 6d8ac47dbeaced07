#include <algorithm>
#include <array>

#include <boost/asio/redirect_error.hpp>
#include <boost/asio/use_awaitable.hpp>

#include "tests/base/curl_transport_fixture.h"

namespace det {
namespace {

using asio::ip::tcp;
using test::Background;
using test::LoopbackServer;
using test::read_head;
using test::wait_for_close;
using test::write_text;

TEST_F(CurlTransportTest, SendsMethodHeadersAndBodyAndReadsTheAnswer) {
  std::string head;
  LoopbackServer server(io, [&](tcp::socket socket) -> Task<void> {
    head = co_await read_head(socket);
    co_await write_text(socket, "HTTP/1.1 201 Created\r\nX-Thing:  a b \r\nContent-Length: 2\r\n\r\nok");
    co_await wait_for_close(socket);
  });
  Background background(io);
  background.start(server.run());
  HttpRequest request = to(server, "/things?x=1");
  request.method = "PATCH";
  request.headers = {{"Content-Type", "application/merge-patch+json"}, {"X-Empty", ""}};
  request.body = "{\"a\":1}";
  const auto response = exchange(request);
  ASSERT_TRUE(response) << response.error().message;
  EXPECT_EQ(response->status, 201);
  EXPECT_EQ(response->body, "ok");
  EXPECT_EQ(response->header("x-thing"), "a b");
  EXPECT_EQ(response->header("absent"), std::nullopt);
  EXPECT_TRUE(head.starts_with("PATCH /things?x=1 HTTP/1.1\r\n")) << head;
  EXPECT_TRUE(head.contains("Content-Type: application/merge-patch+json\r\n")) << head;
  EXPECT_TRUE(head.contains("X-Empty:")) << head;
  EXPECT_TRUE(head.contains("Content-Length: 7\r\n")) << head;
  EXPECT_FALSE(head.contains("Expect:")) << head;
}

TEST_F(CurlTransportTest, TellsHowMuchOfTheBodyHasLeft) {
  constexpr std::size_t kBytes = 3'000'000;
  LoopbackServer server(io, [&](tcp::socket socket) -> Task<void> {
    const std::string head = co_await read_head(socket);
    std::size_t left = kBytes - (head.size() - head.find("\r\n\r\n") - 4);  // some of the body comes with it
    std::array<char, 65536> buffer{};
    while (left > 0) {
      boost::system::error_code failed;
      const std::size_t got =
          co_await socket.async_read_some(asio::buffer(buffer), asio::redirect_error(asio::use_awaitable, failed));
      if (failed) co_return;
      left -= std::min(left, got);
    }
    co_await write_text(socket, "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok");
    co_await wait_for_close(socket);
  });
  Background background(io);
  background.start(server.run());
  HttpRequest request = to(server, "/upload");
  request.method = "POST";
  request.body = std::string(kBytes, 'x');
  std::uint64_t last = 0;
  bool only_grows = true;
  request.on_upload = [&](std::uint64_t sent, std::uint64_t total) {
    only_grows = only_grows && sent >= last && total == kBytes;
    last = sent;
  };
  const auto response = exchange(std::move(request));
  ASSERT_TRUE(response) << response.error().message;
  EXPECT_EQ(last, kBytes);
  EXPECT_TRUE(only_grows);
}

TEST_F(CurlTransportTest, SendsAnEmptyPostWithALength) {
  std::string head;
  LoopbackServer server(io, [&](tcp::socket socket) -> Task<void> {
    head = co_await read_head(socket);
    co_await write_text(socket, "HTTP/1.1 204 No Content\r\n\r\n");
    co_await wait_for_close(socket);
  });
  Background background(io);
  background.start(server.run());
  HttpRequest request = to(server, "/");
  request.method = "POST";
  const auto response = exchange(request);
  ASSERT_TRUE(response) << response.error().message;
  EXPECT_EQ(response->status, 204);
  EXPECT_TRUE(head.starts_with("POST / ")) << head;
  EXPECT_TRUE(head.contains("Content-Length: 0\r\n")) << head;
}

TEST_F(CurlTransportTest, UsesOneConnectionForRequestsThatFollowEachOther) {
  LoopbackServer server(io, [&](tcp::socket socket) -> Task<void> {
    while (!(co_await read_head(socket)).empty()) {
      co_await write_text(socket, "HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\nx");
    }
  });
  Background background(io);
  background.start(server.run());
  for (int i = 0; i < 3; ++i) ASSERT_TRUE(exchange(to(server, "/")));
  EXPECT_EQ(server.connections(), 1);
}

TEST_F(CurlTransportTest, StreamsTheBodyAsItComes) {
  std::string received;
  LoopbackServer server(io, [&](tcp::socket socket) -> Task<void> {
    co_await read_head(socket);
    co_await write_text(socket, "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nfirst\r\n");
    // The rest only comes once the first part has arrived.
    while (received != "first") co_await asio::post(io, asio::use_awaitable);
    co_await write_text(socket, "6\r\nsecond\r\n0\r\n\r\n");
    co_await wait_for_close(socket);
  });
  Background background(io);
  background.start(server.run());
  const auto response = exchange_stream(to(server, "/"), [&](std::string_view bytes) {
    received.append(bytes);
    return true;
  });
  ASSERT_TRUE(response) << response.error().message;
  EXPECT_EQ(received, "firstsecond");
  EXPECT_TRUE(response->body.empty());
}

// A server without HTTP/2, which says nothing for a long time after the heads: no stream waits for another one's end.
TEST_F(CurlTransportTest, OpensStreamsSideBySide) {
  constexpr int kStreams = 3;
  int open = 0;
  bool all_open = false;
  LoopbackServer server(io, [&](tcp::socket socket) -> Task<void> {
    co_await read_head(socket);
    co_await write_text(socket, "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n");
    if (++open == kStreams) all_open = true;
    co_await wait_for_close(socket);
  });
  Background background(io);
  background.start(server.run());
  auto follow = [&]() -> Task<void> {
    BodySink sink = [](std::string_view) { return true; };
    co_await transport.stream(to(server, "/"), std::move(sink));
  };
  Background streams(io);
  for (int i = 0; i < kStreams; ++i) streams.start(follow());
  run_until(all_open);
  EXPECT_EQ(server.connections(), kStreams);
}

TEST_F(CurlTransportTest, KeepsTheBodyOfARefusedStream) {
  LoopbackServer server(io, [&](tcp::socket socket) -> Task<void> {
    co_await read_head(socket);
    co_await write_text(socket, "HTTP/1.1 429 Too Many Requests\r\nRetry-After: 2\r\nContent-Length: 5\r\n\r\nlater");
    co_await wait_for_close(socket);
  });
  Background background(io);
  background.start(server.run());
  bool sink_called = false;
  const auto response = exchange_stream(to(server, "/"), [&](std::string_view) { return sink_called = true; });
  ASSERT_TRUE(response);
  EXPECT_EQ(response->status, 429);
  EXPECT_EQ(response->body, "later");
  EXPECT_EQ(response->header("retry-after"), "2");
  EXPECT_FALSE(sink_called);
}

TEST_F(CurlTransportTest, ReportsABodyThatWasCut) {
  LoopbackServer server(io, [&](tcp::socket socket) -> Task<void> {
    co_await read_head(socket);
    co_await write_text(socket, "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nfir");
  });
  Background background(io);
  background.start(server.run());
  std::string received;
  const auto response = exchange_stream(to(server, "/"), [&](std::string_view bytes) {
    received.append(bytes);
    return true;
  });
  ASSERT_FALSE(response);
  EXPECT_EQ(response.error().code, ErrorCode::kUnavailable);
  EXPECT_EQ(received, "fir");
}

// Who goes on after a lost connection must know what it is that came, also of an answer that never ends.
TEST_F(CurlTransportTest, TellsTheHeadOfAStreamOnceBeforeItsBody) {
  LoopbackServer server(io, [&](tcp::socket socket) -> Task<void> {
    co_await read_head(socket);
    co_await write_text(socket,
                        "HTTP/1.1 206 Partial Content\r\nETag: \"v1\"\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nfir");
  });
  Background background(io);
  background.start(server.run());
  std::vector<std::string> told;
  bool is_wanted = true;
  HttpRequest request = to(server, "/");
  request.on_head = [&](const HttpResponse& head) {
    told.push_back(std::to_string(head.status) + " " + std::string(head.header("etag").value_or("")));
    return is_wanted;
  };
  const auto take = [&](std::string_view bytes) {
    told.emplace_back(bytes);
    return true;
  };
  EXPECT_EQ(exchange_stream(request, take).error().code, ErrorCode::kUnavailable);
  EXPECT_EQ(told, (std::vector<std::string>{"206 \"v1\"", "fir"}));
  told.clear();
  is_wanted = false;
  EXPECT_EQ(exchange_stream(request, take).error().code, ErrorCode::kCanceled);
  EXPECT_EQ(told, std::vector<std::string>{"206 \"v1\""});
}

TEST_F(CurlTransportTest, TellsTheHeadOfAStreamOfWhichNothingElseComes) {
  LoopbackServer server(io, [&](tcp::socket socket) -> Task<void> {
    co_await read_head(socket);
    co_await write_text(socket, "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n");
    co_await wait_for_close(socket);
  });
  Background background(io);
  background.start(server.run());
  int told = 0;
  HttpRequest request = to(server, "/");
  request.timeout = std::chrono::milliseconds::zero();
  request.idle_timeout = std::chrono::milliseconds(50);
  request.on_head = [&told](const HttpResponse& head) {
    told += head.status == 200 ? 1 : 100;
    return true;
  };
  const auto response = exchange_stream(request, [](std::string_view) { return true; });
  EXPECT_EQ(response.error().code, ErrorCode::kDeadlineExceeded);
  EXPECT_EQ(told, 1);
}

TEST_F(CurlTransportTest, CutsAStreamThatStoppedFlowing) {
  LoopbackServer server(io, [&](tcp::socket socket) -> Task<void> {
    co_await read_head(socket);
    co_await write_text(socket, "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1\r\na\r\n");
    co_await wait_for_close(socket);
  });
  Background background(io);
  background.start(server.run());
  HttpRequest request = to(server, "/");
  request.timeout = std::chrono::milliseconds::zero();
  request.idle_timeout = std::chrono::milliseconds(50);
  const auto response = exchange_stream(request, [](std::string_view) { return true; });
  ASSERT_FALSE(response);
  EXPECT_EQ(response.error().code, ErrorCode::kDeadlineExceeded);
}

TEST_F(CurlTransportTest, EndsAStreamWhoseReaderHasEnough) {
  bool closed = false;
  LoopbackServer server(io, [&](tcp::socket socket) -> Task<void> {
    co_await read_head(socket);
    co_await write_text(socket, "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1\r\na\r\n");
    co_await wait_for_close(socket);
    closed = true;
  });
  Background background(io);
  background.start(server.run());
  const auto response = exchange_stream(to(server, "/"), [](std::string_view) { return false; });
  ASSERT_FALSE(response);
  EXPECT_EQ(response.error().code, ErrorCode::kCanceled);
  run_until(closed);
  EXPECT_TRUE(closed);
}

TEST_F(CurlTransportTest, CancellingTheCallerDropsTheConnection) {
  bool asked = false;
  bool closed = false;
  LoopbackServer server(io, [&](tcp::socket socket) -> Task<void> {
    asked = !(co_await read_head(socket)).empty();
    co_await wait_for_close(socket);
    closed = true;
  });
  Background background(io);
  background.start(server.run());
  bool went_on = false;
  auto task = [&]() -> Task<void> {
    HttpRequest request = to(server, "/");
    co_await transport.send(std::move(request));
    went_on = true;
  };
  {
    Background calling(io);
    calling.start(task());
    run_until(asked);
  }
  run_until(closed);
  EXPECT_TRUE(closed);
  EXPECT_FALSE(went_on);
}

TEST_F(CurlTransportTest, AReaderMayStartAnotherRequestAtOnce) {
  LoopbackServer server(io, [&](tcp::socket socket) -> Task<void> {
    while (!(co_await read_head(socket)).empty()) {
      co_await write_text(socket, "HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\nx");
    }
  });
  Background background(io);
  background.start(server.run());
  bool nested_done = false;
  auto nested = [&]() -> Task<void> {
    HttpRequest request = to(server, "/nested");
    const auto response = co_await transport.send(std::move(request));
    EXPECT_TRUE(response);
    nested_done = true;
  };
  Background inner(io);
  const auto response = exchange_stream(to(server, "/"), [&](std::string_view) {
    inner.start(nested());
    return true;
  });
  EXPECT_TRUE(response);
  run_until(nested_done);
  EXPECT_TRUE(nested_done);
}

TEST_F(CurlTransportTest, SaysWhichPeerRefusedTheConnection) {
  std::string url;
  {
    const LoopbackServer gone(io, {});
    url = gone.url();
  }
  HttpRequest request;
  request.url = url + "/x?token=abc";
  const auto response = exchange(request);
  ASSERT_FALSE(response);
  EXPECT_EQ(response.error().code, ErrorCode::kUnavailable);
  EXPECT_TRUE(response.error().message.starts_with("GET " + url + "/x: ")) << response.error().message;
  EXPECT_FALSE(response.error().message.contains("abc"));
}

TEST_F(CurlTransportTest, GivesUpAtTheDeadlineOfTheCall) {
  LoopbackServer server(io, [&](tcp::socket socket) -> Task<void> {
    co_await read_head(socket);
    co_await wait_for_close(socket);
  });
  Background background(io);
  background.start(server.run());
  HttpRequest request = to(server, "/");
  request.timeout = std::chrono::milliseconds(50);
  const auto response = exchange(request);
  ASSERT_FALSE(response);
  EXPECT_EQ(response.error().code, ErrorCode::kDeadlineExceeded);
}

// Nothing was asked there, so that it may be asked again.
TEST_F(CurlTransportTest, CallsAServerUnavailableThatCannotBeReachedInTime) {
  LoopbackServer server(io, [&](tcp::socket socket) -> Task<void> { co_await wait_for_close(socket); });
  Background background(io);
  background.start(server.run());
  HttpRequest request = to(server, "/");
  request.url.replace(0, 4, "https");
  request.timeout = std::chrono::milliseconds(50);
  const auto response = exchange(request);
  ASSERT_FALSE(response);
  EXPECT_EQ(response.error().code, ErrorCode::kUnavailable);
}

TEST_F(CurlTransportTest, RefusesWhatIsNotHttp) {
  for (const char* url : {"file:///etc/passwd", "not a url", ""}) {
    HttpRequest request;
    request.url = url;
    const auto response = exchange(request);
    ASSERT_FALSE(response) << url;
    EXPECT_EQ(response.error().code, ErrorCode::kInvalidArgument) << url;
  }
}

}  // namespace
}  // namespace det
