#include "store/metrics/report_deletion.h"

#include "tests/store/fixture.h"

namespace det::store {
namespace {

struct ReportDeletionTest : StoreTest {
  ReportDeletionTest() : trial(started_trial()), other(started_trial("02")) {
    MetricWriter writer(io.get_executor(), {.url = url});
    for (const TrialRow& each : {trial, other}) {
      must(writer.write(report(each, "training", 1, {{"loss", 1}}), kPatience));
      must(writer.write(report(each, "validation", 1, {{"loss", 1}}), kPatience));
      MetricReport timed = report(each, "gpu", 1, {{"used", 1}});
      timed.steps = std::nullopt;
      must(writer.write(std::move(timed), kPatience));
    }
  }
  std::string count(const std::string& table, const TrialRow& of) {
    return sql("SELECT count(*) FROM " + table +
               " m JOIN series s ON s.id = m.series_id WHERE s.trial_id = " + to_string(of.id));
  }

  TrialRow trial;
  TrialRow other;
};

TEST_F(ReportDeletionTest, TakesSomeAtATime) {
  sql("INSERT INTO metrics (time, series_id, steps, values) SELECT now(), s.id, i, '{1}' FROM series s, "
      "generate_series(2, 150000) i WHERE s.grp = 'training' AND s.trial_id = " +
      to_string(trial.id));
  int calls = 0;
  for (std::optional<ReportDeletion> at(std::in_place); at; ++calls) {
    at = must(pool.write("delete", [this, at](pg::Transaction& tx) -> Result<std::optional<ReportDeletion>> {
      return delete_reports(tx, trial.experiment, *at);
    }));
    if (calls == 0) {
      EXPECT_EQ(count("metrics", trial), "50001") << "of the two series";
      EXPECT_EQ(count("metrics_by_time", trial), "1");
    }
  }
  EXPECT_EQ(calls, 3) << "twice of the reports with steps, once of the others";
  EXPECT_EQ(count("metrics", trial) + count("metrics_by_time", trial), "00");
  EXPECT_EQ(count("metrics", other) + count("metrics_by_time", other), "21") << "another experiment's stay";
}

TEST_F(ReportDeletionTest, ComesBeforeTheExperimentGoes) {
  EXPECT_EQ(run(experiments.remove(trial.experiment)).error().code, ErrorCode::kFailedPrecondition);
  EXPECT_EQ(count("metrics", trial), "2") << "it is not over";
  sql("UPDATE experiments SET state = 'DELETING' WHERE id = " + to_string(trial.experiment));
  must(experiments.remove(trial.experiment));
  EXPECT_EQ(sql("SELECT count(*) FROM metrics"), "2");
  EXPECT_EQ(sql("SELECT count(*) FROM metrics_by_time"), "1");
  EXPECT_FALSE(must(experiments.find(trial.experiment)));
}

}  // namespace
}  // namespace det::store
