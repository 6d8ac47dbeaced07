#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/api/fixture.h"

namespace det::api {
namespace {

using testing::HasSubstr;

struct Deleting : ApiTest {
  Answer remove(std::int64_t id) { return call("DELETE", "/api/v1/experiments/" + std::to_string(id)); }
  void end() { sql("UPDATE experiments SET state = 'COMPLETED', end_time = now()"); }
};

TEST_F(Deleting, NeedsAnExperimentThatHasEnded) {
  const auto id = create();
  const Answer refused = remove(id);
  EXPECT_EQ(refused.status, 400);
  EXPECT_EQ(refused.error(), "Experiment is not in terminal state.");
  EXPECT_TRUE(object(id).is_object());
  EXPECT_EQ(remove(99).status, 404);
}

TEST_F(Deleting, TakesTheObjectAndEverythingThatWasMeasured) {
  const auto id = create();
  const store::TrialRow trial = started_trial_of(model::ExperimentId{id}, "01");
  sql("INSERT INTO metric_names (hash, names) VALUES ('\\x01', '{loss}')");
  sql("INSERT INTO series (trial_id, run, grp, names_id) SELECT " + to_string(trial.id) +
      ", 1, 'training', id FROM metric_names");
  sql("INSERT INTO metrics (time, series_id, steps, values) SELECT now(), id, 1, '{0.5}' FROM series");
  sql("INSERT INTO task_log_chunks SELECT number, 1, 1, now(), now(), 0, 1, '\\x00' FROM tasks");
  sql("UPDATE allocations SET ready_at = now()");
  end();
  EXPECT_EQ(remove(id).text, "{}");
  EXPECT_EQ(get("/api/v1/experiments/" + std::to_string(id)).body()["experiment"]["state"], "STATE_DELETING");
  EXPECT_TRUE(object(id).is_object()) << "its files go first";
  EXPECT_EQ(remove(id).text, "{}") << "again";
  EXPECT_EQ(sql("SELECT count(*)::text FROM removals WHERE tensorboard"), "1");
  // As the operator does when they are gone.
  must(removals.finish(must(cluster.load_or_create()).epoch, 1));
  must(experiments.remove(model::ExperimentId{id}));
  for (const char* table : {"experiments", "trials", "allocations", "series", "metrics", "task_log_chunks", "tasks"}) {
    EXPECT_EQ(sql(std::string("SELECT count(*)::text FROM ") + table), "0") << table;
  }
  EXPECT_EQ(get("/api/v1/experiments/" + std::to_string(id)).status, 404);
  EXPECT_EQ(remove(id).status, 404);
}

// Its pod would wait for slots like any other.
TEST_F(Deleting, NeedsNoPodWhereNoProgramEverBegan) {
  const auto id = create();
  started_trial_of(model::ExperimentId{id}, "01");
  end();
  EXPECT_EQ(remove(id).text, "{}");
  EXPECT_EQ(sql("SELECT count(*)::text FROM removals"), "0");
}

TEST_F(Deleting, IsForTheOwnerAndAdmins) {
  const auto id = create();
  end();
  sql("UPDATE experiments SET owner_id = 1");
  EXPECT_EQ(remove(id).status, 403);
  token = must(authenticator.login({.username = "admin", .password = "", .is_hashed = true, .peer = ""})).token;
  EXPECT_EQ(remove(id).status, 200);
}

using PreviewRoute = ApiTest;

TEST_F(PreviewRoute, AnswersWithDefaultsAndTrials) {
  const json searcher = {{"name", "random"}, {"metric", "loss"}, {"max_trials", 7}};
  const Answer answer = post("/api/v1/preview-hp-search", {{"config", {{"searcher", searcher}}}});
  ASSERT_EQ(answer.status, 200) << answer.text;
  const json summary = answer.body()["summary"];
  EXPECT_EQ(summary["config"]["max_concurrent_trials"], 16);
  EXPECT_EQ(summary["trials"],
            json::parse(R"([{"count": 7, "unit": {"name": null, "value": null, "maxLength": true}}])"));
}

TEST_F(PreviewRoute, KnowsEveryMethodThatRuns) {
  const json parameters = {{"a", {{"type", "int"}, {"minval", 1}, {"maxval", 4}, {"count", 4}}}};
  const auto trials_of = [&](json searcher) {
    searcher["metric"] = "loss";
    const Answer answer =
        post("/api/v1/preview-hp-search", {{"config", {{"searcher", searcher}, {"hyperparameters", parameters}}}});
    EXPECT_EQ(answer.status, 200) << answer.text;
    std::int64_t count = 0;
    for (const json& entry : answer.body()["summary"]["trials"]) count += entry.value("count", std::int64_t{0});
    return count;
  };
  EXPECT_EQ(trials_of({{"name", "single"}}), 1);
  EXPECT_EQ(trials_of({{"name", "random"}, {"max_trials", 5}}), 5);
  EXPECT_EQ(trials_of({{"name", "grid"}}), 4);
  EXPECT_EQ(trials_of({{"name", "adaptive_asha"}, {"max_trials", 8}, {"time_metric", "batches"}, {"max_time", 64}}), 8);
}

TEST_F(PreviewRoute, RefusesMethodsThatAreGoneAndWhatASearchLacks) {
  const auto error_of = [&](const json& searcher) {
    const Answer answer = post("/api/v1/preview-hp-search", {{"config", {{"searcher", searcher}}}});
    EXPECT_EQ(answer.status, 400) << answer.text;
    return answer.error();
  };
  for (const char* name : {"adaptive", "adaptive_simple", "sync_halving"}) {
    EXPECT_THAT(error_of({{"name", name}, {"metric", "loss"}}),
                HasSubstr("the '" + std::string(name) + "' searcher has been removed and is not valid for new"));
  }
  EXPECT_THAT(error_of({{"name", "adaptive_asha"}, {"metric", "loss"}, {"max_trials", 3}}),
              HasSubstr("the `adaptive_asha` searcher requires `max_time` and `time_metric` to be set"));
  EXPECT_THAT(error_of({{"name", "custom"}, {"metric", "loss"}}),
              HasSubstr("what a custom search trains is its runner's choice"));
  // Upstream cannot preview it either, in these words.
  EXPECT_EQ(error_of({{"name", "async_halving"},
                      {"metric", "loss"},
                      {"num_rungs", 2},
                      {"max_trials", 8},
                      {"time_metric", "batches"},
                      {"max_time", 64}}),
            "invalid searcher configuration");
  EXPECT_THAT(error_of({{"name", "pbt"}, {"metric", "loss"}}), HasSubstr("is not an object where object[\"name\"]"));
  EXPECT_THAT(error_of({{"name", "random"}}), HasSubstr("max_trials is a required property"));
}

TEST_F(PreviewRoute, AnswersOlderClients) {
  const auto results = [&](const json& searcher) {
    const Answer answer = post("/searcher/preview", {{"searcher", searcher}, {"name", "whatever"}});
    EXPECT_EQ(answer.status, 200) << answer.text;
    return answer.body()["results"];
  };
  EXPECT_EQ(results({{"name", "single"}, {"metric", "loss"}}), json({{"", 1}}));
  EXPECT_EQ(results({{"name", "random"}, {"metric", "loss"}, {"max_trials", 5}, {"max_length", {{"epochs", 10}}}}),
            json({{"10E", 5}}));
  const json halved = results(
      {{"name", "adaptive_asha"}, {"metric", "loss"}, {"max_trials", 8}, {"time_metric", "batches"}, {"max_time", 64}});
  std::int64_t count = 0;
  for (const auto& [length, trials] : halved.items()) {
    EXPECT_THAT(length, testing::EndsWith("B"));
    count += trials.get<std::int64_t>();
  }
  EXPECT_EQ(count, 8) << halved;
  const Answer empty = post("/searcher/preview", json::object());
  EXPECT_EQ(empty.status, 400);
  EXPECT_THAT(empty.text, HasSubstr("invalid experiment configuration; missing searcher"));
}

TEST_F(PreviewRoute, SaysWhatIsWrong) {
  EXPECT_EQ(post("/api/v1/preview-hp-search", {{"config", {{"name", "x"}}}}).error(),
            "invalid experiment configuration; missing searcher");
  const Answer wrong =
      post("/api/v1/preview-hp-search",
           {{"config", {{"searcher", {{"name", "random"}, {"metric", "loss"}, {"max_trials", "x"}}}}}});
  EXPECT_EQ(wrong.status, 400);
  EXPECT_THAT(wrong.error(), HasSubstr("invalid searcher configuration: "));
  EXPECT_THAT(wrong.error(), HasSubstr("searcher.max_trials"));
}

}  // namespace
}  // namespace det::api
