#include "pg/migrate.h"

#include <thread>

#include <gtest/gtest.h>

#include "pg/raw_connection.h"
#include "tests/support/postgres.h"

namespace det::pg {
namespace {

const Migration kFirst{.number = 1, .name = "001_first", .sql = "CREATE TABLE a (n int); INSERT INTO a VALUES (1)"};
const Migration kSecond{.number = 2, .name = "002_second", .sql = "ALTER TABLE a ADD COLUMN m int"};

TEST(Migrate, AppliesOnlyWhatIsMissing) {
  const std::string url = test::shared_postgres().create_database();
  EXPECT_EQ(migrate(url, {kFirst}), 1);
  EXPECT_EQ(migrate(url, {kFirst, kSecond}), 1);
  EXPECT_EQ(migrate(url, {kFirst, kSecond}), 0);
  auto connection = RawConnection::open(url, "test");
  ASSERT_TRUE(connection);
  EXPECT_TRUE(connection->execute("SELECT n, m FROM a"));
}

TEST(Migrate, PartsOfAProgramHaveStepsOfTheirOwn) {
  const std::string url = test::shared_postgres().create_database();
  const Migration other{.number = 1, .name = "001_other", .sql = "CREATE TABLE a (n text)"};
  EXPECT_EQ(migrate(url, {kFirst}), 1);
  EXPECT_EQ(migrate(url, {other}, "part"), 1);
  EXPECT_EQ(migrate(url, {other}, "part"), 0);
  EXPECT_EQ(migrate(url, {kFirst, kSecond}), 1);
  auto connection = RawConnection::open(url, "test");
  ASSERT_TRUE(connection);
  EXPECT_TRUE(connection->execute("SELECT m FROM a; INSERT INTO part.a VALUES ('text')"));
}

TEST(Migrate, LeavesNothingHalfApplied) {
  const std::string url = test::shared_postgres().create_database();
  const Migration broken{.number = 2, .name = "002_broken", .sql = "CREATE TABLE b (n int); SELECT no_such_function()"};
  const auto result = migrate(url, {kFirst, broken});
  ASSERT_FALSE(result);
  EXPECT_NE(result.error().message.find("002_broken"), std::string::npos) << result.error().message;
  EXPECT_EQ(migrate(url, {kFirst, kSecond}), 1);
  auto connection = RawConnection::open(url, "test");
  ASSERT_TRUE(connection);
  EXPECT_FALSE(connection->execute("SELECT * FROM b"));
}

TEST(Migrate, TakesTheTimeItNeedsWhateverLimitsADatabaseHas) {
  const std::string url = test::shared_postgres().create_database();
  auto administrator = RawConnection::open(url, "an administrator");
  ASSERT_TRUE(administrator);
  ASSERT_TRUE(administrator->execute(
      "DO $$ BEGIN EXECUTE format('ALTER DATABASE %I SET statement_timeout = ''30s''', current_database()); "
      "EXECUTE format('ALTER DATABASE %I SET idle_in_transaction_session_timeout = ''40s''', current_database()); "
      "END $$"));
  const std::string now =
      "SELECT current_setting('statement_timeout') || ' ' || current_setting('idle_in_transaction_session_timeout') AS "
      "of_session";
  const Migration step{.number = 1, .name = "001_limits", .sql = "CREATE TABLE limits AS " + now};
  ASSERT_EQ(migrate(url, {step}), 1);
  auto later = RawConnection::open(url, "a program");
  ASSERT_TRUE(later && later->prepare("limits", "SELECT (" + now + "), of_session FROM limits"));
  const auto limits = later->run_prepared("limits", {});
  ASSERT_TRUE(limits) << limits.error().message;
  EXPECT_EQ(field(*limits, 0, 0), "30s 1min") << "those of others stay: this one sets the second itself";
  EXPECT_EQ(field(*limits, 0, 1), "0 0");
}

TEST(Migrate, StopsNobodyWhileItWaitsForSomebodyElse) {
  const std::string url = test::shared_postgres().create_database();
  ASSERT_EQ(migrate(url, {kFirst}), 1);
  auto dump = RawConnection::open(url, "a dump");
  ASSERT_TRUE(dump && dump->execute("BEGIN; SELECT * FROM a"));
  const auto waited = migrate(url, {kFirst, kSecond});
  ASSERT_FALSE(waited);
  EXPECT_EQ(waited.error().code, ErrorCode::kUnavailable) << "it is tried again";
  EXPECT_NE(waited.error().message.find("oldest transactions: a dump (process "), std::string::npos)
      << waited.error().message;
  auto replica = RawConnection::open(url, "the release before");
  ASSERT_TRUE(replica);
  EXPECT_TRUE(replica->execute("SET statement_timeout = '2s'; SELECT n FROM a"));
  ASSERT_TRUE(dump->execute("COMMIT"));
  EXPECT_EQ(migrate(url, {kFirst, kSecond}), 1);
}

TEST(Migrate, RefusesADatabaseThatIsNewerThanTheProgram) {
  const std::string url = test::shared_postgres().create_database();
  ASSERT_EQ(migrate(url, {kFirst, kSecond}), 2);
  const auto older = migrate(url, {kFirst});
  ASSERT_FALSE(older);
  EXPECT_EQ(older.error().code, ErrorCode::kFailedPrecondition);
  EXPECT_EQ(older.error().message,
            "the database is at schema step 2 but this program only knows 1: use a release at least as new as the one "
            "that wrote it");
}

TEST(Migrate, RefusesTheDatabaseOfAnotherProgram) {
  const std::string url = test::shared_postgres().create_database();
  ASSERT_EQ(migrate(url, {kFirst}), 1);
  const Migration other{.number = 1, .name = "001_other", .sql = "SELECT 1"};
  EXPECT_EQ(migrate(url, {other}).error().code, ErrorCode::kFailedPrecondition);
}

TEST(Migrate, MayBeStartedByManyReplicasAtOnce) {
  const std::string url = test::shared_postgres().create_database();
  std::vector<std::thread> replicas;
  std::vector<Result<int>> results(4);
  for (auto& result : results) replicas.emplace_back([&] { result = migrate(url, {kFirst, kSecond}); });
  for (auto& replica : replicas) replica.join();
  int steps = 0;
  for (const auto& result : results) {
    ASSERT_TRUE(result) << result.error().message;
    steps += *result;
  }
  EXPECT_EQ(steps, 2);
}

}  // namespace
}  // namespace det::pg
