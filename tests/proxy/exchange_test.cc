#include "proxy/exchange.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "http/websocket_frames.h"
#include "tests/proxy/origin.h"

namespace det::proxy {
namespace {

using http::RawClient;
using testing::AllOf;
using testing::EndsWith;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

// Answers every request of a connection with `answer`.
std::function<void(Peer&)> answering(std::string answer) {
  return [answer = std::move(answer)](Peer& peer) {
    while (!peer.read_head().empty()) peer.send(answer);
  };
}

std::string get(std::string_view more = {}) {
  return "GET /proxy/s/a%20b/?x=1&y HTTP/1.1\r\nHost: task.localhost:8080\r\n" + std::string(more) + "\r\n";
}

TEST(Exchange, ForwardsPathAndHeadersAsTheyAreButForWhatBelongsToUs) {
  std::promise<std::string> seen;
  Origin origin([&](Peer& peer) {
    seen.set_value(peer.read_head());
    peer.send("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok");
  });
  Carrier carrier(origin.port());
  carrier.has_our_token = true;
  RawClient client(carrier.port());
  client.send(
      get("X-Mine: 1\r\nX-Forwarded-For: 6.6.6.6\r\nX_Real_Ip: 6.6.6.6\r\nForwarded: for=6.6.6.6\r\n"
          "Cookie: a=1; auth=secret; det_proxy=secret\r\nCookie: b=2\r\nAuthorization: Bearer secret\r\n"
          "Connection: x-hop, keep-alive\r\nX-Hop: 1\r\nTE: trailers\r\nUpgrade: h2c\r\n"));
  EXPECT_THAT(client.read_until("ok"), StartsWith("HTTP/1.1 200 OK\r\n"));
  const std::string head = seen.get_future().get();
  EXPECT_THAT(head, StartsWith("GET /proxy/s/a%20b/?x=1&y HTTP/1.1\r\nHost: task.localhost:8080\r\n"));
  EXPECT_THAT(
      head,
      AllOf(HasSubstr("X-Mine: 1\r\n"), HasSubstr("Cookie: a=1; b=2\r\n"), HasSubstr("X-Forwarded-For: 127.0.0.1\r\n"),
            HasSubstr("X-Real-Ip: 127.0.0.1\r\n"), HasSubstr("X-Forwarded-Proto: http\r\n"),
            HasSubstr("X-Forwarded-Host: task.localhost:8080\r\n"), HasSubstr("Connection: keep-alive\r\n")));
  EXPECT_THAT(head, AllOf(Not(HasSubstr("6.6.6.6")), Not(HasSubstr("secret")), Not(HasSubstr("X-Hop")),
                          Not(HasSubstr("TE:")), Not(HasSubstr("h2c")), Not(HasSubstr("Content-Length"))));
}

TEST(Exchange, KeepsBothConnectionsForTheNextRequest) {
  Origin origin(
      answering("HTTP/1.1 200 OK\r\nContent-Length: 5\r\nSet-Cookie: a=1; Domain=localhost; Path=/\r\n"
                "Set-Cookie: auth=x\r\n\r\nhello"));
  Carrier carrier(origin.port());
  RawClient client(carrier.port());
  for (int i = 0; i < 3; ++i) {
    client.send(get());
    const std::string answer = client.read_until("hello");
    EXPECT_THAT(answer, AllOf(HasSubstr("Content-Length: 5\r\n"), HasSubstr("Set-Cookie: a=1; Path=/\r\n"),
                              HasSubstr("Connection: keep-alive\r\n"), Not(HasSubstr("auth"))));
  }
  client.send("GET /here HTTP/1.1\r\nConnection: close\r\n\r\n");
  EXPECT_THAT(client.read_all(), EndsWith("here"));
  EXPECT_EQ(origin.connections(), 1U);
  EXPECT_EQ(carrier.uses(), 3);
  carrier.look_after(std::chrono::seconds(31));
  EXPECT_EQ(carrier.idle(), 0U);
}

TEST(Exchange, TriesAnotherConnectionWhereTheKeptOneHadEnded) {
  std::atomic<int> connection = 0;
  Origin origin([&](Peer& peer) {
    const int number = ++connection;
    peer.read_head();
    peer.send("HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\n" + std::to_string(number));
    peer.read_head();
    if (number > 1) peer.send("HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nlast");
  });
  Carrier carrier(origin.port());
  RawClient client(carrier.port());
  client.send(get());
  client.read_until("\r\n\r\n1");
  client.send(get() + get());
  EXPECT_THAT(client.read_until("\r\n\r\n2"), StartsWith("HTTP/1.1 200"));
  EXPECT_THAT(client.read_until("last"), StartsWith("HTTP/1.1 200"));
}

TEST(Exchange, StreamsLargeBodiesBothWays) {
  Origin origin([](Peer& peer) {
    const std::string head = peer.read_head();
    EXPECT_THAT(head, HasSubstr("Content-Length: 20000000\r\n"));
    peer.send("HTTP/1.1 200 OK\r\nContent-Length: 20000000\r\n\r\n");
    for (int i = 0; i < 20; ++i) peer.send(peer.read_exactly(1'000'000));
  });
  Carrier carrier(origin.port());
  RawClient client(carrier.port());
  std::string body(20'000'000, 'x');
  for (std::size_t i = 0; i < body.size(); i += 997) body[i] = static_cast<char>('a' + i % 26);
  std::thread sending([&] {
    client.send("POST /proxy/s/up HTTP/1.1\r\nHost: x\r\nContent-Length: 20000000\r\n\r\n");
    client.send(body);
  });
  // It began before the request had ended: what else comes over this connection cannot be told from its body.
  EXPECT_THAT(client.read_until("\r\n\r\n"), HasSubstr("Connection: close"));
  const bool is_same = client.read_exactly(body.size()) == body;
  sending.join();
  EXPECT_TRUE(is_same);
  EXPECT_EQ(client.read_all(), "");
}

TEST(Exchange, FramesChunksAnewAndDropsTrailers) {
  std::promise<std::string> seen;
  Origin origin([&](Peer& peer) {
    const std::string head = peer.read_head();
    seen.set_value(head + peer.read_until("0\r\n\r\n"));
    peer.send("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nTrailer: X-T\r\n\r\n3;ext=1\r\nabc\r\n");
    peer.send("2\r\nde\r\n0\r\nX-T: 1\r\n\r\n");
    peer.read_all();
  });
  Carrier carrier(origin.port());
  RawClient client(carrier.port());
  client.send("POST /proxy/s/ HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n5;x=\"y\"\r\nhello\r\n");
  client.send("1\r\n!\r\n0\r\nX-Trailer: 1\r\n\r\nGET /here HTTP/1.1\r\nConnection: close\r\n\r\n");
  EXPECT_THAT(client.read_all(), AllOf(HasSubstr("\r\n\r\n3\r\nabc\r\n2\r\nde\r\n0\r\n\r\nHTTP/1.1 200 OK"),
                                       Not(HasSubstr("X-T")), EndsWith("here")));
  EXPECT_THAT(seen.get_future().get(), EndsWith("\r\n\r\n5\r\nhello\r\n1\r\n!\r\n0\r\n\r\n"));
}

TEST(Exchange, RefusesChunksThatAreNone) {
  Origin origin([](Peer& peer) { peer.read_all(); });
  Carrier carrier(origin.port());
  for (const char* body : {"5\nhello\r\n0\r\n\r\n", "-1\r\n", "5\r\nhelloX\r\n", "0x5\r\nhello\r\n", " 5\r\nhello\r\n",
                           "10000000000000000\r\n", "0\r\nA: b\n\r\n\r\n"}) {
    RawClient client(carrier.port());
    client.send(std::string("POST /proxy/s/ HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n") + body);
    EXPECT_THAT(client.read_until("\"}"), AllOf(StartsWith("HTTP/1.1 400"), HasSubstr("Connection: close"))) << body;
  }
}

TEST(Exchange, HandsEachPieceOnAsItComes) {
  std::promise<void> go;
  Origin origin([&](Peer& peer) {
    peer.read_head();
    peer.send("HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\ndata: 1\n\n");
    go.get_future().wait();
    peer.send("data: 2\n\n");
  });
  Carrier carrier(origin.port());
  RawClient client(carrier.port());
  client.send(get());
  EXPECT_THAT(client.read_until("data: 1\n\n\r\n"), HasSubstr("Transfer-Encoding: chunked"));
  go.set_value();
  EXPECT_EQ(client.read_until("0\r\n\r\n"), "9\r\ndata: 2\n\n\r\n0\r\n\r\n");
  client.send("GET /here HTTP/1.0\r\n\r\n");
  EXPECT_THAT(client.read_all(), EndsWith("here"));
}

TEST(Exchange, GivesOldClientsABodyUntilTheEnd) {
  Origin origin(answering("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nhi\r\n0\r\n\r\n"));
  Carrier carrier(origin.port());
  RawClient client(carrier.port());
  client.send("GET /proxy/s/ HTTP/1.0\r\n\r\n");
  EXPECT_THAT(client.read_all(), AllOf(HasSubstr("Connection: close\r\n\r\nhi"), Not(HasSubstr("chunked"))));
}

TEST(Exchange, KnowsWhichAnswersHaveNoBody) {
  Origin origin([](Peer& peer) {
    for (;;) {
      const std::string head = peer.read_head();
      if (head.empty()) return;
      if (head.starts_with("HEAD")) peer.send("HTTP/1.1 200 OK\r\nContent-Length: 99\r\n\r\n");
      if (head.starts_with("DELETE")) peer.send("HTTP/1.1 204 No Content\r\n\r\n");
      if (head.starts_with("GET")) peer.send("HTTP/1.1 304 Not Modified\r\nETag: \"a\"\r\nContent-Length: 7\r\n\r\n");
    }
  });
  Carrier carrier(origin.port());
  RawClient client(carrier.port());
  client.send("HEAD /proxy/s/ HTTP/1.1\r\nHost: x\r\n\r\n");
  EXPECT_THAT(client.read_until("\r\n\r\n"), HasSubstr("Content-Length: 99\r\n"));
  client.send("DELETE /proxy/s/ HTTP/1.1\r\nHost: x\r\n\r\n");
  EXPECT_THAT(client.read_until("\r\n\r\n"), AllOf(StartsWith("HTTP/1.1 204"), Not(HasSubstr("Length"))));
  client.send(get());
  EXPECT_THAT(client.read_until("\r\n\r\n"), AllOf(StartsWith("HTTP/1.1 304"), HasSubstr("ETag: \"a\"")));
  client.send("GET /here HTTP/1.1\r\nConnection: close\r\n\r\n");
  EXPECT_THAT(client.read_all(), EndsWith("here"));
  EXPECT_EQ(origin.connections(), 1U);
}

TEST(Exchange, PassesOnThatTheClientMayGoOn) {
  Origin origin([](Peer& peer) {
    EXPECT_THAT(peer.read_head(), HasSubstr("Expect: 100-continue\r\n"));
    peer.send("HTTP/1.1 100 Continue\r\n\r\n");
    const std::string body = peer.read_exactly(5);
    peer.send("HTTP/1.1 103 Early Hints\r\nLink: x\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n" + body);
    peer.read_all();
  });
  Carrier carrier(origin.port());
  RawClient client(carrier.port());
  client.send("PUT /proxy/s/ HTTP/1.1\r\nHost: x\r\nExpect: 100-continue\r\nContent-Length: 5\r\n\r\n");
  EXPECT_EQ(client.read_until("\r\n\r\n"), "HTTP/1.1 100 Continue\r\n\r\n");
  client.send("hello");
  EXPECT_THAT(client.read_until("hello"), AllOf(HasSubstr("103 Early Hints\r\nLink: x"), HasSubstr("200 OK")));
}

TEST(Exchange, AnswersBeforeTheBodyWasReadAndClosesThen) {
  Origin origin([](Peer& peer) {
    peer.read_head();
    peer.send("HTTP/1.1 413 Too Large\r\nContent-Length: 2\r\n\r\nno");
    peer.read_all();
  });
  Carrier carrier(origin.port());
  RawClient client(carrier.port());
  client.send("PUT /proxy/s/ HTTP/1.1\r\nHost: x\r\nContent-Length: 100000000\r\n\r\nabc");
  EXPECT_THAT(client.read_all(),
              AllOf(StartsWith("HTTP/1.1 413 Too Large"), HasSubstr("Connection: close"), EndsWith("no")));
}

TEST(Exchange, RefusesAnswersThatCouldBeReadInTwoWays) {
  for (const char* answer :
       {"HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nab",
        "HTTP/1.1 200 OK\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n", "HTTP/1.1 200 OK\r\nA: b\r\n c\r\n\r\n",
        "HTTP/1.1 200 OK\r\nA : b\r\n\r\n", "SSH-2.0-OpenSSH\r\n",
        "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\n\r\n", "HTTP/1.1 20 OK\r\n\r\n"}) {
    Origin origin(answering(answer));
    Carrier carrier(origin.port());
    RawClient client(carrier.port());
    client.send(get());
    EXPECT_THAT(client.read_until("\"}"), AllOf(StartsWith("HTTP/1.1 502"), HasSubstr("no proper HTTP answer")))
        << answer;
    EXPECT_EQ(carrier.idle(), 0U);
  }
}

TEST(Exchange, CutsTheClientOffWhereTheAnswerBreaksOff) {
  Origin origin([](Peer& peer) {
    peer.read_head();
    peer.send("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nabc");
  });
  Carrier carrier(origin.port());
  RawClient client(carrier.port());
  client.send(get());
  EXPECT_THAT(client.read_all(), EndsWith("abc"));
}

TEST(Exchange, SaysWhenNothingRunsThereOrNothingComes) {
  int port = 0;
  {
    Origin gone([](Peer&) {});
    port = gone.port();
  }
  Carrier carrier(port);
  RawClient client(carrier.port());
  client.send(get());
  EXPECT_THAT(client.read_until("\"}"), AllOf(StartsWith("HTTP/1.1 502"), HasSubstr("service 's' is not ready")));
  carrier.service().address = "169.254.169.254";
  client.send(get());
  EXPECT_THAT(client.read_until("\"}"), AllOf(StartsWith("HTTP/1.1 502"), HasSubstr("address of no pod")));
  Origin silent([](Peer& peer) { peer.read_all(); });
  carrier.service().address = "127.0.0.1";
  carrier.service().port = silent.port();
  client.send(get());
  while (silent.connections() == 0) std::this_thread::yield();
  std::string answer;
  std::thread reading([&] { answer = client.read_until("\"}"); });
  while (answer.empty() && carrier.uses() < 3) std::this_thread::yield();
  for (int i = 0; i < 3; ++i) carrier.look_after(std::chrono::hours(2));
  client.send("x");
  carrier.look_after(std::chrono::hours(2));
  reading.join();
  EXPECT_THAT(answer, StartsWith("HTTP/1.1 504"));
}

TEST(Exchange, TurnsIntoAWebsocketAndForwardsItsBytes) {
  const std::string accept = http::accept_of("dGhlIHNhbXBsZSBub25jZQ==");
  EXPECT_EQ(accept, "s3pPLMBiTxaQ9kYGzzhZRbK+xOo=");
  std::promise<std::string> after_end;
  Origin origin([&](Peer& peer) {
    EXPECT_THAT(peer.read_head(), AllOf(HasSubstr("Connection: Upgrade\r\nUpgrade: websocket\r\n"),
                                        HasSubstr("Sec-WebSocket-Key: dGhl")));
    peer.send(
        "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
        "Sec-WebSocket-Accept: " +
        accept + "\r\n\r\nfirst");
    peer.send(peer.read_exactly(4));
    EXPECT_EQ(peer.read_exactly(7).size(), 7U);
    EXPECT_EQ(peer.read_exactly(6).size(), 6U);
    peer.send("last");
    peer.finish();
    after_end.set_value(peer.read_exactly(4));
  });
  Carrier carrier(origin.port());
  RawClient client(carrier.port());
  client.send(
      get("Connection: keep-alive, Upgrade\r\nUpgrade: WebSocket\r\nSec-WebSocket-Version: 13\r\n"
          "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n"));
  EXPECT_THAT(client.read_until("\r\n\r\n"),
              AllOf(StartsWith("HTTP/1.1 101"), HasSubstr("Sec-WebSocket-Accept: " + accept)));
  EXPECT_EQ(client.read_exactly(5), "first");
  EXPECT_EQ(carrier.uses(), 1);
  // A pong is no use of the service, a text is.
  const std::string pong = {'\x8a', '\x80', 1, 2};
  client.send(pong);
  EXPECT_EQ(client.read_exactly(4), pong);
  EXPECT_EQ(carrier.uses(), 1);
  client.send({"\x03\x04\x81\x81\x01\x02\x03", 7});
  client.send({"\x04zfirst", 6});
  EXPECT_EQ(client.read_exactly(4), "last");
  EXPECT_GE(carrier.uses(), 2);
  client.send("more");
  EXPECT_EQ(after_end.get_future().get(), "more");
  EXPECT_EQ(client.read_all(), "");
}

TEST(Exchange, GivesUpAWebsocketThatNobodyTakesBack) {
  Origin origin([](Peer& peer) {
    peer.read_head();
    peer.send("HTTP/1.1 101 X\r\nUpgrade: websocket\r\nSec-WebSocket-Accept: " + http::accept_of("k") + "\r\n\r\n");
    peer.read_all();
  });
  Carrier carrier(origin.port());
  RawClient client(carrier.port());
  client.send(get("Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Key: k\r\n"));
  EXPECT_THAT(client.read_until("\r\n\r\n"), StartsWith("HTTP/1.1 101"));
  carrier.look_after(std::chrono::hours(1));
  carrier.look_after(std::chrono::hours(25));
  EXPECT_EQ(client.read_all(), "");
  RawClient other(carrier.port());
  other.send(get("Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Key: k\r\n"));
  other.read_until("\r\n\r\n");
  carrier.stop();
  EXPECT_EQ(other.read_all(), "");
}

TEST(Exchange, MakesPagesOnTheApisOriginHarmless) {
  Origin origin(answering("HTTP/1.1 200 OK\r\nContent-Length: 2\r\nClear-Site-Data: *\r\n\r\nhi"));
  Carrier carrier(origin.port());
  carrier.is_apis_origin = true;
  RawClient client(carrier.port());
  client.send(get());
  EXPECT_THAT(client.read_until("\r\n\r\nhi"),
              AllOf(HasSubstr("Content-Security-Policy: sandbox\r\n"), Not(HasSubstr("Clear-Site-Data"))));
}

}  // namespace
}  // namespace det::proxy
