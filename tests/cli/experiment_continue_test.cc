#include "tests/cli/fixture.h"

namespace det::cli {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

struct Continue : CliTest {
  Continue() {
    variables = {{"DET_USER", "ann"}, {"DET_USER_TOKEN", "T"}};  // no login in the way
  }
};

TEST_F(Continue, SendsNothingButTheIdWhenNothingChanges) {
  http.answer(200, {{"experiment", {{"id", 7}}}, {"configWarnings", {"resources.weight has no effect here"}}});
  const Outcome done = det({"e", "continue", "7"});
  EXPECT_EQ(done.code, 0) << done.err;
  EXPECT_EQ(done.out, "Continued experiment 7\n");
  EXPECT_EQ(done.err, "Warning: resources.weight has no effect here\n");
  EXPECT_THAT(http.asked(), ElementsAre("POST /api/v1/experiments/continue"));
  EXPECT_EQ(sent(0)["id"], 7);
  EXPECT_THAT(sent(0)["overrideConfig"].get<std::string>(), testing::StartsWith("{}"));
}

TEST_F(Continue, LaysOptionsOverTheFile) {
  const std::string file = folder.write("more.yaml", "name: longer\nhyperparameters: {reports: 20}\n");
  http.answer(200, {{"experiment", {{"id", 7}}}});
  EXPECT_EQ(det({"e", "continue", "7", "--config-file", file, "--config", "hyperparameters.sleep=1"}).code, 0);
  EXPECT_EQ(sent(0)["overrideConfig"], "hyperparameters:\n  reports: 20\n  sleep: 1\nname: longer\n");
  EXPECT_THAT(det({"e", "continue", "7", "--config-file", "none.yaml"}).err, HasSubstr("--config-file"));
  EXPECT_THAT(det({"e", "continue", "7", "--config", "alone"}).err, HasSubstr("--config"));
  EXPECT_EQ(http.requests().size(), 1U);
}

TEST_F(Continue, FollowsTheFirstTrial) {
  http.answer(200, {{"experiment", {{"id", 7}}}});
  http.answer(200, {{"trials", {{{"id", 12}}, {{"id", 11}}}}});
  http.stream_chunks({"{\"result\":{\"message\":\"again\\n\"}}\n"}, test::StreamEnd::kEnds);
  http.answer(200, {{"experiment", {{"id", 7}, {"state", "STATE_ERROR"}, {"searcherMetric", "loss"}}}});
  http.answer(200, {{"trial", {{"id", 11}}}});
  EXPECT_EQ(det({"e", "continue", "7", "-f"}).out,
            "Continued experiment 7\nWaiting for first trial to begin...\nFollowing first trial with ID 11\nagain\n"
            "Trial log stream ended. To reopen log stream, run: det trial logs -f 11\n"
            "Experiment 7 ended as ERROR\nNo trial reported loss, the metric of the search: there was no validation\n");
}

TEST_F(Continue, SaysWhyTheServerRefuses) {
  http.answer(400, {{"error", {{"code", 3}, {"error", "experiment has been completed"}}}});
  EXPECT_EQ(det({"e", "continue", "7"}).err, "Failed to continue an ended experiment: experiment has been completed\n");
  EXPECT_THAT(det({"e", "continue", "0"}).err, HasSubstr("experiment_id: '0' is not a whole number of at least 1"));
}

}  // namespace
}  // namespace det::cli
