#include "tests/cli/fixture.h"

namespace det::cli {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

constexpr const char* kId = "9dff344a-8675-4fb1-8ef8-56d00423ac72";

struct TaskLaunch : CliTest {
  TaskLaunch() { variables = {{"DET_USER", "ann"}, {"DET_USER_TOKEN", "T"}}; }
  static Json launched(const std::string& name) {
    const Json task = {{"id", kId}, {"description", "D"}, {"serviceAddress", "/proxy/x/?token=t"}};
    return {{name, task}, {"config", {{"debug", false}}}, {"warnings", Json::array()}};
  }
  static Json task(bool is_ready, const Json& end = nullptr, const Json& code = nullptr) {
    Json allocation = {{"isReady", is_ready}};
    if (!code.is_null()) allocation["statusCode"] = code;
    return {{"task", {{"endTime", end}, {"allocations", Json::array({allocation})}}}};
  }
  void answer_log() {
    http.stream_chunks({"{\"result\":{\"id\":\"1\",\"message\":\"hello\\n\"}}\n"}, test::StreamEnd::kEnds);
  }
  std::string end_of_log() const {
    return std::string("Task log stream ended. To reopen log stream, run: det task logs -f ") + kId + "\n";
  }
};

TEST_F(TaskLaunch, SendsWhatTheOptionsSay) {
  folder.write("ctx/a.py", "1\n");
  const std::string file = folder.write("c.yaml", "resources: {slots: 0}\nbind_mounts: []\n");
  http.answer(200, {{"workspaces", Json::array({Json{{"id", 4}, {"name", "W"}, {"archived", false}}})}});
  http.answer(200, launched("notebook"));
  const Outcome done = det({"notebook", "start", "-d", "--config-file", file, "--config", "resources.priority=3", "-v",
                            "/a:/b", "-c", (folder.path() / "ctx").string(), "--template", "gpu", "-w", "W"});
  EXPECT_EQ(done.out, std::string(kId) + "\n") << "with -d, stdout is the ID alone";
  const Json body = sent(1);
  EXPECT_EQ(body["config"],
            (Json{{"resources", {{"slots", 0}, {"priority", 3}}},
                  {"bind_mounts", Json::array({Json{{"host_path", "/a"}, {"container_path", "/b"}}})}}));
  EXPECT_EQ(body["templateName"], "gpu");
  EXPECT_EQ(body["workspaceId"], 4);
  EXPECT_EQ(body["files"][0]["path"], "a.py");
}

TEST_F(TaskLaunch, RefusesOptionsBeforeItAsksAnybody) {
  EXPECT_THAT(det({"shell", "start", "-v", "/a"}).err, HasSubstr("--volume '/a': write"));
  EXPECT_THAT(det({"shell", "start", "--config", "x"}).err, HasSubstr("--config 'x': write key=value"));
  EXPECT_THAT(det({"cmd", "run", "--config-file", folder.write("l.yaml", "[1]"), "ls"}).err,
              HasSubstr("holds keys and values"));
  const Outcome nothing = det({"tensorboard", "start"});
  EXPECT_THAT(nothing.err, HasSubstr("Either experiment_ids or trial_ids"));
  EXPECT_EQ(nothing.code, kUsage);
  EXPECT_THAT(http.asked(), IsEmpty());
}

TEST_F(TaskLaunch, CallsAnArchivedWorkspaceAWrongArgument) {
  http.answer(200, {{"workspaces", Json::array({Json{{"id", 4}, {"name", "W"}, {"archived", true}}})}});
  const Outcome done = det({"notebook", "start", "-w", "W"});
  EXPECT_EQ(done.code, kUsage);
  EXPECT_THAT(done.err, HasSubstr("Workspace \"W\" is archived."));
}

TEST_F(TaskLaunch, ShowsWhereTheConfigurationIsWrong) {
  const std::string file = folder.write("l.yaml", "debug: true\nresources:\n  slot: 1\n");
  const std::string refusal =
      "invalid configuration: <config>.resources: json: unknown field \"slot\"; did you mean \"slots\"?\n"
      "<config>.resources.priority: must be <= 99 but found 100";
  http.answer(400, {{"error", {{"code", 3}, {"error", refusal}}}});
  EXPECT_THAT(
      det({"shell", "start", "--config-file", file, "--config", "resources.priority=100"}).err,
      HasSubstr(file + ":3: resources: json: unknown field \"slot\"; did you mean \"slots\"?\n"
                       "  3 |   slot: 1\n"
                       "    |   ^^^^\n"
                       "from --config 'resources.priority=100': resources.priority: must be <= 99 but found 100"));
  http.answer(400, {{"error", {{"code", 3}, {"error", "<config>.entrypoint: entrypoint must be non-empty"}}}});
  EXPECT_THAT(det({"shell", "start"}).err, HasSubstr(": entrypoint must be non-empty\n"));
}

TEST_F(TaskLaunch, PreviewsANotebook) {
  http.answer(200, launched("notebook"));
  EXPECT_EQ(det({"notebook", "start", "--preview"}).out, "debug: false\n\n");
  EXPECT_EQ(sent(0)["preview"], true);
}

TEST_F(TaskLaunch, WaitsForANotebookAndOpensIt) {
  variables["BROWSER"] = "missing:firefox";
  http.answer(200, launched("notebook"));
  http.answer(200, task(false));
  http.answer(200, task(true));
  EXPECT_EQ(det({"notebook", "start"}).out,
            std::string("Launched notebook (id: ") + kId + ", name: D).\nnotebook (id: " + kId +
                ") is ready.\n"
                "Jupyter Notebook is running at: http://localhost:8080/proxy/x/?token=t\n"
                "Connect to remote Jupyter server: http://localhost:8080/proxy/x/?token=t\n");
  EXPECT_THAT(started, ElementsAre(ElementsAre("firefox", "http://localhost:8080/proxy/x/?token=t")));
  EXPECT_EQ(instant.slept(), std::chrono::seconds(1));
}

TEST_F(TaskLaunch, OpensNoBrowserWhereNoneIsWanted) {
  variables["BROWSER"] = "firefox";
  http.answer(200, {{"tensorboard", launched("t")["t"]}});
  http.answer(200, task(true));
  EXPECT_THAT(det({"tensorboard", "open", kId, "--no-browser"}).out,
              HasSubstr("Tensorboard is running at: http://localhost:8080/proxy/x/?token=t\n"));
  EXPECT_THAT(started, IsEmpty());
}

TEST_F(TaskLaunch, SaysWhyATaskEndedBeforeItWasReady) {
  http.answer(200, launched("notebook"));
  http.answer(200, task(false, "2026-01-01T00:00:00Z"));
  http.answer(200, {{"notebook", {{"exitStatus", "no such image"}}}});
  const Outcome ended = det({"notebook", "start"});
  EXPECT_EQ(ended.code, kFailed);
  EXPECT_THAT(ended.err, HasSubstr("the notebook ended before it was ready: no such image; 'det task logs"));
}

TEST_F(TaskLaunch, DoesNotOpenWhatHasEnded) {
  http.answer(200, {{"notebook", {{"id", kId}, {"state", "STATE_TERMINATED"}, {"exitStatus", "killed"}}}});
  EXPECT_THAT(det({"notebook", "open", kId}).err, HasSubstr("has ended (killed)"));
}

TEST_F(TaskLaunch, GivesUpAfterHalfAnHour) {
  http.answer(200, launched("tensorboard"));
  for (int i = 0; i < 1802; ++i) http.answer(200, task(false));
  EXPECT_THAT(det({"tensorboard", "start", "1"}).err, HasSubstr("was not ready within half an hour"));
}

TEST_F(TaskLaunch, SaysWhyATensorBoardThatRunsIsNotReady) {
  http.answer(200, launched("tensorboard"));
  for (int i = 0; i < 30; ++i) {
    Json waits = task(false);
    waits["task"]["allocations"][0]["state"] = i < 15 ? "STATE_QUEUED" : "STATE_WAITING";
    http.answer(200, waits);
  }
  http.answer(200, task(true));
  const Outcome done = det({"tensorboard", "start", "1", "--no-browser"});
  EXPECT_EQ(done.code, kDone) << done.err;
  EXPECT_EQ(done.err,
            "It runs, and is ready once TensorBoard has started and there is a first file of its experiments. Trainers "
            "write such files; metrics that a program only reports are not in them. The log of the task says more.\n")
      << "once";
}

TEST_F(TaskLaunch, TakesExperimentsAndTrialsForATensorBoard) {
  http.answer(200, launched("tensorboard"));
  EXPECT_EQ(det({"tensorboard", "start", "1", "2", "-d", "-t", "3", "4"}).code, kDone);
  EXPECT_EQ(sent(0)["experimentIds"], (Json{1, 2}));
  EXPECT_EQ(sent(0)["trialIds"], (Json{3, 4}));
}

TEST_F(TaskLaunch, ACommandReturnsItsExitCode) {
  http.answer(200, launched("command"));
  answer_log();
  http.answer(200, task(true));  // the log ends a moment before the task
  http.answer(200, task(true, "2026-01-01T00:00:00Z", 7));
  http.answer(200, {{"command", {{"exitStatus", "exit code 7"}}}});
  const Outcome ran = det({"cmd", "run", "ls", "-la", "--config", "list"});
  EXPECT_EQ(ran.code, 7);
  EXPECT_EQ(ran.out, std::string("Launched command (id: ") + kId + ", name: D).\nhello\n" + end_of_log());
  EXPECT_THAT(ran.err, HasSubstr("ended with exit code 7: exit code 7"));
  EXPECT_EQ(sent(0)["config"]["entrypoint"], (Json{"ls", "-la", "--config", "list"}));
}

TEST_F(TaskLaunch, ACommandThatWasKilledFails) {
  http.answer(200, launched("command"));
  answer_log();
  http.answer(200, task(true, "2026-01-01T00:00:00Z"));
  http.answer(200, {{"command", {{"exitStatus", "was killed"}}}});
  const Outcome ran = det({"command", "run", "true"});
  EXPECT_EQ(ran.code, kFailed);
  EXPECT_THAT(ran.err, HasSubstr("did not end by itself: was killed"));
}

TEST_F(TaskLaunch, TheFilesEntrypointComesFirst) {
  http.answer(200, launched("command"));
  det({"command", "run", "-d", "--config-file", folder.write("c.yaml", "entrypoint: [a]\n"), "b"});
  EXPECT_EQ(sent(0)["config"]["entrypoint"], (Json{"a"}));
}

}  // namespace
}  // namespace det::cli
