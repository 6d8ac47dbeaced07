#include <gmock/gmock.h>

#include "tests/api/fixture.h"

namespace det::api {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

struct RunRoutes : ApiTest {
  // An experiment with a run in it.
  store::TrialRow start(const std::string& yaml = kConst) {
    return started_trial_of(model::ExperimentId{create(yaml)}, "0" + std::to_string(++started_));
  }
  void end(const store::TrialRow& trial) {
    sql("UPDATE trials SET state = 'COMPLETED', end_time = now() WHERE id = " + to_string(trial.id) + " RETURNING 1");
    sql("UPDATE experiments SET state = 'COMPLETED', end_time = now() WHERE id = " + to_string(trial.experiment) +
        " RETURNING 1");
  }
  static std::string filter(const json& field, bool shows_archived = false) {
    json one = field;
    one["kind"] = "field";
    return json{{"filterGroup", {{"kind", "group"}, {"conjunction", "and"}, {"children", {one}}}},
                {"showArchived", shows_archived}}
        .dump();
  }
  static std::string with_id(std::int64_t id) {
    return filter({{"location", "LOCATION_TYPE_RUN"}, {"columnName", "id"}, {"operator", "="}, {"value", id}}, true);
  }
  std::vector<std::int64_t> found(const json& body, const std::string& path = "/api/v1/runs") {
    const Answer answer = post(path, body);
    EXPECT_EQ(answer.status, 200) << answer.text;
    std::vector<std::int64_t> ids;
    for (const json& one : answer.body()[path == "/api/v1/runs" ? "runs" : "experiments"]) {
      ids.push_back(one.value(
          one.contains("experiment") && !one.contains("id") ? "/experiment/id"_json_pointer : "/id"_json_pointer,
          std::int64_t{0}));
    }
    return ids;
  }
  json results(const std::string& verb, json body) {
    if (verb != "move") body["projectId"] = body.value("projectId", 1);
    const Answer answer = post("/api/v1/runs/" + verb, body);
    EXPECT_EQ(answer.status, 200) << answer.text;
    return answer.body()["results"];
  }
  static json result(const model::TrialId id, const std::string& error = "") {
    return {{"id", id.value}, {"error", error}};
  }
  void log_in(const std::string& user) {
    token = must(authenticator.login({.username = user, .password = "", .is_hashed = true, .peer = ""})).token;
  }

