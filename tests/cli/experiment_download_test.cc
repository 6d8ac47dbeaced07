#include "base/archive_stream.h"
#include "tests/cli/fixture.h"

namespace det::cli {
namespace {

using testing::HasSubstr;

struct ExperimentDownload : CliTest {
  ExperimentDownload() { variables = {{"DET_USER", "ann"}, {"DET_USER_TOKEN", "T"}}; }  // no login in the way
  static Json found(const Json& checkpoints) {
    return {{"checkpoints", checkpoints}, {"pagination", {{"total", 9}, {"endIndex", checkpoints.size()}}}};
  }
  void answer_checkpoint(const std::string& uuid) {
    http.answer(200, {{"checkpoint", {{"uuid", uuid}, {"metadata", Json::object()}, {"training", Json::object()}}}});
    ArchiveStream packing(ArchiveForm::kTgz);
    EXPECT_TRUE(packing.begin("w.pt", 2));
    EXPECT_TRUE(packing.add(uuid.substr(0, 2)));
    EXPECT_TRUE(packing.finish());
    http.stream_chunks({packing.take()}, test::StreamEnd::kEnds);
  }
  std::string target = (folder.path() / "out").string();
};

TEST_F(ExperimentDownload, BringsTheBestOnesIntoAFolderEach) {
  http.answer(200, found({{{"uuid", "aa"}}, {{"uuid", "bb"}}}));
  answer_checkpoint("aa");
  answer_checkpoint("bb");
  const Outcome done = det({"e", "download", "3", "--top-n", "2", "-o", target, "-q"});
  ASSERT_EQ(done.code, 0) << done.err;
  EXPECT_EQ(done.out, target + "/aa\n" + target + "/bb\n");
  EXPECT_EQ(folder.read("out/aa/w.pt"), "aa");
  EXPECT_EQ(folder.read("out/bb/w.pt"), "bb");
  EXPECT_EQ(http.asked().front(),
            "GET /api/v1/experiments/3/checkpoints?states=STATE_COMPLETED&sortByAttr=SORT_BY_SEARCHER_METRIC&offset=0&"
            "limit=2");
}

TEST_F(ExperimentDownload, GoesByAnotherMetric) {
  http.answer(200, found(Json::array()));
  const Outcome none = det({"experiment", "download", "3", "--sort-by", "acc", "--smaller-is-better", "false"});
  EXPECT_EQ(none.code, 0);
  EXPECT_EQ(none.out, "");
  EXPECT_THAT(none.err, HasSubstr("Experiment 3 has no checkpoint that was validated"));
  EXPECT_THAT(http.asked().front(), HasSubstr("sortByMetric=acc&orderBy=ORDER_BY_DESC&offset=0&limit=1"));
  EXPECT_THAT(det({"e", "download", "3", "--sort-by", "acc"}).err, HasSubstr("must be set together"));
}

}  // namespace
}  // namespace det::cli
