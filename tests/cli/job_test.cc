#include "tests/cli/fixture.h"

namespace det::cli {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

struct Jobs : CliTest {
  Jobs() {
    variables = {{"DET_USER", "ann"}, {"DET_USER_TOKEN", "T"}};  // no login in the way
  }
};

TEST_F(Jobs, AreListedWithPriorityAndWeight) {
  const Json job = {{"jobId", "j-1"},
                    {"entityId", "7"},
                    {"type", "TYPE_EXPERIMENT"},
                    {"name", "mnist"},
                    {"priority", 60},
                    {"weight", 2.0},
                    {"submissionTime", "2026-11-21T02:00:00.000000Z"},
                    {"allocatedSlots", 2},
                    {"requestedSlots", 8},
                    {"username", "ann"},
                    {"summary", {{"state", "STATE_SCHEDULED"}, {"jobsAhead", 3}}}};
  http.answer(200, {{"jobs", Json::array({Json{{"full", job}}})}, {"pagination", {{"endIndex", 1}, {"total", 1}}}});
  const Outcome shown = det({"job", "list", "--csv"});
  EXPECT_THAT(shown.out, HasSubstr("3,j-1,TYPE_EXPERIMENT,mnist (7),60,2.0,2026-11-21 02:00:00+0000,2/8,"
                                   "STATE_SCHEDULED,ann"));
  EXPECT_THAT(http.asked(), ElementsAre("GET /api/v1/job-queues-v2?orderBy=ORDER_BY_ASC&offset=0&limit=100"));
}

TEST_F(Jobs, TakeAnotherPriority) {
  http.answer(200, Json::object());
  EXPECT_EQ(det({"job", "update", "7", "--priority", "60"}).code, kDone);
  EXPECT_EQ(sent(0), (Json{{"updates", {{{"jobId", "7"}, {"priority", 60}}}}}));
  EXPECT_EQ(det({"job", "update", "7", "--priority", "100"}).code, kUsage);
  EXPECT_THAT(det({"job", "update", "7"}).err, HasSubstr("give --priority or --weight"));
}

TEST_F(Jobs, SayInOneSentenceWhyTheyWait) {
  http.answer(200, {{"reason", "experiment 7 waits; trial 9: no room"}});
  EXPECT_EQ(det({"job", "explain", "7"}).out, "experiment 7 waits; trial 9: no room\n");
  EXPECT_THAT(http.asked(), ElementsAre("GET /api/v1/job-queues/7/reason"));
}

}  // namespace
}  // namespace det::cli
