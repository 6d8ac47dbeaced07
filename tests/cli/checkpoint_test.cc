#include "tests/cli/fixture.h"

namespace det::cli {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

const std::string kOne = "d49942f4-c795-4224-9952-0a7b4f37e523";
const std::string kTwo = "9BAC67E2-4176-42be-a34d-f70ff602e9e4";

struct Checkpoints : CliTest {
  Checkpoints() {
    variables = {{"DET_USER", "ann"}, {"DET_USER_TOKEN", "T"}};  // no login in the way
  }
};

TEST_F(Checkpoints, ThatAreHeldAreCountedAndReleased) {
  http.answer(200, {{"experiments", 3}, {"checkpoints", 40}, {"bytes", 5000}});
  EXPECT_THAT(det({"checkpoint", "held"}).out, HasSubstr("3 experiments"));
  http.answer(200, {{"experiments", 3}});
  EXPECT_THAT(det({"c", "release-held"}).out, HasSubstr("3 experiments follow their checkpoint policies now"));
  EXPECT_THAT(http.asked(), ElementsAre("GET /api/v1/held-checkpoints", "POST /api/v1/held-checkpoints/release"));
  http.answer(403, {{"message", "user does not have permission"}});
  EXPECT_THAT(det({"c", "release-held"}).err, HasSubstr("permission"));
}

TEST_F(Checkpoints, AreDescribedInOneRow) {
  const Json training = {{"experimentId", 1}, {"trialId", 2}, {"validationMetrics", {{"avgMetrics", {{"loss", 0.5}}}}}};
  http.answer(200, {{"checkpoint",
                     {{"uuid", kOne},
                      {"reportTime", "2026-11-24T14:28:07Z"},
                      {"metadata", {{"steps_completed", 12}}},
                      {"training", training}}}});
  EXPECT_EQ(det({"c", "describe", kOne}).out,
            "   Experiment ID |   Trial ID |   Steps Completed | Report Time              | Checkpoint UUID          "
            "            | Validation Metrics   | Metadata\n"
            "-----------------+------------+-------------------+--------------------------+--------------------------"
            "------------+----------------------+---------------------------\n"
            "               1 |          2 |                12 | 2026-11-24 14:28:07+0000 | "
            "d49942f4-c795-4224-9952-0a7b4f37e523 | {                    | {\n"
            "                 |            |                   |                          |                          "
            "            |     \"avgMetrics\": {  |     \"steps_completed\": 12\n"
            "                 |            |                   |                          |                          "
            "            |         \"loss\": 0.5  | }\n"
            "                 |            |                   |                          |                          "
            "            |     }                |\n"
            "                 |            |                   |                          |                          "
            "            | }                    |\n");
  http.answer(200, {{"checkpoint", {{"uuid", kOne}, {"metadata", Json::object()}, {"training", Json::object()}}}});
  EXPECT_THAT(det({"c", "describe", kOne}).out, HasSubstr(kOne)) << "that of no trial";
  EXPECT_EQ(http.asked().back(), "GET /api/v1/checkpoints/" + kOne);
}

TEST_F(Checkpoints, AreDeletedWhenThatIsConfirmed) {
  answers = {"n"};
  const Outcome refused = det({"checkpoint", "delete", kOne});
  EXPECT_EQ(refused.code, 0);
  EXPECT_EQ(refused.out, "Stopping deletion of checkpoints.\n");
  EXPECT_TRUE(http.requests().empty());
  answers = {"y"};
  http.answer(200, Json::object());
  EXPECT_EQ(det({"checkpoint", "delete", kOne + "," + kTwo}).out,
            "Deletion of checkpoints " + kOne + "," + kTwo + " is in progress\n");
  EXPECT_EQ(sent(0), (Json{{"checkpointUuids", {kOne, kTwo}}}));
  for (const char* yes : {"-y", "--yes"}) {
    http.answer(200, Json::object());
    EXPECT_EQ(det({"c", "delete", kOne, yes}).code, 0);
  }
  EXPECT_EQ(prompts.size(), 2U);
  EXPECT_EQ(http.asked().back(), "DELETE /api/v1/checkpoints");
}

TEST_F(Checkpoints, LoseTheFilesThatMatch) {
  answers = {"no"};
  EXPECT_EQ(det({"c", "rm", kOne, "--glob", "sub/*"}).out, "Stopping removal of files from checkpoints.\n");
  EXPECT_TRUE(http.requests().empty());
  http.answer(200, Json::object());
  EXPECT_EQ(det({"c", "rm", kOne, "--glob", "sub/*", "--glob", "*.tmp", "-y"}).out,
            "Removal of files from checkpoints " + kOne + " is in progress.\n");
  EXPECT_EQ(sent(0), (Json{{"checkpointGlobs", {"sub/*", "*.tmp"}}, {"checkpointUuids", {kOne}}}));
  EXPECT_THAT(http.asked(), ElementsAre("POST /api/v1/checkpoints/rm"));
}

TEST_F(Checkpoints, AreOnlyReadAnewWithoutAPattern) {
  in_is_terminal = false;
  http.answer(200, Json::object());
  EXPECT_EQ(det({"c", "rm", kOne}).out,
            "No glob patterns provided, refreshing resources of checkpoints " + kOne + " is in progress.\n");
  EXPECT_EQ(sent(0), (Json{{"checkpointGlobs", Json::array()}, {"checkpointUuids", {kOne}}}));
}

TEST_F(Checkpoints, AreNotDeletedWhereNobodyCanConfirmIt) {
  in_is_terminal = false;
  const Outcome deleted = det({"c", "delete", kOne});
  EXPECT_EQ(deleted.code, 1);
  EXPECT_EQ(
      deleted.err,
      "Failed to delete checkpoints: it has to be confirmed, and standard input is no terminal; --yes confirms it "
      "without a question\n");
  EXPECT_EQ(det({"c", "rm", kOne, "--glob", "*"}).code, 1);
  EXPECT_TRUE(http.requests().empty());
}

TEST_F(Checkpoints, AreNamedByUuidsAlone) {
  const Outcome wrong = det({"c", "delete", kOne + ",7", "-y"});
  EXPECT_EQ(wrong.code, 2);
  EXPECT_EQ(wrong.err,
            "det checkpoint delete: error: checkpoints_uuids: '7' is not a UUID (several have commas between them, no "
            "spaces); 'det experiment list-checkpoints ID' shows those of an experiment (see 'det checkpoint delete "
            "--help')\n");
  EXPECT_THAT(det({"c", "rm", kOne + ","}).err, HasSubstr("checkpoints_uuids: '' is not a UUID"));
  EXPECT_THAT(det({"c", "describe", kOne + "," + kTwo}).err, HasSubstr("uuid: '" + kOne + "," + kTwo + "' is not"));
  EXPECT_THAT(det({"c", "delete"}).err, HasSubstr("checkpoints_uuids is required"));
  EXPECT_TRUE(http.requests().empty());
}

TEST_F(Checkpoints, ThatAreNeededStay) {
  http.answer(400, {{"error", {{"code", 9}, {"error", "checkpoints in use by what has not ended"}}}});
  const Outcome refused = det({"c", "delete", kOne, "-y"});
  EXPECT_EQ(refused.code, 1);
  EXPECT_EQ(refused.err, "Failed to delete checkpoints: checkpoints in use by what has not ended\n");
}

}  // namespace
}  // namespace det::cli
