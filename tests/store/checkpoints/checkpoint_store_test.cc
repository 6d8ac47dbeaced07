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

TEST_F(Checkpoints, StayDeletedWhenTheirReportComesOnceMore) {
  const std::string uuid = save(3);
  must(checkpoints.patch({{uuid, nlohmann::json::object()}}));
  const CheckpointRow again{.uuid = uuid, .task_id = trial.task_id, .steps = 3, .resources = {{"d/a", 100}}};
  must(checkpoints.report(again));
  EXPECT_EQ(must(checkpoints.find(uuid))->row.state, State::kDeleted);
  EXPECT_EQ(must(checkpoints.find(uuid))->row.bytes, 0);
  EXPECT_FALSE(must(checkpoints.latest(trial.id)));
  CheckpointRow of_another = again;
  of_another.task_id = "x";
  EXPECT_EQ(run(checkpoints.report(of_another)).error().code, ErrorCode::kAlreadyExists);
}

TEST_F(Checkpoints, CarryWhatPeopleSayOfThem) {
  const std::string uuid = save(3);
  must(checkpoints.set_metadata(uuid, {{"good", true}}));
  EXPECT_EQ(must(checkpoints.find(uuid))->row.metadata, (nlohmann::json{{"good", true}}));
  EXPECT_EQ(run(checkpoints.set_metadata(uuid_v4(), {})).error().code, ErrorCode::kNotFound);
}

TEST_F(Checkpoints, NumberEachStorageOnceForEachExperiment) {
  const auto first = must(checkpoints.storage_id(trial.experiment, {{"type", "shared_fs"}, {"host_path", "/a"}}));
  EXPECT_EQ(must(checkpoints.storage_id(trial.experiment, {{"host_path", "/a"}, {"type", "shared_fs"}})), first);
  EXPECT_NE(must(checkpoints.storage_id(trial.experiment, {{"type", "s3"}})), first);
  const TrialRow other = started_trial("02");
  EXPECT_NE(must(checkpoints.storage_id(other.experiment, {{"type", "shared_fs"}, {"host_path", "/a"}})), first);
}

TEST_F(Checkpoints, NumberAThousandStoragesOfAnExperiment) {
  const auto first = must(checkpoints.storage_id(trial.experiment, {{"type", "s3"}}));
  sql("INSERT INTO storages (hash, config, experiment_id) SELECT sha256(n::text::bytea), '{}', " +
      to_string(trial.experiment) + " FROM generate_series(1, 999) n");
  const auto more = run(checkpoints.storage_id(trial.experiment, {{"type", "gcs"}}));
  ASSERT_FALSE(more);
  EXPECT_EQ(more.error().field, "checkpointStorage");
  EXPECT_EQ(must(checkpoints.storage_id(trial.experiment, {{"type", "s3"}})), first);
  const TrialRow other = started_trial("02");
  EXPECT_TRUE(run(checkpoints.storage_id(other.experiment, {{"type", "gcs"}})));
  EXPECT_EQ(run(checkpoints.storage_id(other.experiment, {{"type", std::string(65'536, 's')}})).error().field,
            "checkpointStorage");
}

struct StorageNumbers : Checkpoints {
  Status report_in(std::int64_t storage, const TrialRow& of) {
    return run(checkpoints.report({.uuid = uuid,
                                   .task_id = of.task_id,
                                   .steps = 1,
                                   .metadata = nlohmann::json::object(),
                                   .storage_id = storage}));
  }
  // As servers gave them out before numbers were an experiment's.
  std::int64_t number_of_before(const nlohmann::json& section) {
    return std::stoll(sql("INSERT INTO storages (hash, config) VALUES ('\\x" + sha256_hex(section.dump()) + "', '" +
                          section.dump() + "') RETURNING id"));
  }
  std::string uuid = uuid_v4();
  nlohmann::json keys{{"type", "s3"}, {"bucket", "b"}, {"secret_key", "theirs"}};
};

TEST_F(StorageNumbers, AreGoodForTheExperimentThatGotThem) {
  const TrialRow mallory = started_trial("02");
  const auto theirs = must(checkpoints.storage_id(trial.experiment, keys));
  for (const std::int64_t number : {theirs, theirs + 1, std::int64_t{0}}) {
    const Status refused = report_in(number, mallory);
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().code, ErrorCode::kInvalidArgument);
    EXPECT_EQ(refused.error().field, "storageId");
  }
  EXPECT_FALSE(must(checkpoints.find(uuid)));
  must(checkpoints.report({.uuid = uuid, .task_id = mallory.task_id, .steps = 1}));
  EXPECT_FALSE(report_in(theirs, mallory)) << "a report that is repeated";
  EXPECT_FALSE(must(checkpoints.find(uuid))->row.storage_id);
  uuid = uuid_v4();
  EXPECT_TRUE(report_in(theirs, trial));
  EXPECT_EQ(must(checkpoints.find(uuid))->row.storage_id, theirs);
}

TEST_F(StorageNumbers, OfBeforeSayNothingThatTheExperimentDoesNotSay) {
  const auto theirs = number_of_before(keys);
  EXPECT_FALSE(report_in(theirs, trial));
  nlohmann::json own = keys;
  own["save_trial_best"] = 3;
  sql("UPDATE experiments SET config = config || '" + nlohmann::json{{"checkpoint_storage", own}}.dump() +
      "' RETURNING 1");
  EXPECT_TRUE(report_in(theirs, trial)) << "its harness asked before the upgrade";
  own["secret_key"] = "own";
  sql("UPDATE experiments SET config = config || '" + nlohmann::json{{"checkpoint_storage", own}}.dump() +
      "' RETURNING 1");
  uuid = uuid_v4();
  EXPECT_TRUE(report_in(theirs, trial)) << "a checkpoint of the trial is there";
  EXPECT_EQ(must(checkpoints.storage_of(uuid))["secret_key"], "theirs");
  EXPECT_FALSE(report_in(theirs, started_trial("02")));
}

}  // namespace
}  // namespace det::store
