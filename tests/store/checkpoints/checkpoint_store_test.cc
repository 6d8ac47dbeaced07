#include "store/checkpoints/checkpoint_store.h"

#include "tests/store/fixture.h"

namespace det::store {
namespace {

using State = model::CheckpointState;

struct Checkpoints : StoreTest {
  Checkpoints() : trial(started_trial()) {}
  std::string save(std::int64_t steps, State state = State::kCompleted) {
    const std::string uuid = uuid_v4();
    must(checkpoints.report({.uuid = uuid,
                             .task_id = trial.task_id,
                             .allocation_id = trial.task_id + ".1",
                             .report_time = WallTime(std::chrono::seconds(steps)),
                             .state = state,
                             .steps = steps,
                             .metadata = {{"steps_completed", steps}},
                             .resources = {{"d/", 0}, {"d/a", 100}}}));
    return uuid;
  }
  TrialRow trial;
};

TEST_F(Checkpoints, AreReportedOnce) {
  const std::string uuid = save(3);
  must(checkpoints.report({.uuid = uuid, .task_id = trial.task_id, .steps = 3, .resources = {{"a", 7}}}));
  const CheckpointView view = must(checkpoints.find(uuid)).value();
  EXPECT_EQ(view.row.bytes, 7);
  EXPECT_EQ(view.row.trial, trial.id);
  EXPECT_EQ(view.experiment, trial.experiment);
  EXPECT_EQ(view.hparams, trial.hparams);
  EXPECT_EQ(view.experiment_config["searcher"]["metric"], "loss");
  EXPECT_FALSE(must(checkpoints.find(uuid_v4())));
  const Status stray = run(checkpoints.report({.uuid = uuid_v4(), .task_id = "x", .steps = 3}));
  EXPECT_EQ(stray.error().message, "task 'x' not found");
}

TEST_F(Checkpoints, TheLatestIsTheCompletedOneOfMostSteps) {
  EXPECT_FALSE(must(checkpoints.latest(trial.id)));
  const std::string best = save(20);
  save(10);
  save(30, State::kError);
  const LatestCheckpoint latest = must(checkpoints.latest(trial.id)).value();
  EXPECT_EQ(latest.uuid, best);
  EXPECT_EQ(latest.steps, 20);
}

TEST_F(Checkpoints, ShowTheMetricsOfTheirSteps) {
  const std::string with = save(10);
  const std::string without = save(11);
  MetricWriter writer(io.get_executor(), {.url = url});
  must(writer.write(validation(trial, 10, 0.5), kPatience));
  must(writer.write(report(trial, "training", 10, {{"loss", 1}}), kPatience));
  const CheckpointView view = must(checkpoints.find(with)).value();
  EXPECT_EQ(view.searcher_metric, 0.5);
  EXPECT_EQ(view.validation_metrics, nlohmann::json({{"loss", 0.5}}));
  EXPECT_EQ(view.training_metrics, nlohmann::json({{"loss", 1}}));
  EXPECT_FALSE(must(checkpoints.find(without))->searcher_metric);
}

TEST_F(Checkpoints, AreListedBestFirst) {
  MetricWriter writer(io.get_executor(), {.url = url});
  for (const auto& [steps, loss] : {std::pair{10, 0.5}, std::pair{20, 0.1}, std::pair{30, 0.3}}) {
    must(writer.write(validation(trial, steps, loss), kPatience));
    save(steps);
  }
  save(40);
  save(50, State::kDeleted);
  const auto steps = [this](CheckpointQuery query) {
    std::vector<std::int64_t> out;
    for (const auto& view : must(checkpoints.list(std::move(query))).items) out.push_back(view.row.steps);
    return out;
  };
  using Steps = std::vector<std::int64_t>;
  EXPECT_EQ(steps({.trial = trial.id, .states = {State::kCompleted}, .sort = CheckpointSort::kSearcherMetric}),
            (Steps{20, 30, 10, 40}));
  EXPECT_EQ(steps({.experiment = trial.experiment,
                   .sort = CheckpointSort::kSteps,
                   .order = Order::kDescending,
                   .page = {.limit = 2}}),
            (Steps{50, 40}));
  EXPECT_EQ(steps({.trial = trial.id, .sort = CheckpointSort::kMetric, .metric = "loss", .page = {.limit = 1}}),
            Steps{20});
  EXPECT_TRUE(steps({.experiment = model::ExperimentId{99}}).empty());
  EXPECT_EQ(must(checkpoints.list({.trial = trial.id, .page = {.limit = 1}})).total, 5);
  for (int sort = 0; sort <= static_cast<int>(CheckpointSort::kMetric); ++sort) {
    EXPECT_EQ(steps({.trial = trial.id, .sort = static_cast<CheckpointSort>(sort)}).size(), 5U) << sort;
  }
}

TEST_F(Checkpoints, FollowTheFilesThatRemain) {
  const std::string uuid = save(3);
  const auto state = [&] { return must(checkpoints.find(uuid))->row.state; };
  const auto patch = [&](nlohmann::json remaining) { must(checkpoints.patch({{uuid, std::move(remaining)}})); };
  patch({{"d/", 0}, {"d/a", 100}});
  EXPECT_EQ(state(), State::kCompleted);
  patch({{"d/", 0}});
  EXPECT_EQ(state(), State::kPartiallyDeleted);
  EXPECT_EQ(must(checkpoints.find(uuid))->row.bytes, 0);
  const auto unknown =
      run(checkpoints.patch({{uuid, nlohmann::json::object()}, {uuid_v4(), nlohmann::json::object()}}));
  EXPECT_EQ(unknown.error().code, ErrorCode::kNotFound);
  EXPECT_EQ(state(), State::kPartiallyDeleted) << "all or none";
  patch(nlohmann::json::object());
  EXPECT_EQ(state(), State::kDeleted);
}

TEST_F(Checkpoints, CarryWhatPeopleSayOfThem) {
  const std::string uuid = save(3);
  must(checkpoints.set_metadata(uuid, {{"good", true}}));
  EXPECT_EQ(must(checkpoints.find(uuid))->row.metadata, (nlohmann::json{{"good", true}}));
  EXPECT_EQ(run(checkpoints.set_metadata(uuid_v4(), {})).error().code, ErrorCode::kNotFound);
}

TEST_F(Checkpoints, NumberEachStorageOnce) {
  const auto first = must(checkpoints.storage_id({{"type", "shared_fs"}, {"host_path", "/a"}}));
  EXPECT_EQ(must(checkpoints.storage_id({{"host_path", "/a"}, {"type", "shared_fs"}})), first);
  EXPECT_NE(must(checkpoints.storage_id({{"type", "s3"}})), first);
}

}  // namespace
}  // namespace det::store
