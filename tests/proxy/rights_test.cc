#include "proxy/rights.h"

#include <string>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <boost/asio/ssl.hpp>

#include "base/encoding.h"
#include "http/websocket_frames.h"
#include "proxy/gatekeeper.h"
#include "proxy/seals.h"
#include "tests/http/certificate.h"
#include "tests/proxy/origin.h"
#include "tests/store/fixture.h"

namespace det::proxy {
namespace {

using http::RawClient;
using std::chrono::seconds;
using testing::StartsWith;

// A program that takes every websocket and says "hi" in it.
void take_websocket(Peer& peer) {
  peer.read_head();
  peer.send("HTTP/1.1 101 X\r\nUpgrade: websocket\r\nSec-WebSocket-Accept: " + http::accept_of("k") + "\r\n\r\nhi");
  peer.read_all();
}

struct Websocket : RawClient {
  Websocket(Carrier& carrier, const std::string& by) : RawClient(carrier.port()) {
    send("GET /proxy/s/?by=" + by +
         " HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Key: k\r\n\r\n");
    EXPECT_THAT(read_until("hi"), StartsWith("HTTP/1.1 101"));
  }
};

TEST(Rights, EndAWebsocketOnlyWithAClearNo) {
  Origin origin(take_websocket);
  Carrier carrier(origin.port());
  Websocket client(carrier, "a");
  EXPECT_EQ(carrier.ask_again(seconds(2), false), 0) << "it was asked when it was let in";
  EXPECT_EQ(carrier.ask_again(seconds(6), true), 1);
  EXPECT_EQ(carrier.ask_again(seconds(6), fail(ErrorCode::kUnavailable, "no database")), 1);
  EXPECT_EQ(carrier.ask_again(seconds(6), fail(ErrorCode::kInternal, "a fault of ours")), 1);
  client.send("\x81\x80\x01\x02\x03\x04");
  EXPECT_EQ(carrier.ask_again(seconds(6), fail(ErrorCode::kUnauthenticated, "logged out")), 1);
  EXPECT_EQ(client.read_all(), "");
}

TEST(Rights, AreAskedForOnceForAllConnectionsOfAToken) {
  Origin origin(take_websocket);
  Carrier carrier(origin.port());
  Websocket one(carrier, "a");
  Websocket two(carrier, "a");
  Websocket other(carrier, "b");
  EXPECT_EQ(carrier.ask_again(seconds(6), true), 2);
  EXPECT_EQ(carrier.ask_again(seconds(6), fail(ErrorCode::kPermissionDenied, "switched off")), 2);
  EXPECT_EQ(one.read_all() + two.read_all() + other.read_all(), "");
  EXPECT_EQ(carrier.ask_again(seconds(6), true), 0) << "nobody is left";
}

TEST(Rights, EndATunnelToAProgramThatSpeaksNoHttp) {
  Origin origin([](Peer& peer) {
    peer.send("hi");
    peer.read_all();
  });
  Carrier carrier(origin.port(), true);
  RawClient client(carrier.port());
  client.send(
      "GET /proxy/s/ HTTP/1.1\r\nHost: x\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
      "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n\r\n");
  client.read_until("\r\n\r\n");
  client.read_exactly(4);  // "hi"
  EXPECT_EQ(carrier.ask_again(seconds(6), fail(ErrorCode::kUnavailable, "no database")), 1);
  EXPECT_EQ(carrier.ask_again(seconds(6), false), 1);
  EXPECT_EQ(client.read_all(), "");
}

TEST(Rights, EndAnswersThatGoOnAndThoseThatHaveNotBegun) {
  Origin origin([](Peer& peer) {
    const std::string head = peer.read_head();
    if (head.contains("/stream")) peer.send("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nhi\r\n");
    peer.read_all();
  });
  Carrier carrier(origin.port());
  RawClient stream(carrier.port());
  stream.send("GET /proxy/s/stream HTTP/1.1\r\nHost: x\r\n\r\n");
  stream.read_until("hi\r\n");
  RawClient waiting(carrier.port());
  waiting.send("GET /proxy/s/wait HTTP/1.1\r\nHost: x\r\n\r\n");
  while (carrier.uses() < 2) {
  }
  EXPECT_EQ(carrier.ask_again(seconds(6), fail(ErrorCode::kNotFound, "hidden by roles")), 1);
  EXPECT_EQ(stream.read_all(), "");
  EXPECT_THAT(waiting.read_until("\"}"), StartsWith("HTTP/1.1 401"));
}

// While the connection to the program is being made: its handshake waits for the test.
TEST(Rights, EndARequestThatWaitsForItsConnection) {
  const http::Certificate certificate;
  std::promise<void> go;
  std::promise<std::size_t> heard;
  Origin origin([&](Peer& peer) {
    go.get_future().wait();
    asio::ssl::context context(asio::ssl::context::tls_server);
    context.use_certificate_chain_file(certificate.files().certificate_file);
    context.use_private_key_file(certificate.files().key_file, asio::ssl::context::pem);
    asio::ssl::stream<asio::ip::tcp::socket&> stream(peer.socket(), context);
    boost::system::error_code ec;
    stream.handshake(asio::ssl::stream_base::server, ec);
    EXPECT_FALSE(ec) << ec.message();
    char bytes[64];
    heard.set_value(stream.read_some(asio::buffer(bytes), ec));
  });
  Carrier carrier(origin.port());
  carrier.service().is_tls = true;
  RawClient client(carrier.port());
  client.send("POST /proxy/s/ HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\n\r\nhi");
  while (origin.connections() == 0) std::this_thread::yield();
  EXPECT_EQ(carrier.ask_again(seconds(6), false), 1);
  go.set_value();
  EXPECT_THAT(client.read_until("\"}"), StartsWith("HTTP/1.1 401"));
  EXPECT_EQ(heard.get_future().get(), 0U) << "the program got the request";
}

// What people are let in by, and whether it holds.
struct Grounds : store::StoreTest {
  Grounds() {
    const std::string task =
        sql("SELECT k.id FROM tasks k JOIN allocations a ON a.task_number = k.number WHERE a.trial_id = " +
            to_string(started_trial().id));
    service.id = task;
    service.address = "10.244.0.7";
    service.port = 6000;
    service.owner = {2};
    service.token_hash = sha256_hex("own");
    publish();
  }
  void publish() {
    must(store_.publish(must(cluster.load_or_create()).epoch, service.id + ".1", {service}));
    services.forget_all();
  }
  Ground admitted(const std::string& authorization) {
    http::Request request;
    request.method = "GET";
    request.target = "/proxy/" + service.id + "/";
    request.params.add("service", service.id);
    request.headers.add("Authorization", authorization);
    auto passage = run(gatekeeper.admit_to_api(request));
    EXPECT_TRUE(passage && passage->ground);
    return passage && passage->ground ? std::move(*passage->ground) : Ground();
  }

