#include "model/expconf/secret_fields.h"

#include <gmock/gmock.h>

namespace det::model {
namespace {

using nlohmann::json;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

json azure(const std::string& url) {
  return {{"checkpoint_storage", {{"type", "azure"}, {"container", "c"}, {"account_url", url}}}};
}

TEST(SecretFields, AreHiddenDroppedAndKnownAgain) {
  const json config = {{"checkpoint_storage", {{"bucket", "b"}, {"access_key", "a"}, {"secret_key", "s"}}},
                       {"environment", {{"registry_auth", {{"username", "u"}, {"password", "p"}}}}}};
  const json hidden = hide_secrets(config);
  EXPECT_EQ(hidden["checkpoint_storage"], (json{{"bucket", "b"}, {"access_key", kHidden}, {"secret_key", kHidden}}));
  EXPECT_EQ(hidden["environment"]["registry_auth"], (json{{"username", "u"}, {"password", kHidden}}));
  EXPECT_EQ(drop_secrets(config)["checkpoint_storage"], (json{{"bucket", "b"}}));
  EXPECT_EQ(drop_masks(hidden), drop_secrets(config));
  EXPECT_EQ(drop_masks(config), config);
  EXPECT_EQ(mask_warnings(hidden).size(), 3U);
}

TEST(SecretFields, AreFilledInWhereTheirMasksStand) {
  const json whole = {{"checkpoint_storage", {{"bucket", "b"}, {"access_key", "a"}, {"secret_key", "s"}}},
                      {"environment", {{"registry_auth", {{"username", "u"}, {"password", "p"}}}}}};
  EXPECT_EQ(fill_masks(hide_secrets(whole), whole), whole);
  json other = hide_secrets(whole);
  other["checkpoint_storage"]["secret_key"] = "t";
  EXPECT_EQ(fill_masks(other, whole)["checkpoint_storage"]["secret_key"], "t");
  EXPECT_EQ(fill_masks(other, json::object()), other);
  const json address = azure("https://ours?sig=s");
  EXPECT_EQ(fill_masks(hide_secrets(address), address), address);
  EXPECT_EQ(fill_masks(azure("https://theirs?********"), address), azure("https://theirs?********"));
}

TEST(SecretFields, AreTheCredentialsOfAStorage) {
  EXPECT_TRUE(holds_credentials({{"type", "s3"}, {"bucket", "b"}, {"secret_key", "s"}}));
  EXPECT_FALSE(holds_credentials({{"type", "s3"}, {"bucket", "b"}, {"secret_key", ""}, {"access_key", nullptr}}));
  EXPECT_TRUE(holds_credentials({{"type", "azure"}, {"account_url", "https://ours?sv=2024&sig=s"}}));
  EXPECT_FALSE(holds_credentials({{"type", "azure"}, {"account_url", "https://ours"}}));
  EXPECT_FALSE(holds_credentials(json()));
}

TEST(SecretFields, ASignatureInAnAddressIsOne) {
  const std::string plain = "https://ours.blob.core.windows.net";
  const json config = azure(plain + "?sv=2024&sig=s");
  const json hidden = hide_secrets(config);
  EXPECT_EQ(hidden, azure(plain + "?********"));
  EXPECT_EQ(drop_secrets(config), azure(plain));
  EXPECT_EQ(drop_masks(hidden), azure(plain));
  EXPECT_EQ(drop_masks(config), config);
  EXPECT_THAT(mask_warnings(hidden), ElementsAre(HasSubstr("checkpoint_storage.account_url: ")));
  EXPECT_THAT(mask_warnings(config), IsEmpty());
  EXPECT_TRUE(may_hold_secrets("account_url: https://x?sig=s"));
  EXPECT_EQ(hide_secrets(azure(plain)), azure(plain)) << "an address is none";
}

}  // namespace
}  // namespace det::model
