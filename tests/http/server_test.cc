#include "http/server.h"

#include <netinet/in.h>
#include <sys/socket.h>

#include <atomic>
#include <filesystem>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/clock.h"
#include "tests/http/raw_client.h"

namespace det::http {
namespace {

using testing::EndsWith;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

Router echo_router() {
  Router router;
  router.add("GET", "/hello", [](const Request&) -> Task<Response> { co_return Response::text("hi"); });
  router.add("POST", "/echo/{name}",
             [](const Request& request) -> Task<Response> {
               std::string text(request.params.get("name"));
               text += request.body.is_spooled() ? " spooled " : " kept ";
               text += std::to_string(request.body.view().size()) + " " + std::string(request.body.view().substr(0, 5));
               co_return Response::text(text);
             },
             {.body_limit = std::size_t{4} << 20});
  router.add("GET", "/throws", [](const Request&) -> Task<Response> {
    throw std::runtime_error("secret detail");
    co_return Response{};
  });
  router.add("POST", "/drop", [](const Request&) -> Task<Response> { co_return Response::dropped(); });
  return router;
}

TEST(Server, KeepsAConnectionForTheNextRequest) {
  const Router router = echo_router();
  RunningServer server(router);
  RawClient client(server.port());
  for (int i = 0; i < 3; ++i) {
    ASSERT_TRUE(client.send("GET /hello HTTP/1.1\r\nHost: x\r\n\r\n"));
    EXPECT_THAT(client.read_until("\r\n\r\nhi"), AllOf(StartsWith("HTTP/1.1 200 OK\r\n"), EndsWith("\r\n\r\nhi")));
  }
}

// The server's end of the connection of a client with this port.
int servers_end(std::uint16_t of_client) {
  for (int fd = 3; fd < 4096; ++fd) {
    sockaddr_in peer{};
    socklen_t size = sizeof peer;
    const bool is_one = ::getpeername(fd, reinterpret_cast<sockaddr*>(&peer), &size) == 0 && peer.sin_family == AF_INET;
    if (is_one && ntohs(peer.sin_port) == of_client) return fd;
  }
  return -1;
}

TEST(Server, HasTheKernelAskAPeerThatIsSilent) {
  const Router router = echo_router();
  RunningServer server(router);
  RawClient client(server.port());
  client.send("GET /hello HTTP/1.1\r\nHost: x\r\n\r\n");
  client.read_until("\r\n\r\nhi");
  int is_watched = 0;
  socklen_t size = sizeof is_watched;
  const int fd = servers_end(client.stream().local_endpoint().port());
  ASSERT_EQ(::getsockopt(fd, SOL_SOCKET, SO_KEEPALIVE, &is_watched, &size), 0);
  EXPECT_EQ(is_watched, 1);
}

TEST(Server, AsksItsGateBeforeABodyIsRead) {
  const Router router = echo_router();
  const auto gate = [](const Request& request) -> std::optional<Response> {
    if (request.headers.find("Host") == "evil.example") return Response::text("not here", 421);
    return std::nullopt;
  };
  RunningServer server(router, {.gate = gate});
  RawClient client(server.port());
  client.send("POST /echo/a HTTP/1.1\r\nHost: evil.example\r\nContent-Length: 4000000\r\n\r\n");
  EXPECT_THAT(client.read_until("not here"), StartsWith("HTTP/1.1 421 Misdirected Request\r\n"));
  RawClient other(server.port());
  other.send("POST /echo/a HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Length: 3\r\n\r\nabc");
  EXPECT_THAT(other.read_all(), EndsWith("a kept 3 abc"));
}

TEST(Server, AnswersPipelinedRequestsInOrder) {
  const Router router = echo_router();
  RunningServer server(router);
  RawClient client(server.port());
  client.send("POST /echo/a HTTP/1.1\r\nContent-Length: 3\r\n\r\nabcGET /hello HTTP/1.1\r\nConnection: close\r\n\r\n");
  EXPECT_THAT(client.read_all(), AllOf(HasSubstr("a kept 3 abcHTTP/1.1 200 OK"), EndsWith("hi")));
}

TEST(Server, AnswersHeadWithoutABody) {
  const Router router = echo_router();
  RunningServer server(router);
  RawClient client(server.port());
  client.send("HEAD /hello HTTP/1.1\r\nConnection: close\r\n\r\n");
  EXPECT_THAT(client.read_all(), AllOf(HasSubstr("Content-Length: 2\r\n"), EndsWith("\r\n\r\n")));
}

TEST(Server, AnswersHeadOfAStreamWithoutALength) {
  Router router;
  router.add("GET", "/endless", [](const Request&) -> Task<Response> {
    Response response;
    response.stream = [](Writer& writer) -> Task<void> { co_await writer.write("never sent"); };
    co_return response;
  });
  RunningServer server(router);
  RawClient client(server.port());
  client.send("HEAD /endless HTTP/1.1\r\n\r\nHEAD /endless HTTP/1.1\r\nConnection: close\r\n\r\n");
  const std::string seen = client.read_all();
  EXPECT_THAT(seen, AllOf(Not(HasSubstr("Content-Length")), Not(HasSubstr("never sent")), EndsWith("\r\n\r\n")));
  EXPECT_NE(seen.find("HTTP/1.1 200 OK", 1), std::string::npos) << "the connection goes on";
}

TEST(Server, SpoolsALargeBodyToDisk) {
  const Router router = echo_router();
  RunningServer server(router);
  RawClient client(server.port());
  const std::string body(std::size_t{3} << 20, 'x');
  client.send("POST /echo/big HTTP/1.1\r\nConnection: close\r\nContent-Length: " + std::to_string(body.size()) +
              "\r\n\r\n" + body);
  EXPECT_THAT(client.read_all(), EndsWith("big spooled 3145728 xxxxx"));
}

TEST(Server, ReadsExactlyTheBodyWhateverItsLength) {
  const Router router = echo_router();
  RunningServer server(router);
  for (const std::size_t length : {1, 5, 15, 16, 24, 29, 30, 31, 100, 8191, 8192, 8193, 100'000}) {
    RawClient client(server.port());
    const std::string body(length, 'x');
    client.send("POST /echo/n HTTP/1.1\r\nConnection: close\r\nContent-Length: " + std::to_string(length) + "\r\n\r\n" +
                body);
    EXPECT_THAT(client.read_all(), EndsWith("n kept " + std::to_string(length) + " " + body.substr(0, 5)));
  }
}

TEST(Server, ReadsAChunkedBody) {
  const Router router = echo_router();
  RunningServer server(router);
  RawClient client(server.port());
  client.send(
      "POST /echo/c HTTP/1.1\r\nConnection: close\r\nTransfer-Encoding: "
      "chunked\r\n\r\n3\r\nabc\r\n2\r\nde\r\n0\r\n\r\n");
  EXPECT_THAT(client.read_all(), EndsWith("c kept 5 abcde"));
}

TEST(Server, InvitesABodyThatWaitsForIt) {
  const Router router = echo_router();
  RunningServer server(router);
  RawClient client(server.port());
  client.send("POST /echo/e HTTP/1.1\r\nConnection: close\r\nExpect: 100-continue\r\nContent-Length: 2\r\n\r\n");
  EXPECT_EQ(client.read_until("\r\n\r\n"), "HTTP/1.1 100 Continue\r\n\r\n");
  client.send("ok");
  EXPECT_THAT(client.read_all(), EndsWith("e kept 2 ok"));
}

TEST(Server, RefusesABodyAboveTheRoutesLimit) {
  const Router router = echo_router();
  RunningServer server(router);
  RawClient client(server.port());
  client.send("POST /echo/x HTTP/1.1\r\nContent-Length: 5000000\r\n\r\n");
  EXPECT_THAT(client.read_until("}"),
              AllOf(StartsWith("HTTP/1.1 413 "), HasSubstr("4194304 bytes\",\"reason\":\"ResourceExhausted\"")))
      << "as Determined's clients read it";
  RawClient chunked(server.port());
  std::string sent = "POST /echo/x HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n500000\r\n";
  sent.append(0x500000, 'y');
  chunked.send(sent);
  EXPECT_THAT(chunked.read_until("}"), StartsWith("HTTP/1.1 413 "));
}

TEST(Server, RefusesWhatIsNotHttp) {
  const Router router = echo_router();
  RunningServer server(router);
  for (const char* bad : {"hello\r\n\r\n", "GET /%zz HTTP/1.1\r\n\r\n", "GET / HTTP/9.9\r\n\r\n",
                          "POST /echo/x HTTP/1.1\r\nContent-Length: -1\r\n\r\n",
                          "POST /echo/x HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n"}) {
    RawClient client(server.port());
    client.send(bad);
    EXPECT_THAT(client.read_until("}"),
                AllOf(StartsWith("HTTP/1.1 400 "), HasSubstr("{\"error\":{\"code\":3,\"error\":")))
        << bad;
  }
}

TEST(Server, RefusesEndlessHeaders) {
  const Router router = echo_router();
  RunningServer server(router);
  RawClient client(server.port());
  client.send("GET /hello HTTP/1.1\r\nX: " + std::string(100'000, 'x') + "\r\n\r\n");
  EXPECT_THAT(client.read_until("}"), StartsWith("HTTP/1.1 431 "));
}

TEST(Server, GivesUpOnAClientThatSendsItsHeadersSlowly) {
  const Router router = echo_router();
  RunningServer server(router, {.header_timeout = std::chrono::milliseconds(50)});
  RawClient client(server.port());
  client.send("GET /hello HT");
  EXPECT_EQ(client.read_all(), "");
}

TEST(Server, GivesUpOnABodyThatStopsComing) {
  const Router router = echo_router();
  RunningServer server(router, {.io_timeout = std::chrono::milliseconds(50)});
  RawClient client(server.port());
  client.send("POST /echo/x HTTP/1.1\r\nContent-Length: 10\r\n\r\nabc");
  EXPECT_EQ(client.read_all(), "");
}

TEST(Server, ClosesAnIdleConnection) {
  const Router router = echo_router();
  RunningServer server(router, {.idle_timeout = std::chrono::milliseconds(20)});
  RawClient client(server.port());
  EXPECT_EQ(client.read_all(), "");
}

TEST(Server, HidesWhatAHandlerThrew) {
  const Router router = echo_router();
  RunningServer server(router);
  RawClient client(server.port());
  client.send("GET /throws HTTP/1.1\r\nConnection: close\r\n\r\n");
  EXPECT_THAT(client.read_all(), AllOf(StartsWith("HTTP/1.1 500 "), Not(HasSubstr("secret detail"))));
}

TEST(Server, DropsAConnectionWhenTheHandlerSaysSo) {
  const Router router = echo_router();
  RunningServer server(router);
  RawClient client(server.port());
  client.send("POST /drop HTTP/1.1\r\n\r\n");
  EXPECT_EQ(client.read_all(), "");
}

TEST(Server, SaysWhichPathsAndMethodsItDoesNotKnow) {
  const Router router = echo_router();
  RunningServer server(router);
  RawClient client(server.port());
  client.send("GET /nowhere HTTP/1.1\r\n\r\n");
  EXPECT_THAT(client.read_until("}"), AllOf(StartsWith("HTTP/1.1 404 "), HasSubstr("api not found: GET /nowhere")));
  client.send("DELETE /hello HTTP/1.1\r\n\r\n");
  EXPECT_THAT(client.read_until("}"), AllOf(StartsWith("HTTP/1.1 405 "), HasSubstr("Allow: GET\r\n")));
}

TEST(Server, RefusesAnAddressThatIsTaken) {
  const Router router = echo_router();
  RunningServer first(router);
  asio::io_context io;
  Server second(io.get_executor(), {.port = first.port()}, router);
  const Status started = second.start();
  ASSERT_FALSE(started);
  EXPECT_EQ(started.error().code, ErrorCode::kUnavailable);
}

}  // namespace
}  // namespace det::http
