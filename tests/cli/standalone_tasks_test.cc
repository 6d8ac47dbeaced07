#include "cli/task_kind.h"
#include "tests/cli/fixture.h"

namespace det::cli {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

constexpr const char* kId = "9dff344a-8675-4fb1-8ef8-56d00423ac72";
constexpr const char* kOther = "9dee344a-8675-4fb1-8ef8-56d00423ac72";

Json one(const std::string& id, const std::string& start = "2026-01-01T00:00:00Z") {
  return {{"id", id},
          {"username", "ann"},
          {"description", "Notebook (a-b)"},
          {"state", "STATE_RUNNING"},
          {"exitStatus", ""},
          {"resourcePool", "default"},
          {"startTime", start},
          {"workspaceId", 1}};
}

struct StandaloneTasks : CliTest {
  StandaloneTasks() { variables = {{"DET_USER", "ann"}, {"DET_USER_TOKEN", "T"}}; }
  void answer_workspaces() {
    const Json all = Json::array({Json{{"id", 1}, {"name", "Uncategorized"}}});
    http.answer(200, {{"workspaces", all}, {"pagination", {{"endIndex", 1}, {"total", 1}}}});
  }
  void answer_list(const std::string& key, const Json& tasks) { http.answer(200, {{key, tasks}}); }
};

TEST_F(StandaloneTasks, ListsThoseOfTheUserInOrderOfTheirStart) {
  answer_list("notebooks", Json::array({one(kId, "2026-01-02T00:00:00Z"), one(kOther)}));
  answer_workspaces();
  EXPECT_EQ(det({"notebook", "list"}).out,
            " id                                   | username   | description    | state   | exitStatus   | "
            "resourcePool   | workspaceName\n"
            "--------------------------------------+------------+----------------+---------+--------------+-"
            "---------------+-----------------\n"
            " 9dee344a-8675-4fb1-8ef8-56d00423ac72 | ann        | Notebook (a-b) | RUNNING |              | "
            "default        | Uncategorized\n"
            " 9dff344a-8675-4fb1-8ef8-56d00423ac72 | ann        | Notebook (a-b) | RUNNING |              | "
            "default        | Uncategorized\n");
  EXPECT_THAT(http.asked(), ElementsAre("GET /api/v1/notebooks?users=ann", "GET /api/v1/workspaces?offset=0"));
}

TEST_F(StandaloneTasks, AGroupByItselfLists) {
  answer_list("shells", Json::array());
  answer_workspaces();
  EXPECT_THAT(det({"shell"}).out, HasSubstr("workspaceName"));
  EXPECT_EQ(http.asked().front(), "GET /api/v1/shells?users=ann");
}

TEST_F(StandaloneTasks, ListsOnlyIdsOfEverybody) {
  answer_list("commands", Json::array({one(kId), one(kOther)}));
  EXPECT_EQ(det({"cmd", "ls", "-q", "-a", "--order-by", "desc", "--sort-by", "id"}).out,
            std::string(kId) + "\n" + kOther + "\n");
  EXPECT_THAT(http.asked(), ElementsAre("GET /api/v1/commands"));
}

TEST_F(StandaloneTasks, ShowTheExperimentsOfTensorBoards) {
  Json tensorboard = one(kId);
  tensorboard["experimentIds"] = {1, 2};
  tensorboard["trialIds"] = Json::array();
  tensorboard["workspaceId"] = 7;
  answer_list("tensorboards", Json::array({tensorboard}));
  answer_workspaces();
  EXPECT_EQ(det({"tensorboard", "list", "--csv"}).out,
            "id,username,description,state,experimentIds,trialIds,exitStatus,resourcePool,workspaceName\r\n"
            "9dff344a-8675-4fb1-8ef8-56d00423ac72,ann,Notebook (a-b),RUNNING,\"[1, 2]\",[],,default,"
            "missing workspace id 7\r\n");
}

TEST_F(StandaloneTasks, AWholeIdIsTakenAsItIs) {
  http.answer(200, {{"notebook", one(kId)}, {"config", {{"debug", true}}}});
  EXPECT_EQ(det({"notebook", "config", kId}).out, "debug: true\n\n");
  EXPECT_THAT(http.asked(), ElementsAre(std::string("GET /api/v1/notebooks/") + kId));
}

TEST_F(StandaloneTasks, TheBeginningOfAnIdIsEnough) {
  answer_list("notebooks", Json::array({one(kId), one(kOther)}));
  http.answer(200, Json::object());
  EXPECT_EQ(det({"notebook", "kill", "9df"}).out, std::string("Killed notebook ") + kId + "\n");
  EXPECT_EQ(http.asked().back(), std::string("POST /api/v1/notebooks/") + kId + "/kill");
}

TEST_F(StandaloneTasks, AnAmbiguousOrUnknownBeginningIsRefused) {
  answer_list("notebooks", Json::array({one(kId), one(kOther)}));
  const Outcome both = det({"notebook", "kill", "9d"});
  EXPECT_EQ(both.code, kFailed);
  EXPECT_THAT(both.err, HasSubstr("'9d' begins the IDs of 2 notebooks"));
  answer_list("notebooks", Json::array({one(kId)}));
  const Outcome none = det({"notebook", "config", "ab"});
  EXPECT_EQ(none.code, kFailed);
  EXPECT_THAT(none.err, HasSubstr("no notebook has an ID that begins with 'ab'"));
}

// As a script's variable is that was never set.
TEST_F(StandaloneTasks, AnEmptyIdIsNoBeginning) {
  answer_list("notebooks", Json::array({one(kId)}));
  const Outcome refused = det({"notebook", "kill", ""});
  EXPECT_EQ(refused.code, kFailed);
  EXPECT_THAT(refused.err, HasSubstr("the ID is empty; give that of a notebook, or its beginning"));
}

TEST_F(StandaloneTasks, KillStopsAtTheFirstErrorUnlessForced) {
  const Json gone = {{"error", {{"code", 5}, {"error", "shell not found"}}}};
  http.answer(404, gone);
  const Outcome stopped = det({"shell", "kill", kId, kOther});
  EXPECT_EQ(stopped.code, kFailed);
  EXPECT_EQ(stopped.out, std::string("Cowardly not killing ") + kOther + "\n");
  http.answer(404, gone);
  http.answer(200, Json::object());
  const Outcome forced = det({"shell", "kill", "-f", kId, kOther});
  EXPECT_EQ(forced.code, kDone);
  EXPECT_THAT(forced.err, HasSubstr("Skipping: shell not found"));
  EXPECT_EQ(forced.out, std::string("Killed shell ") + kOther + "\n");
}

TEST_F(StandaloneTasks, GetAnotherPriority) {
  http.answer(200, Json::object());
  EXPECT_EQ(det({"command", "set", "priority", kId, "7"}).out,
            std::string("Set priority of command ") + kId + " to 7\n");
  EXPECT_EQ(sent(0), (Json{{"priority", 7}}));
  EXPECT_EQ(det({"command", "set", "priority", kId, "0"}).code, kUsage);
}

TEST_F(StandaloneTasks, PrintTheirLogs) {
  http.stream_chunks({"{\"result\":{\"id\":\"1\",\"message\":\"hello\\n\"}}\n"}, test::StreamEnd::kEnds);
  EXPECT_EQ(det({"tensorboard", "logs", kId, "--allocation-id", "x.1", "--head", "3"}).out,
            std::string("hello\nTask log stream ended. To reopen log stream, run: det task logs -f ") + kId + "\n");
  EXPECT_THAT(http.asked(),
              ElementsAre(std::string("GET /api/v1/tasks/") + kId + "/logs?follow=false&limit=3&allocationIds=x.1"));
}

TEST_F(StandaloneTasks, CommandsAreDescribed) {
  http.answer(200, {{"command", one(kId)}, {"config", Json::object()}});
  answer_workspaces();
  const Json shown = Json::parse(det({"command", "describe", kId, "--json"}).out);
  EXPECT_EQ(shown["workspaceName"], "Uncategorized");
  EXPECT_EQ(shown["state"], "RUNNING");
}

}  // namespace
}  // namespace det::cli
