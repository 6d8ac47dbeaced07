#include "local/postgres_process.h"

#include <csignal>
#include <filesystem>

#include <gtest/gtest.h>
#include <boost/asio/io_context.hpp>

#include "base/set_aside.h"
#include "pg/raw_connection.h"
#include "tests/local/scratch.h"
#include "tests/support/background.h"

namespace det::local {
namespace {

struct PostgresProcessTest : testing::Test {
  PostgresProcessTest() { std::filesystem::permissions(scratch.path(), std::filesystem::perms(0711)); }

  std::string ask(const std::string& statement) {
    auto connection = pg::RawConnection::open(database.url(), "test");
    if (!connection || !connection->prepare("s", statement)) return "no answer";
    const auto result = connection->run_prepared("s", {});
    return result && PQntuples(result->get()) > 0 ? pg::field(*result, 0, 0) : "nothing";
  }
  void must_start() {
    const Status started = database.start();
    ASSERT_TRUE(started) << started.error().message;
  }

  test::Scratch scratch;
  asio::io_context io;
  SystemClock clock;
  PostgresProcess database{io.get_executor(), clock, {.folder = scratch.path() + "/postgres"}};
};

TEST_F(PostgresProcessTest, KeepsItsDataFromOneStartToTheNext) {
  must_start();
  ask("CREATE TABLE kept AS SELECT 42 AS n");
  database.stop();
  EXPECT_EQ(ask("SELECT 1"), "no answer");
  must_start();
  EXPECT_EQ(ask("SELECT n FROM kept"), "42");
  database.stop();
}

TEST_F(PostgresProcessTest, MayBeInAFolderOfAnyName) {
  PostgresProcess other(io.get_executor(), clock, {.folder = scratch.path() + "/R&D 50%=a?b#c"});
  const Status started = other.start();
  ASSERT_TRUE(started) << started.error().message;
  EXPECT_TRUE(pg::RawConnection::open(other.url(), "test"));
  other.stop();
}

TEST_F(PostgresProcessTest, SetsALongLogAsideWhenItStarts) {
  const std::filesystem::path folder = scratch.path() + "/postgres";
  std::filesystem::create_directories(folder);
  test::write_text(folder / "postgres.log", "old");
  std::filesystem::resize_file(folder / "postgres.log", kLongLog + 1);
  must_start();
  EXPECT_GT(std::filesystem::file_size(folder / "postgres.log.1"), kLongLog);
  EXPECT_LT(std::filesystem::file_size(folder / "postgres.log"), 100'000U);
  database.stop();
}

TEST_F(PostgresProcessTest, StartsAgainAfterACrash) {
  must_start();
  const int pid = std::stoi(test::read_text(scratch.path() + "/postgres/data/postmaster.pid"));
  det::test::Background background(io);
  background.start(database.supervise());
  ASSERT_EQ(::kill(pid, SIGKILL), 0);
  for (int i = 0; i < 600 && (ask("SELECT 1") != "1" ||
                              std::stoi(test::read_text(scratch.path() + "/postgres/data/postmaster.pid")) == pid);
       ++i) {
    io.restart();
    io.run_for(std::chrono::milliseconds(50));
  }
  EXPECT_EQ(ask("SELECT 1"), "1");
  background.stop();
  database.stop();
}

TEST_F(PostgresProcessTest, RefusesDataOfAnotherMajorVersionAndLeavesThemAsTheyAre) {
  must_start();
  ask("CREATE TABLE kept AS SELECT 42 AS n");
  database.stop();
  const std::string file = scratch.path() + "/postgres/data/PG_VERSION";
  const std::string version = test::read_text(file);
  test::write_text(file, "9\n");
  const Status refused = database.start();
  ASSERT_FALSE(refused);
  EXPECT_TRUE(refused.error().message.contains("was written by PostgreSQL 9")) << refused.error().message;
  test::write_text(file, version);
  must_start();
  EXPECT_EQ(ask("SELECT n FROM kept"), "42");
  database.stop();
}

TEST_F(PostgresProcessTest, SaysWhereItMayNotGo) {
  PostgresProcess nowhere(io.get_executor(), clock, {.folder = "/proc/det/postgres"});
  const Status started = nowhere.start();
  ASSERT_FALSE(started);
  EXPECT_TRUE(started.error().message.contains("/proc/det/postgres")) << started.error().message;
}

}  // namespace
}  // namespace det::local
