#include "api/live/subscription.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace det::api {
namespace {

using testing::HasSubstr;
using Ids = std::vector<std::int64_t>;

KeySet keys(std::string_view text) {
  return read_key_set(text).value();
}

TEST(KeySet, IsReadInAnyOrderAndWrittenInOne) {
  EXPECT_EQ(keys(""), KeySet());
  EXPECT_EQ(keys("7"), (KeySet{{7, 7}}));
  EXPECT_EQ(key_set_text(keys("9,1-3,4,2-5,20-20")), "1-5,9,20");
  for (const char* wrong : {",", "1,", "a", "0", "-1", "3-1", "1-", "1-2-3", "1 ,2", "9223372036854775807", "1e3"}) {
    EXPECT_FALSE(read_key_set(wrong)) << wrong;
  }
}

TEST(KeySet, TellsWhatIsGoneWithoutCountingIt) {
  EXPECT_EQ(key_set_text(keys_gone(keys("1-10,20,30-31"), Ids{3, 4, 9, 20, 31, 40})), "1-2,5-8,10,30");
  EXPECT_EQ(keys_gone(keys("1-3"), Ids{1, 2, 3}), KeySet());
  EXPECT_EQ(keys_gone(keys("5"), Ids{}), keys("5"));
  EXPECT_EQ(key_set_text(keys_gone(keys("1-9223372036854775806"), Ids{2})), "1,3-9223372036854775806");
}

TEST(StartupMessage, SaysWhatIsKnownAndWanted) {
  const auto message = read_startup_message(
      R"({"sync_id": "4", "known": {"projects": "1-3"}, "subscribe": {
          "projects": {"workspace_ids": [2, 3], "project_ids": null, "since": 9},
          "modelversions": {"model_ids": [5], "model_version_ids": [6], "user_ids": [7]},
          "experiments": {"experiment_ids": [1]}, "models": null}})");
  ASSERT_TRUE(message) << message.error().message;
  EXPECT_EQ(message->sync_id, "4");
  ASSERT_TRUE(message->of[0] && message->of[2]);
  EXPECT_FALSE(message->of[1]);
  EXPECT_EQ(message->of[0]->known, keys("1-3"));
  EXPECT_EQ(message->of[0]->filter, (store::RecordFilter{.workspaces = {2, 3}}));
  EXPECT_EQ(message->of[2]->filter, (store::RecordFilter{.ids = {6}, .models = {5}, .users = {7}}));
  EXPECT_TRUE(read_startup_message("{}"));
}

TEST(StartupMessage, SaysWhatIsWrongWithIt) {
  const auto wrong = [](const std::string& text) {
    const auto message = read_startup_message(text);
    return message ? "nothing" : message.error().message;
  };
  EXPECT_THAT(wrong("[]"), HasSubstr("JSON object"));
  EXPECT_THAT(wrong("{"), HasSubstr("JSON object"));
  EXPECT_THAT(wrong(std::string(20, '[')), HasSubstr("nested"));
  EXPECT_THAT(wrong(R"({"sync_id": ")" + std::string(101, 'x') + "\"}"), HasSubstr("too long"));
  EXPECT_THAT(wrong(R"({"subscribe": {"projects": []}})"), HasSubstr("subscribe.projects is an object"));
  EXPECT_THAT(wrong(R"({"subscribe": {"projects": {"workspace_ids": 1}}})"), HasSubstr("workspace_ids is a list"));
  EXPECT_THAT(wrong(R"({"subscribe": {"projects": {"workspace_ids": [0]}}})"), HasSubstr("invalid id: 0"));
  EXPECT_THAT(wrong(R"({"subscribe": {"models": {"user_ids": ["1"]}}})"), HasSubstr("invalid id"));
  EXPECT_THAT(wrong(R"({"known": {"models": "x"}, "subscribe": {"models": {}}})"), HasSubstr("known ids"));
  EXPECT_THAT(wrong(R"({"known": {"models": 1}, "subscribe": {"models": {}}})"), HasSubstr("known.models"));
  std::string many = "1";
  for (std::size_t i = 0; i < kMostNamed; ++i) many += ",1";
  EXPECT_THAT(wrong(R"({"subscribe": {"models": {"model_ids": [)" + many + "]}}}"), HasSubstr("at most 1000"));
}

}  // namespace
}  // namespace det::api
