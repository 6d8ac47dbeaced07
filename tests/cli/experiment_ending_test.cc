#include "cli/experiment_ending.h"

#include "tests/cli/fixture.h"

namespace det::cli {
namespace {

struct Ending : CliTest {
  Ending() {
    variables = {{"DET_USER", "ann"}, {"DET_USER_TOKEN", "T"}};
    http.answer(200, {{"experiment", {{"id", 7}}}});
    http.answer(200, {{"trials", {{{"id", 11}}}}});
    http.stream_chunks({}, test::StreamEnd::kEnds);
  }
  void experiment(const std::string& state, Json more = Json::object()) {
    more.update({{"id", 7}, {"state", state}, {"searcherMetric", "loss"}});
    http.answer(200, {{"experiment", more}});
  }
  void trial(Json more) { http.answer(200, {{"trial", std::move(more)}}); }
  // What stands behind the log.
  Outcome end() {
    Outcome done = det({"e", "continue", "7", "-f"});
    const std::string before = "run: det trial logs -f 11\n";
    done.out = done.out.substr(done.out.find(before) + before.size());
    EXPECT_EQ(http.unused_answers(), 0U);
    return done;
  }
};

TEST_F(Ending, NamesTheBestTrialAndItsCheckpoint) {
  experiment("STATE_COMPLETED", {{"bestTrialId", 12}, {"bestTrialSearcherMetric", 0.9040999412536621}});
  trial({{"id", 12}, {"bestCheckpoint", {{"uuid", "u-1"}}}});
  const Outcome done = end();
  EXPECT_EQ(done.code, 0);
  EXPECT_EQ(done.out,
            "Experiment 7 completed\nBest loss: 0.9041, of trial 12\n"
            "Its checkpoint: u-1; 'det checkpoint download u-1' fetches it\n");
}

TEST_F(Ending, SaysWhichMetricsThereWereInstead) {
  experiment("STATE_COMPLETED");
  trial({{"id", 11}, {"summaryMetrics", {{"validation_metrics", {{"val_loss", 1}, {"epoch", 1}}}}}});
  EXPECT_EQ(end().out,
            "Experiment 7 completed\nNo trial reported loss, the metric of the search; reported: epoch, val_loss\n");
}

TEST_F(Ending, FailsWithTheExperiment) {
  // A moment after the trial the experiment is not over yet.
  experiment("STATE_RUNNING");
  http.answer(200, {{"trials", {{{"id", 11}, {"state", "STATE_ERROR"}}}}});
  experiment("STATE_ERROR", {{"bestTrialId", 11}, {"bestTrialSearcherMetric", "NaN"}});
  trial({{"id", 11}});
  const Outcome done = end();
  EXPECT_EQ(done.code, 1);
  EXPECT_EQ(done.out, "Experiment 7 ended as ERROR\nBest loss: nan, of trial 11\n");
}

TEST_F(Ending, OfASearchThatGoesOnIsThatOfTheTrial) {
  for (const auto& [state, code] : {std::pair("STATE_COMPLETED", 0), std::pair("STATE_ERROR", 1)}) {
    experiment("STATE_RUNNING");
    http.answer(200, {{"trials", {{{"id", 11}, {"state", state}}, {{"id", 12}, {"state", "STATE_RUNNING"}}}}});
    trial({{"id", 11}, {"state", state}});
    const Outcome done = end();
    EXPECT_EQ(done.code, code);
    EXPECT_EQ(done.out, "Trial 11 ended as " + std::string(state).substr(6) +
                            "; experiment 7 goes on with others: 'det experiment describe 7'\n");
    http.answer(200, {{"experiment", {{"id", 7}}}});
    http.answer(200, {{"trials", {{{"id", 11}}}}});
    http.stream_chunks({}, test::StreamEnd::kEnds);
    if (code == 1) break;
  }
}

}  // namespace
}  // namespace det::cli
