// Where the transport does not connect to, and how much it reads.

#include <algorithm>
#include <string>
#include <vector>

#include "tests/base/curl_transport_fixture.h"

namespace det {
namespace {

using asio::ip::tcp;
using test::Background;
using test::LoopbackServer;
using test::read_head;
using test::wait_for_close;
using test::write_text;

TEST_F(CurlTransportTest, DoesNotAskAProxyForLoopbackAddresses) {
  ASSERT_EQ(setenv("http_proxy", "http://127.0.0.1:9", 1), 0);
  LoopbackServer server(io, [&](tcp::socket socket) -> Task<void> {
    co_await read_head(socket);
    co_await write_text(socket, "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n");
    co_await wait_for_close(socket);
  });
  Background background(io);
  background.start(server.run());
  const auto response = exchange(to(server, "/"));
  unsetenv("http_proxy");
  ASSERT_TRUE(response) << response.error().message;
  EXPECT_EQ(response->status, 200);
}

TEST_F(CurlTransportTest, GoesThroughTheProxyUnlessItIsToldOtherwise) {
  ASSERT_EQ(setenv("http_proxy", "http://127.0.0.1:9", 1), 0);  // nobody listens there
  HttpRequest request{.url = "http://192.0.2.1/", .headers = {}, .timeout = std::chrono::milliseconds(200)};
  EXPECT_EQ(exchange(request).error().code, ErrorCode::kUnavailable) << "the proxy refused it at once";
  request.is_direct = true;
  // An address that leads nowhere.
  EXPECT_THAT(exchange(request).error().message, testing::Not(testing::HasSubstr("127.0.0.1")));
  unsetenv("http_proxy");
}

TEST_F(CurlTransportTest, ConnectsToNoAddressThatItMayNot) {
  bool is_reached = false;
  LoopbackServer server(io, [&](tcp::socket socket) -> Task<void> {
    is_reached = true;
    co_await read_head(socket);
    co_await write_text(socket, "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n");
  });
  Background background(io);
  background.start(server.run());
  std::vector<std::string> asked;
  HttpRequest request = to(server, "/");
  request.url.replace(request.url.find("127.0.0.1"), 9, "localhost");  // a name is looked at when it has its address
  request.may_connect = [&asked](const std::string& address) {
    asked.push_back(address);
    return false;
  };
  const auto refused = exchange(request);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, ErrorCode::kPermissionDenied);
  EXPECT_NE(std::ranges::find(asked, "127.0.0.1"), asked.end());
  EXPECT_FALSE(is_reached);
  request.may_connect = [](const std::string& address) { return address == "127.0.0.1"; };
  EXPECT_TRUE(exchange(request));
}

TEST_F(CurlTransportTest, ReadsNoMoreOfAnAnswerThanWanted) {
  LoopbackServer server(io, [&](tcp::socket socket) -> Task<void> {
    co_await read_head(socket);
    co_await write_text(socket, "HTTP/1.1 200 OK\r\nContent-Length: 2000\r\n\r\n" + std::string(2'000, 'x'));
  });
  Background background(io);
  background.start(server.run());
  HttpRequest request = to(server, "/");
  request.max_answer = 1'000;
  const auto answer = exchange(request);
  ASSERT_FALSE(answer);
  EXPECT_EQ(answer.error().code, ErrorCode::kResourceExhausted);
}

}  // namespace
}  // namespace det
