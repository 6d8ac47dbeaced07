#include "pg/pool.h"

#include <gtest/gtest.h>
#include <boost/asio/detached.hpp>
#include <pqxx/pqxx>

#include "pg/large_values.h"
#include "pg/raw_connection.h"
#include "tests/support/postgres.h"
#include "tests/support/run_task.h"

namespace det::pg {
namespace {

struct PoolTest : ::testing::Test {
  PoolTest() : url(test::shared_postgres().create_database()), pool({.url = url, .connections = 2}) {}

  template <typename Body>
  auto write(Body body) {
    return test::run_task(io, pool.write("write", std::move(body)));
  }
  Status sql(std::string text) {
    return write([text = std::move(text)](Transaction& tx) -> Status {
      tx.exec(text);
      return {};
    });
  }
  Result<int> number(std::string text) {
    auto body = [text = std::move(text)](Transaction& tx) -> Result<int> { return tx.exec1(text)[0].as<int>(); };
    return test::run_task(io, pool.read("read", std::move(body)));
  }

  asio::io_context io;
  std::string url;
  Pool pool;
};

TEST_F(PoolTest, CommitsWhatSucceededAndRollsBackWhatFailed) {
  ASSERT_TRUE(sql("CREATE TABLE t (n int PRIMARY KEY)"));
  ASSERT_TRUE(sql("INSERT INTO t VALUES (1)"));
  const Status refused = write([](Transaction& tx) -> Status {
    tx.exec("INSERT INTO t VALUES (2)");
    return fail(ErrorCode::kNotFound, "trial '7' not found");
  });
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().message, "trial '7' not found");  // the body's own words, unchanged
  EXPECT_EQ(number("SELECT count(*) FROM t"), 1);
}

TEST_F(PoolTest, TellsKindsOfRefusalApart) {
  ASSERT_TRUE(sql("CREATE TABLE t (n int PRIMARY KEY CHECK (n > 0))"));
  ASSERT_TRUE(sql("INSERT INTO t VALUES (1)"));
  EXPECT_EQ(sql("INSERT INTO t VALUES (1)").error().code, ErrorCode::kAlreadyExists);
  EXPECT_EQ(sql("INSERT INTO t VALUES (-1)").error().code, ErrorCode::kFailedPrecondition);
  EXPECT_EQ(sql("INSERT INTO t VALUES ('x')").error().code, ErrorCode::kInvalidArgument);
  EXPECT_EQ(sql("SELEC").error().code, ErrorCode::kInternal);
  EXPECT_EQ(sql("SET LOCAL statement_timeout = 1; SELECT pg_sleep(60)").error().code, ErrorCode::kDeadlineExceeded);
}

TEST_F(PoolTest, RefusesToWriteInARead) {
  const auto written = number("WITH x AS (SELECT 1) SELECT set_config('x.y', '1', false)::int");
  EXPECT_EQ(written, 1);
  ASSERT_TRUE(sql("CREATE TABLE t (n int)"));
  EXPECT_FALSE(number("INSERT INTO t VALUES (1) RETURNING n"));
}

TEST_F(PoolTest, RunsAgainAfterASerializationFailure) {
  int runs = 0;
  const Status status = write([&runs](Transaction& tx) -> Status {
    if (++runs < 3) tx.exec("DO $$ BEGIN RAISE serialization_failure; END $$");
    return {};
  });
  EXPECT_TRUE(status);
  EXPECT_EQ(runs, 3);
}

TEST_F(PoolTest, ConnectsAgainWhenItsConnectionWasCut) {
  ASSERT_TRUE(sql("CREATE TABLE t (n int)"));
  int runs = 0;
  const Status status = write([&runs](Transaction& tx) -> Status {
    tx.exec("INSERT INTO t VALUES (1)");
    if (++runs == 1) tx.exec("SELECT pg_terminate_backend(pg_backend_pid())");
    return {};
  });
  EXPECT_TRUE(status);
  EXPECT_EQ(runs, 2);
  EXPECT_EQ(number("SELECT count(*) FROM t"), 1);
}

TEST_F(PoolTest, ClosesTheConnectionOfALargeValueAndNoOther) {
  const auto backend = number("SELECT pg_backend_pid()");
  ASSERT_TRUE(backend);
  EXPECT_EQ(number("SELECT pg_backend_pid()"), backend);
  auto body = [](Transaction& tx) -> Result<int> {
    close_connection_afterwards();
    return tx.exec1("SELECT pg_backend_pid()")[0].as<int>();
  };
  EXPECT_EQ(test::run_task(io, pool.read("read something large", body)), backend);
  const auto next = number("SELECT pg_backend_pid()");
  ASSERT_TRUE(next);
  EXPECT_NE(*next, *backend);
  EXPECT_EQ(number("SELECT pg_backend_pid()"), next);
}

TEST_F(PoolTest, SaysUnavailableWhenNobodyAnswers) {
  Pool nobody({.url = "postgresql:///x?host=/nonexistent", .connections = 1});
  const auto result = test::run_task(io, nobody.read("find trial", [](Transaction&) -> Status { return {}; }));
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().code, ErrorCode::kUnavailable);
  EXPECT_TRUE(result.error().message.starts_with("find trial: database: ")) << result.error().message;
}

