// What a profiler measures: as older harnesses post it, and as newer ones report it.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/api/fixture.h"

namespace det::api {
namespace {

using testing::HasSubstr;

struct Profiler : ApiTest {
  Profiler() : trial(started_trial("mine")), path("/api/v1/trials/" + to_string(trial.id) + "/profiler/") {}

  static json batch(const store::TrialRow& of, const std::string& name, const json& values) {
    json times = json::array();
    json steps = json::array();
    for (std::size_t i = 0; i < values.size(); ++i) {
      times.push_back("2026-01-01T00:00:0" + std::to_string(i) + "Z");
      steps.push_back(i);
    }
    return {{"values", values},
            {"batches", steps},
            {"timestamps", times},
            {"labels",
             {{"trialId", to_string(of.id)},  // older harnesses send text
              {"name", name},
              {"agentId", "node-1"},
              {"gpuUuid", ""},
              {"metricType", "PROFILER_METRIC_TYPE_SYSTEM"}}}};
  }
  Answer report(const json& batches) { return post("/api/v1/trials/profiler/metrics", {{"batches", batches}}); }
  std::vector<json> stream(const std::string& target) {
    const Answer answer = get(target);
    EXPECT_EQ(answer.status, 200) << answer.text;
    std::vector<json> messages;
    std::istringstream lines(answer.text);
    for (std::string line; std::getline(lines, line);) messages.push_back(json::parse(line)["result"]);
    return messages;
  }
  void by_time(const std::string& group, int second, const json& metrics) {
    store::MetricReport made = StoreTest::report(trial, group, second, metrics);
    made.steps.reset();
    must(metric_writer.write(std::move(made), store::kPatience));
  }