  static constexpr const char* kRandom =
      "name: random\nentrypoint: python3 train.py\nhyperparameters:\n  lr: {type: double, minval: 0, maxval: 1}\n"
      "  act: {type: categorical, vals: [relu, tanh]}\n  deep: {width: 3, name: big}\n"
      "searcher:\n  name: random\n  metric: loss\n  max_trials: 2\n"
      "checkpoint_storage:\n  type: shared_fs\n  host_path: /tmp/ckpt\n";
  int started_ = 0;
};

TEST_F(RunRoutes, ARunHasTheFieldsOfDeterminedsClients) {
  const store::TrialRow trial = start();
  must(metric_writer.write(validation(trial, 3, 0.5), store::kPatience));
  must(run_metadata.set(trial.id, {{"k", "v"}}));
  const json answer = post("/api/v1/runs", json::object()).body();
  json run = answer["runs"][0];
  EXPECT_EQ(answer["pagination"], json::parse(R"({"offset":0,"limit":0,"startIndex":0,"endIndex":1,"total":1})"));
  EXPECT_THAT(run["localId"].get<std::string>(), testing::EndsWith("-1"));
  for (const char* moving : {"startTime", "duration", "localId"}) run.erase(moving);
  EXPECT_EQ(run, json::parse(R"({
    "id":1,"endTime":null,"state":"STATE_ACTIVE","labels":[],"checkpointSize":"0","checkpointCount":0,
    "searcherMetricValue":0.5,"hyperparameters":{"lr":0.1},
    "summaryMetrics":{"validation_metrics":{"loss":{"count":1,"sum":0.5,"min":0.5,"max":0.5,"last":0.5,"mean":0.5,
                                                    "type":"number"}}},
    "userId":2,"projectId":1,"projectName":"Uncategorized","workspaceId":1,"workspaceName":"Uncategorized",
    "parentArchived":false,"archived":false,"metadata":{"k":"v"},
    "experiment":{"id":1,"searcherType":"single","searcherMetric":"loss","resourcePool":"default","progress":0.0,
                  "description":"","name":"const","unmanaged":false,"isMultitrial":false}})"));
}

TEST_F(RunRoutes, AreFoundByFilterAndSort) {
  const store::TrialRow first = start();
  const store::TrialRow second = start();
  must(metric_writer.write(validation(first, 3, 0.5), store::kPatience));
  must(metric_writer.write(validation(second, 3, 0.25), store::kPatience));
  EXPECT_THAT(found({{"sort", "validation.loss.min=asc"}}), ElementsAre(2, 1));
  EXPECT_THAT(found({{"projectId", 1}, {"limit", 1}, {"offset", 1}, {"sort", "id=desc"}}), ElementsAre(1));
  EXPECT_THAT(found({{"filter", with_id(2)}}), ElementsAre(2));
  EXPECT_THAT(found({{"limit", -2}}), IsEmpty());
  EXPECT_THAT(found({{"limit", -1}}), ElementsAre(1, 2));
  const std::string low = filter({{"location", "LOCATION_TYPE_VALIDATIONS"},
                                  {"type", "COLUMN_TYPE_NUMBER"},
                                  {"columnName", "validation.loss.last"},
                                  {"operator", "<"},
                                  {"value", 0.3}});
  EXPECT_THAT(found({{"filter", low}}), ElementsAre(2));
  EXPECT_THAT(found({{"filter", low}, {"sort", "searcherMetricsVal=desc,id=asc"}}, "/api/v1/experiments-search"),
              ElementsAre(2));
}

TEST_F(RunRoutes, SayWhatOfASearchIsWrong) {
  EXPECT_EQ(post("/api/v1/runs", {{"projectId", 9}}).error(), "project '9' not found");
  EXPECT_EQ(post("/api/v1/runs", {{"projectId", 0}}).status, 404);
  EXPECT_THAT(post("/api/v1/runs", {{"limit", -3}}).error(), HasSubstr("limit: -3 is neither"));
  EXPECT_EQ(post("/api/v1/runs", {{"sort", "hat=asc"}}).error(), "sort: invalid sort col: hat");
  EXPECT_EQ(post("/api/v1/experiments-search", {{"sort", "metadata.a=asc"}}).status, 400);
  EXPECT_THAT(post("/api/v1/runs", {{"filter", "{"}}).error(), HasSubstr("filter: expected JSON"));
  EXPECT_EQ(post("/api/v1/runs", {{"filter", 3}}).status, 400);
}

TEST_F(RunRoutes, LongListsAreStreamsOfPages) {
  const store::TrialRow trial = start();
  sql("INSERT INTO tasks (id, type) SELECT 'more' || n, 'TRIAL' FROM generate_series(1, 450) n RETURNING 1");
  sql("INSERT INTO trials (experiment_id, request_id, task_number, state, hparams, seed) "
      "SELECT 1, gen_random_uuid(), number, 'COMPLETED', '{}', 0 FROM tasks WHERE id LIKE 'more%' RETURNING 1");
  const Answer all = post("/api/v1/runs", {{"limit", -1}});
  EXPECT_EQ(all.body()["runs"].size(), 451U);
  EXPECT_EQ(all.body()["pagination"]["endIndex"], 451);
  EXPECT_EQ(post("/api/v1/runs", json::object()).body()["runs"].size(), 100U);
}

TEST_F(RunRoutes, ExperimentsAreShownWithTheirBestTrial) {
  const store::TrialRow trial = start();
  start();
  must(metric_writer.write(validation(trial, 3, 0.5), store::kPatience));
  const json answer = post("/api/v1/experiments-search", {{"sort", "id=asc"}}).body();
  ASSERT_EQ(answer["experiments"].size(), 2U);
  EXPECT_EQ(answer["experiments"][0]["experiment"]["name"], "const");
  EXPECT_EQ(answer["experiments"][0]["bestTrial"]["id"], trial.id.value);
  EXPECT_EQ(answer["experiments"][0]["bestTrial"]["summaryMetrics"]["validation_metrics"]["loss"]["last"], 0.5);
  EXPECT_EQ(answer["experiments"][1]["bestTrial"], nullptr);
}

TEST_F(RunRoutes, KillAndPauseTellOfEachRun) {
  const store::TrialRow running = start();
  const store::TrialRow over = start();
  const store::TrialRow of_search = start(kRandom);
  end(over);
  EXPECT_EQ(results("pause", {{"runIds", {running.id.value, of_search.id.value, 99}}}),
            (json{result({99}, "Run with id '99' not found in project with id '1'"), result(running.id),
                  result(of_search.id, "Cannot pause/unpause run '3' (part of multi-trial).")}));
  EXPECT_EQ(object(running.experiment.value)["spec"]["suspend"], true);
  EXPECT_EQ(results("resume", {{"filter", with_id(running.id.value)}}), json::array({result(running.id)}));
  EXPECT_EQ(object(running.experiment.value)["spec"]["suspend"], false);
  EXPECT_EQ(results("resume", {{"runIds", {over.id.value}}})[0]["error"],
            "Failed to resume associated experiment: experiment in terminal state");
  EXPECT_EQ(results("kill", {{"runIds", {over.id.value, running.id.value}}}).size(), 2U);
  EXPECT_EQ(results("kill", {{"runIds", {over.id.value}}, {"projectId", 7}})[0]["error"],
            "Run with id '2' not found in project with id '7'");
}

TEST_F(RunRoutes, AreArchivedOnceTheyAreOver) {
  const store::TrialRow over = start();
  const store::TrialRow running = start();
  end(over);
  EXPECT_EQ(results("archive", {{"runIds", {over.id.value, running.id.value}}}),
            (json{result(running.id, "Run is not in terminal state."), result(over.id)}));
  const std::string any = filter({{"columnName", "id"}, {"operator", ">"}, {"value", 0}});
  EXPECT_THAT(found({{"filter", any}}), ElementsAre(running.id.value));
  EXPECT_EQ(results("pause", {{"runIds", {over.id.value}}})[0]["error"], "Run is archived.");
  EXPECT_EQ(results("unarchive", {{"filter", with_id(over.id.value)}}), json::array({result(over.id)}));
  EXPECT_THAT(found({{"filter", any}}), ElementsAre(over.id.value, running.id.value));
  must(experiments.set_archived(over.experiment, true));
  EXPECT_EQ(results("unarchive", {{"runIds", {over.id.value}}})[0]["error"],
            "Run is part of archived Search (id: '1').");
}

TEST_F(RunRoutes, AreDeletedWithTheirExperimentByItsOwner) {
  const store::TrialRow over = start();
  const store::TrialRow running = start();
  const store::TrialRow of_search = start(kRandom);
  end(over);
  end(of_search);
  const json all = {{"runIds", {over.id.value, running.id.value, of_search.id.value}}};
  sql("UPDATE experiments SET owner_id = 1 RETURNING 1");
  EXPECT_THAT(results("delete", all)[0]["error"].get<std::string>(), HasSubstr("only its owner and admins"));
  sql("UPDATE experiments SET owner_id = 2 RETURNING 1");
  const json done = results("delete", all);
  EXPECT_EQ(done[0], result(over.id));
  EXPECT_EQ(done[1], result(running.id, "Run is not in a terminal state."));
  EXPECT_THAT(done[2]["error"].get<std::string>(), HasSubstr("deletes the runs of an experiment together"));
  EXPECT_EQ(sql("SELECT state FROM experiments WHERE id = " + to_string(over.experiment)), "DELETING");
}

// A program may report many runs under one experiment whose searcher is "single".
TEST_F(RunRoutes, OfAnUnmanagedExperimentAreNotDeletedForEachOther) {
  const store::TrialRow one = start();
  end(one);
  sql("UPDATE experiments SET unmanaged = true WHERE id = " + to_string(one.experiment) + " RETURNING 1");
  const store::TrialRow other = started_trial_of(one.experiment, "other");
  end(other);
  const json both = results("delete", {{"runIds", {one.id.value}}});
  EXPECT_THAT(both[0]["error"].get<std::string>(), HasSubstr("and it has others: delete experiment 1"));
  EXPECT_EQ(sql("SELECT state FROM experiments"), "COMPLETED");
  sql("DELETE FROM trials WHERE id = " + to_string(other.id) + " RETURNING 1");
  EXPECT_EQ(results("delete", {{"runIds", {one.id.value}}})[0], result(one.id));
}

TEST_F(RunRoutes, MoveWithTheirExperiments) {
  const store::TrialRow mine = start();
  const store::TrialRow others = start();
  const store::TrialRow of_search = start(kRandom);
  sql("INSERT INTO projects (workspace_id, name, owner_id) VALUES (1, 'ships', 1) RETURNING id");
  sql("UPDATE experiments SET owner_id = 1 WHERE id = " + to_string(others.experiment) + " RETURNING 1");
  const json moved = results("move", {{"runIds", {mine.id.value, others.id.value, of_search.id.value}},
                                      {"sourceProjectId", 1},
                                      {"destinationProjectId", 2},
                                      {"skipMultitrial", true}});
  EXPECT_EQ(moved[0], result(of_search.id, "Skipping run '3' (part of multi-trial)."));
  EXPECT_EQ(moved[1], result(mine.id));
  EXPECT_THAT(moved[2]["error"].get<std::string>(), HasSubstr("Failed to move associated experiment: only its owner"));
  EXPECT_THAT(found({{"projectId", 2}}), ElementsAre(mine.id.value));
  const json nowhere = {{"runIds", {1}}, {"sourceProjectId", 1}, {"destinationProjectId", 9}};
  EXPECT_EQ(post("/api/v1/runs/move", nowhere).error(), "project '9' not found");
  sql("UPDATE projects SET archived = true WHERE id = 2 RETURNING 1");
  EXPECT_EQ(post("/api/v1/runs/move", {{"sourceProjectId", 1}, {"destinationProjectId", 2}}).error(),
            "project (2) is archived and cannot add new runs");
}

TEST_F(RunRoutes, VerbsTakeIdsOrAFilterAndNotTooMany) {
  start();
  EXPECT_EQ(results("kill", {{"runIds", json::array()}}), json::array());
  EXPECT_THAT(post("/api/v1/runs/kill", {{"projectId", 1}, {"runIds", {1}}, {"filter", with_id(1)}}).error(),
              HasSubstr("if filter is provided run id list must be empty"));
  EXPECT_EQ(post("/api/v1/runs/kill", {{"runIds", {1}}}).status, 400);
  EXPECT_EQ(post("/api/v1/runs/kill", {{"projectId", 1}, {"runIds", json(1001, 1)}}).status, 400);
  EXPECT_EQ(post("/api/v1/runs/kill", {{"projectId", 1}, {"filter", "x"}}).status, 400);
  sql("INSERT INTO tasks (id, type) SELECT 'more' || n, 'TRIAL' FROM generate_series(1, 1000) n RETURNING 1");
  sql("INSERT INTO trials (experiment_id, request_id, task_number, state, hparams, seed) "
      "SELECT 1, gen_random_uuid(), number, 'COMPLETED', '{}', 0 FROM tasks WHERE id LIKE 'more%' RETURNING 1");
  EXPECT_THAT(post("/api/v1/runs/kill", {{"projectId", 1}, {"filter", "{}"}}).error(),
              HasSubstr("1001 runs are more than the 1000 of one request"));
}

TEST_F(RunRoutes, AProjectTellsItsColumns) {
  const store::TrialRow trial = start(kRandom);
  must(metric_writer.write(validation(trial, 3, 0.5), store::kPatience));
  must(metric_writer.write(report(trial, "hats", 3, {{"size", 4}}), store::kPatience));
  must(run_metadata.set(trial.id, {{"a", {{"n", 1}, {"s", "x"}}}, {"at", "2026-11-21T02:00:00Z"}, {"l", {1, "z"}}}));
  const auto types = [&](const std::string& table) {
    std::map<std::string, std::string> of;
    for (const json& one : get("/api/v1/projects/1/columns?tableType=" + table).body()["columns"]) {
      of[one["location"].get<std::string>() + " " + one["column"].get<std::string>()] = one["type"];
    }
    return of;
  };
  const auto of_experiments = types("TABLE_TYPE_EXPERIMENT");
  EXPECT_EQ(of_experiments.at("LOCATION_TYPE_EXPERIMENT numTrials"), "COLUMN_TYPE_NUMBER");
  EXPECT_EQ(of_experiments.at("LOCATION_TYPE_VALIDATIONS validation.loss.min"), "COLUMN_TYPE_NUMBER");
  EXPECT_EQ(of_experiments.at("LOCATION_TYPE_CUSTOM_METRIC hats.size.last"), "COLUMN_TYPE_NUMBER");
  EXPECT_EQ(of_experiments.at("LOCATION_TYPE_HYPERPARAMETERS hp.lr"), "COLUMN_TYPE_NUMBER");
  EXPECT_EQ(of_experiments.at("LOCATION_TYPE_HYPERPARAMETERS hp.act"), "COLUMN_TYPE_UNSPECIFIED");
  EXPECT_EQ(of_experiments.at("LOCATION_TYPE_HYPERPARAMETERS hp.deep.name"), "COLUMN_TYPE_TEXT");
  sql("UPDATE experiments SET config = jsonb_set(config, ('{hyperparameters,' || repeat('x', 1001) || '}')::text[], "
      "'1') RETURNING 1");
  EXPECT_EQ(types("TABLE_TYPE_EXPERIMENT"), of_experiments) << "a name that no list can show is left out";
  const auto of_runs = types("TABLE_TYPE_RUN");
  EXPECT_EQ(of_runs.at("LOCATION_TYPE_RUN endTime"), "COLUMN_TYPE_DATE");
  EXPECT_EQ(of_runs.at("LOCATION_TYPE_RUN_HYPERPARAMETERS hp.lr"), "COLUMN_TYPE_NUMBER");
  EXPECT_EQ(of_runs.at("LOCATION_TYPE_RUN_METADATA metadata.a.n"), "COLUMN_TYPE_NUMBER");
  EXPECT_EQ(of_runs.at("LOCATION_TYPE_RUN_METADATA metadata.at"), "COLUMN_TYPE_DATE");
  EXPECT_EQ(of_runs.at("LOCATION_TYPE_RUN_METADATA metadata.l"), "COLUMN_TYPE_ARRAY");
  EXPECT_EQ(get("/api/v1/projects/1/columns?tableType=HATS").status, 400);
  EXPECT_EQ(get("/api/v1/projects/9/columns").error(), "project '9' not found");
  EXPECT_EQ(get("/api/v1/projects/1/metadata/a.s").body()["values"], json::array({"x"}));
  EXPECT_EQ(get("/api/v1/projects/1/metadata/l").body()["values"], json::array({"z"}));
  EXPECT_EQ(get("/api/v1/projects/1/metadata/a.n").body()["values"], json::array());
  EXPECT_EQ(get("/api/v1/projects/1/metadata/.").status, 400);
}

TEST_F(RunRoutes, EveryColumnThatIsOfferedCanBeFilteredAndSortedBy) {
  const store::TrialRow trial = start(kRandom);
  must(metric_writer.write(validation(trial, 3, 0.5), store::kPatience));
  must(run_metadata.set(trial.id, {{"a", {{"n", 1}}}}));
  for (const auto& [table, path] : {std::pair("TABLE_TYPE_RUN", "/api/v1/runs"),
                                    std::pair("TABLE_TYPE_EXPERIMENT", "/api/v1/experiments-search")}) {
    for (const json& one : get("/api/v1/projects/1/columns?tableType=" + std::string(table)).body()["columns"]) {
      json field = {{"location", one["location"]}, {"type", one["type"]}, {"columnName", one["column"]}};
      field["operator"] = "notEmpty";
      EXPECT_EQ(post(path, {{"filter", filter(field)}}).status, 200) << one;
      if (one["column"] == "tags") continue;  // Determined sorts by none, either
      EXPECT_EQ(post(path, {{"sort", one["column"].get<std::string>() + "=desc"}}).status, 200) << one;
    }
  }
}

TEST_F(RunRoutes, RangesAreThoseOfTheBestRuns) {
  const store::TrialRow first = start();
  const store::TrialRow second = start();
  for (const auto& [trial, loss] : {std::pair(first, 0.5), std::pair(second, 2.0)}) {
    must(metric_writer.write(validation(trial, 3, loss), store::kPatience));
  }
  const json ranges = get("/api/v1/projects/1/experiments/metric-ranges").body()["ranges"];
  ASSERT_EQ(ranges.size(), 5U);
  EXPECT_EQ(ranges[0], (json{{"metricsName", "validation.loss.last"}, {"min", 0.5}, {"max", 2.0}}));
  EXPECT_EQ(ranges[4], (json{{"metricsName", "searcherMetricsVal"}, {"min", 0.5}, {"max", 2.0}}));
  // One that diverged is not what the others are drawn by.
  must(metric_writer.write(validation(start(), 3, std::numeric_limits<double>::infinity()), store::kPatience));
  must(metric_writer.write(validation(start(), 3, std::numeric_limits<double>::quiet_NaN()), store::kPatience));
  EXPECT_EQ(get("/api/v1/projects/1/experiments/metric-ranges").body()["ranges"], ranges);
}

}  // namespace
}  // namespace det::api
