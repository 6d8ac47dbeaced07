// The model code of an experiment, file by file.

#include <random>

#include <gmock/gmock.h>

#include "api/experiments/model_tree.h"
#include "api/stream_gate.h"
#include "base/encoding.h"
#include "base/tgz.h"
#include "tests/api/fixture.h"

namespace det::api {
namespace {

using testing::ElementsAre;

std::vector<std::string> paths(const json& files) {
  std::vector<std::string> all;
  for (const json& file : files) {
    all.push_back(file["path"]);
    for (const std::string& inner : paths(file["files"])) all.push_back(inner);
  }
  return all;
}

TEST(ModelTree, PutsFilesIntoTheirFolders) {
  const json tree = model_tree({{.path = "b/c/deep.py", .mtime = 1795228856, .content = "xy"},
                                {.path = "a.py", .content = ""},
                                {.path = "b", .type = TarEntry::Type::kDirectory, .content = ""},
                                {.path = "b/zeros", .content = std::string(3, '\0')}});
  EXPECT_THAT(paths(tree), ElementsAre("a.py", "b", "b/c", "b/c/deep.py", "b/zeros"));
  const json& folder = tree[1];
  EXPECT_EQ(folder["isDir"], true);
  EXPECT_EQ(folder["name"], "b");
  EXPECT_FALSE(folder["files"][0].contains("modifiedTime")) << "the archive does not name b/c";
  const json& deep = folder["files"][0]["files"][0];
  EXPECT_EQ(deep["name"], "deep.py");
  EXPECT_EQ(deep["contentLength"], 2);
  EXPECT_EQ(deep["modifiedTime"], "2026-11-21T02:40:56Z");
  EXPECT_EQ(deep["contentType"], "text/plain; charset=utf-8");
  EXPECT_EQ(folder["files"][1]["contentType"], "application/octet-stream");
}

TEST(ModelTree, IsNoDeeperThanItsBound) {
  std::string path;
  for (int i = 0; i < 100'000; ++i) path += "a/";
  const json tree = model_tree({{.path = path + "x", .content = ""}});
  int depth = 0;
  for (const json* at = &tree; !at->empty(); at = &at->at(0).at("files")) ++depth;
  EXPECT_EQ(depth, kDeepestFolder + 1);
}

struct ModelFiles : ApiTest {
  std::string path;
  void SetUp() override {
    const json files = {{{"path", "model"}, {"type", 53}, {"content", ""}},
                        {{"path", "model/train.py"}, {"type", 48}, {"content", base64_encode("print(1)\n")}}};
    const Answer made = post("/api/v1/experiments", {{"config", kConst}, {"modelDefinition", files}});
    ASSERT_EQ(made.status, 200) << made.text;
    path = "/api/v1/experiments/" + made.body()["experiment"]["id"].dump();
  }
};

TEST_F(ModelFiles, AreListedAndGivenOneByOne) {
  EXPECT_THAT(paths(get(path + "/file_tree").body()["files"]), ElementsAre("model", "model/train.py"));
  EXPECT_EQ(post(path + "/file", {{"path", "model/train.py"}}).body()["file"], base64_encode("print(1)\n"));
}

TEST_F(ModelFiles, SayWhichIsNotThere) {
  const Answer missing = post(path + "/file", {{"path", "../etc/passwd"}});
  EXPECT_EQ(missing.status, 404);
  EXPECT_THAT(missing.error(), testing::HasSubstr("the model code has no file '../etc/passwd'"));
  EXPECT_EQ(post(path + "/file", {{"path", "model"}}).status, 404) << "a folder";
  EXPECT_EQ(post(path + "/file", json::object()).status, 400);
  EXPECT_EQ(get("/api/v1/experiments/99/file_tree").status, 404);
}

TEST_F(ModelFiles, GoOutInPiecesWhereTheyAreLarge) {
  std::string noise;  // which does not compress
  std::mt19937 random(7);
  while (noise.size() < (std::size_t{3} << 20)) noise += static_cast<char>(random());
  const json files = {{{"path", "weights.bin"}, {"type", 48}, {"content", base64_encode(noise)}}};
  const json made = post("/api/v1/experiments", {{"config", kConst}, {"modelDefinition", files}}).body();
  const std::string id = made["experiment"]["id"].dump();
  const std::string large = "/api/v1/experiments/" + id;
  EXPECT_TRUE(unread(large + "/model_def").stream);
  EXPECT_TRUE(unread("/experiments/" + id + "/model_def").stream);
  const std::string archive = base64_decode(get(large + "/model_def").body()["b64Tgz"].get<std::string>()).value();
  EXPECT_EQ(get("/experiments/" + id + "/model_def").text, archive);
  const auto entries = unpack_tgz(archive, std::uint64_t{8} << 20).value();
  ASSERT_EQ(entries.size(), 1U);
  EXPECT_EQ(entries[0].content == noise, true);
  EXPECT_EQ(post(large + "/file", {{"path", "weights.bin"}}).body()["file"] == base64_encode(noise), true);
}

TEST_F(ModelFiles, ThatAreLargeAreSentToAnAccountFewAtATime) {
  const json files = {{{"path", "zeros"}, {"type", 48}, {"content", base64_encode(std::string(2 << 20, '\0'))}}};
  const json made = post("/api/v1/experiments", {{"config", kConst}, {"modelDefinition", files}}).body();
  const std::string file = "/experiments/" + made["experiment"]["id"].dump() + "/file/download?path=zeros";
  std::vector<http::Response> slow;
  for (std::size_t i = 0; i < StreamGate::kMostOfAccount; ++i) slow.push_back(unread(file));
  EXPECT_EQ(get(file).status, 429);
  EXPECT_EQ(get(path + "/file_tree").status, 200) << "small ones need no place";
  slow.pop_back();
  EXPECT_EQ(get(file).text.size(), std::size_t{2} << 20);
}

struct Labels : ApiTest {};

TEST_F(Labels, AreListedTheMostUsedFirst) {
  const auto label = [&](std::int64_t id, const std::string& text) {
    call("PUT", "/api/v1/experiments/" + std::to_string(id) + "/labels/" + text, "");
  };
  const std::int64_t first = create();
  const std::int64_t second = create();
  label(first, "b");
  label(first, "a");
  label(second, "c");
  label(second, "b");
  label(second, std::string(1001, 'x'));  // which no list can show
  EXPECT_EQ(get("/api/v1/experiment/labels").body()["labels"], (json{"b", "a", "c"}));
  EXPECT_EQ(get("/api/v1/experiment/labels?projectId=1").body()["labels"], (json{"b", "a", "c"}));
  const auto there = must(workspaces.create({.name = "there", .owner = {1}, .agent = {}, .defaults = {}}));
  const auto other =
      must(projects.create({.workspace = there, .name = "p", .description = {}, .key = {}, .owner = {1}}));
  EXPECT_EQ(get("/api/v1/experiment/labels?projectId=" + to_string(other)).body()["labels"], json::array());
  EXPECT_EQ(get("/api/v1/experiment/labels?projectId=x").status, 400);
}

}  // namespace
}  // namespace det::api
