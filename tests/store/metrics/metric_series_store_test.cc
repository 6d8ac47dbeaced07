// Long reads give what MetricStore::reports gives, whatever the pages: several sets of names, runs that went back to a
// checkpoint, values that are no numbers.

#include "store/metrics/metric_series_store.h"

#include <algorithm>
#include <cmath>

#include "tests/store/fixture.h"

namespace det::store {
namespace {

struct MetricSeries : StoreTest {
  MetricSeries() : trial(started_trial()) {}

  // "run.steps: name=value ..." of each report.
  std::vector<std::string> all(const std::string& group) {
    ReportPages pages = metric_series.pages(trial.id, group);
    std::vector<std::string> reports;
    for (;;) {
      const ReportPage page = must(pages.next());
      if (page.empty()) return reports;
      for (const ReportRow& row : page.rows) {
        std::string text;
        if (!row.joins) reports.push_back(std::to_string(row.series->run) + "." + std::to_string(row.steps) + ":");
        for (std::size_t i = 0; i < row.series->names.size(); ++i) {
          const double value = page.values[row.first_value + i];
          reports.back() += " " + row.series->names[i] + "=" + nlohmann::json(value).dump();
        }
        reports.back() += row.others + row.batch_metrics;
      }
    }
  }
  // Rows of a series, made at once.
  void make(int run, const std::string& names, int from, int to, int every = 1) {
    sql("INSERT INTO metric_names (hash, names) VALUES ('" + names + "', '{" + names + "}') ON CONFLICT DO NOTHING");
    sql("WITH s AS (INSERT INTO series (trial_id, run, grp, names_id) SELECT " + to_string(trial.id) + ", " +
        std::to_string(run) + ", 'training', id FROM metric_names WHERE hash = '" + names +
        "' RETURNING id, names_id) INSERT INTO metrics (time, series_id, steps, values) SELECT "
        "timestamptz '2026-01-01 00:00:00.25Z' + i * interval '1 second', s.id, i, array_fill(i / 4.0::float8, "
        "ARRAY[cardinality(n.names)]) FROM s JOIN metric_names n ON n.id = s.names_id, generate_series(" +
        std::to_string(from) + ", " + std::to_string(to) + ", " + std::to_string(every) + ") i");
  }
  MetricTable table(TableQuery query) {
    query.trial = trial.id;
    query.group = "training";
    const auto thin = [](const MetricTable& whole, std::size_t /*most*/) {
      std::vector<std::size_t> rows;
      for (std::size_t i = 0; i < whole.size(); i += 1'000) rows.push_back(i);
      return rows;
    };
    return must(metric_series.table(std::move(query), thin, "2"));
  }

  TrialRow trial;
};

TEST_F(MetricSeries, CurvesOfAnExperimentFollowRunsAndNames) {
  make(1, "a,b", 10, 100, 10);
  make(2, "b", 60, 200, 10);  // went back to a checkpoint at 50
  must(trials.start_run(must(cluster.load_or_create()).epoch, trial.id, new_run(2, "02", 50)));
  const auto curves = [this](ExperimentCurvesQuery query) {
    query.experiment = trial.experiment;
    query.group = "training";
    query.most_trials = 5;
    query.points = 1'000;
    return must(metric_series.curves(std::move(query), "2"));
  };
  const ExperimentCurves b = curves({.name = "b"});
  EXPECT_EQ(b.trials, 1);
  ASSERT_EQ(b.curves.size(), 1U);
  EXPECT_EQ(b.curves[0].steps, (std::vector<std::int32_t>{10,  20,  30,  40,  50,  60,  70,  80,  90,  100,
                                                          110, 120, 130, 140, 150, 160, 170, 180, 190, 200}));
  EXPECT_EQ(b.curves[0].values.front(), 2.5);
  EXPECT_EQ(b.curves[0].values.back(), 50);
  EXPECT_EQ(curves({.name = "a"}).curves[0].steps, (std::vector<std::int32_t>{10, 20, 30, 40, 50}));
  EXPECT_EQ(curves({.name = "b", .from_steps = 45, .to_steps = 70}).curves[0].steps,
            (std::vector<std::int32_t>{50, 60, 70}));
  EXPECT_TRUE(curves({.name = "c"}).curves.empty());
  EXPECT_TRUE(curves({.name = "b", .from_steps = 201}).curves.empty());
}

// Few reports are all read and then thinned, of many only those that are shown: that makes no difference.
TEST_F(MetricSeries, ACurveShowsTheFirstReportBehindEachPlace) {
  constexpr int kEach = 20;
  for (const int count : {1, 2, 19, 21, 80, 81, 500}) {
    for (const int every : {1, 3, 40}) {
      const std::string name = "m" + std::to_string(count) + "x" + std::to_string(every);
      const int high = 5 + (count - 1) * every;
      make(1, name, 5, high, every);
      std::vector<std::int32_t> expected;
      const int stride = std::max(1, (high - 5) / kEach);
      for (int place = 5; place <= high; place += stride) {
        const int behind = 5 + (place - 5 + every - 1) / every * every;
        if (expected.empty() || expected.back() < behind) expected.push_back(behind);
      }
      if (expected.back() != high) expected.push_back(high);
      const auto found = must(metric_series.curves(
          {.experiment = trial.experiment, .group = "training", .name = name, .most_trials = 1, .points = kEach}, "2"));
      ASSERT_EQ(found.curves.size(), 1U) << name;
      EXPECT_EQ(found.curves[0].steps, expected) << name;
      EXPECT_EQ(found.curves[0].values.back(), high / 4.0) << name;
      EXPECT_EQ(found.curves[0].seconds.size(), expected.size()) << name;
    }
  }
}

TEST_F(MetricSeries, ASpreadHasFirstAndLastAndNotMany) {
  make(1, "a,b", 7, 20'000, 3);
  const MetricTable spread = table({.names = {"b"}, .spread = 100});
  EXPECT_GE(spread.size(), 100U);
  EXPECT_LE(spread.size(), 102U);
  EXPECT_EQ(spread.steps.front(), 7);
  EXPECT_EQ(spread.steps.back(), 19'999);
  EXPECT_TRUE(std::ranges::is_sorted(spread.steps));
  EXPECT_EQ(spread.columns[0].back(), 19'999 / 4.0);
  const MetricTable part = table({.names = {"b"}, .from_steps = 100, .to_steps = 130, .spread = 100});
  EXPECT_EQ(part, table({.names = {"b"}, .from_steps = 100, .to_steps = 130})) << "there are fewer than that";
  EXPECT_EQ(table({.names = {"b"}, .from_steps = 30'000, .spread = 100}).size(), 0U);
}

TEST_F(MetricSeries, PagesHoldEveryReportOnce) {
  make(1, "a,b", 1, 20'000);
  const auto reports = all("training");
  ASSERT_EQ(reports.size(), 20'000U);
  EXPECT_EQ(reports.front(), "1.1: a=0.25 b=0.25");
  EXPECT_EQ(reports[12'344], "1.12345: a=3086.25 b=3086.25");
  EXPECT_TRUE(all("validation").empty());
  EXPECT_EQ(all("").size(), 20'000U);
}

TEST_F(MetricSeries, PagesJoinReportsOfTheSameStepsAndLeaveOutWhatIsInvisible) {
  make(1, "a", 1, 9'000);
  make(1, "b", 1, 9'000, 3);
  make(1, "c", 8'999, 9'100);
  must(trials.start_run(must(cluster.load_or_create()).epoch, trial.id, new_run(2, "02", 9'000)));
  make(2, "a", 9'001, 9'010);
  const auto reports = all("training");
  ASSERT_EQ(reports.size(), 9'010U);
  EXPECT_EQ(reports[0], "1.1: a=0.25 b=0.25");
  EXPECT_EQ(reports[1], "1.2: a=0.5");
  EXPECT_EQ(reports[3'999], "1.4000: a=1000.0 b=1000.0");
  EXPECT_EQ(reports[8'999], "1.9000: a=2250.0 c=2250.0");
  EXPECT_EQ(reports.back(), "2.9010: a=2252.5");
}

TEST_F(MetricSeries, PagesHoldWhatIsNoNumber) {
  MetricReport made = report(trial, "training", 5, {{"loss", 0.5}, {"phase", "warm"}});
  made.metrics = split_metrics({{"loss", 0.5}, {"phase", "warm"}}, {{{"x", 1}}}).value();
  MetricWriter writer(io.get_executor(), {.url = url});
  must(writer.write(made, kPatience));
  must(writer.write(report(trial, "training", 6, {{"loss", "NaN"}, {"phase", "hot"}}), kPatience));
  EXPECT_EQ(all("training"), (std::vector<std::string>{R"(1.5: loss=0.5 phase=null{"phase": "warm"}[{"x": 1}])",
                                                       R"(1.6: loss=null phase=null{"phase": "hot"})"}));
}

TEST_F(MetricSeries, RefuseATrialWithTooManySetsOfNames) {
  sql("INSERT INTO metric_names (hash, names) SELECT i::text::bytea, ARRAY[i::text] FROM generate_series(1, 10001) i");
  sql("INSERT INTO series (trial_id, run, grp, names_id) SELECT " + to_string(trial.id) +
      ", 1, 'training', id FROM metric_names");
  ReportPages pages = metric_series.pages(trial.id, "training");
  const auto page = run(pages.next());
  ASSERT_FALSE(page);
  EXPECT_EQ(page.error().code, ErrorCode::kResourceExhausted);
}

TEST_F(MetricSeries, ATableHasTheColumnsAskedForInOrderOfSteps) {
  make(1, "a,b,c", 1, 6);
  make(1, "d", 2, 6, 2);
  must(trials.start_run(must(cluster.load_or_create()).epoch, trial.id, new_run(2, "02", 4)));
  make(2, "c", 5, 5);
  const MetricTable whole = table({.names = {"c", "nothing", "d"}});
  EXPECT_EQ(whole.steps, (std::vector<std::int32_t>{1, 2, 3, 4, 5}));
  EXPECT_EQ(whole.columns[0], (std::vector<double>{0.25, 0.5, 0.75, 1, 1.25}));
  EXPECT_TRUE(is_absent(whole.columns[1][0]));
  EXPECT_TRUE(is_absent(whole.columns[2][0]));
  EXPECT_EQ(whole.columns[2][1], 0.5);
  EXPECT_EQ(whole.seconds[0], 1'767'225'601.25);
  EXPECT_EQ(table({.names = {"a"}, .from_steps = 2, .to_steps = 3}).steps, (std::vector<std::int32_t>{2, 3}));
  EXPECT_EQ(table({.names = {"z"}}).size(), 0U);
}

TEST_F(MetricSeries, ATableTellsNaNFromNothing) {
  make(1, "a,b", 1, 2);
  sql("UPDATE metrics SET values = ARRAY['NaN', NULL]::float8[] WHERE steps = 2");
  const MetricTable whole = table({.names = {"a", "b"}});
  EXPECT_TRUE(std::isnan(whole.columns[0][1]) && !is_absent(whole.columns[0][1]));
  EXPECT_TRUE(is_absent(whole.columns[1][1]));
  // One name is read as a value, not as an array.
  const MetricTable one = table({.names = {"a"}});
  EXPECT_EQ(one.columns[0][0], 0.25);
  EXPECT_TRUE(std::isnan(one.columns[0][1]) && !is_absent(one.columns[0][1]));
  const MetricTable other = table({.names = {"b"}});
  EXPECT_EQ(other.columns[0][0], 0.25);
  EXPECT_TRUE(is_absent(other.columns[0][1]));
}

TEST_F(MetricSeries, ATableThatGetsTooLargeIsThinnedWhileItIsRead) {
  make(1, "a", 1, 1'200'000);
  const MetricTable whole = table({.names = {"a"}});
  EXPECT_LT(whole.size(), 300'000U);
  EXPECT_EQ(whole.steps.back(), 1'200'000);
}

}  // namespace
}  // namespace det::store