  store::TrialRow trial;
  std::string path;
};

TEST_F(Profiler, GivesBackWhatWasPosted) {
  EXPECT_EQ(report(json::array({batch(trial, "cpu_util_simple", {1.5, 2}),
                                batch(trial, "net_throughput_sent", json::array({3}))}))
                .text,
            "{}");
  EXPECT_EQ(report(json::array({batch(trial, "cpu_util_simple", json::array({4}))})).status, 200);
  const auto labels = stream(path + "available_series")[0]["labels"];
  ASSERT_EQ(labels.size(), 2U);
  EXPECT_EQ(labels[0]["name"], "cpu_util_simple");
  const auto messages = stream(path + "metrics?labels.name=cpu_util_simple&labels.agentId=node-1");
  ASSERT_EQ(messages.size(), 2U);
  EXPECT_EQ(messages[0]["batch"]["values"], (json{1.5, 2}));
  EXPECT_EQ(messages[0]["batch"]["batches"], (json{0, 1}));
  EXPECT_EQ(messages[0]["batch"]["timestamps"][1], "2026-01-01T00:00:01Z");
  EXPECT_EQ(messages[0]["batch"]["labels"]["agentId"], "node-1");
  EXPECT_EQ(messages[1]["batch"]["values"], json::array({4}));
  EXPECT_TRUE(stream(path + "metrics?labels.name=cpu_util_simple&labels.agentId=other").empty());
}

TEST_F(Profiler, GivesWhatNewerHarnessesReport) {
  for (int i = 1; i <= 700; ++i) by_time("cpu", i, {{"node-1", {{"cpu_util_simple", i}}}});
  by_time("gpu", 1, {{"node-1", {{"GPU-1", {{"gpu_util", 0.5}}}, {"GPU-2", {{"gpu_util", 0.25}}}}}});
  by_time("disk", 1, {{"node-1", {{"/", {{"disk_util", 1}}}, {"disk_iops", 7}}}});
  std::string names;
  for (const json& one : stream(path + "available_series")[0]["labels"]) {
    names += one["name"].get<std::string>() + one["gpuUuid"].get<std::string>() + " ";
  }
  EXPECT_EQ(names, "cpu_util_simple disk_iops gpu_utilGPU-1 gpu_utilGPU-2 ");
  std::size_t values = 0;
  for (const json& message : stream(path + "metrics?labels.name=cpu_util_simple&labels.agentId=node-1")) {
    values += message["batch"]["values"].size();
    EXPECT_EQ(message["batch"]["values"].size(), message["batch"]["timestamps"].size());
  }
  EXPECT_EQ(values, 700U);
  EXPECT_EQ(stream(path + "metrics?labels.name=gpu_util&labels.agentId=node-1").size(), 2U);
  EXPECT_EQ(stream(path + "metrics?labels.name=gpu_util&labels.gpuUuid=GPU-2")[0]["batch"]["values"],
            json::array({0.25}));
}

TEST_F(Profiler, GoesOnWhereSomebodyHasRead) {
  for (int i = 1; i <= 5; ++i) by_time("cpu", i, {{"node-1", {{"cpu_util_simple", i}}}});
  const std::string of = path + "metrics?labels.name=cpu_util_simple";
  const auto times = stream(of)[0]["batch"]["timestamps"];
  ASSERT_EQ(times.size(), 5U);
  EXPECT_EQ(stream(of + "&since=" + times[2].get<std::string>())[0]["batch"]["values"], (json{4, 5}));
  EXPECT_TRUE(stream(of + "&since=" + times[4].get<std::string>()).empty());
  EXPECT_EQ(get(of + "&since=yesterday").status, 400);
  EXPECT_EQ(report(json::array({batch(trial, "memory_free", {1, 2}), batch(trial, "memory_free", {3, 4, 5})})).status,
            200);
  const auto later = stream(path + "metrics?labels.name=memory_free&since=2026-01-01T00:00:01Z");
  ASSERT_EQ(later.size(), 1U);
  EXPECT_EQ(later[0]["batch"]["values"], (json{3, 4, 5}));
}

TEST_F(Profiler, RefusesWhatIsWrongAndWhatIsOfAnotherTrial) {
  json uneven = batch(trial, "cpu_util_simple", {1, 2});
  uneven["batches"] = json::array({1});
  EXPECT_THAT(report(json::array({uneven})).error(),
              HasSubstr("values, batches and timestamps should be equal sized arrays"));
  json wrong = batch(trial, "cpu_util_simple", json::array({1}));
  wrong["values"] = json::array({"x"});
  EXPECT_EQ(report(json::array({wrong})).error(), "batches[0].values[0]: expected a number, got \"x\"");
  wrong["values"] = json::array({"NaN"});
  EXPECT_EQ(report(json::array({wrong})).status, 200);
  sql("DELETE FROM profiler_batches");
  json odd = batch(trial, "cpu_util_simple", json::array({1}));
  odd["labels"]["metricType"] = "NOVEL";
  EXPECT_EQ(report(json::array({odd})).error(),
            "batches[0].labels.metricType: 'NOVEL' is not PROFILER_METRIC_TYPE_SYSTEM, PROFILER_METRIC_TYPE_TIMING or "
            "PROFILER_METRIC_TYPE_MISC");
  odd["labels"] = 5;
  EXPECT_EQ(report(json::array({odd})).error(), "batches[0].labels: expected an object, got 5");
  EXPECT_EQ(report(json::array({json::object()})).status, 400);
  EXPECT_EQ(report(json("x")).status, 400);
  EXPECT_EQ(report(json::array()).status, 200);
  const auto other = started_trial("other");
  token = "mine";
  EXPECT_EQ(report(json::array({batch(trial, "cpu_util_simple", json::array({1}))})).status, 200);
  EXPECT_EQ(report(json::array({batch(trial, "cpu_util_simple", json::array({1})),
                                batch(other, "cpu_util_simple", json::array({1}))}))
                .status,
            403);
  EXPECT_EQ(sql("SELECT count(*) FROM profiler_batches"), "1") << "all of it or nothing";
  EXPECT_EQ(get(path + "available_series").status, 200) << "a harness looks before it starts";
  EXPECT_EQ(get("/api/v1/trials/" + to_string(other.id) + "/profiler/available_series").status, 403);
}

}  // namespace
}  // namespace det::api
