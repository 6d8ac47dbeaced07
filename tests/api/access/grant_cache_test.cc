#include "api/access/grant_cache.h"

#include <gtest/gtest.h>

#include "pg/migrate.h"
#include "store/schema.h"
#include "tests/support/fake_clock.h"
#include "tests/support/postgres.h"
#include "tests/support/run_task.h"

namespace det::api {
namespace {

TEST(GrantCache, BelievesWhatItKnewWhileTheDatabaseIsAwayUntilRolesChange) {
  test::PostgresServer postgres;
  const std::string url = postgres.create_database();
  ASSERT_TRUE(pg::migrate(url, store::schema_migrations()));
  asio::io_context io;
  test::FakeClock clock(io);
  pg::Pool pool({.url = url, .connections = 1});
  store::RoleAssignmentStore roles(pool);
  GrantCache grants(clock, roles);
  const auto read = test::run_task(io, grants.of({2}));
  ASSERT_TRUE(read) << read.error().message;
  postgres.stop();
  clock.advance(std::chrono::minutes(5));
  const auto known = test::run_task(io, grants.of({2}));
  ASSERT_TRUE(known) << known.error().message;
  EXPECT_EQ(*known, *read);
  grants.forget_all();
  const auto changed = test::run_task(io, grants.of({2}));
  ASSERT_FALSE(changed) << "what was known may be what was taken away";
  EXPECT_EQ(changed.error().code, ErrorCode::kUnavailable);
}

}  // namespace
}  // namespace det::api
