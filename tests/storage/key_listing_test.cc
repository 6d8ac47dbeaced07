#include "storage/key_listing.h"

#include <gtest/gtest.h>

namespace det::storage {
namespace {

struct KeyListingTest : testing::Test {
  KeyListing listed{folder_of("/of/us/", "u")};
};

TEST_F(KeyListingTest, KeepsWhatIsBelowTheFolderByPath) {
  EXPECT_TRUE(listed.add({{.path = "of/us/u/b", .bytes = 2}, {.path = "of/us/u/"}, {.path = "of/us/uu/c"}}));
  EXPECT_TRUE(listed.add({{.path = "of/us/u/a/c", .bytes = 3, .version = "v\r\nx: y"}}));
  const std::vector<StoredFile> wanted = {{.path = "a/c", .bytes = 3}, {.path = "b", .bytes = 2}};
  EXPECT_EQ(listed.finish().value(), wanted);
  EXPECT_EQ(folder_of("", "u"), "u/");
}

TEST_F(KeyListingTest, NamesThatLeaveTheCheckpointAreRefused) {
  for (const std::string path : {"../up", "a/../../up", "/etc/passwd", "..", "a/.."}) {
    const Status added = listed.add({{.path = "of/us/u/" + path}});
    ASSERT_FALSE(added) << path;
    EXPECT_NE(added.error().message.find("leaves the checkpoint"), std::string::npos);
  }
  EXPECT_FALSE(listed.add({{.path = std::string("of/us/u/a\0b", 11)}}));
  EXPECT_FALSE(listed.add({{.path = "of/us/u/" + std::string(5'000, 'a')}}));
}

TEST_F(KeyListingTest, OfNothingIsNotFound) {
  EXPECT_TRUE(listed.add({}));
  EXPECT_EQ(listed.finish().error().code, ErrorCode::kNotFound);
}

TEST_F(KeyListingTest, BoundsFiles) {
  std::vector<StoredFile> many(kMostFiles + 1, {.path = "of/us/u/a"});
  EXPECT_EQ(listed.add(std::move(many)).error().code, ErrorCode::kResourceExhausted);
}

TEST(NormalPrefix, IsThatBelowWhichTheHarnessWrites) {
  for (const auto& [prefix, normal] : {std::pair("", ""),
                                       {"/", ""},
                                       {"//", ""},
                                       {"/.", ""},
                                       {".", "."},
                                       {"./", "."},
                                       {"a", "a"},
                                       {"/a/b/", "a/b"},
                                       {"a//b", "a/b"},
                                       {"./ckpt", "ckpt"},
                                       {"a/./b", "a/b"},
                                       {"a/.b", "a/.b"}}) {
    EXPECT_EQ(normal_prefix(prefix), normal) << prefix;
  }
}

}  // namespace
}  // namespace det::storage
