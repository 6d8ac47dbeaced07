// What is kept of long series is what reading them all would give, whatever comes late.

#include "store/metrics/series_summary.h"

#include <cmath>
#include <thread>

#include "store/metrics/metric_batch.h"
#include "tests/store/fixture.h"

namespace det::store {
namespace {

struct SeriesSummary : StoreTest {
  SeriesSummary() : trial(started_trial()), writer(io.get_executor(), {.url = url}) {}

  void write(std::int32_t steps, const nlohmann::json& metrics) {
    must(writer.write(report(trial, "training", steps, metrics), kPatience));
  }
  // Reports of the only series at first, first + 2, ..., as if they had come one by one.
  void fill(int first, int last) {
    sql("INSERT INTO metrics (time, series_id, steps, values) SELECT now(), s.id, i, ARRAY[1.0 / i, i % 7] "
        "FROM series s, generate_series(" +
        std::to_string(first) + ", " + std::to_string(last) + ", 2) i");
  }
  MetricSummary summary(const std::string& name = "a") {
    return must(metrics.summary(trial.id)).at("training").at(name);
  }
  // What the numbers are by another road.
  void expect_right(const std::string& name = "a", const std::string& place = "1", const std::string& where = "true") {
    const MetricSummary found = summary(name);
    const std::string from = " FROM metrics WHERE " + where;
    EXPECT_EQ(std::to_string(found.count), sql("SELECT count(*)" + from));
    EXPECT_NEAR(found.sum, std::stod(sql("SELECT sum(values[" + place + "])" + from)), 1e-9);
    EXPECT_EQ(found.min, std::stod(sql("SELECT min(values[" + place + "])" + from)));
    EXPECT_EQ(found.max, std::stod(sql("SELECT max(values[" + place + "])" + from)));
    EXPECT_EQ(found.last, std::stod(sql("SELECT values[" + place + "]" + from + " ORDER BY steps DESC LIMIT 1")));
  }
  // The number of workloads, by what is kept and by another road.
  void expect_right_count(const std::string& where = "true") {
    const auto page = must(metrics.workloads({.trial = trial.id, .page = {.limit = 1}}));
    EXPECT_EQ(std::to_string(page.total), sql("SELECT count(*) FROM metrics WHERE " + where));
    ASSERT_EQ(page.items.size(), 1U);
  }
  std::string kept() { return sql("SELECT max(up_to) FROM series_summaries"); }

