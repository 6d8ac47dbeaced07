// What a curve loses when it is read from outlines: nothing that shows, whatever comes late or is taken back.

#include "store/metrics/series_outline.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>
#include <set>

#include "model/metrics/downsample.h"
#include "tests/store/fixture.h"

namespace det::store {
namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

std::vector<std::int32_t> steps_of(const std::vector<OutlinePoint>& points) {
  std::vector<std::int32_t> steps;
  for (const OutlinePoint& point : points) steps.push_back(point.steps);
  return steps;
}

bool has(const MetricTable& table, std::int32_t steps) {
  return std::ranges::find(table.steps, steps) != table.steps.end();
}

TEST(OutlineBuilder, ShowsEndsAndExtremesOfEachBlock) {
  OutlineBuilder builder(4);
  for (std::int32_t i = 1; i <= 10; ++i) builder.add({.steps = i, .value = i % 4 * 1.0});  // 1 2 3 0 1 2 3 0 1 2
  EXPECT_EQ(steps_of(builder.finish()), (std::vector<std::int32_t>{1, 3, 4, 7, 8, 9, 10}));
  EXPECT_TRUE(OutlineBuilder(4).finish().empty());
}

TEST(OutlineBuilder, ShowsWhereNumbersEndAndBothSidesOfHoles) {
  OutlineBuilder numbers(4);
  for (std::int32_t i = 1; i <= 12; ++i) numbers.add({.steps = i, .value = i > 3 && i < 9 ? kNan : 5});
  EXPECT_EQ(steps_of(numbers.finish()), (std::vector<std::int32_t>{1, 4, 9, 12}));
  OutlineBuilder holes(32);
  for (std::int32_t i = 1; i <= 64; ++i) holes.add({.steps = i < 15 ? i : i + 500, .value = 5});
  EXPECT_EQ(steps_of(holes.finish()), (std::vector<std::int32_t>{1, 14, 515, 533, 564}));
}

TEST(OutlineBuilder, HasTheExtremesOfAnyBlock) {
  std::mt19937 random(7);
  for (int times = 0; times < 200; ++times) {
    const std::int64_t block = kOutlineBlocks.at(random() % 2);
    const std::size_t count = random() % 2'000 + 1;
    std::vector<OutlinePoint> all;
    OutlineBuilder builder(block);
    for (std::size_t i = 0; i < count; ++i) {
      const double value = random() % 50 == 0 ? kNan : static_cast<double>(random() % 1'000);
      all.push_back(
          {.steps = static_cast<std::int32_t>(i + 1), .seconds = 0.5 * static_cast<double>(i), .value = value});
      builder.add(all.back());
    }
    const std::vector<OutlinePoint> shown = builder.finish();
    std::set<std::int32_t> there;
    for (const OutlinePoint& point : shown) {
      const OutlinePoint& report = all.at(static_cast<std::size_t>(point.steps) - 1);
      EXPECT_EQ(point.seconds, report.seconds);
      EXPECT_TRUE(point.value == report.value || (std::isnan(point.value) && std::isnan(report.value)));
      EXPECT_TRUE(there.insert(point.steps).second);
    }
    EXPECT_TRUE(std::ranges::is_sorted(shown, {}, &OutlinePoint::steps));
    EXPECT_EQ(shown.front().steps, 1);
    EXPECT_EQ(shown.back().steps, std::ssize(all));
    for (std::size_t begin = 0; begin < count; begin += static_cast<std::size_t>(block)) {
      const std::size_t end = std::min(count, begin + static_cast<std::size_t>(block));
      std::optional<double> low;
      std::optional<double> high;
      const auto add = [&low, &high](double value) {
        if (std::isnan(value)) return;
        low = std::min(low.value_or(value), value);
        high = std::max(high.value_or(value), value);
      };
      for (std::size_t i = begin; i < end; ++i) add(all[i].value);
      const auto all_low = std::exchange(low, std::nullopt);
      const auto all_high = std::exchange(high, std::nullopt);
      for (const OutlinePoint& point : shown) {
        if (point.steps > std::ssize(all)) continue;
        const auto place = static_cast<std::size_t>(point.steps) - 1;
        if (place >= begin && place < end) add(point.value);
      }
      EXPECT_EQ(low, all_low);
      EXPECT_EQ(high, all_high);
    }
  }
}

struct SeriesOutline : StoreTest {
  SeriesOutline() : trial(started_trial()), writer(io.get_executor(), {.url = url}) {}

  // Reports of one run at first..last, a wave with a spike at every 1,000th, times `scale`; of several names the first
  // has these values and the others their negation.
  void make(int run, const std::string& names, int first, int last, int scale = 1) {
    sql("INSERT INTO metric_names (hash, names) VALUES ('" + names + "', '{" + names + "}') ON CONFLICT DO NOTHING");
    sql("WITH s AS (INSERT INTO series (trial_id, run, grp, names_id) SELECT " + to_string(trial.id) + ", " +
        std::to_string(run) + ", 'training', id FROM metric_names WHERE hash = '" + names +
        "' RETURNING id, names_id) INSERT INTO metrics (time, series_id, steps, values) SELECT "
        "timestamptz '2026-01-01 00:00:00Z' + i * interval '1 second', s.id, i, (SELECT array_agg(v * (CASE k WHEN 1 "
        "THEN " +
        std::to_string(scale) +
        " ELSE -1 END) ORDER BY k) FROM generate_series(1, cardinality(n.names)) k) FROM s "
        "JOIN metric_names n ON n.id = s.names_id, generate_series(" +
        std::to_string(first) + ", " + std::to_string(last) +
        ") i, LATERAL (SELECT CASE WHEN i % 1000 = 0 THEN i ELSE sin(i / 700.0) END::float8 AS v OFFSET 0) w");
  }
  MetricTable table(TableQuery query) {
    query.trial = trial.id;
    query.group = "training";
    // Every so many, and whatever is a spike.
    const auto thin = [](const MetricTable& whole, std::size_t most) {
      std::vector<std::size_t> rows;
      const std::size_t every = std::max<std::size_t>(1, whole.size() / std::max<std::size_t>(1, most));
      for (std::size_t i = 0; i < whole.size(); ++i) {
        const double value = whole.columns[0][i];
        if (i % every == 0 || (!is_absent(value) && std::abs(value) > 1) || i + 1 == whole.size()) rows.push_back(i);
      }
      return rows;
    };
    return must(metric_series.table(std::move(query), thin, "2"));
  }
  // Outlines have been made of all that gets any.
  MetricTable outlined(std::vector<std::string> names, std::int64_t from = 0,
                       std::int64_t to = std::numeric_limits<std::int32_t>::max()) {
    must(metrics.summary(trial.id));
    return table({.names = std::move(names), .from_steps = from, .to_steps = to, .points = 100, .is_outlined = true});
  }
  // Every row of it is a report, and there are few of them.
  void expect_of(const MetricTable& few, const MetricTable& all, std::size_t most) {
    EXPECT_LE(few.size(), most);
    std::map<std::int32_t, std::size_t> places;
    for (std::size_t i = 0; i < all.size(); ++i) places.emplace(all.steps[i], i);
    for (std::size_t i = 0; i < few.size(); ++i) {
      ASSERT_TRUE(places.contains(few.steps[i])) << few.steps[i];
      const std::size_t place = places.at(few.steps[i]);
      EXPECT_EQ(few.seconds[i], all.seconds[place]);
      for (std::size_t column = 0; column < few.columns.size(); ++column) {
        const bool lacks = is_absent(few.columns[column][i]) && is_absent(all.columns[column][place]);
        EXPECT_TRUE(lacks || few.columns[column][i] == all.columns[column][place]) << few.steps[i];
      }
    }
    EXPECT_TRUE(std::ranges::is_sorted(few.steps));
    ASSERT_GT(few.size(), 0U);
    EXPECT_EQ(few.steps.front(), all.steps.front());
    EXPECT_EQ(few.steps.back(), all.steps.back());
  }
  void expect_spikes(const MetricTable& few, std::int32_t first, std::int32_t last) {
    for (std::int32_t spike = first; spike <= last; spike += 1'000) {
      EXPECT_TRUE(has(few, spike)) << spike;
    }
  }

  // Of the trial, the only one; each point is a report as `make` made it.
  TrialCurve curve(std::int64_t points) {
    ExperimentCurvesQuery query{.experiment = trial.experiment, .group = "training", .name = "a"};
    query.most_trials = 10;
    query.points = points;
    const ExperimentCurves found = must(metric_series.curves(std::move(query), "2"));
    EXPECT_EQ(found.curves.size(), 1U);
    TrialCurve only = found.curves.at(0);
    EXPECT_TRUE(std::ranges::is_sorted(only.steps));
    for (std::size_t i = 0; i < only.steps.size(); ++i) {
      const std::int32_t steps = only.steps[i];
      const double wave = steps % 1'000 == 0 ? steps : std::sin(steps / 700.0);
      EXPECT_NEAR(only.values[i], wave * (steps > 12'000 && is_restored ? 2 : 1), 1e-9) << steps;
    }
    return only;
  }
  static int count_beyond(const TrialCurve& curve, std::int32_t steps) {
    return static_cast<int>(std::ranges::count_if(curve.steps, [steps](std::int32_t one) { return one > steps; }));
  }

  TrialRow trial;
  MetricWriter writer;
  bool is_restored = false;  // run 2 began at 12,000 steps, and reports twice the values
};

TEST_F(SeriesOutline, ShowsWhatAllReportsShow) {
  make(1, "a", 1, 30'000);
  const MetricTable few = outlined({"a"});
  expect_of(few, table({.names = {"a"}}), 300);
  expect_spikes(few, 1'000, 30'000);
  EXPECT_EQ(sql("SELECT max(up_to) || ' ' || count(DISTINCT block) FROM series_outlines"), "29500 2");
  expect_of(table({.names = {"a"}, .points = 1'000, .is_outlined = true}), table({.names = {"a"}}), 4'500);
}

TEST_F(SeriesOutline, OfSeveralMetricsEachReportIsWhole) {
  make(1, "a,b", 1, 30'000);
  const MetricTable few = outlined({"a", "b", "nothing"});
  expect_of(few, table({.names = {"a", "b", "nothing"}}), 200);
  expect_spikes(few, 1'000, 30'000);
  EXPECT_FALSE(std::ranges::any_of(few.columns[1], is_absent));
  EXPECT_TRUE(std::ranges::all_of(few.columns[2], is_absent));
}

TEST_F(SeriesOutline, APartHasItsEnds) {
  make(1, "a", 1, 60'000);
  for (const auto& [from, to] : std::vector<std::pair<int, int>>{{2'345, 40'123}, {5'000, 59'999}, {30'000, 70'000}}) {
    const MetricTable few = outlined({"a"}, from, to);
    expect_of(few, table({.names = {"a"}, .from_steps = from, .to_steps = to}), 500);
    expect_spikes(few, (from + 999) / 1'000 * 1'000, std::min(to, 60'000) / 1'000 * 1'000);
  }
  EXPECT_EQ(outlined({"a"}, 70'000).size(), 0U);
  EXPECT_EQ(outlined({"a"}, 100, 150).size(), 51U) << "few reports are all there";
}

TEST_F(SeriesOutline, EveryPartHasItsShareOfThePoints) {
  make(1, "a", 1, 54'000);
  const MetricTable few = outlined({"a"});
  const std::vector<double> x(few.steps.begin(), few.steps.end());
  std::size_t early = 0;
  for (const std::size_t i : model::pick_points(x, few.columns[0], 200)) early += few.steps[i] <= 51'000 ? 1 : 0;
  EXPECT_GE(early, 170U) << "of 17/18 of the steps";
}

TEST_F(SeriesOutline, WhatIsReportedRarelyIsAllThere) {
  make(1, "a,b", 1, 40'000);
  sql("UPDATE metrics SET values[2] = NULL WHERE steps % 500 <> 0");
  const MetricTable all = table({.names = {"b"}});
  std::vector<std::int32_t> numbers;
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (!is_absent(all.columns[0][i])) numbers.push_back(all.steps[i]);
  }
  EXPECT_EQ(numbers.size(), 80U);
  must(metrics.summary(trial.id));
  EXPECT_EQ(table({.names = {"b"}, .points = 60, .is_outlined = true}).steps, numbers);
}

TEST_F(SeriesOutline, WhereNumbersEndShows) {
  make(1, "a", 1, 30'000);
  sql("UPDATE metrics SET values[1] = 'NaN' WHERE steps BETWEEN 5003 AND 6000");
  const MetricTable few = outlined({"a"});
  const auto at = std::ranges::find(few.steps, 5'003) - few.steps.begin();
  ASSERT_LT(at, std::ssize(few.steps));
  EXPECT_TRUE(std::isnan(few.columns[0][static_cast<std::size_t>(at)]));
}

TEST_F(SeriesOutline, AReportThatComesLateShows) {
  must(writer.write(report(trial, "training", 1, {{"a", 1}}), kPatience));
  sql("INSERT INTO metrics (time, series_id, steps, values) SELECT now(), s.id, i, ARRAY[sin(i / 700.0)] "
      "FROM series s, generate_series(3, 60001, 2) i");
  EXPECT_FALSE(has(outlined({"a"}), 10'000));
  must(writer.write(report(trial, "training", 10'000, {{"a", 99}}), kPatience));
  EXPECT_EQ(sql("SELECT count(*) FROM series_outlines"), "0");
  EXPECT_TRUE(has(outlined({"a"}), 10'000));
  EXPECT_NE(sql("SELECT count(*) FROM series_outlines"), "0");
}

TEST_F(SeriesOutline, WhatARestoredRunTookBackStaysOut) {
  make(1, "a", 1, 30'000);
  static_cast<void>(outlined({"a"}));
  make(2, "a,b", 12'001, 33'000, 2);
  must(trials.start_run(must(cluster.load_or_create()).epoch, trial.id, new_run(2, "02", 12'000)));
  const MetricTable both = outlined({"a", "b"});
  expect_of(both, table({.names = {"a", "b"}}), 200);
  expect_spikes(both, 1'000, 33'000);
  const MetricTable one = outlined({"a"});
  expect_of(one, table({.names = {"a"}}), 350);
  expect_spikes(one, 1'000, 33'000);
}

TEST_F(SeriesOutline, WhatAProgramBeforeThisOneKeptBeginsAnew) {
  make(1, "a", 1, 30'000);
  static_cast<void>(outlined({"a"}));
  sql("DELETE FROM series_outlines");
  sql("UPDATE series_summaries SET outlined_to = -1");
  expect_of(table({.names = {"a"}, .points = 100, .is_outlined = true}), table({.names = {"a"}}), 300);
  EXPECT_EQ(sql("SELECT max(up_to) FROM series_outlines"), "29500");
}

TEST_F(SeriesOutline, ReadingCurvesMakesThemPartByPart) {
  make(1, "a", 1, 100'000);
  const TableQuery query{.names = {"a"}, .points = 100, .is_outlined = true};
  expect_of(table(query), table({.names = {"a"}}), 1'000);
  EXPECT_EQ(sql("SELECT max(up_to) FROM series_outlines"), "80008");
  static_cast<void>(table(query));
  EXPECT_EQ(sql("SELECT max(up_to) FROM series_outlines"), "99500");
}

TEST_F(SeriesOutline, ManySeriesAreOutlinedInTurn) {
  for (const char* names : {"a", "a,b", "a,c", "a,d", "a,e", "a,f", "a,g", "a,h", "a,i"}) make(1, names, 1, 3'000);
  const TableQuery query{.names = {"a"}, .points = 10, .is_outlined = true};
  static_cast<void>(table(query));
  EXPECT_EQ(sql("SELECT count(DISTINCT series_id) FROM series_outlines"), "8");
  static_cast<void>(table(query));
  EXPECT_EQ(sql("SELECT count(DISTINCT series_id) FROM series_outlines"), "9");
}

TEST_F(SeriesOutline, CurvesOfAnExperimentShowSpikes) {
  make(1, "a", 1, 30'000);
  const TrialCurve before = curve(100);
  EXPECT_EQ(count_beyond(before, 0), 102);
  must(metrics.summary(trial.id));
  const TrialCurve few = curve(100);
  EXPECT_EQ(few.steps.front(), 1);
  EXPECT_EQ(few.steps.back(), 30'000);
  EXPECT_LE(few.steps.size(), 105U);
  for (std::int32_t spike = 1'000; spike <= 30'000; spike += 1'000) {
    EXPECT_NE(std::ranges::find(few.steps, spike), few.steps.end()) << spike;
  }
}

TEST_F(SeriesOutline, CurvesOfAnExperimentShowWhatHasNoOutlineYet) {
  make(1, "a", 1, 3'000);
  must(metrics.summary(trial.id));
  sql("INSERT INTO metrics (time, series_id, steps, values) SELECT now(), s.id, i, ARRAY[CASE WHEN i % 1000 = 0 THEN i "
      "ELSE sin(i / 700.0) END] FROM series s, generate_series(3001, 30000) i");
  const TrialCurve both = curve(100);
  EXPECT_EQ(both.steps.back(), 30'000);
  EXPECT_GT(count_beyond(both, 3'000), 85);
  EXPECT_LE(both.steps.size(), 205U);
}

TEST_F(SeriesOutline, CurvesOfAnExperimentLeaveOutWhatWasTakenBack) {
  make(1, "a", 1, 30'000);
  must(metrics.summary(trial.id));
  make(2, "a", 12'001, 33'000, 2);
  must(trials.start_run(must(cluster.load_or_create()).epoch, trial.id, new_run(2, "02", 12'000)));
  is_restored = true;
  EXPECT_EQ(curve(200).steps.back(), 33'000);
  must(metrics.summary(trial.id));
  EXPECT_EQ(curve(200).steps.back(), 33'000);
}

}  // namespace
}  // namespace det::store
