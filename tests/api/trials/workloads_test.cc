#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/api/fixture.h"

namespace det::api {
namespace {

struct Workloads : ApiTest {
  // Of a trial that reported its training at steps 1 to 100.
  Workloads() : path("/api/v1/trials/" + to_string(started_trial().id) + "/workloads?includeBatchMetrics=false") {
    sql("INSERT INTO metric_names (hash, names) VALUES ('a', '{a}')");
    sql("INSERT INTO series (trial_id, run, grp, names_id) SELECT t.id, 1, 'training', n.id FROM trials t, "
        "metric_names n");
    insert_reports(1, 100);
  }
  // To step 5101: more than one piece. (Ten thousand take ten seconds under the sanitizers.)
  void fill_two_pieces() {
    insert_reports(101, 5'101);
    is_as_described = false;  // which is compared elsewhere, and takes its time with so many
  }
  void insert_reports(int first, int last) {
    sql("INSERT INTO metrics (time, series_id, steps, values) SELECT now(), s.id, i, ARRAY[i] FROM series s, "
        "generate_series(" +
        std::to_string(first) + ", " + std::to_string(last) + ") i");
  }
  static std::vector<int> steps_of(const json& body) {
    std::vector<int> steps;
    for (const json& one : body["workloads"]) steps.push_back(one["training"]["totalBatches"].get<int>());
    return steps;
  }
  static std::vector<int> counted(int from, int to) {
    std::vector<int> all;
    for (int i = from; from < to ? i <= to : i >= to; i += from < to ? 1 : -1) all.push_back(i);
    return all;
  }
  std::string path;
};

TEST_F(Workloads, AreThoseOfTheKindsThatAreAskedFor) {
  const auto total = [this](const std::string& kinds) {
    return get(path + "&limit=1&" + kinds).body()["pagination"]["total"].get<int>();
  };
  EXPECT_EQ(total("metricType=METRIC_TYPE_TRAINING"), 100);
  EXPECT_EQ(total("metricType=METRIC_TYPE_VALIDATION"), 0);
  EXPECT_EQ(total("filter=FILTER_OPTION_UNSPECIFIED"), 100);
  EXPECT_EQ(total("filter=FILTER_OPTION_CHECKPOINT_OR_VALIDATION"), 0);
  EXPECT_EQ(get(path + "&metricType=METRIC_TYPE_NOVEL").error(),
            "metricType: 'METRIC_TYPE_NOVEL' is not METRIC_TYPE_TRAINING or METRIC_TYPE_VALIDATION");
  EXPECT_EQ(get(path + "&filter=ALL").status, 400);
}

// Whole lists are not put together for readers who take their time.
TEST_F(Workloads, AreListedInPieces) {
  fill_two_pieces();
  EXPECT_FALSE(unread(path + "&limit=5000").stream);
  EXPECT_TRUE(unread(path).stream);
  const json all = get(path).body();
  EXPECT_EQ(steps_of(all), counted(1, 5'101));
  EXPECT_EQ(all["pagination"],
            (json{{"offset", 0}, {"limit", 0}, {"startIndex", 0}, {"endIndex", 5'101}, {"total", 5'101}}));
  const json some = get(path + "&offset=-5100&limit=5050").body();
  EXPECT_EQ(steps_of(some), counted(2, 5'051));
  EXPECT_EQ(some["pagination"]["endIndex"], 5'051);
}

TEST_F(Workloads, OfATrialThatReportsMeanwhileAreListedOnce) {
  fill_two_pieces();
  http::Request request;  // lives as long as its stream
  request.method = "GET";
  request.headers.add("Authorization", "Bearer " + token);
  auto parsed = http::parse_target(path + "&orderBy=ORDER_BY_DESC").value();
  request.path = parsed.path;
  request.query = std::move(parsed.query);
  auto match = router.find(request.method, parsed.segments);
  request.params = std::move(match.params);
  const http::Response latest_first = run(match.route->handler(request));
  insert_reports(5'102, 5'400);
  TextWriter writer;
  run([&]() -> Task<Status> {
    co_await latest_first.stream(writer);
    co_return Status();
  }());
  EXPECT_EQ(steps_of(json::parse(writer.seen)), counted(5'101, 1));
}

TEST_F(Workloads, AndTrialsTakeAnyLimit) {
  const std::string most = "limit=9223372036854775807&offset=1";
  EXPECT_EQ(get(path + "&" + most).body()["workloads"].size(), 99U);
  EXPECT_EQ(get(path + "&sortKey=a&" + most).body()["workloads"].size(), 99U);
  started_trial_of({1}, "other");
  const std::string trials = "/api/v1/experiments/1/trials?sortBy=SORT_BY_BEST_VALIDATION_METRIC&";
  EXPECT_EQ(get(trials + most).body()["trials"].size(), 1U);
}

}  // namespace
}  // namespace det::api