// A failover, in which the name of the primary leads to a standby for a while.
TEST(PoolOverAFailover, WritesAgainWhenThereIsAPrimary) {
  test::PostgresServer server;
  const std::string url = server.create_database();
  asio::io_context io;
  Pool careful({.url = url, .connections = 1});
  Pool careless({.url = url + "&target_session_attrs=any", .connections = 1});
  const auto write = [&io](Pool& pool) {
    auto body = [](Transaction& tx) -> Status {
      tx.exec("CREATE TABLE IF NOT EXISTS a (n int)");
      return {};
    };
    return test::run_task(io, pool.write("write", std::move(body)));
  };
  ASSERT_TRUE(write(careful));
  server.demote();
  for (Pool* pool : {&careful, &careless}) {
    const Status refused = write(*pool);
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().code, ErrorCode::kUnavailable) << refused.error().message;
  }
  auto primary = RawConnection::open(url + "&target_session_attrs=any", "test");
  ASSERT_TRUE(primary && primary->execute("SELECT pg_promote()"));
  EXPECT_TRUE(write(careful));
  EXPECT_TRUE(write(careless));
}

TEST_F(PoolTest, DoesNotRepeatAWrongUrl) {
  Pool wrong({.url = "postgres://user:secret@[host", .connections = 1});
  const auto result = test::run_task(io, wrong.read("find trial", [](Transaction&) -> Status { return {}; }));
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().code, ErrorCode::kInvalidArgument);
  EXPECT_EQ(result.error().field, "database-url");
  EXPECT_EQ(result.error().message.find("secret"), std::string::npos);
}

TEST_F(PoolTest, RunsTransactionsSideBySide) {
  ASSERT_TRUE(sql("CREATE TABLE t (n int); INSERT INTO t VALUES (0)"));
  int finished = 0;
  const auto add = [&](int n) -> Task<void> {
    auto body = [n](Transaction& tx) -> Status {
      tx.exec_params("UPDATE t SET n = n + $1", n);
      return {};
    };
    const Status status = co_await pool.write("add", body);
    EXPECT_TRUE(status);
    if (++finished == 20) io.stop();
  };
  io.restart();
  for (int i = 0; i < 20; ++i) asio::co_spawn(io, add(1), asio::detached);
  io.run();
  EXPECT_EQ(number("SELECT n FROM t"), 20);
}

// A commit whose answer was lost has happened: write() repeats it, write_once() says that it does not know.
TEST_F(PoolTest, RepeatsACommitThatNobodyHeardOfOnlyWhereItMay) {
  ASSERT_TRUE(sql("CREATE TABLE t (n int)"));
  int losses = 1;
  Pool lossy({.url = url, .connections = 1, .loses = [&losses](Moment moment, const std::string&, Access) {
                return moment == Moment::kAfterCommit && losses-- > 0;
              }});
  const auto insert = [](Transaction& tx) -> Status {
    tx.exec("INSERT INTO t VALUES (1)");
    return {};
  };
  EXPECT_TRUE(test::run_task(io, lossy.write("write", insert)));
  EXPECT_EQ(number("SELECT count(*) FROM t"), 2);
  losses = 1;
  const Status unknown = test::run_task(io, lossy.write_once("write once", insert));
  ASSERT_FALSE(unknown);
  EXPECT_EQ(unknown.error().code, ErrorCode::kUnavailable);
  EXPECT_EQ(number("SELECT count(*) FROM t"), 3);
}

TEST_F(PoolTest, GivesATransactionToWhomeverItIsTold) {
  std::vector<std::move_only_function<void()>> jobs;
  Pool posted({.url = url, .connections = 1, .post = [&jobs](std::move_only_function<void()> job) {
                 jobs.push_back(std::move(job));
               }});
  std::optional<Result<int>> answer;
  const auto ask = [&]() -> Task<void> {
    answer.emplace(
        co_await posted.read("read", [](Transaction& tx) -> Result<int> { return tx.exec1("SELECT 7")[0].as<int>(); }));
  };
  asio::co_spawn(io, ask, asio::detached);
  io.poll();
  EXPECT_FALSE(answer.has_value());
  ASSERT_EQ(jobs.size(), 1U);
  jobs.front()();
  io.restart();
  io.poll();
  ASSERT_TRUE(answer.has_value());
  EXPECT_EQ(*answer, 7);
}

}  // namespace
}  // namespace det::pg