  store::ProxyService service;
  Result<Visitor> visitor = Visitor{.user = {2}, .is_login = true};
  std::vector<std::string> asked;
  SystemClock clock;
  store::ServiceStore store_{pool};
  Services services{clock, store_};
  TaskOrigins origins{OriginOptions()};
  Gatekeeper gatekeeper{clock, services, store_, origins,
                        [this](std::string hash, std::string) -> Task<Result<Visitor>> {
                          asked.push_back(std::move(hash));
                          co_return visitor;
                        }};
};

TEST_F(Grounds, HoldWhileTheUserMay) {
  const Ground ground = admitted("Bearer mine");
  EXPECT_TRUE(must(gatekeeper.still_holds(ground)));
  visitor->user = {3};
  EXPECT_FALSE(must(gatekeeper.still_holds(ground)));
  visitor->is_admin = true;
  EXPECT_TRUE(must(gatekeeper.still_holds(ground)));
  visitor->may_look = false;
  EXPECT_FALSE(must(gatekeeper.still_holds(ground)));
  visitor = fail(ErrorCode::kUnauthenticated, "invalid credentials");
  EXPECT_EQ(run(gatekeeper.still_holds(ground)).error().code, ErrorCode::kUnauthenticated);
  EXPECT_EQ(asked, std::vector<std::string>(6, sha256_hex("mine")));
}

TEST_F(Grounds, HoldWhileTheNotebooksTokenIsTheSame) {
  const Ground ground = admitted("token own");
  EXPECT_TRUE(must(gatekeeper.still_holds(ground)));
  service.token_hash = sha256_hex("another");
  publish();
  EXPECT_FALSE(must(gatekeeper.still_holds(ground)));
  must(store_.withdraw(must(cluster.load_or_create()).epoch, service.id));
  services.forget_all();
  EXPECT_TRUE(must(gatekeeper.still_holds(ground))) << "what ended ends its connections by itself";
  EXPECT_TRUE(asked.empty());
}

TEST_F(Grounds, OfABrowserLeadBackToTheAddressThatItSees) {
  const auto api_origin = [this](const char* suffix, const char* forwarded) {
    const TaskOrigins behind({.host_suffix = suffix});
    Gatekeeper keeper{clock, services, store_, behind,
                      [this](std::string, std::string) -> Task<Result<Visitor>> { co_return visitor; }};
    keeper.set_key("key");
    http::Request request;
    request.method = "GET";
    request.target = "/proxy/" + service.id + "/";
    request.params.add("service", service.id);
    request.headers = {{"Host", "det.example.com"}, {"Accept", "text/html"}, {"Cookie", "auth=mine"}};
    if (*forwarded != '\0') request.headers.add("X-Forwarded-Proto", forwarded);
    const auto sent = run(keeper.admit_to_api(request));
    const std::string to(sent ? "" : sent.error().headers.find("Location").value_or(""));
    const std::string_view mark = "det_ticket=";
    const auto at = to.find(mark);
    EXPECT_NE(at, std::string::npos) << to;
    if (at == std::string::npos) return std::string();
    const auto seal = Seals("key").read(to.substr(at + mark.size()), SealKind::kTicket, clock.wall_now());
    return seal ? seal->api_origin : "no ticket";
  };
  EXPECT_EQ(api_origin("tasks.example.com", ""), "http://det.example.com");
  EXPECT_EQ(api_origin("https://tasks.example.com", ""), "https://det.example.com");
  EXPECT_EQ(api_origin("tasks.example.com", "https"), "https://det.example.com");
}

}  // namespace
}  // namespace det::proxy
