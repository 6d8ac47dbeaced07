// Reading metrics through the routes: streams of reports, curves, and the trials of an experiment side by side.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/api/fixture.h"

namespace det::api {
namespace {

using testing::HasSubstr;

struct Metrics : ApiTest {
  Metrics() : trial(started_trial()), id(to_string(trial.id)) {}

  void report(const std::string& group, std::int32_t steps, const json& metrics) {
    must(metric_writer.write(StoreTest::report(trial, group, steps, metrics), store::kPatience));
  }
  // Rows of one metric, made at once: its value is a fourth of the steps.
  void make(int count, const std::string& group = "training") {
    sql("INSERT INTO metric_names (hash, names) VALUES ('l', '{loss}') ON CONFLICT DO NOTHING");
    sql("WITH s AS (INSERT INTO series (trial_id, run, grp, names_id) SELECT " + id + ", 1, '" + group +
        "', id FROM metric_names WHERE hash = 'l' RETURNING id) INSERT INTO metrics (time, series_id, steps, values) "
        "SELECT timestamptz '2026-01-01Z' + i * interval '1 second', s.id, i, ARRAY[i / 4.0] FROM s, "
        "generate_series(1, " +
        std::to_string(count) + ") i");
  }
  void end() { sql("UPDATE experiments SET state = 'COMPLETED'"); }
  // The messages of a stream.
  std::vector<json> stream(const std::string& target) {
    const Answer answer = get(target);
    EXPECT_EQ(answer.status, 200) << answer.text;
    std::vector<json> messages;
    std::istringstream lines(answer.text);
    for (std::string line; std::getline(lines, line);) {
      messages.push_back(json::parse(line));
      EXPECT_TRUE(messages.back().contains("result")) << line;
    }
    return messages;
  }
  static json results(const std::vector<json>& messages, const char* list) {
    json all = json::array();
    for (const json& message : messages) {
      for (const json& one : message["result"][list]) all.push_back(one);
    }
    return all;
  }
  json series(const std::string& query) {
    const Answer answer = get("/api/v1/trials/time-series?trialIds=" + id + "&" + query);
    EXPECT_EQ(answer.status, 200) << answer.text;
    return answer.body()["trials"][0]["metrics"];
  }

