#include "local/volumes.h"

#include <filesystem>

#include <gmock/gmock.h>

#include "tests/local/scratch.h"

namespace det::local {
namespace {

namespace fs = std::filesystem;
using testing::ElementsAre;

VolumeSource items(std::vector<KeyToPath> list, bool optional = false) {
  VolumeSource source;
  source.name = "cm";
  source.items = std::move(list);
  source.optional = optional;
  return source;
}

TEST(ObjectFiles, AreEveryKeyUnlessItemsSayOtherwise) {
  const KeyValues content{{"a", "1"}, {"b", "2"}};
  EXPECT_THAT(*object_files(items({}), content, 0644),
              ElementsAre(VolumeFile{"a", "1", 0644}, VolumeFile{"b", "2", 0644}));
  EXPECT_THAT(*object_files(items({{"b", "deep/x", 0400}}), content, 0644),
              ElementsAre(VolumeFile{"deep/x", "2", 0400}));
}

TEST(ObjectFiles, NameTheKeyThatIsMissing) {
  const auto files = object_files(items({{"zz", "x", {}}}), {{"a", "1"}}, 0644);
  ASSERT_FALSE(files);
  EXPECT_EQ(files.error().message, "cm references non-existent key: zz");
  EXPECT_TRUE(object_files(items({{"zz", "x", {}}}, true), {{"a", "1"}}, 0644));
}

TEST(WriteVolume, AppearsCompleteWithModesAndStays) {
  const test::Scratch scratch;
  const std::string folder = scratch.path() + "/v";
  ASSERT_TRUE(write_volume(folder, {{"deep/x", "one", 0400}}));
  EXPECT_EQ(test::read_text(folder + "/deep/x"), "one");
  EXPECT_EQ(static_cast<int>(fs::status(folder + "/deep/x").permissions()), 0400);
  ASSERT_TRUE(write_volume(folder, {{"deep/x", "two", 0400}}));
  EXPECT_EQ(test::read_text(folder + "/deep/x"), "one");
  EXPECT_FALSE(fs::exists(folder + ".new"));
}

TEST(WriteVolume, RefusesPathsThatLeaveIt) {
  const test::Scratch scratch;
  EXPECT_FALSE(write_volume(scratch.path() + "/v", {{"../x", "one", 0400}}));
  EXPECT_FALSE(fs::exists(scratch.path() + "/x"));
}

TEST(MakeEntries, NeverFollowASymlink) {
  const test::Scratch scratch;
  fs::create_directories(scratch.path() + "/outside");
  fs::create_directories(scratch.path() + "/volume");
  fs::create_directory_symlink(scratch.path() + "/outside", scratch.path() + "/volume/link");
  EXPECT_FALSE(make_entries({{scratch.path() + "/volume", "link/x", false}}));
  EXPECT_FALSE(make_entries({{scratch.path() + "/volume", "link", false}}));
  EXPECT_FALSE(fs::exists(scratch.path() + "/outside/x"));
  EXPECT_TRUE(make_entries({{scratch.path() + "/volume", "a/b", false}, {scratch.path() + "/volume", "a/f", true}}));
  EXPECT_TRUE(fs::is_directory(scratch.path() + "/volume/a/b"));
  EXPECT_TRUE(fs::is_regular_file(scratch.path() + "/volume/a/f"));
}

}  // namespace
}  // namespace det::local
