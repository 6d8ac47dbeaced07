#include "store/users/user_store.h"

#include <gmock/gmock.h>

#include "base/encoding.h"
#include "tests/store/fixture.h"

namespace det::store {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

struct Users : StoreTest {
  std::vector<std::string> names(UserFilter filter) {
    std::vector<std::string> found;
    for (const UserRow& row : must(users.list(std::move(filter))).items) found.push_back(row.username);
    return found;
  }
  Error error_of(model::UserId id, UserPatch patch) {
    const auto changed = run(users.change(id, std::move(patch)));
    return changed ? Error{} : changed.error();
  }
};

TEST_F(Users, WhoAreSwitchedOffGetNoAccessToken) {
  const auto token = [](std::int64_t user) {
    return NewAccessToken{.token_hash = sha256_hex(std::to_string(user)),
                          .user = {user},
                          .description = {},
                          .expires_at = WallTime(std::chrono::hours(24 * 365 * 80))};
  };
  must(users.change({2}, {.active = false}));
  EXPECT_EQ(run(access_tokens.create(token(2))).error().code, ErrorCode::kNotFound);
  EXPECT_TRUE(run(access_tokens.create(token(1))));
}

TEST_F(Users, AreListedByFilterAndOrder) {
  must(users.create({.username = "ada", .display_name = "Lady L."}));
  must(users.change({2}, {.active = false}));
  EXPECT_THAT(names({}), ElementsAre("admin", "determined", "ada"));
  EXPECT_THAT(names({.active = false}), ElementsAre("determined"));
  EXPECT_THAT(names({.admin = true}), ElementsAre("admin"));
  EXPECT_THAT(names({.name_part = "lady"}), ElementsAre("ada"));
  EXPECT_THAT(names({.name_part = "AD"}), ElementsAre("admin", "ada"));
  EXPECT_THAT(names({.name_part = "%"}), IsEmpty());
  EXPECT_THAT(names({.sort = UserSort::kUsername, .order = Order::kDescending, .page = {.offset = 1, .limit = 1}}),
              ElementsAre("admin"));
  EXPECT_THAT(names({.sort = UserSort::kName}), ElementsAre("admin", "determined", "ada"));
  must(users.note_login({2}));
  EXPECT_THAT(names({.sort = UserSort::kLastAuthTime}), ElementsAre("determined", "admin", "ada"));
}

TEST_F(Users, ChangeAllOrNothing) {
  must(users.create({.username = "ada", .agent = model::AgentAccount{.uid = 7, .gid = 8, .user = "a", .group = "b"}}));
  EXPECT_EQ(must(users.find({3}))->agent->uid, 7);
  const UserRow changed = must(users.change({3}, {.username = "Grace", .display_name = "G.", .admin = true}));
  EXPECT_EQ(changed.username, "grace");
  EXPECT_TRUE(changed.admin);
  EXPECT_EQ(error_of({3}, {.username = "ADMIN", .admin = false}).code, ErrorCode::kAlreadyExists);
  EXPECT_TRUE(must(users.find({3}))->admin);
  EXPECT_EQ(error_of({99}, {.admin = true}).message, "user '99' not found");
  EXPECT_TRUE(must(users.is_name_taken("g.", {1})));
  EXPECT_FALSE(must(users.is_name_taken("g.", {3})));
}

TEST_F(Users, OneOfThemStaysAnAdminWhoCanLogIn) {
  for (const UserPatch& patch : {UserPatch{.admin = false}, UserPatch{.active = false}, UserPatch{.remote = true}}) {
    EXPECT_EQ(error_of({1}, patch).code, ErrorCode::kFailedPrecondition);
  }
  must(users.change({2}, {.admin = true}));
  EXPECT_FALSE(must(users.change({1}, {.admin = false})).admin);
  EXPECT_EQ(error_of({2}, {.active = false}).code, ErrorCode::kFailedPrecondition);
}

TEST_F(Users, LoseTheirSessionsWithTheirPassword) {
  const WallTime later = SystemClock().wall_now() + std::chrono::hours(1);
  must(sessions.insert("aa11", {2}, later));
  must(sessions.insert("bb22", {2}, later));
  UserPatch patch;
  patch.password_hash = "hash";
  must(users.change({2}, patch, "bb22"));
  EXPECT_FALSE(must(sessions.find_user("aa11")));
  EXPECT_EQ(must(sessions.find_user("bb22"))->password_hash, "hash");
}

TEST_F(Users, LoseTheirSessionsForGoodWhenTheyAreSwitchedOff) {
  const WallTime later = SystemClock().wall_now() + std::chrono::hours(1);
  must(sessions.insert("aa11", {2}, later));
  must(sessions.insert("bb22", {1}, later));
  must(users.change({2}, {.active = false}, "aa11"));
  EXPECT_EQ(run(sessions.insert("cc33", {2}, later)).error().code, ErrorCode::kAborted);
  must(users.change({2}, {.active = true}));
  EXPECT_FALSE(must(sessions.find_user("aa11")));
  EXPECT_FALSE(must(sessions.find_user("cc33")));
  EXPECT_TRUE(must(sessions.find_user("bb22")));
}

TEST_F(Users, GetASessionByTheirPasswordOfNow) {
  const WallTime later = SystemClock().wall_now() + std::chrono::hours(1);
  const auto insert = [&](const std::string& token, std::optional<std::string> hash) {
    return run(sessions.insert(token, {2}, later, CheckedPassword{.hash = std::move(hash)}));
  };
  EXPECT_TRUE(insert("aa11", {})) << "it is blank";
  EXPECT_TRUE(insert("aa11", {})) << "an answer that was lost";
  EXPECT_EQ(insert("bb22", "old").error().code, ErrorCode::kAborted);
  must(users.set_password_hash({2}, "new"));
  EXPECT_EQ(insert("bb22", {}).error().code, ErrorCode::kAborted);
  EXPECT_TRUE(insert("cc33", "new"));
  EXPECT_FALSE(must(sessions.find_user("aa11")));
  EXPECT_FALSE(must(sessions.find_user("bb22")));
  EXPECT_TRUE(must(sessions.find_user("cc33")));
}

TEST_F(Users, WithoutADisplayNameComeLastByIt) {
  must(users.change({2}, {.display_name = "Zoe"}));
  const auto ids = [this](Order order) {
    std::vector<std::int64_t> found;
    for (const UserRow& user : must(users.list({.sort = UserSort::kDisplayName, .order = order})).items) {
      found.push_back(user.id.value);
    }
    return found;
  };
  EXPECT_EQ(ids(Order::kAscending), (std::vector<std::int64_t>{2, 1}));
  EXPECT_EQ(ids(Order::kDescending), (std::vector<std::int64_t>{1, 2})) << "and first in descending order";
}

TEST_F(Users, KeepSettingsOfTheirOwn) {
  must(user_settings.set(
      {2}, {{.storage_path = "p", .key = "k", .value = "1"}, {.storage_path = "", .key = "k", .value = "2"}}));
  must(user_settings.set({2}, {{.storage_path = "p", .key = "k", .value = "3"}}));
  const auto kept = must(user_settings.list({2}));
  ASSERT_EQ(kept.size(), 2U);
  EXPECT_EQ(kept[1].value, "3");
  EXPECT_THAT(must(user_settings.list({1})), IsEmpty());
  std::vector<UserSetting> many;
  for (int i = 0; i < SettingStore::kMost; ++i)
    many.push_back({.storage_path = "m", .key = std::to_string(i), .value = "1"});
  EXPECT_EQ(run(user_settings.set({2}, many)).error().code, ErrorCode::kFailedPrecondition);
  EXPECT_EQ(must(user_settings.list({2})).size(), 2U);
  must(user_settings.set({2}, {{.storage_path = "p", .key = "k", .value = ""}}));
  EXPECT_EQ(must(user_settings.list({2})).size(), 1U) << "set to nothing: forgotten";
  must(user_settings.reset({2}));
  EXPECT_THAT(must(user_settings.list({2})), IsEmpty());
}

}  // namespace
}  // namespace det::store
