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
  Json command = job;
  command.update(Json{{"jobId", "j-2"}, {"type", "TYPE_COMMAND"}, {"name", "Command (calmly-brave-otter)"}});
  const Json answer = {{"jobs", {{{"full", job}}, {{"full", command}}}},
                       {"pagination", {{"endIndex", 2}, {"total", 2}}}};
  http.answer(200, answer);
  const Outcome shown = det({"job", "list"});
  EXPECT_THAT(shown.out, testing::AllOf(HasSubstr("Priority |   Weight | Submitted"), HasSubstr("| mnist (7) "),
                                        HasSubstr("| Command (calmly-brave-otter) |")));
  EXPECT_THAT(http.asked(), ElementsAre("GET /api/v1/job-queues-v2?orderBy=ORDER_BY_ASC&offset=0&limit=100"));
  for (const char* const form : {"--yaml", "--json"}) {
    http.answer(200, answer);
    const std::string out = det({"j", "ls", form}).out;
    EXPECT_THAT(out, testing::AllOf(HasSubstr("jobId"), testing::Not(HasSubstr("full")))) << form;
  }
  http.answer(200, answer);
  EXPECT_EQ(Json::parse(det({"j", "ls", "--json"}).out), (Json{{"jobs", {job, command}}}));
}

TEST_F(Jobs, HaveInCsvTheColumnThatTheirPoolIsOrderedBy) {
  const Json job = {{"jobId", "j-1"},
                    {"entityId", "c-1"},
                    {"type", "TYPE_COMMAND"},
                    {"name", "Command (otter)"},
                    {"priority", 60},
                    {"weight", 2.0},
                    {"allocatedSlots", 2},
                    {"requestedSlots", 8},
                    {"username", "ann"},
                    {"submissionTime", "2026-11-21T02:00:00Z"},
                    {"summary", {{"state", "STATE_SCHEDULED"}, {"jobsAhead", 3}}}};
  const Json pools = {
      {"resourcePools",
       {{{"name", "big"}, {"schedulerType", "SCHEDULER_TYPE_FAIR_SHARE"}},
        {{"name", "small"}, {"schedulerType", "SCHEDULER_TYPE_PRIORITY"}, {"defaultComputePool", true}}}}};
  const auto csv = [&](std::vector<std::string> more) {
    http.answer(200, {{"jobs", {{{"limited", job}}}}, {"pagination", {{"endIndex", 1}, {"total", 1}}}});
    http.answer(200, pools);
    more.insert(more.begin(), {"job", "list", "--csv"});
    return det(std::move(more)).out;
  };
  EXPECT_EQ(csv({}),
            "#,ID,Type,Job Name,Priority,Submitted,Slots (acquired/needed),State,User\r\n"
            "3,j-1,TYPE_COMMAND,Command (otter),60,2026-11-21 02:00:00+0000,2/8,STATE_SCHEDULED,ann\r\n");
  EXPECT_THAT(csv({"-p", "big"}),
              testing::AllOf(HasSubstr("Job Name,Weight,Submitted"), HasSubstr("(otter),2.0,2026")));
  EXPECT_THAT(csv({"-p", "gone"}), HasSubstr("Job Name,Priority,Submitted"));
}

TEST_F(Jobs, TakeAnotherPriority) {
  http.answer(200, Json::object());
  EXPECT_EQ(det({"job", "update", "7", "--priority", "60"}).code, kDone);
  EXPECT_EQ(sent(0), (Json{{"updates", {{{"jobId", "7"}, {"priority", 60}}}}}));
  EXPECT_EQ(det({"job", "update", "7", "--priority", "100"}).code, kUsage);
  EXPECT_THAT(det({"job", "update", "7"}).err, HasSubstr("give --priority, --weight"));
}

TEST_F(Jobs, TakeAnotherPlace) {
  http.answer(200, Json::object());
  EXPECT_EQ(det({"job", "update", "7", "--ahead-of", "5"}).code, kDone);
  EXPECT_EQ(sent(0), (Json{{"updates", {{{"jobId", "7"}, {"aheadOf", "5"}}}}}));
  http.answer(200, Json::object());
  EXPECT_EQ(det({"job", "update", "7", "--behind-of", "5", "--resource-pool", "big"}).code, kDone);
  EXPECT_EQ(sent(1), (Json{{"updates", {{{"jobId", "7"}, {"behindOf", "5"}, {"resourcePool", "big"}}}}}));
  EXPECT_EQ(det({"job", "update", "7", "--behind-of", "5", "--ahead-of", "6"}).code, kUsage);
}

TEST_F(Jobs, AreUpdatedInBatches) {
  for (int i = 0; i < 3; ++i) http.answer(200, Json::object());
  EXPECT_EQ(det({"job", "update-batch", "a.priority=10", "b.weight=2", "c.ahead-of=a"}).code, kDone);
  EXPECT_EQ(sent(0), (Json{{"updates", {{{"jobId", "a"}, {"priority", 10}}}}}));
  EXPECT_EQ(sent(1), (Json{{"updates", {{{"jobId", "b"}, {"weight", 2.0}}}}}));
  EXPECT_EQ(sent(2), (Json{{"updates", {{{"jobId", "c"}, {"aheadOf", "a"}}}}}));
  for (const char* wrong : {"a", "a.priority", "a.color=red", ".priority=1", "a.priority=much", "a.priority=1.5",
                            "a.priority=1e300", "a.priority=nan", "a.weight=nan", "a.weight=inf"}) {
    EXPECT_THAT(det({"job", "update-batch", wrong}).err, HasSubstr(std::string("'") + wrong + "'")) << wrong;
  }
}

TEST_F(Jobs, SayInOneSentenceWhyTheyWait) {
  http.answer(200, {{"reason", "experiment 7 waits; trial 9: no room"}});
  EXPECT_EQ(det({"job", "explain", "7"}).out, "experiment 7 waits; trial 9: no room\n");
  EXPECT_THAT(http.asked(), ElementsAre("GET /api/v1/job-queues/7/reason"));
}

}  // namespace
}  // namespace det::cli
