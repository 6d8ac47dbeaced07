#include "tests/cli/fixture.h"

namespace det::cli {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

struct Experiments : CliTest {
  Experiments() {
    variables = {{"DET_USER", "ann"}, {"DET_USER_TOKEN", "T"}};  // no login in the way
  }
  static Json experiment(int id, const std::string& state) {
    return {{"id", id},
            {"username", "ann"},
            {"name", "const"},
            {"forkedFrom", nullptr},
            {"state", state},
            {"progress", 0.25},
            {"archived", false},
            {"startTime", "2026-11-21T17:41:45.5Z"},
            {"endTime", nullptr},
            {"resourcePool", "default"},
            {"labels", {"b", "a"}},
            {"description", "d"},
            {"searcherMetric", "loss"},
            {"workspaceName", "W"},
            {"projectName", "P"},
            {"config", {{"name", "const"}}}};
  }
  static Json page(const std::string& key, const Json& items, int end, int total) {
    return {{key, items}, {"pagination", {{"endIndex", end}, {"total", total}}}};
  }
  void state(const std::string& word) { http.answer(200, {{"experiment", experiment(7, word)}}); }
};

TEST_F(Experiments, ListShowsMineAndReadsAllPages) {
  Json ended = experiment(1, "STATE_COMPLETED");
  ended["bestTrialId"] = 12;
  ended["bestTrialSearcherMetric"] = 0.9040999412536621;
  http.answer(200, page("experiments", Json::array({ended}), 1, 2));
  http.answer(200, page("experiments", Json::array({experiment(2, "STATE_ACTIVE")}), 2, 2));
  const Outcome done = det({"e", "list", "--limit", "1"});
  EXPECT_EQ(done.code, 0) << done.err;
  EXPECT_EQ(done.out,
            "   ID | Owner   | Name   | Parent ID   | State     | Progress   | Started                  | Ended   | "
            "Resource Pool   | Best\n"
            "------+---------+--------+-------------+-----------+------------+--------------------------+---------+--"
            "---------------+------------------------\n"
            "    1 | ann     | const  |             | COMPLETED | 25.0%      | 2026-11-21 17:41:45+0000 |         | "
            "default         | loss 0.9041 (trial 12)\n"
            "    2 | ann     | const  |             | ACTIVE    | 25.0%      | 2026-11-21 17:41:45+0000 |         | "
            "default         |\n");
  EXPECT_THAT(http.asked(), ElementsAre("GET /api/v1/experiments?archived=false&users=ann&offset=0&limit=1",
                                        "GET /api/v1/experiments?archived=false&users=ann&offset=1&limit=1"));
}

TEST_F(Experiments, ListOfAllHasMoreColumnsAndOtherForms) {
  const Json all = page("experiments", Json::array({experiment(1, "STATE_COMPLETED")}), 1, 1);
  http.answer(200, all);
  EXPECT_THAT(
      det({"experiment", "ls", "-a", "--show_project", "--csv"}).out,
      HasSubstr(
          "Workspace,Project,ID,Owner,Name,Parent ID,State,Progress,Started,Ended,Resource Pool,Archived\r\nW,P,1,"));
  EXPECT_EQ(http.asked().back(), "GET /api/v1/experiments?offset=0&limit=200");
  http.answer(200, all);
  EXPECT_EQ(Json::parse(det({"e", "list", "--json"}).out)[0]["name"], "const");
}

TEST_F(Experiments, ThatWaitSayWhy) {
  const Json both =
      page("experiments", Json::array({experiment(4, "STATE_QUEUED"), experiment(3, "STATE_RUNNING")}), 2, 2);
  http.answer(200, both);
  http.answer(200, {{"reason", "experiment 4 waits; trial 4: no room\x1b[31m"}});
  const Outcome done = det({"e", "list", "-a"});
  EXPECT_EQ(done.code, 0);
  EXPECT_EQ(done.err, "Experiment 4 waits; trial 4: no room\\u001b[31m\n");
  EXPECT_EQ(http.asked().back(), "GET /api/v1/job-queues/4/reason");
  http.answer(200, both);
  http.answer(404, {{"message", "Not Found"}});
  const Outcome older = det({"e", "list", "-a"});
  EXPECT_EQ(older.code, 0) << "a master that does not know the question";
  EXPECT_EQ(older.err, "");
  http.answer(200, both);
  EXPECT_EQ(det({"e", "list", "-a", "--csv"}).err, "");
}

TEST_F(Experiments, TrialsShowTheirBestValueOfTheSearch) {
  const Json trial = {{"id", 12},
                      {"state", "STATE_COMPLETED"},
                      {"hparams", {{"lr", 0.123456789}}},
                      {"startTime", "2026-11-21T17:41:45.5Z"},
                      {"endTime", nullptr},
                      {"totalBatchesProcessed", 64},
                      {"bestValidation", {{"metrics", {{"avgMetrics", {{"loss", 0.9040999412536621}}}}}}}};
  http.answer(200, page("trials", Json::array({trial}), 1, 1));
  http.answer(200, {{"experiment", experiment(7, "STATE_COMPLETED")}});
  const std::string out = det({"e", "lt", "7"}).out;
  EXPECT_THAT(out, HasSubstr("|   Best loss\n"));
  EXPECT_THAT(out, HasSubstr("|      0.9041\n"));
  EXPECT_THAT(out, HasSubstr("0.123456789")) << "people copy hyperparameters";
  http.answer(200, page("trials", Json::array({trial}), 1, 1));
  EXPECT_THAT(det({"e", "lt", "7", "--csv"}).out, testing::Not(HasSubstr("Best")));
}

TEST_F(Experiments, CreateSendsFilesAndConfigurationAsTheyAre) {
  const std::string config = folder.write("code/const.yaml", "# comment\nname: const\nentrypoint: python3 t.py\n");
  http.answer(200, {{"experiment", experiment(7, "STATE_ACTIVE")}, {"warnings", Json::array()}});
  const Outcome done = det({"experiment", "create", config, (folder.path() / "code").string()});
  EXPECT_EQ(done.code, 0) << done.err;
  EXPECT_THAT(done.out, HasSubstr("/code) to send to master... 48.0B and 1 files\nCreated experiment 7\n"));
  EXPECT_EQ(sent(0)["config"], "# comment\nname: const\nentrypoint: python3 t.py\n");
  EXPECT_EQ(sent(0)["activate"], true);
  EXPECT_EQ(sent(0)["modelDefinition"][0]["path"], "const.yaml");
}

TEST_F(Experiments, CreateCallsAFileThatIsNoMapAWrongArgument) {
  const Outcome done = det({"e", "create", folder.write("const.yaml", "- name: const\n")});
  EXPECT_EQ(done.code, kUsage);
  EXPECT_THAT(done.err, HasSubstr("Error: invalid experiment config file " + (folder.path() / "const.yaml").string()));
}

TEST_F(Experiments, CreatePausedWithChangesSendsTheChangedConfiguration) {
  const std::string config = folder.write("const.yaml", "name: const\n");
  http.answer(200,
              {{"experiment", experiment(7, "STATE_PAUSED")}, {"warnings", {"LAUNCH_WARNING_CURRENT_SLOTS_EXCEEDED"}}});
  const Outcome done = det({"e", "create", config, "--paused", "--config", "a.b=1", "--config", "name=x"});
  EXPECT_EQ(done.out, "Created experiment 7\n");
  EXPECT_THAT(done.err, HasSubstr("more slots than currently available"));
  EXPECT_EQ(sent(0)["config"], "a:\n  b: 1\nname: x\n");
  EXPECT_EQ(sent(0)["activate"], false);
  EXPECT_EQ(sent(0)["modelDefinition"], Json::array());
}

TEST_F(Experiments, CreatePrintsWhatHasNoEffect) {
  const std::string config = folder.write("const.yaml", "name: const\n");
  const Json warnings = {"resources.weight has no effect here: it is only shown.", 7};
  http.answer(200, {{"experiment", experiment(7, "STATE_PAUSED")}, {"configWarnings", warnings}});
  const Outcome done = det({"e", "create", config, "--paused"});
  EXPECT_EQ(done.out, "Created experiment 7\n");
  EXPECT_EQ(done.err, "Warning: resources.weight has no effect here: it is only shown.\n");
  http.answer(200, {{"experiment", experiment(0, "STATE_PAUSED")}, {"configWarnings", warnings}});
  const Outcome checked = det({"e", "create", config, "--dry-run"});
  EXPECT_EQ(checked.err, done.err);
}

TEST_F(Experiments, CreateFollowsTheFirstTrial) {
  const std::string config = folder.write("const.yaml", "name: const\n");
  http.answer(200, {{"experiment", experiment(7, "STATE_ACTIVE")}});
  http.answer(200, {{"trials", Json::array()}});
  http.answer(200, {{"trials", {{{"id", 12}}, {{"id", 11}}}}});
  http.stream_chunks({"{\"result\":{\"message\":\"one\\n\"}}\n{\"result\":{\"mess", "age\":\"two\\n\"}}\n"},
                     test::StreamEnd::kEnds);
  http.answer(200, {{"experiment", experiment(7, "STATE_COMPLETED")}});
  http.answer(200, {{"trial", {{"id", 11}}}});
  const Outcome done = det({"e", "create", "-f", config});
  EXPECT_EQ(done.code, 0) << done.err;
  EXPECT_EQ(done.out,
            "Created experiment 7\nWaiting for first trial to begin...\nFollowing first trial with ID 11\none\ntwo\n"
            "Trial log stream ended. To reopen log stream, run: det trial logs -f 11\n"
            "Experiment 7 completed\nNo trial reported loss, the metric of the search: there was no validation\n");
  EXPECT_EQ(http.asked()[3], "GET /api/v1/trials/11/logs?follow=true");
}

TEST_F(Experiments, CreateStopsWaitingForATrialThatNeverComes) {
  const std::string config = folder.write("const.yaml", "name: const\n");
  http.answer(200, {{"experiment", experiment(7, "STATE_ACTIVE")}});
  for (int i = 0; i < 10; ++i) http.answer(200, {{"trials", Json::array()}});
  state("STATE_ERROR");
  const Outcome done = det({"e", "create", "-f", config});
  EXPECT_EQ(done.code, 1);
  EXPECT_EQ(done.err, "Failed to follow experiment 7: experiment 7 ended as ERROR before a trial began\n");
}

TEST_F(Experiments, DryRunPrintsTheObjectWithoutAskingAnybody) {
  folder.write("code/t.py", "1");
  const std::string config = folder.write("const.yaml", "name: My Model_1\nentrypoint: python3 t.py\n");
  const Outcome numbered = det({"e", "create", config, "--dry-run", "-o", "yaml", "--project_id", "3"});
  EXPECT_EQ(numbered.code, kUsage);
  EXPECT_THAT(numbered.err, HasSubstr("name the project in the configuration, with 'workspace' and 'project'"));
  const Outcome done = det({"e", "create", config, (folder.path() / "code").string(), "--dry-run", "-o", "yaml"});
  EXPECT_EQ(done.code, 0) << done.err;
  EXPECT_TRUE(http.requests().empty());
  EXPECT_THAT(done.out,
              testing::StartsWith("apiVersion: det-operator.dev/v1alpha1\nkind: Experiment\nmetadata:\n  name: "
                                  "my-model-1\nspec:\n  config:\n    entrypoint: python3 t.py\n"));
  EXPECT_THAT(done.out, HasSubstr("  context:\n    archive: H4sI"));
  http.answer(200, {{"experiment", experiment(0, "STATE_UNSPECIFIED")}});
  EXPECT_EQ(det({"e", "create", config, "--dry-run"}).out,
            "The experiment configuration is valid; nothing was created\n");
  EXPECT_EQ(sent(0)["validateOnly"], true);
}

TEST_F(Experiments, ServersRefusalIsOneLine) {
  const std::string config = folder.write("const.yaml", "name: const\n");
  http.answer(400, {{"error", {{"code", 3}, {"reason", "InvalidArgument"}, {"error", "<config>.resources: wrong"}}}});
  const Outcome done = det({"e", "create", config});
  EXPECT_EQ(done.code, 1);
  EXPECT_EQ(done.err, "Failed to create experiment: " + config + ": resources: wrong\n");
}

TEST_F(Experiments, VerbsSayWhatTheyDid) {
  http.answer(200, Json::object());
  EXPECT_EQ(det({"e", "pause", "7"}).out, "Paused experiment 7\n");
  http.answer(200, Json::object());
  EXPECT_EQ(det({"e", "unpause", "7"}).out, "Activated experiment 7\n");
  http.answer(200, Json::object());
  EXPECT_EQ(det({"e", "kill", "7"}).out, "Killed experiment 7\n");
  EXPECT_THAT(http.asked(), ElementsAre("POST /api/v1/experiments/7/pause", "POST /api/v1/experiments/7/activate",
                                        "POST /api/v1/experiments/7/kill"));
}

TEST_F(Experiments, DeleteAsksFirst) {
  answers = {"maybe", "n"};
  EXPECT_THAT(det({"e", "delete", "7"}).out, HasSubstr("Aborting experiment deletion.\n"));
  EXPECT_TRUE(http.requests().empty());
  http.answer(200, Json::object());
  EXPECT_EQ(det({"e", "delete", "7", "--yes"}).out, "Deletion of experiment 7 is in progress\n");
}

TEST_F(Experiments, DeleteNeedsYesWhereNobodyAnswers) {
  in_is_terminal = false;
  const Outcome refused = det({"e", "delete", "7"});
  EXPECT_EQ(refused.code, 1);
  EXPECT_THAT(refused.err, HasSubstr("standard input is no terminal; --yes confirms it"));
  EXPECT_TRUE(http.requests().empty());
  answers = {"y"};
  http.answer(200, Json::object());
  EXPECT_EQ(det({"e", "delete", "7"}).code, 0) << "from a pipe";
}

TEST_F(Experiments, TensorboardFilesAreDeleted) {
  http.answer(200, Json::object());
  EXPECT_EQ(det({"e", "delete-tb-files", "7"}).code, 0);
  EXPECT_THAT(http.asked(), ElementsAre("DELETE /api/v1/experiments/7/tensorboard-files"));
  http.answer(400, {{"error", {{"code", 9}, {"error", "Experiment is not in terminal state."}}}});
  EXPECT_EQ(det({"e", "delete-tb-files", "7"}).err,
            "Failed to delete the experiment's TensorBoard files: Experiment is not in terminal state.\n");
}

// Each by itself: who sends the list of them takes away what somebody else adds meanwhile.
TEST_F(Experiments, LabelsAreChangedOneByOne) {
  for (int i = 0; i < 3; ++i) http.answer(200, {{"labels", {"a"}}});
  EXPECT_EQ(det({"e", "label", "add", "7", "a b/c"}).out, "Added label 'a b/c' to experiment 7\n");
  EXPECT_EQ(det({"e", "label", "remove", "7", "a"}).out, "Removed label 'a' from experiment 7\n");
  EXPECT_EQ(det({"e", "label", "add", "7", "user"}).code, 0) << "a label may be the name of a command";
  EXPECT_THAT(http.asked(),
              ElementsAre("PUT /api/v1/experiments/7/labels/a%20b%2Fc", "DELETE /api/v1/experiments/7/labels/a",
                          "PUT /api/v1/experiments/7/labels/user"));
}

TEST_F(Experiments, SetSendsOneField) {
  http.answer(200, Json::object());
  EXPECT_EQ(det({"e", "set", "name", "7", "new name"}).out, "Set name of experiment 7 to 'new name'\n");
  EXPECT_EQ(sent(0), (Json{{"id", 7}, {"name", "new name"}}));
  http.answer(200, Json::object());
  EXPECT_EQ(det({"e", "set", "weight", "7", "2.5"}).out, "Set `weight` of experiment 7 to 2.5\n");
  EXPECT_EQ(sent(1)["resources"], (Json{{"weight", 2.5}}));
  http.answer(200, Json::object());
  EXPECT_EQ(det({"e", "set", "max-slots", "7", "none"}).out, "Set `max_slots` of experiment 7 to None\n");
  EXPECT_THAT(det({"e", "set", "priority", "7", "high"}).err, HasSubstr("priority: 'high' is no whole number"));
}

TEST_F(Experiments, WaitEndsAsTheExperimentDoes) {
  state("STATE_RUNNING");
  http.fail_with(ErrorCode::kUnavailable, "gone for a moment");
  state("STATE_COMPLETED");
  EXPECT_EQ(det({"e", "wait", "7"}).code, 0);
  state("STATE_CANCELED");
  const Outcome canceled = det({"e", "wait", "7"});
  EXPECT_EQ(canceled.code, 1);
  EXPECT_EQ(canceled.err, "Experiment 7 ended as CANCELED\n");
  state("STATE_PAUSED");
  EXPECT_THAT(det({"e", "wait", "7"}).err, HasSubstr("Experiment 7 is in paused state"));
  state("STATE_DELETE_FAILED");
  EXPECT_EQ(det({"e", "wait", "7"}).code, 1);
}

TEST_F(Experiments, WaitSaysEachMinuteThatItWaits) {
  for (int i = 0; i < 13; ++i) state("STATE_RUNNING");
  state("STATE_COMPLETED");
  EXPECT_EQ(det({"e", "wait", "7"}).err, "Waiting for Experiment 7 to complete. Elapsed 1.0 minutes\n");
}

TEST_F(Experiments, ConfigIsYaml) {
  state("STATE_ACTIVE");
  EXPECT_EQ(det({"e", "config", "7"}).out, "name: const\n");
}

TEST_F(Experiments, ModelDefinitionIsWrittenToAFile) {
  http.answer(200, {{"b64Tgz", "aGVsbG8="}});
  EXPECT_EQ(det({"e", "download-model-def", "7", "--output-dir", folder.path().string()}).code, 0);
  EXPECT_EQ(folder.read("experiment_7_model_def.tgz"), "hello");
  EXPECT_EQ(http.requests().at(0).timeout.count(), 0) << "a slow line may need long";
}

TEST_F(Experiments, LogsCanStartAtTheirEnd) {
  http.answer(200, {{"trials", {{{"id", 3}}}}});
  http.stream_chunks({"{\"result\":{\"message\":\"last\\n\"}}\n{\"result\":{\"message\":\"first\\n\"}}\n"},
                     test::StreamEnd::kEnds);
  EXPECT_THAT(det({"e", "logs", "7", "--tail", "2", "--level", "ERROR", "--rank-id", "0", "--rank-id", "1"}).out,
              testing::StartsWith("first\nlast\n"));
  EXPECT_EQ(http.asked().back(),
            "GET /api/v1/trials/3/logs?follow=false&limit=2&orderBy=ORDER_BY_DESC&rankIds=0&rankIds=1&levels=LOG_LEVEL_"
            "ERROR&levels=LOG_LEVEL_CRITICAL");
}

TEST_F(Experiments, LogsWhoseStreamBreaksFail) {
  http.stream_chunks({"{\"result\":{\"message\":\"one\\n\"}}\n"}, test::StreamEnd::kBreaks);
  const Outcome done = det({"t", "logs", "3"});
  EXPECT_EQ(done.code, 1);
  EXPECT_THAT(done.out, testing::StartsWith("one\n"));
  http.stream_chunks({"{\"error\":{\"message\":\"database away\"}}\n"}, test::StreamEnd::kEnds);
  EXPECT_THAT(det({"t", "logs", "3"}).err, HasSubstr("the server ended the stream: database away"));
}

TEST_F(Experiments, LogsAreFollowedOverALostConnection) {
  const std::string one = "{\"result\":{\"id\":\"1\",\"message\":\"one\\n\"}}\n";
  const std::string two = "{\"result\":{\"id\":\"2\",\"message\":\"two\\n\"}}\n";
  http.stream_chunks({one}, test::StreamEnd::kBreaks);
  http.fail_with(ErrorCode::kUnavailable, "refused");
  http.stream_chunks({one, two}, test::StreamEnd::kEnds);
  const Outcome done = det({"t", "logs", "-f", "3"});
  EXPECT_EQ(done.code, 0) << done.err;
  EXPECT_EQ(done.out, "one\ntwo\nTrial log stream ended. To reopen log stream, run: det trial logs -f 3\n");
  EXPECT_THAT(done.err, testing::StartsWith("Lost the log stream, trying again: "));
  // What is there already is not sent once more.
  EXPECT_EQ(http.asked().back(), "GET /api/v1/trials/3/logs?follow=true&afterId=1");
}

// As an Ingress cuts a connection on which nothing came for a minute.
TEST_F(Experiments, LogsAreFollowedForAsLongAsNothingIsSaid) {
  for (int i = 0; i < 30; ++i) http.stream_chunks({}, test::StreamEnd::kBreaks, std::chrono::minutes(1));
  http.stream_chunks({"{\"result\":{\"id\":\"1\",\"message\":\"one\\n\"}}\n"}, test::StreamEnd::kEnds);
  const Outcome done = det({"t", "logs", "-f", "3"});
  EXPECT_EQ(done.code, 0) << done.err;
  EXPECT_THAT(done.out, testing::StartsWith("one\n"));
  EXPECT_EQ(done.err, "");
}

TEST_F(Experiments, LogsOfAServerThatEndsThemAtOnceAreGivenUp) {
  for (int i = 0; i < 11; ++i) http.stream_chunks({}, test::StreamEnd::kBreaks);
  EXPECT_EQ(det({"t", "logs", "-f", "3"}).code, 1);
  EXPECT_EQ(http.unused_answers(), 0U);
}

TEST_F(Experiments, LogsOfAServerThatStaysAwayAreGivenUp) {
  for (int i = 0; i < 11; ++i) http.fail_with(ErrorCode::kUnavailable, "refused");
  EXPECT_EQ(det({"t", "logs", "-f", "3"}).code, 1);
  EXPECT_EQ(http.unused_answers(), 0U);
}

}  // namespace
}  // namespace det::cli
