#include "api/agents/node_list.h"

#include <gtest/gtest.h>

#include "base/async.h"
#include "tests/support/fake_api_server.h"
#include "tests/support/fake_clock.h"

namespace det::api {
namespace {

using namespace std::chrono_literals;

// Answers after a while, as the API server of a large cluster does.
class SlowServer final : public HttpTransport {
 public:
  SlowServer(HttpTransport& server, Clock& clock) : server_(server), clock_(clock) {}

  Task<Result<HttpResponse>> send(HttpRequest request) override {
    ++asked;
    co_await clock_.sleep_for(delay);
    co_return co_await server_.send(std::move(request));
  }
  Task<Result<HttpResponse>> stream(HttpRequest request, BodySink sink) override {
    co_return co_await server_.stream(std::move(request), std::move(sink));
  }

  int asked = 0;
  std::chrono::milliseconds delay{0};

 private:
  HttpTransport& server_;
  Clock& clock_;
};

struct NodeListTest : testing::Test {
  // How many requests a reading takes.
  int read() {
    const int before = server.asked;
    bool done = false;
    auto reading = [&]() -> Task<void> {
      EXPECT_TRUE(co_await nodes.read());
      done = true;
    };
    asio::co_spawn(io, reading(), asio::detached);
    clock.settle();
    for (int i = 0; i < 10 && !done; ++i) clock.advance(server.delay);
    EXPECT_TRUE(done);
    return server.asked - before;
  }

  asio::io_context io;
  test::FakeClock clock{io};
  test::FakeApiServer kubernetes{io.get_executor(), clock};
  SlowServer server{kubernetes, clock};
  k8s::Client client{server, server, kubernetes.config(), clock, "test"};
  NodeList nodes{client, clock};
};

TEST_F(NodeListTest, IsASecondOldAtMostWhereListingIsQuick) {
  EXPECT_GT(read(), 0);
  EXPECT_EQ(read(), 0);
  clock.advance(999ms);
  EXPECT_EQ(read(), 0);
  clock.advance(1ms);
  EXPECT_GT(read(), 0);
}

TEST_F(NodeListTest, IsFiveSecondsOldAtMostWhereListingTakesLong) {
  server.delay = 200ms;
  EXPECT_GT(read(), 0);
  clock.advance(4900ms);
  EXPECT_EQ(read(), 0);
  clock.advance(100ms);
  EXPECT_GT(read(), 0);
}

}  // namespace
}  // namespace det::api
