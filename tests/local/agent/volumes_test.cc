#include "local/agent/volumes.h"

#include <filesystem>

#include <gmock/gmock.h>

#include "tests/local/agent/fake_pod_api.h"
#include "tests/local/scratch.h"
#include "tests/support/run_task.h"

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

struct ClaimVolume : testing::Test {
  ClaimVolume() {
    pod.ns = "ns";
    pod.volumes.push_back(
        {.name = "data", .kind = VolumeView::Kind::kClaim, .host_path = {}, .host_path_type = {}, .claim = "datasets"});
  }
  Result<std::map<std::string, VolumeLocation>> prepare() {
    const NodeFacts node;
    const PodFolders folders{.root = scratch.path() + "/pod", .memory = scratch.path() + "/memory"};
    return det::test::run_task(io, prepare_volumes(pod, folders, node, HostLayout{}, api, pool));
  }

  const test::Scratch scratch;
  asio::io_context io;
  asio::thread_pool pool{1};
  test::FakePodApi api{io.get_executor()};
  PodView pod;
};

TEST_F(ClaimVolume, IsTheFolderThatItIsBoundTo) {
  const auto early = prepare();
  ASSERT_FALSE(early);
  EXPECT_EQ(early.error().code, ErrorCode::kNotFound);
  EXPECT_THAT(early.error().message, testing::HasSubstr("volume data: \"datasets\" not found"));
  api.claims["datasets"] = {.path = scratch.path() + "/disk", .type = "DirectoryOrCreate"};
  for (const bool read_only : {false, true}) {
    pod.volumes[0].read_only = read_only;
    const auto locations = prepare();
    ASSERT_TRUE(locations) << locations.error().message;
    EXPECT_EQ(locations->at("data").path, fs::canonical(scratch.path()).string() + "/disk");
    EXPECT_EQ(locations->at("data").read_only, read_only);
  }
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
