// What keeps one client from taking everything: connections, bytes of bodies, and requests that could be read as two.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <list>

#include "http/body_budget.h"
#include "http/connection_book.h"
#include "tests/http/raw_client.h"

namespace det::http {
namespace {

using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

struct Fake final : Connection {
  explicit Fake(std::string from) { address = std::move(from); }
  void stop() override { was_stopped = true; }
  bool was_stopped = false;
};

TEST(ConnectionBook, MakesRoomByStoppingTheOldestIdleStrangerOfTheAddress) {
  ConnectionBook book({.total = 100, .strangers = 100, .strangers_per_address = 2, .per_account = 10});
  Fake other("2.2.2.2"), busy("1.1.1.1"), idle("1.1.1.1");
  for (Fake* one : {&other, &busy, &idle}) book.add(*one);
  busy.is_idle = false;
  EXPECT_TRUE(book.make_room("1.1.1.1"));
  EXPECT_TRUE(idle.was_stopped);
  EXPECT_FALSE(busy.was_stopped || other.was_stopped);
  idle.is_idle = false;
  Fake third("1.1.1.1");
  third.is_idle = false;
  book.add(third);
  EXPECT_FALSE(book.make_room("1.1.1.1")) << "nobody there is idle";
  EXPECT_TRUE(book.make_room("3.3.3.3"));
}

TEST(ConnectionBook, CountsThoseWhoAreKnownForTheirAccount) {
  ConnectionBook book({.total = 100, .strangers = 2, .strangers_per_address = 2, .per_account = 1});
  Fake first("1.1.1.1"), second("1.1.1.1");
  book.add(first);
  book.add(second);
  EXPECT_TRUE(book.know(first, "user 1"));
  EXPECT_TRUE(book.know(first, "user 1")) << "again";
  EXPECT_FALSE(book.know(second, "user 1"));
  EXPECT_TRUE(book.know(second, "user 2"));
  EXPECT_TRUE(book.make_room("1.1.1.1"));
  EXPECT_FALSE(first.was_stopped || second.was_stopped) << "who is known is no stranger";
  book.remove(first);
  EXPECT_TRUE(book.know(second, "user 1"));
  book.remove(second);
  EXPECT_EQ(book.size(), 0U);
}

// Its request may have been read when it was stopped: counted twice, there would never be room again.
TEST(ConnectionBook, KnowsNobodyWhoWasStopped) {
  ConnectionBook book({.total = 100, .strangers = 1, .strangers_per_address = 1, .per_account = 10});
  Fake stopped("1.1.1.1"), next("1.1.1.1");
  book.add(stopped);
  EXPECT_TRUE(book.make_room("1.1.1.1"));
  EXPECT_TRUE(stopped.was_stopped);
  EXPECT_FALSE(book.know(stopped, "user 1"));
  book.remove(stopped);
  book.add(next);
  next.is_idle = false;
  EXPECT_FALSE(book.make_room("1.1.1.1")) << "one stranger is there";
  book.remove(next);
  EXPECT_TRUE(book.make_room("1.1.1.1"));
}

// Programs of tasks that need no login: else two addresses could take every place there is.
TEST(ConnectionBook, LetsGuestsHaveAQuarterOfAllPlacesAndASixteenthAnAddress) {
  ConnectionBook book({.total = 32, .strangers = 32, .strangers_per_address = 32, .per_account = 32});
  std::list<Fake> guests;
  const auto come = [&](const std::string& address) {
    book.add(guests.emplace_back(address));
    return book.know(guests.back(), account_at(address));
  };
  EXPECT_TRUE(come("1.1.1.1"));
  EXPECT_TRUE(come("1.1.1.1"));
  EXPECT_FALSE(come("1.1.1.1")) << "the address has no more";
  EXPECT_TRUE(book.know(guests.back(), "user 1")) << "who logs in is no guest";
  for (const char* address : {"1.1.1.2", "1.1.1.2", "1.1.1.3", "1.1.1.3", "1.1.1.4", "1.1.1.4"}) {
    EXPECT_TRUE(come(address)) << address;
  }
  EXPECT_FALSE(come("1.1.1.5")) << "all addresses together have no more";
  EXPECT_TRUE(book.know(guests.front(), "user 1"));
  EXPECT_TRUE(book.know(guests.back(), account_at("1.1.1.5"))) << "one has logged in";
  book.remove(guests.back());
  EXPECT_TRUE(come("1.1.1.6"));
}

TEST(ConnectionBook, TakesTheFirstHalfOfAnIpv6AddressForOneClient) {
  EXPECT_EQ(address_group("2001:db8:1:2::7"), address_group("2001:db8:1:2:ffff::1"));
  EXPECT_NE(address_group("2001:db8:1:2::7"), address_group("2001:db8:1:3::7"));
  EXPECT_EQ(address_group("::ffff:10.0.0.1"), "10.0.0.1");
  EXPECT_EQ(address_group("10.0.0.1"), "10.0.0.1");
}

TEST(BodyBudget, IsSharedByAllAndLimitedForEach) {
  BodyBudget budget({.total = 7, .per_account = 4, .in_memory = 3});  // too few for a reserve
  BodyBudget::Share first(budget, "a");
  EXPECT_TRUE(first.grow(4));
  EXPECT_FALSE(first.grow(1)) << "the account has no more";
  {
    BodyBudget::Share second(budget, "b");
    EXPECT_TRUE(second.grow(3));
    EXPECT_FALSE(second.grow(1)) << "nobody has more";
    EXPECT_TRUE(second.keep_in_memory(3));
    EXPECT_FALSE(first.keep_in_memory(1));
  }
  EXPECT_EQ(budget.held(), 4U);
  EXPECT_TRUE(first.keep_in_memory(1));
}

TEST(BodyBudget, KeepsAnEighthForSmallBodies) {
  BodyBudget budget({.total = 80, .per_account = 40, .small = 5});
  BodyBudget::Share first(budget, "a"), second(budget, "b"), endless(budget, "c"), small(budget, "a"),
      other(budget, "c");
  first.expect(1'000);
  EXPECT_FALSE(first.grow(36)) << "the last eighth of its account";
  EXPECT_TRUE(first.grow(35));
  EXPECT_TRUE(second.grow(35));
  EXPECT_FALSE(endless.grow(1)) << "the last eighth of all";
  small.expect(5);
  EXPECT_TRUE(small.grow(5));
  EXPECT_FALSE(small.grow(1)) << "the account has no more";
  other.expect(5);
  EXPECT_TRUE(other.grow(5));
  EXPECT_FALSE(other.grow(1)) << "nobody has more";
}

struct Admitting : testing::Test {
  Admitting() {
    const auto admit = [this](Request& request) -> Task<std::optional<Response>> {
      const auto token = request.headers.find("Authorization");
      if (!token) co_return Response::text("who are you?", 401);
      request.account = std::string(*token);
      request.admitted = std::string(*token);
      ++admitted;
      co_return std::nullopt;
    };
    const auto handler = [](const Request& request) -> Task<Response> {
      co_return Response::text(std::any_cast<std::string>(request.admitted) + " " +
                               std::to_string(request.body.view().size()));
    };
    router.add("POST", "/upload", handler, {.body_limit = std::size_t{8} << 20, .admit = admit});
    router.add("GET", "/hello", handler, {.admit = admit});
  }
  std::string say(std::uint16_t port, const std::string& request) {
    RawClient client(port);
    client.send(request);
    return client.read_all();
  }

  Router router;
  std::atomic<int> admitted = 0;
};

TEST_F(Admitting, RefusesBeforeTheBodyIsSent) {
  RunningServer server(router);
  const std::string said =
      say(server.port(), "POST /upload HTTP/1.1\r\nContent-Length: 5000000\r\nExpect: 100-continue\r\n\r\n");
  EXPECT_THAT(said, StartsWith("HTTP/1.1 401"));
  EXPECT_THAT(said, Not(HasSubstr("100 Continue")));
}

TEST_F(Admitting, HandsWhatItFoundToTheHandler) {
  RunningServer server(router);
  EXPECT_THAT(say(server.port(),
                  "POST /upload HTTP/1.1\r\nAuthorization: ann\r\nContent-Length: 3\r\nConnection: close\r\n\r\nabc"),
              HasSubstr("ann 3"));
}

TEST_F(Admitting, KeepsAConnectionThatWasRefusedWithoutABody) {
  RunningServer server(router);
  const std::string said =
      say(server.port(),
          "GET /hello HTTP/1.1\r\n\r\nGET /hello HTTP/1.1\r\nAuthorization: ann\r\nConnection: close\r\n\r\n");
  EXPECT_THAT(said, HasSubstr("401"));
  EXPECT_THAT(said, HasSubstr("ann 0"));
}

TEST_F(Admitting, RefusesABodyForWhichThereIsNoRoom) {
  RunningServer server(router, {.bodies = {.total = 100'000, .per_account = 100'000, .in_memory = 100'000}});
  const std::string start = "POST /upload HTTP/1.1\r\nAuthorization: ann\r\nConnection: close\r\nContent-Length: ";
  EXPECT_THAT(say(server.port(), start + "200000\r\n\r\n" + std::string(200'000, 'x')), StartsWith("HTTP/1.1 503"));
  EXPECT_THAT(say(server.port(), start + "90000\r\n\r\n" + std::string(90'000, 'x')), HasSubstr("ann 90000"));
  server.stop();
  EXPECT_EQ(server.load().bodies_refused, 1U);
}

TEST_F(Admitting, CutsABodyThatDrips) {
  RunningServer server(router, {.body_grace = std::chrono::milliseconds(50)});
  EXPECT_EQ(say(server.port(), "POST /upload HTTP/1.1\r\nAuthorization: ann\r\nContent-Length: 10\r\n\r\nabc"), "");
}

// By what has come it might take minutes more.
TEST_F(Admitting, CutsALargeBodyThatStandsStill) {
  RunningServer server(router, {.io_timeout = std::chrono::hours(1),
                                .body_grace = std::chrono::milliseconds(50),
                                .body_stall = std::chrono::milliseconds(50)});
  RawClient client(server.port());
  client.send("POST /upload HTTP/1.1\r\nAuthorization: ann\r\nContent-Length: 8000000\r\n\r\n");
  client.send(std::string(7'000'000, 'x'));
  EXPECT_EQ(client.read_all(), "");
}

// Eight of one address at once: each takes the place of one before, whatever that one keeps the server waiting for.
TEST_F(Admitting, StrangersWhoLetItWaitMakeRoom) {
  const std::string huge(std::size_t{64} << 20, 'x');
  router.add("GET", "/page", [&huge](const Request&) -> Task<Response> { co_return Response::text(huge); });
  RunningServer server(router, {.connections = {.total = 100, .strangers = 8, .strangers_per_address = 8}});
  std::list<RawClient> waiting;
  for (const std::string request :
       {"", "POST /nothing HTTP/1.1\r\nContent-Length: 5\r\n\r\nab", "GET /page HTTP/1.1\r\n\r\n",
        "POST /upload HTTP/1.1\r\nContent-Length: 5\r\n\r\n"}) {
    for (int i = 0; i < 12; ++i) waiting.emplace_back(server.port()).send(request);
  }
  EXPECT_THAT(say(server.port(), "GET /hello HTTP/1.1\r\nAuthorization: ann\r\nConnection: close\r\n\r\n"),
              HasSubstr("ann 0"));
  server.stop();
  EXPECT_GE(server.load().connections_closed, 30U);
}

TEST_F(Admitting, LetsAStrangerGoWhoSaysNothing) {
  RunningServer server(router, {.header_timeout = std::chrono::milliseconds(50)});
  RawClient client(server.port());
  EXPECT_EQ(client.read_all(), "");
}

TEST_F(Admitting, KnowsNobodyByAPathThatDoesNotExist) {
  // So few that there are no guests: who became one would get 429.
  RunningServer server(router, {.connections = {.total = 8}});
  EXPECT_THAT(say(server.port(), "GET /nothing HTTP/1.1\r\nConnection: close\r\n\r\n"), StartsWith("HTTP/1.1 404"));
}

TEST_F(Admitting, MeasuresWhatEachRouteTakesOfTheThread) {
  router.add("POST", "/slow", [](const Request&) -> Task<Response> {
    timespec time{};
    const auto now = [&time] {
      ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
      return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_nsec) * 1e-9;
    };
    for (const double end = now() + 2 * kLongOnIoThread; now() < end;) {
    }
    co_return Response::text("done");
  });
  RunningServer server(router);
  EXPECT_THAT(say(server.port(), "POST /slow HTTP/1.1\r\nConnection: close\r\n\r\n"), HasSubstr("done"));
  server.stop();
  const RouteLoad load = server.load().routes.at("POST /slow");
  EXPECT_EQ(load.requests, 1U);
  EXPECT_EQ(load.long_requests, 1U);
  EXPECT_GE(load.seconds, 2 * kLongOnIoThread);
}

TEST(Framing, RefusesWhatTwoPartiesCouldReadDifferently) {
  Router router;
  router.add("POST", "/x", [](const Request&) -> Task<Response> { co_return Response::text("taken"); });
  RunningServer server(router);
  for (const std::string fields :
       {"Transfer-Encoding: identity", "Transfer-Encoding: xchunked", "Transfer-Encoding: gzip, chunked",
        "Transfer-Encoding: chunked\r\nTransfer-Encoding: identity", "Content-Length: 3\r\nTransfer-Encoding: chunked",
        "Content-Length: 3\r\nContent-Length: 4", "Content-Length: 3\r\nContent-Length: 3", "Content-Length: -3",
        "Content-Length: 3,3", "Content-Length : 3", "Content-Length: 0000000000000000003"}) {
    RawClient client(server.port());
    client.send("POST /x HTTP/1.1\r\n" + fields + "\r\n\r\n0\r\n\r\nPOST /x HTTP/1.1\r\nConnection: close\r\n\r\n");
    const std::string said = client.read_all();
    EXPECT_THAT(said, StartsWith("HTTP/1.1 400")) << fields;
    EXPECT_THAT(said, Not(HasSubstr("taken"))) << fields;
  }
}

}  // namespace
}  // namespace det::http