  store::TrialRow trial;
  std::string id;
};

const std::string kStreams = "/api/v1/trials/metrics/";

TEST_F(Metrics, AreStreamedByGroup) {
  report("training", 1, {{"loss", 1.5}});
  report("training", 2, {{"loss", 1}, {"phase", "warm"}});
  report("validation", 2, {{"loss", "NaN"}});
  report("inference", 3, {{"n", 3}});
  const json training = results(stream(kStreams + "training_metrics?trialIds=" + id), "metrics");
  ASSERT_EQ(training.size(), 2U);
  EXPECT_EQ(training[0]["metrics"]["avg_metrics"]["loss"], 1.5);
  EXPECT_EQ(training[0]["trialId"], trial.id.value);
  EXPECT_EQ(training[0]["endTime"], "2023-11-14T22:13:21Z");
  EXPECT_EQ(training[1]["metrics"]["avg_metrics"], (json{{"loss", 1}, {"phase", "warm"}}));
  const json validation = results(stream(kStreams + "validation_metrics?trialIds=" + id), "metrics");
  EXPECT_EQ(validation[0]["metrics"]["validation_metrics"]["loss"], "NaN");
  EXPECT_EQ(results(stream(kStreams + "trial_metrics?group=inference&trialIds=" + id), "metrics")[0]["group"],
            "inference");
  EXPECT_EQ(results(stream(kStreams + "trial_metrics?trialIds=" + id), "metrics").size(), 4U);
  EXPECT_TRUE(stream(kStreams + "trial_metrics?group=none&trialIds=" + id).empty());
}

TEST_F(Metrics, AreStreamedInMessagesOfBoundedSize) {
  make(20'000);
  const auto messages = stream(kStreams + "training_metrics?trialIds=" + id);
  EXPECT_GE(messages.size(), 20U);
  for (const json& message : messages) EXPECT_LE(message["result"]["metrics"].size(), 1'000U);
  const json all = results(messages, "metrics");
  ASSERT_EQ(all.size(), 20'000U);
  for (int i = 0; i < 20'000; i += 777) {
    EXPECT_EQ(all[i]["totalBatches"], i + 1);
    EXPECT_EQ(all[i]["metrics"]["avg_metrics"]["loss"], (i + 1) / 4.0);
  }
}

TEST_F(Metrics, StreamsSayWhatIsWrongBeforeTheyBegin) {
  EXPECT_EQ(get(kStreams + "trial_metrics?group=x").error(), "must specify at least one trialId");
  EXPECT_EQ(get(kStreams + "trial_metrics?trialIds=1&trialIds=1").error(), "duplicate id=1 specified");
  EXPECT_EQ(get(kStreams + "trial_metrics?trialIds=99").status, 404);
  EXPECT_EQ(get(kStreams + "trial_metrics?trialIds=x").status, 400);
  std::string many = kStreams + "trial_metrics?trialIds=-1";
  for (int i = 0; i < 1'000; ++i) many += "&trialIds=" + std::to_string(i);
  EXPECT_THAT(get(many).error(), HasSubstr("1001 trials are more than the 1000"));
}

TEST_F(Metrics, CurvesHaveAsManyPointsAsWanted) {
  make(10'000);
  const json metrics = series("metricNames=loss&maxDatapoints=500&group=training");
  ASSERT_EQ(metrics.size(), 1U);
  EXPECT_EQ(metrics[0]["group"], "training");
  EXPECT_EQ(metrics[0]["type"], "METRIC_TYPE_TRAINING");
  const json& data = metrics[0]["data"];
  EXPECT_LE(data.size(), 500U);
  EXPECT_GE(data.size(), 450U);
  EXPECT_EQ(data.front()["batches"], 1);
  EXPECT_EQ(data.back(), (json{{"batches", 10'000}, {"time", "2026-01-01T02:46:40Z"}, {"values", {{"loss", 2500}}}}));
  EXPECT_LE(series("metricIds=training.loss")[0]["data"].size(), 200U) << "what is usual";
  const json part = series("metricIds=training.loss&startBatches=100&endBatches=110")[0]["data"];
  EXPECT_EQ(part.size(), 11U);
  EXPECT_EQ(series("metricIds=training.none"), json::array());
}

TEST_F(Metrics, CurvesOfSeveralMetricsShareTheirPoints) {
  for (int i = 1; i <= 50; ++i) report("training", i, {{"a", i % 7}, {"b", -i}, {"epochs", i / 10.0}});
  report("validation", 50, {{"a", 3}});
  const json metrics = series("metricNames=a&metricNames=b&maxDatapoints=20");
  ASSERT_EQ(metrics.size(), 2U);
  EXPECT_LE(metrics[0]["data"].size(), 20U);
  EXPECT_EQ(metrics[0]["data"].back()["values"], (json{{"a", 1}, {"b", -50}}));
  EXPECT_EQ(metrics[0]["data"].back()["epoch"], 5);
  EXPECT_EQ(metrics[1]["data"].size(), 1U);
  EXPECT_EQ(metrics[1]["data"][0]["values"], (json{{"a", 3}}));
}

TEST_F(Metrics, CurvesAreCutByBatchesTimeOrAMetric) {
  for (int i = 1; i <= 9; ++i) report("training", i * 10, {{"a", i}, {"epochs", i / 2.0}});
  const auto batches = [this](const std::string& filter) {
    std::string seen;
    for (const json& metrics : series("metricIds=training.a&" + filter)) {
      for (const json& point : metrics["data"]) seen += point["batches"].dump() + " ";
    }
    return seen;
  };
  const std::string filter = "timeSeriesFilter.";
  EXPECT_EQ(batches(filter + "name=batches&" + filter + "integerRange.gt=70&" + filter + "integerRange.lte=90"),
            "80 90 ");
  EXPECT_EQ(batches(filter + "integerRange.incl=20&" + filter + "integerRange.incl=30"), "20 30 ");
  EXPECT_EQ(batches(filter + "name=epochs&" + filter + "doubleRange.gte=1&" + filter + "doubleRange.lt=2"), "20 30 ");
  EXPECT_EQ(batches(filter + "name=time&" + filter + "timeRange.lt=2023-11-14T22:13:50Z"), "10 20 ");
  EXPECT_EQ(batches(filter + "name=nothing"), "");
  const std::string path = "/api/v1/trials/time-series?trialIds=" + id + "&metricIds=training.a&";
  EXPECT_EQ(get(path + filter + "doubleRange.gt=1&" + filter + "integerRange.gt=1").status, 400);
  EXPECT_EQ(get(path + filter + "doubleRange.gt=2&" + filter + "doubleRange.lt=1").status, 400);
  EXPECT_EQ(get(path + filter + "doubleRange.gt=x").status, 400);
}

TEST_F(Metrics, CurvesSayWhatIsWrong) {
  const std::string path = "/api/v1/trials/time-series?trialIds=" + id + "&";
  EXPECT_EQ(get(path + "metricIds=loss").error(),
            "metricIds: invalid metric identifier: 'loss' expected <group>.<name>");
  EXPECT_EQ(get(path + "metricIds=.loss").status, 400);
  EXPECT_EQ(get(path + "metricIds=a.b&metricNames=c").status, 400);
  EXPECT_EQ(get(path + "metricNames=c&group=a&metricType=METRIC_TYPE_TRAINING").status, 400);
  EXPECT_EQ(get(path + "metricNames=c&maxDatapoints=-1").status, 400);
  EXPECT_EQ(get("/api/v1/trials/time-series?trialIds=99&metricNames=c").status, 404);
  EXPECT_EQ(get("/api/v1/trials/time-series").body(), (json{{"trials", json::array()}}));
  std::string many = "/api/v1/trials/time-series?metricNames=c&maxDatapoints=1000000000";
  for (int i = 1; i < 100; ++i) many += "&trialIds=" + std::to_string(i);
  EXPECT_EQ(get(many).status, 400);
}

TEST_F(Metrics, CurvesOfAnExperimentAreFewPointsOfEachTrial) {
  const std::string path = "/api/v1/experiments/" + to_string(trial.experiment) + "/curves?metricId=";
  EXPECT_EQ(get(path + "training.loss").body(), (json{{"totalTrials", 1}, {"curves", json::array()}}));
  make(10'000);
  report("validation", 2, {{"acc", "NaN"}, {"net.loss", 1.0 / 3}});
  const json whole = get(path + "training.loss").body();
  ASSERT_EQ(whole["curves"].size(), 1U);
  EXPECT_EQ(whole["curves"][0]["trialId"], trial.id.value);
  EXPECT_EQ(whole["curves"][0]["x"].front(), 1);
  EXPECT_EQ(whole["curves"][0]["x"].back(), 10'000);
  EXPECT_EQ(whole["curves"][0]["y"].back(), 2'500);
  EXPECT_NEAR(static_cast<double>(whole["curves"][0]["x"].size()), 1'000, 200) << "as many as one curve may have";
  const json few = get(path + "training.loss&maxDatapoints=30&startBatches=100&endBatches=1000").body()["curves"][0];
  EXPECT_EQ(few["x"].front(), 100);
  EXPECT_EQ(few["x"].back(), 1'000);
  EXPECT_NEAR(static_cast<double>(few["x"].size()), 31, 3);
  const json times = get(path + "training.loss&axis=time&maxDatapoints=1").body()["curves"][0];
  EXPECT_EQ(times["x"][0], 1'767'225'601);
  EXPECT_GE(times["x"].size(), 20U) << "a curve has at least so many";
  EXPECT_EQ(get(path + "validation.acc").body()["curves"][0]["y"], json::array({"NaN"}));
  EXPECT_EQ(get(path + "validation.net.loss").body()["curves"][0]["y"], json::array({0.333333333}));
  EXPECT_EQ(get(path + "validation.none").body()["curves"], json::array());
}

TEST_F(Metrics, CurvesOfAnExperimentHaveWhatIsNoNumber) {
  report("validation", 1, {{"acc", 0.5}});
  report("validation", 2, {{"acc", "Infinity"}});
  report("validation", 3, {{"acc", "-Infinity"}});
  report("validation", 4, {{"acc", "a text"}});
  report("validation", 5, {{"acc", 1}});
  const json curve =
      get("/api/v1/experiments/" + to_string(trial.experiment) + "/curves?metricId=validation.acc").body()["curves"][0];
  EXPECT_EQ(curve["y"], (json{0.5, "Infinity", "-Infinity", 1}));
  EXPECT_EQ(curve["x"], (json{1, 2, 3, 5}));
}

TEST_F(Metrics, CurvesOfAnExperimentSayWhatIsWrong) {
  const std::string path = "/api/v1/experiments/" + to_string(trial.experiment) + "/curves?metricId=";
  EXPECT_EQ(get(path).error(), "metricId: invalid metric identifier: '' expected <group>.<name>");
  EXPECT_EQ(get(path + "a.b&axis=epochs").error(), "axis: 'epochs' is neither batches nor time");
  EXPECT_EQ(get(path + "a.b&limit=501").error(), "limit: 501 is not from 1 to 500");
  EXPECT_EQ(get(path + "a.b&limit=0").status, 400);
  EXPECT_EQ(get("/api/v1/experiments/77/curves?metricId=a.b").status, 404);
}

TEST_F(Metrics, NamesOfAnExperimentAreToldOnce) {
  report("training", 1, {{"loss", 1}, {"lr", 1}});
  report("validation", 1, {{"acc", 1}});
  report("gpu", 1, {{"agent", 1}});
  end();
  const auto messages =
      stream("/api/v1/experiments/metrics-stream/metric-names?ids=" + to_string(trial.experiment) + "&periodSeconds=1");
  ASSERT_EQ(messages.size(), 1U);
  const json& result = messages[0]["result"];
  EXPECT_EQ(result["searcherMetrics"], json::array({"loss"}));
  EXPECT_EQ(result["trainingMetrics"], (json{"loss", "lr"}));
  EXPECT_EQ(result["validationMetrics"], json::array({"acc"}));
  EXPECT_EQ(result["metricNames"].size(), 3U);
  EXPECT_EQ(get("/api/v1/experiments/metrics-stream/metric-names").error(), "must specify at least one experiment id");
  EXPECT_EQ(get("/api/v1/experiments/metrics-stream/metric-names?ids=99").status, 404);
  EXPECT_EQ(get("/api/v1/experiments/metrics-stream/metric-names?ids=1&periodSeconds=-1").status, 400);
}

TEST_F(Metrics, BatchesSnapshotsAndHistoryOfAnExperiment) {
  for (int i = 1; i <= 4; ++i) report("validation", i * 100, {{"loss", std::vector{4, 5, 3, 3}[i - 1]}});
  end();
  const std::string path = "/api/v1/experiments/" + to_string(trial.experiment);
  const std::string metric = "metricName=loss&group=validation";
  EXPECT_EQ(results(stream(path + "/metrics-stream/batches?" + metric), "batches"), (json{100, 200, 300, 400}));
  const json snapshot = results(
      stream(path + "/metrics-stream/trials-snapshot?batchesProcessed=210&batchesMargin=20&" + metric), "trials");
  EXPECT_EQ(
      snapshot,
      (json{{{"trialId", trial.id.value}, {"hparams", {{"lr", 0.1}}}, {"metric", 5.0}, {"batchesProcessed", 200}}}));
  json history = get(path + "/validation-history").body()["validationHistory"];
  ASSERT_EQ(history.size(), 2U);
  EXPECT_EQ(history[1]["searcherMetric"], 3.0);
  EXPECT_EQ(get(path + "/metrics-stream/batches?group=x").error(), "must specify a metric name");
  EXPECT_EQ(get(path + "/metrics-stream/batches?metricName=x").error(), "must specify a metric group");
  EXPECT_EQ(get(path + "/metrics-stream/trials-snapshot?batchesMargin=101&" + metric).error(), "margin must be <= 100");
  EXPECT_EQ(get("/api/v1/experiments/99/metrics-stream/batches?" + metric).status, 404);
}

TEST_F(Metrics, SamplesShowThePromisingTrialsOfASearch) {
  for (int i = 1; i <= 4; ++i) must(metric_writer.write(validation(trial, i * 10, i), store::kPatience));
  const std::string path = "/api/v1/experiments/" + to_string(trial.experiment) +
                           "/metrics-stream/trials-sample?metricName=loss&group=validation";
  EXPECT_EQ(get(path).error(), "single-trial experiments are not supported for trial sampling");
  for (const std::string searcher : {"random", "adaptive_asha"}) {
    sql("UPDATE experiments SET state = 'COMPLETED', config = jsonb_set(config, '{searcher,name}', '\"" + searcher +
        "\"')");
    const auto messages = stream(path);
    ASSERT_EQ(messages.size(), 1U);
    const json& result = messages[0]["result"];
    EXPECT_EQ(result["promotedTrials"], json::array({trial.id.value}));
    EXPECT_EQ(result["demotedTrials"], json::array());
    EXPECT_EQ(result["trials"][0]["hparams"], (json{{"lr", 0.1}}));
    EXPECT_EQ(result["trials"][0]["data"].size(), 4U);
  }
  EXPECT_EQ(get(path + "&maxTrials=-1").status, 400);
  EXPECT_EQ(get(path + "&maxTrials=26&maxDatapoints=20000").error(),
            "maxDatapoints: trials and points together make more than 500000");
}

TEST_F(Metrics, SamplesTellHyperparametersOnce) {
  must(metric_writer.write(validation(trial, 10, 1), store::kPatience));
  sql("UPDATE experiments SET config = jsonb_set(config, '{searcher,name}', '\"random\"')");
  const auto end_later = [this]() -> Task<void> {
    co_await clock.sleep_for(std::chrono::milliseconds(1500));  // between the second look and the third
    end();
  };
  asio::co_spawn(io, end_later(), asio::detached);
  const auto messages = stream("/api/v1/experiments/" + to_string(trial.experiment) +
                               "/metrics-stream/trials-sample?metricName=loss&group=validation&periodSeconds=1");
  ASSERT_GE(messages.size(), 2U);
  EXPECT_EQ(messages[0]["result"]["trials"][0]["hparams"], (json{{"lr", 0.1}}));
  EXPECT_EQ(messages[1]["result"]["trials"][0]["hparams"], nullptr);
  EXPECT_EQ(messages[1]["result"]["promotedTrials"], json::array());
}

}  // namespace
}  // namespace det::api
