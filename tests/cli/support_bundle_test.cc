#include "base/archive_extract.h"
#include "tests/cli/fixture.h"

namespace det::cli {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

struct SupportBundle : CliTest {
  SupportBundle() {
    variables = {{"DET_USER", "ann"}, {"DET_USER_TOKEN", "T"}, {"TMPDIR", folder.path().string()}};
    std::filesystem::create_directory(target);
  }
  void answer_trial() {
    http.answer(200, {{"trial", {{"id", 7}, {"experimentId", 3}}}});
    http.answer(200, {{"experiment", {{"id", 3}, {"name", "modèle"}}}, {"jobSummary", nullptr}});
    http.stream_chunks({"{\"result\":{\"message\":\"one\\n\"}}\n{\"result\":{\"message\":\"two\\n\"}}\n"},
                       test::StreamEnd::kEnds);
  }
  // Unpacks the only file in the target; the folder in it.
  std::string unpacked() {
    const auto file = std::filesystem::directory_iterator(target)->path();
    EXPECT_TRUE(extract_archive(file.string(), (folder.path() / "open").string()));
    return "open/" + file.filename().replace_extension().replace_extension().string();
  }
  std::filesystem::path target = folder.path() / "out";
};

TEST_F(SupportBundle, HasLogsAndWhatTheMasterKnows) {
  answer_trial();
  http.stream_chunks(
      {R"({"result":{"logEntry":{"timestamp":"2026-11-01T00:00:00Z","level":"LOG_LEVEL_INFO","message":"m"}}})"
       "\n"},
      test::StreamEnd::kEnds);
  const Outcome done = det({"t", "support-bundle", "7", "-o", target.string()});
  ASSERT_EQ(done.code, 0) << done.err;
  EXPECT_THAT(done.out, testing::MatchesRegex("bundle path: /.*/out/det-bundle-trial-7-[0-9]+T[0-9]+\\.tar\\.gz\n"));
  const std::string bundle = unpacked();
  EXPECT_EQ(folder.read(bundle + "/trial_logs.txt"), "one\ntwo\n");
  EXPECT_EQ(folder.read(bundle + "/master_logs.txt"), "2026-11-01T00:00:00Z [INFO]: m\n");
  EXPECT_EQ(Json::parse(folder.read(bundle + "/api_trial_call.json"))["id"], 7);
  EXPECT_EQ(Json::parse(folder.read(bundle + "/api_experiment_call.json"))["experiment"]["name"], "modèle");
  EXPECT_THAT(http.asked(), ElementsAre("GET /api/v1/trials/7", "GET /api/v1/experiments/3",
                                        "GET /api/v1/trials/7/logs?follow=false", "GET /api/v1/master/logs"));
  for (const auto& left : std::filesystem::directory_iterator(folder.path())) {
    EXPECT_THAT(left.path().filename().string(), testing::Not(HasSubstr("det-bundle"))) << "the parts are gone";
  }
}

TEST_F(SupportBundle, OfWhoMayNotReadTheMastersLogSaysSo) {
  answer_trial();
  http.answer(403, {{"error", {{"error", "only administrators"}}}});
  const Outcome done = det({"t", "support-bundle", "7", "-o", target.string()});
  EXPECT_EQ(done.code, 0);
  EXPECT_THAT(done.err, HasSubstr("The bundle has no log of the master: Forbidden(only administrators)"));
  EXPECT_THAT(folder.read(unpacked() + "/master_logs.txt"), HasSubstr("only administrators"));
}

TEST_F(SupportBundle, NeedsItsFolderAndATrial) {
  const Outcome nowhere = det({"t", "support-bundle", "7", "-o", "/nowhere"});
  EXPECT_EQ(nowhere.code, 1);
  EXPECT_THAT(nowhere.err, HasSubstr("--output-dir: there is no folder /nowhere"));
  EXPECT_TRUE(http.requests().empty());
  http.answer(404, {{"error", {{"error", "trial 8 not found"}}}});
  EXPECT_THAT(det({"t", "support-bundle", "8", "-o", target.string()}).err, HasSubstr("trial 8 not found"));
  EXPECT_TRUE(std::filesystem::is_empty(target));
}

}  // namespace
}  // namespace det::cli
