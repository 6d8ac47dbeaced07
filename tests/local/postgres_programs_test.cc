#include "local/postgres_programs.h"

#include <algorithm>
#include <filesystem>

#include <gmock/gmock.h>

#include "tests/local/scratch.h"

namespace det::local {
namespace {

using testing::AllOf;
using testing::HasSubstr;

struct PostgresProgramsTest : testing::Test {
  void install(const std::string& prefix, const std::string& version) {
    for (const char* name : {"postgres", "initdb"}) {
      test::write_text(prefix + "/lib/postgresql/" + version + "/bin/" + name, "");
    }
  }
  std::string data_of(const std::string& version) {
    test::write_text(data + "/PG_VERSION", version);
    return data;
  }
  test::Scratch scratch;
  std::string data = scratch.path() + "/data";
  std::vector<PostgresPrograms> both{{15, "/own"}, {17, "/system"}};
};

TEST_F(PostgresProgramsTest, PrefersWhatCameWithTheProgramAndOfThatTheNewest) {
  for (const char* version : {"9", "15", "14", "common"}) install(scratch.path(), version);
  std::filesystem::create_directories(scratch.path() + "/lib/postgresql/18/lib");
  const auto found = find_postgres(scratch.path());
  const std::string root = scratch.path() + "/lib/postgresql/";
  ASSERT_GE(found.size(), 3U);
  EXPECT_EQ(found[0], (PostgresPrograms{15, root + "15/bin"}));
  EXPECT_EQ(found[1], (PostgresPrograms{14, root + "14/bin"}));
  EXPECT_EQ(found[2], (PostgresPrograms{9, root + "9/bin"}));
}

TEST_F(PostgresProgramsTest, FindsThoseOfTheMachineOnceWithoutAny) {
  const auto found = find_postgres("/usr");
  const auto again = find_postgres(scratch.path());
  EXPECT_FALSE(found.empty());
  EXPECT_EQ(found, again);
}

TEST_F(PostgresProgramsTest, GivesANewFolderToTheFirst) {
  EXPECT_EQ(choose_postgres(both, data), both[0]);
  std::filesystem::create_directories(data);
  EXPECT_EQ(choose_postgres(both, data), both[0]);
}

TEST_F(PostgresProgramsTest, GivesDataToTheMajorVersionThatWroteThem) {
  EXPECT_EQ(choose_postgres(both, data_of("17\n")), both[1]);
  EXPECT_EQ(choose_postgres(both, data_of("15\n")), both[0]);
}

TEST_F(PostgresProgramsTest, RefusesDataOfAnotherMajorVersionAndSaysTheWayAcross) {
  const auto chosen = choose_postgres(both, data_of("14\n"));
  ASSERT_FALSE(chosen);
  EXPECT_EQ(chosen.error().code, ErrorCode::kFailedPrecondition);
  EXPECT_THAT(
      chosen.error().message,
      AllOf(HasSubstr(data + " was written by PostgreSQL 14, and this machine has 15 (/own), 17 (/system)"),
            HasSubstr("Nothing was changed"), HasSubstr("apt-get install postgresql-14"), HasSubstr("pg_upgrade")));
}

TEST_F(PostgresProgramsTest, LeavesAFolderAloneThatHoldsSomethingElse) {
  test::write_text(data + "/base/1/1259", "rows");
  const auto chosen = choose_postgres(both, data);
  ASSERT_FALSE(chosen);
  EXPECT_THAT(chosen.error().message, AllOf(HasSubstr("no PG_VERSION"), HasSubstr("Nothing was changed")));
  EXPECT_EQ(test::read_text(data + "/base/1/1259"), "rows");
}

TEST_F(PostgresProgramsTest, SaysWhatToInstallWhereThereIsNone) {
  const auto chosen = choose_postgres({}, data);
  ASSERT_FALSE(chosen);
  EXPECT_THAT(chosen.error().message, HasSubstr("apt-get install postgresql"));
}

}  // namespace
}  // namespace det::local
