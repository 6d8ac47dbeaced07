#include "tests/cli/fixture.h"

namespace det::cli {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

struct Tasks : CliTest {
  Tasks() { variables = {{"DET_USER", "ann"}, {"DET_USER_TOKEN", "T"}}; }
  static Json summary(const std::string& id, const std::string& registered) {
    return {{"taskId", id},          {"allocationId", id + ".1"},     {"name", "Shell (a)"},
            {"slotsNeeded", 1},      {"registeredTime", registered},  {"priority", 50},
            {"resourcePool", "gpu"}, {"schedulerType", "kubernetes"}, {"resources", Json::array()}};
  }
  void answer_log() {
    http.stream_chunks({"{\"result\":{\"id\":\"1\",\"message\":\"hi\\n\"}}\n"}, test::StreamEnd::kEnds);
  }
};

TEST_F(Tasks, AreListedInOrderOfTheirRegistration) {
  Json later = summary("b", "2026-01-02T00:00:00Z");
  later["proxyPorts"] = Json::array({Json{{"port", 90}}, Json{{"port", 22}}});
  later["resources"] = Json::array({Json{{"agentDevices", {{"node-1", Json::object()}}}}});
  http.answer(200, {{"allocationIdToSummary", {{"a.1", later}, {"b.1", summary("a", "2026-01-01T00:00:00Z")}}}});
  EXPECT_EQ(det({"task", "list"}).out,
            " Task ID   | Allocation ID   | Name      |   Slots Needed | Registered Time          | Agent   | "
            "Priority   | Resource Pool   | Ports\n"
            "-----------+-----------------+-----------+----------------+--------------------------+---------+-"
            "-----------+-----------------+---------\n"
            " a         | a.1             | Shell (a) |              1 | 2026-01-01 00:00:00+0000 | []      | "
            "N/A        | gpu             |\n"
            " b         | b.1             | Shell (a) |              1 | 2026-01-02 00:00:00+0000 | node-1  | "
            "N/A        | gpu             | 22,90\n");
}

TEST_F(Tasks, AnEmptyListIsATableToo) {
  http.answer(200, Json::object());
  EXPECT_THAT(det({"task"}).out, HasSubstr("Allocation ID"));
  http.answer(200, Json::object());
  EXPECT_EQ(det({"task", "ls", "--json"}).out, "{}\n");
}

TEST_F(Tasks, OfTheGenericKindAreCreatedAndFollowed) {
  const std::string file = folder.write("t.yaml", "entrypoint: [a]\n");
  http.answer(200, {{"taskId", "x"}, {"warnings", Json::array()}});
  answer_log();
  const Outcome made = det({"task", "create", file, "--config", "debug=true", "--project_id", "3", "-p", "y",
                            "--inherit_context", "--no_pause", "-f"});
  EXPECT_EQ(made.out, "Created task x\nhi\nTask log stream ended. To reopen log stream, run: det task logs -f x\n");
  EXPECT_EQ(sent(0), (Json{{"config", "debug: true\nentrypoint:\n- a\n"},
                           {"contextDirectory", Json::array()},
                           {"projectId", 3},
                           {"forkedFrom", nullptr},
                           {"parentId", "y"},
                           {"inheritContext", true},
                           {"noPause", true}}));
  EXPECT_EQ(det({"task", "create", file, "--inherit_context"}).code, kUsage) << "of which parent?";
}

TEST_F(Tasks, OfTheGenericKindAreForked) {
  http.answer(200, {{"taskId", "z"}, {"warnings", Json::array({1})}, {"configWarnings", {"old: acts no more"}}});
  const Outcome forked = det({"task", "fork", "x"});
  EXPECT_EQ(forked.out, "Created task z\n");
  EXPECT_THAT(forked.err, HasSubstr("Warning: old: acts no more"));
  EXPECT_THAT(forked.err, HasSubstr("more slots than currently available"));
  EXPECT_EQ(sent(0)["forkedFrom"], "x");
}

TEST_F(Tasks, ShowTheirConfig) {
  http.answer(200, {{"config", "{\"debug\":true}"}});
  EXPECT_EQ(det({"task", "config", "x"}).out, "debug: true\n\n");
  http.answer(200, {{"config", "{\"debug\":true}"}});
  EXPECT_EQ(det({"task", "config", "x", "--json"}).out, "{\n  \"debug\": true\n}\n");
  http.answer(200, {{"config", "{"}});
  EXPECT_THAT(det({"task", "config", "x"}).err, HasSubstr("is no JSON"));
}

TEST_F(Tasks, ArePausedResumedAndKilled) {
  for (int i = 0; i < 3; ++i) http.answer(200, Json::object());
  EXPECT_EQ(det({"task", "pause", "x"}).out, "Paused task: x\n");
  EXPECT_EQ(det({"task", "unpause", "x"}).out, "Unpaused task: x\n");
  EXPECT_EQ(det({"task", "kill", "x", "--root"}).out, "Sucessfully killed task: x\n");
  EXPECT_EQ(sent(2), (Json{{"taskId", "x"}, {"killFromRoot", true}}));
  EXPECT_THAT(http.asked(),
              ElementsAre("POST /api/v1/tasks/x/pause", "POST /api/v1/tasks/x/unpause", "POST /api/v1/tasks/x/kill"));
}

TEST_F(Tasks, LogsAreCleanedUp) {
  http.answer(200, {{"removedCount", "12345678901"}});
  EXPECT_EQ(det({"task", "cleanup-logs"}).out, "Deleted 12345678901 rows of log entries.\n");
  http.answer(200, {{"removedCount", 3}});
  EXPECT_EQ(det({"task", "cleanup-logs"}).out, "Deleted 3 rows of log entries.\n");
}

TEST_F(Tasks, LogsOfAnUnknownOneAreAnErrorWithoutAnEnd) {
  http.answer(404, {{"error", {{"code", 5}, {"error", "task 'x' not found"}}}});
  const Outcome none = det({"task", "logs", "-f", "x"});
  EXPECT_EQ(none.code, kFailed);
  EXPECT_EQ(none.out, "");
  EXPECT_THAT(none.err, HasSubstr("task 'x' not found"));
}

TEST_F(Tasks, OfBeforeLogRetentionAreReleased) {
  http.answer(200, {{"tasks", 3}, {"bytes", "12345678901"}});
  EXPECT_EQ(det({"task", "release-logs"}).out,
            "Logs of tasks that were started before log_retention_days took effect follow it now: 3 logs, 12345678901 "
            "bytes.\n");
}

TEST_F(Tasks, LogsAreKeptAsLongAsIsSaid) {
  for (int i = 0; i < 2; ++i) http.answer(200, Json::object());
  EXPECT_EQ(det({"e", "set", "log-retention", "1", "--days", "50"}).code, kDone);
  EXPECT_EQ(sent(0), (Json{{"experimentId", 1}, {"numDays", 50}}));
  EXPECT_EQ(det({"t", "set", "log-retention", "2", "--forever"}).code, kDone);
  EXPECT_EQ(sent(1), (Json{{"trialId", 2}, {"numDays", -1}}));
  EXPECT_THAT(det({"t", "set", "log-retention", "2"}).err, HasSubstr("say how long: --days"));
  EXPECT_EQ(det({"t", "set", "log-retention", "2", "--days", "32768"}).code, kUsage);
  EXPECT_EQ(det({"t", "set", "log-retention", "2", "--days", "1", "--forever"}).code, kUsage);
}

}  // namespace
}  // namespace det::cli
