#include "tests/cli/fixture.h"

namespace det::cli {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

struct GcPolicies : CliTest {
  GcPolicies() {
    variables = {{"DET_USER", "ann"}, {"DET_USER_TOKEN", "T"}};  // no login in the way
  }
  static std::vector<std::string> command(const std::string& latest = "1", const std::vector<std::string>& more = {}) {
    std::vector<std::string> words = {
        "e",   "set", "gc-policy", "7", "--save-experiment-best", "0", "--save-trial-best", "2", "--save-trial-latest",
        latest};
    words.insert(words.end(), more.begin(), more.end());
    return words;
  }
  static Json checkpoint(const std::string& uuid, const std::string& reported, const Json& loss = nullptr) {
    Json one = {{"TrialID", 3},
                {"StepsCompleted", 20},
                {"State", "COMPLETED"},
                {"UUID", uuid},
                {"ReportTime", reported},
                {"Resources", {{"step", 2}, {"metadata.json", 27}}},
                {"ValidationMetrics", Json::object()}};
    if (loss.is_null()) return one;
    one["ValidationMetrics"] = {{"loss", loss}};
    one["step"] = {{"validation", {{"metrics", {{"validation_metrics", one["ValidationMetrics"]}}}}}};
    return one;
  }
  void answer_preview() {
    http.answer(200, {{"metric_name", "loss"},
                      {"checkpoints",
                       {checkpoint("b", "2026-01-02T00:00:00Z", 0.25), checkpoint("a", "2026-01-01T00:00:00Z")}}});
  }
};

TEST_F(GcPolicies, AQuestionWithoutAnAnswerIsNoSuccess) {
  in_is_terminal = true;  // and somebody pressed Ctrl-C or Ctrl-D
  answer_preview();
  const Outcome done = det(command());
  EXPECT_EQ(done.code, kFailed);
  EXPECT_THAT(done.err, HasSubstr("no answer was given; nothing was done"));
  EXPECT_EQ(http.asked().size(), 1U);
}

TEST_F(GcPolicies, AreSetAfterAPreviewAndAQuestion) {
  answer_preview();
  answers = {"yes"};
  http.answer(200, Json::object());
  const Outcome done = det(command());
  EXPECT_EQ(done.code, 0) << done.err;
  EXPECT_EQ(done.out,
            "Checkpoints that this policy deletes:\n"
            "   Trial ID |   # of Batches | State     |   Validation Metric (loss) | UUID   | Resources\n"
            "------------+----------------+-----------+----------------------------+--------+---------------\n"
            "          3 |             20 | COMPLETED |                            | a      | metadata.json\n"
            "            |                |           |                            |        | step\n"
            "          3 |             20 | COMPLETED |                       0.25 | b      | metadata.json\n"
            "            |                |           |                            |        | step\n"
            "This policy will delete 1 checkpoints with validations and 1 checkpoints without validations.\n"
            "Set GC policy of experiment 7 to\n"
            "{'save_experiment_best': 0, 'save_trial_best': 2, 'save_trial_latest': 1}\n");
  EXPECT_THAT(http.asked(),
              ElementsAre("GET /experiments/7/preview_gc?save_experiment_best=0&save_trial_best=2&save_trial_latest=1",
                          "PATCH /api/v1/experiments/7"));
  EXPECT_EQ(sent(1),
            (Json{{"id", 7},
                  {"checkpointStorage", {{"saveExperimentBest", 0}, {"saveTrialBest", 2}, {"saveTrialLatest", 1}}}}));
}

TEST_F(GcPolicies, StayAsTheyAreWhenTheAnswerIsNo) {
  http.answer(200, {{"metric_name", "loss"}, {"checkpoints", Json::array()}});
  answers = {"perhaps", "n"};
  const Outcome done = det(command());
  EXPECT_EQ(done.code, 0);
  EXPECT_EQ(done.out,
            "This policy will delete 0 checkpoints with validations and 0 checkpoints without validations.\n"
            "Please respond with 'y'/'yes' or 'n'/'no'\n"
            "Aborting operations.\n");
  EXPECT_EQ(http.requests().size(), 1U);
}

TEST_F(GcPolicies, TakeAnAnswerInAnyCaseAndWithBlanksAroundIt) {
  for (const char* yes : {"Y", " Yes", "YES\r", "y "}) {
    answer_preview();
    http.answer(200, Json::object());
    answers = {yes};
    EXPECT_THAT(det(command()).out, HasSubstr("Set GC policy of experiment 7 to\n")) << yes;
  }
  answer_preview();
  answers = {"", " ", " NO\r"};
  EXPECT_THAT(det(command()).out, testing::EndsWith("Aborting operations.\n"));
}

TEST_F(GcPolicies, AreSetAtOnceWithYes) {
  in_is_terminal = false;
  for (const char* yes : {"-y", "--yes"}) {
    http.answer(200, Json::object());
    EXPECT_THAT(det(command("0", {yes})).out, testing::StartsWith("Set GC policy of experiment 7 to\n"));
  }
  EXPECT_THAT(http.asked(), ElementsAre("PATCH /api/v1/experiments/7", "PATCH /api/v1/experiments/7"));
}

TEST_F(GcPolicies, AreOnlyPreviewedWhereNobodyCanBeAsked) {
  in_is_terminal = false;
  answer_preview();
  const Outcome done = det(command());
  EXPECT_EQ(done.code, 1);
  EXPECT_THAT(done.out, HasSubstr("This policy will delete 1 checkpoints with validations"));
  EXPECT_THAT(done.err, HasSubstr("standard input is no terminal; --yes confirms it"));
  EXPECT_EQ(http.requests().size(), 1U);
}

TEST_F(GcPolicies, NeedThreeNumbers) {
  const Outcome negative = det(command("-1"));
  EXPECT_EQ(negative.code, 2);
  EXPECT_EQ(
      negative.err,
      "det experiment set gc-policy: error: --save-trial-latest: '-1' is not a whole number of at least 0 (see 'det "
      "experiment set gc-policy --help')\n");
  EXPECT_THAT(det(command("many")).err, HasSubstr("--save-trial-latest: 'many' is not a whole number of at least 0"));
  EXPECT_THAT(det({"e", "set", "gc-policy", "7", "--save-experiment-best", "1", "--save-trial-best", "1"}).err,
              HasSubstr("--save-trial-latest is required"));
  EXPECT_THAT(det({"e", "set", "gc-policy", "x", "--save-experiment-best", "1"}).err, HasSubstr("experiment_id: 'x'"));
  EXPECT_TRUE(http.requests().empty());
}

TEST_F(GcPolicies, OfUnknownExperimentsAreNoQuestion) {
  http.answer(404, {{"error", {{"code", 5}, {"error", "experiment '7' not found"}}}});
  EXPECT_THAT(det(command()).err, HasSubstr("experiment '7' not found"));
  EXPECT_TRUE(prompts.empty());
}

}  // namespace
}  // namespace det::cli
