#include "pg/listener.h"

#include <gtest/gtest.h>

#include "base/async.h"
#include "pg/raw_connection.h"
#include "tests/support/postgres.h"
#include "tests/support/run_task.h"

namespace det::pg {
namespace {

using std::chrono::seconds;

struct ListenerTest : ::testing::Test {
  ListenerTest()
      : url(test::shared_postgres().create_database()),
        listener(
            clock, url, {"det_one", "det_two"},
            [this](const std::string& channel, const std::string& payload) {
              heard.push_back(channel + ":" + payload);
              changed.notify_all();
            },
            [this] {
              ++connections;
              changed.notify_all();
            }) {
    group.spawn("listener", listener.run());
  }
  ~ListenerTest() override {
    group.cancel();
    const auto end = [this]() -> Task<bool> {
      co_await group.join();
      co_return true;
    };
    test::run_task(io, end());
  }
  void sql(const std::string& text) {
    auto connection = RawConnection::open(url, "test");
    ASSERT_TRUE(connection);
    ASSERT_TRUE(connection->execute(text));
  }
  // Runs the loop until `reached` says so; false after 30 s.
  template <typename Reached>
  bool until(Reached reached) {
    const auto wait = [this, reached]() -> Task<bool> {
      while (!reached()) {
        if (!co_await changed.wait(changed.version(), seconds(30))) co_return false;
      }
      co_return true;
    };
    return test::run_task(io, wait());
  }

  asio::io_context io;
  SystemClock clock;
  std::string url;
  std::vector<std::string> heard;
  int connections = 0;
  Signal changed{io.get_executor()};
  TaskGroup group{io.get_executor()};
  Listener listener;
};

TEST_F(ListenerTest, HearsItsChannelsOnly) {
  ASSERT_TRUE(until([this] { return connections == 1; }));
  sql("NOTIFY det_other, 'x'; NOTIFY det_one, '7'; NOTIFY det_two");
  ASSERT_TRUE(until([this] { return heard.size() == 2; }));
  EXPECT_EQ(heard, (std::vector<std::string>{"det_one:7", "det_two:"}));
}

TEST_F(ListenerTest, ConnectsAgainAndSaysSo) {
  ASSERT_TRUE(until([this] { return connections == 1; }));
  sql("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'det-operator listener' "
      "AND datname = current_database()");
  ASSERT_TRUE(until([this] { return connections == 2; }));
  sql("NOTIFY det_one, 'again'");
  ASSERT_TRUE(until([this] { return !heard.empty(); }));
  EXPECT_EQ(heard.back(), "det_one:again");
}

}  // namespace
}  // namespace det::pg
