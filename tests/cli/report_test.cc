#include "cli/report_file.h"

#include "tests/cli/fixture.h"

namespace det::cli {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

const std::string kPage =
    R"(<html><script id="report-data" type="application/json">null</script><script>run()</script></html>)";

TEST(ReportFile, HoldsTextThatEndsNoElement) {
  const Json data = {{"name", "</script><script>alert(1)</script><!-- \xe2\x80\xa8 & \xff"}};
  const std::string text = json_in_html(data);
  for (const char* part : {"<", ">", "&", "\xe2"}) EXPECT_THAT(text, Not(HasSubstr(part)));
  EXPECT_EQ(Json::parse(text)["name"], "</script><script>alert(1)</script><!-- \xe2\x80\xa8 & \xef\xbf\xbd");
}

TEST(ReportFile, FillsTheElementThatIsKeptForIt) {
  EXPECT_EQ(fill_report(kPage, {{"id", 7}}).value(),
            R"(<html><script id="report-data" type="application/json">{"id":7}</script><script>run()</script></html>)");
  for (const char* other : {"", "<html></html>", R"(<script id="report-data" type="application/json">null)"}) {
    EXPECT_THAT(fill_report(other, 1).error().message, HasSubstr("the server has no page for reports")) << other;
  }
}

struct Report : CliTest {
  Report() {
    variables = {{"DET_USER", "ann"}, {"DET_USER_TOKEN", "T"}};  // no login in the way
  }
  TempFolder folder;
  const std::string file = (folder.path() / "seven.html").string();
};

TEST_F(Report, IsOneFile) {
  http.answer(200, Json{{"experiment",
                         {{"id", 7},
                          {"name", "<b>"},
                          {"config", {{"searcher", {{"metric", "loss"}, {"smaller_is_better", false}}}}}}}});
  http.answer(200, Json{{"trials", {{{"id", 3}}, {{"id", 4}}}}, {"pagination", {{"total", 2}}}});
  http.answer(200, {{"trials", Json::array()}});
  http.answer(404, {{"error", {{"code", 5}, {"error", "no such route"}}}});
  http.stream_chunks({R"({"result":{"summary":{"events":9}}})"
                      "\n"},
                     test::StreamEnd::kEnds);
  http.stream_chunks({kPage}, test::StreamEnd::kEnds);
  const Outcome done = det({"e", "report", "7", "-o", file});
  EXPECT_EQ(done.code, kDone) << done.err;
  EXPECT_EQ(done.out, "Wrote " + file + "\n");
  std::stringstream text;
  text << std::ifstream(file).rdbuf();
  EXPECT_THAT(text.str(), HasSubstr(R"("name":"\u003cb\u003e")"));
  EXPECT_THAT(text.str(), HasSubstr(R"("search":{"events":9})"));
  EXPECT_THAT(text.str(), HasSubstr(R"("importance":{"failed":)"));
  EXPECT_THAT(
      http.asked(),
      ElementsAre(
          "GET /api/v1/experiments/7",
          "GET /api/v1/experiments/7/trials?limit=500&sortBy=SORT_BY_BEST_VALIDATION_METRIC&orderBy=ORDER_BY_DESC",
          "GET /api/v1/trials/time-series?metricIds=validation.loss&maxDatapoints=200&trialIds=3&trialIds=4",
          "GET /api/v1/experiments/7/hyperparameter-importance",
          "GET /api/v1/experiments/7/searcher/replay?after=2147483648&limit=1", "GET /ui/report.html"));
}

}  // namespace
}  // namespace det::cli