  TrialRow trial;
  MetricWriter writer;
};

TEST_F(SeriesSummary, IsNotKeptOfShortSeries) {
  write(2, {{"a", 0.5}, {"b", 2}});
  fill(4, 3'000);
  expect_right();
  EXPECT_EQ(kept(), "");
}

TEST_F(SeriesSummary, GrowsInPartsAndCountsWhatCameSince) {
  write(2, {{"a", 0.5}, {"b", 2}});
  fill(4, 60'000);
  expect_right();
  EXPECT_EQ(kept(), "59000");  // all but the newest 500
  expect_right("b", "2");
  write(60'001, {{"a", -1}, {"b", 100}});
  expect_right();
  expect_right("b", "2");
  EXPECT_EQ(kept(), "59000");
  fill(60'002, 66'000);
  expect_right();
  EXPECT_EQ(kept(), "65000");
}

TEST_F(SeriesSummary, HearsOfAReportThatComesLate) {
  write(2, {{"a", 0.5}, {"b", 2}});
  fill(4, 8'000);
  expect_right();
  ASSERT_EQ(kept(), "7000");
  write(7'001, {{"a", 5}, {"b", 1}});
  EXPECT_EQ(kept(), "7000");  // it is not in there
  write(6'999, {{"a", -5}, {"b", 1}});
  EXPECT_EQ(kept(), "");
  EXPECT_EQ(sql("SELECT count(*) FROM series_sums"), "0");
  expect_right();
  EXPECT_EQ(kept(), "7001");
  EXPECT_EQ(summary().min, -5);
}

TEST_F(SeriesSummary, HearsOfAReportThatComesWithNews) {
  must(writer.write(validation(trial, 2, 0.5), kPatience));
  sql("INSERT INTO metrics (time, series_id, steps, values) SELECT now(), s.id, i, ARRAY[1.0] "
      "FROM series s, generate_series(4, 8000, 2) i");
  EXPECT_EQ(must(metrics.summary(trial.id)).at("validation").at("loss").count, 4'000);
  must(writer.write(validation(trial, 3, 0.25), kPatience));
  const MetricSummary loss = must(metrics.summary(trial.id)).at("validation").at("loss");
  EXPECT_EQ(loss.count, 4'001);
  EXPECT_EQ(loss.min, 0.25);
  EXPECT_EQ(must(searcher.pending(trial.experiment)).input.size(), 2U);
}

TEST_F(SeriesSummary, HearsOfALateReportAmongOthers) {
  write(2, {{"a", 0.5}, {"b", 2}});
  fill(4, 8'000);
  expect_right();
  ASSERT_EQ(kept(), "7000");
  const MetricReport next = report(trial, "training", 8'001, {{"a", 1}, {"b", 1}});
  const MetricReport late = report(trial, "training", 5'001, {{"a", -5}, {"b", 1}});
  MetricBatch batch(url);
  std::vector<Status> results(2);
  ASSERT_TRUE(batch.commit({&next, &late}, results));
  EXPECT_TRUE(results[0] && results[1]);
  EXPECT_EQ(kept(), "");
  expect_right();
  EXPECT_EQ(summary().min, -5);
}

// Somebody claims just when a report that is late for him is written: the report waits, then sees the claim.
TEST_F(SeriesSummary, HearsOfAReportThatComesDuringTheClaim) {
  write(2, {{"a", 0.5}, {"b", 2}});
  fill(4, 8'000);
  auto other = pg::RawConnection::open(url, "test");
  ASSERT_TRUE(other);
  ASSERT_TRUE(
      other->execute("BEGIN; LOCK TABLE series_summaries IN SHARE ROW EXCLUSIVE MODE; "
                     "INSERT INTO series_summaries SELECT id, -1, 5000 FROM series"));
  std::thread claims([&] {
    while (sql("SELECT count(*) FROM pg_locks WHERE NOT granted") == "0") {
    }
    EXPECT_TRUE(other->execute("COMMIT"));
  });
  write(4'999, {{"a", 9}, {"b", 9}});
  claims.join();
  EXPECT_EQ(sql("SELECT count(*) FROM series_summaries"), "0");
  expect_right();
}

// Reports on their way hold a claim up, but not the answer.
TEST_F(SeriesSummary, IsReadWhereItCannotBeClaimed) {
  write(2, {{"a", 0.5}, {"b", 2}});
  fill(4, 8'000);
  auto other = pg::RawConnection::open(url, "test");
  ASSERT_TRUE(other);
  ASSERT_TRUE(other->execute("BEGIN; LOCK TABLE series_summaries IN ROW EXCLUSIVE MODE"));
  expect_right();
  EXPECT_EQ(kept(), "");
  ASSERT_TRUE(other->execute("ROLLBACK"));
  expect_right();
  EXPECT_EQ(kept(), "7000");
}

TEST_F(SeriesSummary, LeavesOutWhatARestoredRunMadeInvisible) {
  write(2, {{"a", 0.5}, {"b", 2}});
  fill(4, 20'000);
  expect_right();
  ASSERT_EQ(kept(), "19000");
  must(trials.start_run(must(cluster.load_or_create()).epoch, trial.id, new_run(2, "02", 10'000)));
  trial = *must(trials.find(trial.id));
  expect_right("a", "1", "steps <= 10000");
  EXPECT_EQ(kept(), "9000");
  write(10'001, {{"a", 7}, {"b", 2}});
  EXPECT_EQ(summary().last, 7);
  EXPECT_EQ(summary().count, 5'001);
}

TEST_F(SeriesSummary, CountsReports) {
  write(2, {{"a", 0.5}, {"b", 2}});
  fill(4, 30'000);
  expect_right_count();
  EXPECT_EQ(kept(), "29000");
  EXPECT_EQ(sql("SELECT reports FROM series_summaries"), "14500");
  fill(30'002, 40'000);
  expect_right_count();
  write(9'999, {{"a", 1}, {"b", 1}});  // late
  expect_right_count();
  EXPECT_EQ(sql("SELECT reports FROM series_summaries"), "19501");
  must(trials.start_run(must(cluster.load_or_create()).epoch, trial.id, new_run(2, "02", 10'000)));
  expect_right_count("steps <= 10000");
}

// Of two series of one group and run each report counts once.
TEST_F(SeriesSummary, CountsReportsWithSeveralSetsOfNamesOnce) {
  write(2, {{"a", 0.5}, {"b", 2}});
  fill(4, 8'000);
  write(4, {{"c", 1}});
  write(5, {{"c", 1}});
  for (int i = 0; i < 2; ++i) {
    EXPECT_EQ(must(metrics.workloads({.trial = trial.id, .page = {.limit = 1}})).total, 4'001);
  }
}

// A program of the release before knows nothing of the count: what it adds up starts over.
TEST_F(SeriesSummary, DoesNotBelieveWhatAnOlderProgramKept) {
  write(2, {{"a", 0.5}, {"b", 2}});
  fill(4, 8'000);
  expect_right_count();
  ASSERT_EQ(kept(), "7000");
  sql("UPDATE series_summaries SET up_to = 7500, claimed = 7500");
  expect_right_count();
  expect_right();
  EXPECT_EQ(kept(), "7000");
  EXPECT_EQ(sql("SELECT reports FROM series_summaries"), "3500");
}

TEST_F(SeriesSummary, KeepsNumbersThatAreNone) {
  write(2, {{"a", "NaN"}, {"b", "-Infinity"}});
  fill(4, 8'000);
  write(8'001, {{"a", "Infinity"}, {"b", 1}});
  for (int i = 0; i < 2; ++i) {
    const MetricSummary a = summary();
    EXPECT_TRUE(std::isnan(a.sum));
    EXPECT_TRUE(std::isnan(a.max));  // PostgreSQL's order: NaN is larger than all
    EXPECT_EQ(a.min, 1.0 / 8'000);
    EXPECT_EQ(a.last, INFINITY);
    EXPECT_EQ(summary("b").min, -INFINITY);
  }
  EXPECT_NE(kept(), "");
}

// What code reports for "none yet": two of them are no number together.
TEST_F(SeriesSummary, AddsUpTheLargestNumbers) {
  write(1, {{"a", 1.7976931348623157e308}, {"b", -1.7976931348623157e308}});
  write(2, {{"a", 1.7976931348623157e308}, {"b", -1.7976931348623157e308}});
  fill(4, 8'000);
  for (int i = 0; i < 2; ++i) {
    EXPECT_EQ(summary().sum, INFINITY);
    EXPECT_EQ(summary().max, 1.7976931348623157e308);
    EXPECT_EQ(summary("b").sum, -INFINITY);
  }
  EXPECT_NE(kept(), "");
}

TEST_F(SeriesSummary, GoesWithItsExperiment) {
  write(2, {{"a", 0.5}, {"b", 2}});
  fill(4, 8'000);
  expect_right();
  sql("DELETE FROM experiments");
  EXPECT_EQ(sql("SELECT count(*) FROM series_sums"), "0");
}

}  // namespace
}  // namespace det::store
