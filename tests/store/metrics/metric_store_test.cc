// MetricWriter and MetricStore together: what was acknowledged is what is read.

#include "store/metrics/metric_store.h"

#include <boost/asio/detached.hpp>

#include "store/metrics/metric_batch.h"
#include "tests/store/fixture.h"

namespace det::store {
namespace {

using nlohmann::json;

struct Metrics : StoreTest {
  Metrics() : trial(started_trial()), writer(io.get_executor(), {.url = url}) {}
  void write(MetricReport report) { must(writer.write(std::move(report), kPatience)); }
  std::vector<MetricRow> read(const std::string& group) {
    return must(metrics.reports({.trial = trial.id, .group = group}));
  }

  TrialRow trial;
  MetricWriter writer;
};

TEST_F(Metrics, ComeBackAsTheyWereReported) {
  const json values{{"loss", 0.1},
                    {"batches", 100},
                    {"tiny", 5e-324},
                    {"big", 1.7976931348623157e308},
                    {"nan", "NaN"},
                    {"inf", "-Infinity"},
                    {"text", "a\"\\\n\xC3\xA9"},
                    {"nested", {{"k", {1, 2}}}},
                    {"with,{}\" space", 1}};
  MetricReport sent = report(trial, "my group/%", 5, values);
  sent.metrics = split_metrics(values, json::array({{{"loss", 1.5}}})).value();
  write(sent);
  const auto rows = read("my group/%");
  ASSERT_EQ(rows.size(), 1U);
  EXPECT_EQ(rows[0].metrics, values);
  EXPECT_EQ(rows[0].batch_metrics, json::array({{{"loss", 1.5}}}));
  EXPECT_EQ(rows[0].steps, 5);
  EXPECT_EQ(rows[0].run, 1);
  EXPECT_EQ(rows[0].time, sent.time);
}

// Those that come together are written by another statement than one that comes alone.
TEST_F(Metrics, ThatComeTogetherComeBackAsTheyWereReported) {
  const json odd{{"nan", "NaN"}, {"text", "a\"\\\n\xC3\xA9"}, {"with,{}\" space", 1}};
  MetricReport first = report(trial, "my group/%", 5, odd);
  first.metrics = split_metrics(odd, json::array({{{"loss", 1.5}}})).value();
  const MetricReport empty = report(trial, "my group/%", 6, json::object());
  MetricReport timed = report(trial, "gpu", 1, {{"node", {{"util", 5}}}});
  timed.steps.reset();
  MetricBatch batch(url);
  std::vector<Status> results(3);
  ASSERT_TRUE(batch.commit({&first, &empty, &timed}, results));
  for (const Status& result : results) EXPECT_TRUE(result);
  const auto rows = read("my group/%");
  ASSERT_EQ(rows.size(), 2U);
  EXPECT_EQ(rows[0].metrics, odd);
  EXPECT_EQ(rows[0].batch_metrics, json::array({{{"loss", 1.5}}}));
  EXPECT_EQ(rows[0].time, first.time);
  EXPECT_EQ(rows[1].metrics, json::object());
  EXPECT_EQ(rows[1].steps, 6);
  const auto by_time = must(metrics.reports_by_time(trial.id, "gpu"));
  ASSERT_EQ(by_time.size(), 1U);
  EXPECT_EQ(by_time[0].metrics, json({{"node", {{"util", 5}}}}));
}

TEST_F(Metrics, AreNotDoubledByARetry) {
  write(validation(trial, 10, 0.5));
  write(validation(trial, 10, 0.5));
  EXPECT_EQ(read("validation").size(), 1U);
  EXPECT_EQ(must(searcher.pending(trial.experiment)).input.size(), 1U);
}

TEST_F(Metrics, WithNamesOfManyBytesAreToldApart) {
  const std::string first(400, 'a');
  const std::string second = std::string(399, 'a') + "b";
  for (const std::string& name : {first, second, first})
    write(report(trial, "training", name == first ? 1 : 2, {{name, 1}}));
  write(report(trial, "training", 3, {{first, 2}}));
  const auto rows = read("training");
  ASSERT_EQ(rows.size(), 3U);
  EXPECT_EQ(rows[0].metrics, json({{first, 1}}));
  EXPECT_EQ(rows[1].metrics, json({{second, 1}}));
  EXPECT_EQ(rows[2].metrics, json({{first, 2}}));
}

// What a search, a summary and a curve say of it has to be one thing.
TEST_F(Metrics, OfTheSameStepsAreNotOverwritten) {
  const auto refusal = [this](MetricReport made) {
    const Status status = run(writer.write(std::move(made), kPatience));
    return status ? std::string() : status.error().message;
  };
  const std::string loss = "overwriting existing metric keys is not supported, conflicting key: loss";
  write(validation(trial, 7, 1));
  EXPECT_EQ(refusal(validation(trial, 7, 0.25)), loss) << "the same names";
  MetricReport more = report(trial, "validation", 7, {{"acc", 0.9}, {"loss", 0.25}});
  more.input = validation(trial, 7, 0.25).input;
  EXPECT_EQ(refusal(more), loss) << "other names";
  EXPECT_EQ(read("validation").at(0).metrics, json({{"loss", 1}}));
  EXPECT_EQ(must(searcher.pending(trial.experiment)).input.size(), 1U);
  EXPECT_EQ(sql("SELECT best_metric FROM trials"), "1");
  more.metrics = split_metrics({{"acc", 0.9}, {"loss", 1}, {"note", "a"}}, nullptr).value();
  more.input->metric = 1;
  write(more);
  write(more);
  EXPECT_EQ(read("validation").at(0).metrics, json({{"acc", 0.9}, {"loss", 1}, {"note", "a"}}));
  EXPECT_EQ(must(searcher.pending(trial.experiment)).input.size(), 1U);
  EXPECT_EQ(sql("SELECT sum(cardinality(values)) FROM metrics"), "3") << "each once";
  EXPECT_EQ(refusal(report(trial, "validation", 7, {{"note", "b"}, {"x", 1}})),
            "overwriting existing metric keys is not supported, conflicting key: note");
  write(report(trial, "validation", 8, {{"loss", "NaN"}}));
  write(report(trial, "validation", 8, {{"loss", "NaN"}, {"acc", 1}}));
  EXPECT_EQ(read("validation").at(1).metrics, json({{"acc", 1}, {"loss", "NaN"}}));
}

TEST_F(Metrics, OfOneBatchAreNotOverwritten) {
  MetricBatch batch(url);
  const MetricReport first = validation(trial, 7, 1);
  MetricReport second = report(trial, "validation", 7, {{"acc", 0.9}, {"loss", 1}});
  second.input = first.input;
  const MetricReport third = report(trial, "validation", 7, {{"acc", 0.8}});
  const MetricReport fourth = validation(trial, 7, 2);
  std::vector<Status> results(4);
  ASSERT_TRUE(batch.commit({&first, &second, &third, &fourth}, results));
  EXPECT_TRUE(results[0]);
  EXPECT_TRUE(results[1]);
  EXPECT_FALSE(results[2]);
  EXPECT_FALSE(results[3]);
  EXPECT_EQ(read("validation").at(0).metrics, json({{"acc", 0.9}, {"loss", 1}}));
  EXPECT_EQ(must(searcher.pending(trial.experiment)).input.size(), 1U);
  EXPECT_EQ(sql("SELECT best_metric FROM trials"), "1");
}

TEST_F(Metrics, OfTheSameStepsAreMerged) {
  write(report(trial, "training", 10, {{"a", 1}, {"b", "x"}}));
  write(report(trial, "training", 10, {{"c", 3}}));
  write(report(trial, "training", 20, {{"a", 2}}));
  const auto rows = read("training");
  ASSERT_EQ(rows.size(), 2U);
  EXPECT_EQ(rows[0].metrics, json({{"a", 1}, {"b", "x"}, {"c", 3}}));
  EXPECT_EQ(rows[1].metrics, json({{"a", 2}}));
}

TEST_F(Metrics, MayBeEmpty) {
  write(report(trial, "training", 10, json::object()));
  const auto rows = read("training");
  ASSERT_EQ(rows.size(), 1U);
  EXPECT_EQ(rows[0].metrics, json::object());
}

TEST_F(Metrics, OfAnotherRunAreRefused) {
  MetricReport late = report(trial, "training", 10, {{"a", 1}});
  late.run = 2;
  const Status refused = run(writer.write(late, kPatience));
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().message, "invalid run id, 2 (reported) != 1 (expected)");
  EXPECT_EQ(refused.error().code, ErrorCode::kInvalidArgument);
  must(trials.start_run(must(cluster.load_or_create()).epoch, trial.id, new_run(2, "02")));
  write(late);
  MetricReport old = report(trial, "training", 11, {{"a", 1}});
  EXPECT_EQ(run(writer.write(old, kPatience)).error().message, "invalid run id, 1 (reported) != 2 (expected)");
}

TEST_F(Metrics, OfARunThatIsOverAreNeverTheBest) {
  MetricWriter elsewhere(io.get_executor(), {.url = url});  // of another replica, which has not heard of the next run
  must(elsewhere.write(validation(trial, 10, 0.5), kPatience));
  must(trials.start_run(must(cluster.load_or_create()).epoch, trial.id, new_run(2, "02", 10)));
  must(elsewhere.write(validation(trial, 20, 0.1), kPatience));
  EXPECT_EQ(must(metrics.best_validation(trial.id))->steps, 10);
  TrialRow now = trial;
  now.run = 2;
  write(validation(now, 20, 0.4));
  EXPECT_EQ(must(metrics.best_validation(trial.id))->metrics["loss"], 0.4);
}

TEST_F(Metrics, OfTimesThatNoTextCanNameAreRead) {
  write(report(trial, "training", 10, {{"a", 1}}));
  write(report(trial, "training", 20, {{"a", 1}}));
  sql("UPDATE metrics SET time = CASE steps WHEN 10 THEN '0044-03-15 00:00:00+00 BC'::timestamptz ELSE "
      "'10000-01-01 00:00:00+00' END");
  const auto reports = read("training");
  ASSERT_EQ(reports.size(), 2U);
  EXPECT_EQ(format_rfc3339_seconds(reports[0].time), "0001-01-01T00:00:00Z");
  EXPECT_EQ(format_rfc3339_seconds(reports[1].time), "9999-12-31T00:00:00Z");
}

TEST_F(Metrics, OfAnUnknownTrialDoNotHarmOthers) {
  MetricReport stray = report(trial, "training", 10, {{"a", 1}});
  stray.trial = {999};
  EXPECT_EQ(run(writer.write(stray, kPatience)).error().message, "trial '999' not found");
  write(report(trial, "training", 10, {{"a", 1}}));
  EXPECT_EQ(read("training").size(), 1U);
}

TEST_F(Metrics, WithoutStepsAreKeptByTime) {
  MetricReport profile = report(trial, "cpu", 0, {{"agent", {{"cpu_util_simple", 12.5}}}});
  profile.steps.reset();
  write(profile);
  write(profile);
  profile.time += std::chrono::seconds(1);
  write(profile);
  const auto rows = must(metrics.reports_by_time(trial.id, "cpu"));
  ASSERT_EQ(rows.size(), 2U);
  EXPECT_EQ(rows[0].metrics["agent"]["cpu_util_simple"], 12.5);
}

TEST_F(Metrics, AreReadInPages) {
  for (int steps = 1; steps <= 5; ++steps) write(report(trial, "training", steps, {{"a", steps}}));
  write(report(trial, "training", 2, {{"b", 0}}));
  const auto first = must(metrics.reports({.trial = trial.id, .group = "training", .limit = 2}));
  ASSERT_EQ(first.size(), 2U);
  EXPECT_EQ(first[1].metrics, json({{"a", 2}, {"b", 0}}));
  const auto rest = must(metrics.reports({.trial = trial.id, .group = "training", .after_steps = first.back().steps}));
  EXPECT_EQ(rest.size(), 3U);
}

TEST_F(Metrics, FindTheBestAndTheLatestValidation) {
  EXPECT_FALSE(must(metrics.latest_validation(trial.id)));
  EXPECT_FALSE(must(metrics.best_validation(trial.id)));
  for (const auto& [steps, loss] : {std::pair{10, 0.5}, std::pair{20, 0.3}, std::pair{30, 0.4}}) {
    write(validation(trial, steps, loss));
  }
  EXPECT_EQ(must(metrics.latest_validation(trial.id))->steps, 30);
  EXPECT_EQ(must(metrics.best_validation(trial.id))->metrics["loss"], 0.3);
  const TrialRow other = started_trial("other");
  must(writer.write(validation(other, 1, 0.1, false), kPatience));
  must(writer.write(validation(other, 2, 0.9, false), kPatience));
  EXPECT_EQ(must(metrics.best_validation(other.id))->steps, 2);
}

TEST_F(Metrics, BehindTheRestoredCheckpointBecomeInvisible) {
  for (const auto& [steps, loss] : {std::pair{10, 0.5}, std::pair{20, 0.1}}) write(validation(trial, steps, loss));
  must(trials.start_run(must(cluster.load_or_create()).epoch, trial.id, new_run(2, "02", 10)));
  trial = *must(trials.find(trial.id));
  EXPECT_EQ(read("validation").size(), 1U);
  EXPECT_EQ(must(metrics.best_validation(trial.id))->steps, 10);
  write(validation(trial, 20, 0.4));
  const auto rows = read("validation");
  ASSERT_EQ(rows.size(), 2U);
  EXPECT_EQ(rows[1].run, 2);
  EXPECT_EQ(must(trials.view(trial.id))->best_metric, 0.4);
}

TEST_F(Metrics, AreSummedUp) {
  for (const auto& [steps, loss] : {std::pair{10, 0.5}, std::pair{20, 0.25}, std::pair{30, 1.0}}) {
    write(report(trial, "training", steps, {{"loss", loss}, {"name", "x"}}));
  }
  const auto summaries = must(metrics.summary(trial.id));
  ASSERT_EQ(summaries.at("training").size(), 1U);
  const MetricSummary& loss = summaries.at("training").at("loss");
  EXPECT_EQ(loss.count, 3);
  EXPECT_EQ(loss.sum, 1.75);
  EXPECT_EQ(loss.min, 0.25);
  EXPECT_EQ(loss.max, 1.0);
  EXPECT_EQ(loss.last, 1.0);
}

TEST_F(Metrics, AndCheckpointsAreWorkloads) {
  write(report(trial, "training", 10, {{"loss", 1}}));
  write(validation(trial, 10, 0.5));
  write(report(trial, "training", 20, {{"loss", 2}}));
  write(report(trial, "other", 20, {{"loss", 2}}));
  must(checkpoints.report({.uuid = uuid_v4(), .task_id = trial.task_id, .steps = 10}));
  const auto all = must(metrics.workloads({.trial = trial.id}));
  ASSERT_EQ(all.total, 4);
  EXPECT_EQ(all.items[0].metrics->group, "training");
  EXPECT_EQ(all.items[1].metrics->group, "validation");
  EXPECT_TRUE(all.items[2].checkpoint);
  EXPECT_EQ(all.items[3].metrics->steps, 20);
  const auto last = must(metrics.workloads({.trial = trial.id,
                                            .validation = false,
                                            .checkpoints = false,
                                            .order = Order::kDescending,
                                            .page = {.limit = 1}}));
  EXPECT_EQ(last.total, 2);
  ASSERT_EQ(last.items.size(), 1U);
  EXPECT_EQ(last.items[0].metrics->steps, 20);
}

TEST_F(Metrics, ManyAtOnceShareCommits) {
  constexpr int kReports = 500;
  int done = 0;
  const auto send = [&](int steps) -> Task<void> {
    const Status status = co_await writer.write(validation(trial, steps, 1.0 / steps), kPatience);
    EXPECT_TRUE(status);
    if (++done == kReports) io.stop();
  };
  io.restart();
  for (int i = 1; i <= kReports; ++i) asio::co_spawn(io, send(i), asio::detached);
  io.run();
  EXPECT_EQ(read("validation").size(), static_cast<std::size_t>(kReports));
  EXPECT_EQ(must(searcher.pending(trial.experiment)).input.size(), static_cast<std::size_t>(kReports));
  EXPECT_EQ(must(metrics.best_validation(trial.id))->steps, kReports);
  EXPECT_LT(writer.stats().commits, static_cast<std::uint64_t>(kReports));
}

TEST_F(Metrics, AreRefusedWhenTooManyWait) {
  MetricWriter small(io.get_executor(), {.url = "postgresql:///x?host=/nonexistent", .max_waiting = 1});
  // Long enough for the writer to have begun with it: what is given up before that makes room.
  const auto patience = std::chrono::seconds(1);
  EXPECT_EQ(run(small.write(validation(trial, 1, 1), patience)).error().code, ErrorCode::kDeadlineExceeded);
  EXPECT_EQ(run(small.write(validation(trial, 2, 1), patience)).error().code, ErrorCode::kResourceExhausted);
}

}  // namespace
}  // namespace det::store
