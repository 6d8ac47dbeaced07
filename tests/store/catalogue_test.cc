// Users, sessions, contexts and the cluster row.

#include "tests/store/fixture.h"

namespace det::store {
namespace {

using Catalogue = StoreTest;

TEST_F(Catalogue, HasTheTwoUsersWithBlankPasswords) {
  const auto all = must(users.list()).items;
  ASSERT_EQ(all.size(), 2U);
  EXPECT_EQ(all[0].id.value, 1);
  EXPECT_EQ(all[0].username, "admin");
  EXPECT_TRUE(all[0].admin);
  EXPECT_EQ(all[1].id.value, 2);
  EXPECT_EQ(all[1].username, "determined");
  EXPECT_FALSE(all[1].admin);
  EXPECT_FALSE(all[1].password_hash);
  EXPECT_TRUE(all[1].active);
}

TEST_F(Catalogue, FindsUsersByNameInAnyCase) {
  const auto found = must(users.find_by_name("Admin"));
  ASSERT_TRUE(found);
  EXPECT_EQ(found->id.value, 1);
  EXPECT_FALSE(must(users.find_by_name("nobody")));
  EXPECT_FALSE(must(users.find({99})));
}

TEST_F(Catalogue, CreatesAUserOnce) {
  const UserRow made = must(users.create({.username = "Ada", .display_name = "Ada L.", .password_hash = "x"}));
  EXPECT_EQ(made.id.value, 3);
  EXPECT_EQ(made.username, "ada");
  const auto again = run(users.create({.username = "ADA"}));
  ASSERT_FALSE(again);
  EXPECT_EQ(again.error().code, ErrorCode::kAlreadyExists);
  EXPECT_EQ(again.error().field, "username");
}

TEST_F(Catalogue, ChangesAndBlanksPasswords) {
  must(users.set_password_hash({2}, "hash"));
  EXPECT_EQ(must(users.find({2}))->password_hash, "hash");
  must(users.set_password_hash({2}, std::nullopt));
  EXPECT_FALSE(must(users.find({2}))->password_hash);
  EXPECT_EQ(run(users.set_password_hash({99}, "hash")).error().message, "user '99' not found");
}

TEST_F(Catalogue, ReplacesBlankPasswordsAndLeavesChosenOnes) {
  must(users.set_password_hash({2}, "chosen"));
  const WallTime soon = SystemClock().wall_now() + std::chrono::hours(1);
  must(sessions.insert("aa11", {1}, soon));
  must(sessions.insert("bb22", {2}, soon));
  EXPECT_EQ(must(users.replace_blank_passwords({"Admin", "determined", "nobody"}, "initial")), 1);
  EXPECT_EQ(must(users.find({1}))->password_hash, "initial");
  EXPECT_EQ(must(users.find({2}))->password_hash, "chosen");
  EXPECT_FALSE(must(sessions.find_user("aa11"))) << "somebody came in with the blank one";
  EXPECT_TRUE(must(sessions.find_user("bb22")));
  EXPECT_EQ(must(users.replace_blank_passwords({"admin", "determined"}, "again")), 0);
}

TEST_F(Catalogue, FindsASessionUntilItExpiresOrIsRemoved) {
  const WallTime now = SystemClock().wall_now();
  must(sessions.insert("aa11", {2}, now + std::chrono::hours(1)));
  must(sessions.insert("bb22", {2}, now - std::chrono::hours(1)));
  EXPECT_EQ(must(sessions.find_user("aa11"))->username, "determined");
  EXPECT_FALSE(must(sessions.find_user("bb22")));
  EXPECT_EQ(must(sessions.remove_expired()), 1);
  must(sessions.remove("aa11"));
  must(sessions.remove("aa11"));
  EXPECT_FALSE(must(sessions.find_user("aa11")));
}

TEST_F(Catalogue, KeepsAContextOnceAndByteForByte) {
  std::string bytes("\x1f\x8b\0\xff'\\", 6);
  const std::string sha = sha256_hex(bytes);
  must(contexts.put(sha, bytes));
  must(contexts.put(sha, bytes));
  EXPECT_EQ(must(contexts.get(sha)), bytes);
  EXPECT_TRUE(must(contexts.exists(sha)));
  EXPECT_FALSE(must(contexts.exists(sha256_hex("other"))));
  EXPECT_FALSE(must(contexts.get(sha256_hex("other"))));
  EXPECT_EQ(run(contexts.put(sha, "something else")).error().code, ErrorCode::kInvalidArgument);
}

TEST_F(Catalogue, KeepsItsIdsAndRaisesTheEpoch) {
  const ClusterRow first = must(cluster.load_or_create());
  const ClusterRow second = must(cluster.load_or_create());
  EXPECT_EQ(first.cluster_id, second.cluster_id);
  EXPECT_EQ(first.incarnation, second.incarnation);
  EXPECT_NE(first.cluster_id, first.incarnation);
  const Epoch old = must(cluster.raise_epoch());
  must(cluster.check(old));
  const Epoch current = must(cluster.raise_epoch());
  EXPECT_EQ(current.value, old.value + 1);
  const Status refused = run(cluster.check(old));
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, ErrorCode::kFailedPrecondition);
}

}  // namespace
}  // namespace det::store
