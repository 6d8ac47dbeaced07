#include "http/takeover.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/http/certificate.h"
#include "tests/http/raw_client.h"
#include "tests/http/tls_client.h"

namespace det::http {
namespace {

using testing::AllOf;
using testing::EndsWith;
using testing::HasSubstr;
using testing::StartsWith;

// Reads `length` bytes of the body, in pieces of at most five.
Task<std::string> read_body(ClientStream& client, std::size_t length) {
  std::string body;
  while (body.size() < length) {
    char piece[5];
    boost::system::error_code ec;
    const std::size_t got = client.read_now(piece, std::min<std::size_t>(5, length - body.size()), ec);
    body.append(piece, got);
    if (ec == asio::error::would_block) ec = co_await client.wait_readable();
    if (ec) co_return body + " and no more";
  }
  co_return body;
}

// Answers with what it read; "/tunnel" gives every byte back until the client ends.
Router taking_router() {
  Router router;
  RouteOptions options;
  options.takeover = [](Request& request, ClientStream& client) -> Task<TakeoverEnd> {
    if (request.path == "/taken/refused") co_return TakeoverEnd{.answer = Response::text("no", 403)};
    if (request.path == "/taken/throws") throw std::runtime_error("secret detail");
    if (request.path == "/taken/tunnel") {
      client.set_cuttable(true);
      client.settle();
      co_await client.write("go\r\n\r\n");
      for (;;) {
        std::string byte = co_await read_body(client, 1);
        if (byte.size() > 1) co_return TakeoverEnd();
        co_await client.write(byte);
      }
    }
    const auto length = request.headers.find("Content-Length");
    const std::string body = co_await read_body(client, length ? std::stoul(std::string(*length)) : 0);
    client.unread("");
    co_await client.write("HTTP/1.1 200 OK\r\nContent-Length: " + std::to_string(body.size()) + "\r\n\r\n");
    co_await client.write(body);
    co_return TakeoverEnd{.keep_alive = client.wants_keep_alive};
  };
  options.admit = [](Request& request) -> Task<std::optional<Response>> {
    if (request.headers.find("Authorization") != std::nullopt) co_return std::nullopt;
    co_return Response::text("who?", 401);
  };
  router.add("*", "/taken/{rest...}", {}, std::move(options));
  router.add("GET", "/hello", [](const Request&) -> Task<Response> { co_return Response::text("hi"); });
  return router;
}

constexpr const char* kKnown = "Authorization: x\r\n";

TEST(Takeover, GivesTheConnectionBackForTheNextRequest) {
  const Router router = taking_router();
  RunningServer server(router);
  RawClient client(server.port());
  const std::string post = std::string("PUT /taken/a HTTP/1.1\r\n") + kKnown + "Content-Length: 12\r\n\r\n";
  client.send(post + "hello");
  client.send(" world!" + post + "hello world.GET /hello HTTP/1.1\r\nConnection: close\r\n\r\n");
  EXPECT_THAT(client.read_all(), AllOf(HasSubstr("hello world!HTTP/1.1 200 OK"),
                                       HasSubstr("hello world.HTTP/1.1 200 OK"), EndsWith("hi")));
}

// A record of TLS that brings the end of a body and the next request is deciphered at once.
TEST(Takeover, GivesTheConnectionBackOverTlsToo) {
  const Certificate certificate;
  const Router router = taking_router();
  RunningServer server(router, {.tls = certificate.files()});
  TlsClient client(server.port());
  client.send(std::string("PUT /taken/a HTTP/1.1\r\n") + kKnown + "Content-Length: 12\r\n\r\n");
  client.send("hello world!GET /hello HTTP/1.1\r\nConnection: close\r\n\r\n");
  EXPECT_THAT(client.read_all(), AllOf(HasSubstr("hello world!HTTP/1.1 200 OK"), EndsWith("hi")));
}

TEST(Takeover, ComesAfterAdmission) {
  const Router router = taking_router();
  RunningServer server(router);
  RawClient client(server.port());
  client.send("POST /taken/a HTTP/1.1\r\nContent-Length: 1000000\r\n\r\n");
  EXPECT_THAT(client.read_until("who?"), StartsWith("HTTP/1.1 401"));
}

TEST(Takeover, LeavesARefusalToTheServer) {
  const Router router = taking_router();
  RunningServer server(router);
  RawClient client(server.port());
  client.send(std::string("GET /taken/refused HTTP/1.1\r\n") + kKnown + "\r\nGET /hello HTTP/1.1\r\n\r\n");
  EXPECT_THAT(client.read_until("\r\n\r\nhi"), AllOf(StartsWith("HTTP/1.1 403"), HasSubstr("noHTTP/1.1 200 OK")));
  RawClient other(server.port());
  other.send(std::string("POST /taken/refused HTTP/1.1\r\n") + kKnown + "Content-Length: 9\r\n\r\n");
  EXPECT_THAT(other.read_until("no"), AllOf(StartsWith("HTTP/1.1 403"), HasSubstr("Connection: close")));
}

TEST(Takeover, ThatThrowsEndsItsConnectionOnly) {
  const Router router = taking_router();
  RunningServer server(router);
  RawClient client(server.port());
  client.send(std::string("GET /taken/throws HTTP/1.1\r\n") + kKnown + "\r\n");
  EXPECT_EQ(client.read_all(), "");
  RawClient other(server.port());
  other.send("GET /hello HTTP/1.1\r\nConnection: close\r\n\r\n");
  EXPECT_THAT(other.read_all(), EndsWith("hi"));
}

TEST(Takeover, IsCutByTheServersStopWhereItMayBe) {
  const Router router = taking_router();
  RunningServer server(router);
  RawClient client(server.port());
  client.send(std::string("GET /taken/tunnel HTTP/1.1\r\n") + kKnown + "\r\nabc");
  EXPECT_EQ(client.read_until("abc"), "go\r\n\r\nabc");
  client.send("d");
  EXPECT_EQ(client.read_exactly(1), "d");
  server.stop();
  EXPECT_EQ(client.read_all(), "");
}

TEST(Server, AsksWhichRouterARequestIsFor) {
  const Router router = taking_router();
  Router other;
  other.add("GET", "/hello", [](const Request&) -> Task<Response> { co_return Response::text("other"); });
  RunningServer server(router, {.router_of = [&other](const Request& request) -> const Router* {
                         return request.headers.find("Host") == "other" ? &other : nullptr;
                       }});
  RawClient client(server.port());
  client.send("GET /hello HTTP/1.1\r\nHost: other\r\n\r\nGET /taken/a HTTP/1.1\r\nHost: other\r\n\r\n");
  EXPECT_THAT(client.read_until("\"}"), AllOf(HasSubstr("other"), HasSubstr("404")));
  client.send("GET /hello HTTP/1.1\r\nHost: this\r\nConnection: close\r\n\r\n");
  EXPECT_THAT(client.read_all(), EndsWith("hi"));
}

}  // namespace
}  // namespace det::http
