#include <future>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/clock.h"
#include "http/server.h"
#include "tests/http/raw_client.h"

namespace det::http {
namespace {

using testing::EndsWith;
using testing::StartsWith;

// Says through a future that its scope was left.
class LeftNotice {
 public:
  explicit LeftNotice(std::promise<void>& left) : left_(left) {}
  ~LeftNotice() { left_.set_value(); }
  LeftNotice(const LeftNotice&) = delete;
  LeftNotice& operator=(const LeftNotice&) = delete;

 private:
  std::promise<void>& left_;
};

struct Waits {
  SystemClock clock;
  std::promise<void> entered;
  std::promise<void> left;
  std::promise<void> finish;
  Router router;

  Waits() {
    router.add("GET", "/poll", [this](const Request&) -> Task<Response> {
      const LeftNotice notice(left);
      entered.set_value();
      co_await clock.sleep_for(std::chrono::hours(1));
      co_return Response::text("late");
    });
    router.add("GET", "/stream", [this](const Request&) -> Task<Response> {
      Response response;
      response.stream = [this](Writer& writer) -> Task<void> {
        const LeftNotice notice(left);
        co_await writer.write("{\"n\":1}\n");
        entered.set_value();
        co_await clock.sleep_for(std::chrono::hours(1));
      };
      co_return response;
    });
    router.add("POST", "/work", [this](const Request&) -> Task<Response> {
      const LeftNotice notice(left);
      asio::thread_pool pool(1);
      auto work = [this]() -> Status {
        entered.set_value();
        finish.get_future().wait();
        return {};
      };
      co_await run_on(pool, work);
      co_return Response::text("done");
    });
    for (const char* method : {"GET", "POST"}) {
      router.add(method, "/count", [](const Request&) -> Task<Response> {
        Response response;
        response.stream = [](Writer& writer) -> Task<void> {
          for (int i = 1; i <= 3; ++i) co_await writer.write(std::to_string(i) + "\n");
        };
        co_return response;
      });
    }
    router.add("GET", "/breaks", [](const Request&) -> Task<Response> {
      Response response;
      response.stream = [](Writer& writer) -> Task<void> {
        co_await writer.write("1\n");
        throw std::runtime_error("broken");
      };
      co_return response;
    });
  }
};

TEST(Stream, SendsOneChunkPerMessageAndEndsProperly) {
  Waits waits;
  RunningServer server(waits.router);
  RawClient client(server.port());
  client.send("GET /count HTTP/1.1\r\n\r\n");
  EXPECT_THAT(
      client.read_until("0\r\n\r\n"),
      EndsWith("Transfer-Encoding: chunked\r\nConnection: keep-alive\r\n\r\n2\r\n1\n\r\n2\r\n2\n\r\n2\r\n3\n\r\n"
               "0\r\n\r\n"));
  client.send("GET /count HTTP/1.1\r\nConnection: close\r\n\r\n");
  EXPECT_THAT(client.read_all(), StartsWith("HTTP/1.1 200 OK"));
}

TEST(Stream, GoesUnframedToAnOldClient) {
  Waits waits;
  RunningServer server(waits.router);
  RawClient client(server.port());
  client.send("GET /count HTTP/1.0\r\n\r\n");
  EXPECT_THAT(client.read_all(), EndsWith("Connection: close\r\n\r\n1\n2\n3\n"));
}

TEST(Stream, IsCutWithoutItsEndWhenItBreaks) {
  Waits waits;
  RunningServer server(waits.router);
  RawClient client(server.port());
  client.send("GET /breaks HTTP/1.1\r\n\r\n");
  EXPECT_THAT(client.read_all(), EndsWith("2\r\n1\n\r\n"));
}

TEST(Stream, EndsWhenTheClientGoesAway) {
  Waits waits;
  RunningServer server(waits.router);
  RawClient client(server.port());
  client.send("GET /stream HTTP/1.1\r\n\r\n");
  EXPECT_THAT(client.read_until("\n\r\n"), StartsWith("HTTP/1.1 200"));
  client.read_until("{\"n\":1}\n");
  waits.entered.get_future().wait();
  client.close();
  waits.left.get_future().wait();
}

TEST(LongPoll, EndsWhenTheClientGoesAway) {
  Waits waits;
  RunningServer server(waits.router);
  RawClient client(server.port());
  client.send("GET /poll HTTP/1.1\r\n\r\n");
  waits.entered.get_future().wait();
  client.close();
  waits.left.get_future().wait();
}

TEST(LongPoll, EndsWhenTheClientGoesAwayBehindAPipelinedRequest) {
  Waits waits;
  RunningServer server(waits.router);
  RawClient client(server.port());
  client.send("GET /poll HTTP/1.1\r\n\r\nGET /count HTTP/1.1\r\n\r\n");
  waits.entered.get_future().wait();
  client.close();
  waits.left.get_future().wait();
}

TEST(Stop, CutsLongPollsAtOnce) {
  Waits waits;
  RunningServer server(waits.router);
  RawClient client(server.port());
  client.send("GET /poll HTTP/1.1\r\n\r\n");
  waits.entered.get_future().wait();
  server.stop();
  EXPECT_EQ(client.read_all(), "");
}

TEST(Stop, DoesNotWaitForAConnectionWhosePostWasAnsweredByAStream) {
  Waits waits;
  RunningServer server(waits.router);
  RawClient client(server.port());
  client.send("POST /count HTTP/1.1\r\n\r\n");
  client.read_until("0\r\n\r\n");
  server.stop();
  EXPECT_EQ(client.read_all(), "");
}

TEST(Stop, LetsAPostFinishAndAnswersIt) {
  Waits waits;
  RunningServer server(waits.router);
  RawClient client(server.port());
  client.send("POST /work HTTP/1.1\r\n\r\n");
  waits.entered.get_future().wait();
  std::thread stopper([&] { server.stop(); });
  waits.finish.set_value();
  EXPECT_THAT(client.read_all(), EndsWith("done"));
  stopper.join();
}

TEST(Post, RunsToItsEndAfterTheClientHasGone) {
  Waits waits;
  RunningServer server(waits.router);
  RawClient client(server.port());
  client.send("POST /work HTTP/1.1\r\n\r\n");
  waits.entered.get_future().wait();
  client.close();
  waits.finish.set_value();
  waits.left.get_future().wait();
}

}  // namespace
}  // namespace det::http
