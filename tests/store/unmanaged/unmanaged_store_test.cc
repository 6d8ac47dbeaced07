#include "store/unmanaged/unmanaged_store.h"

#include <gmock/gmock.h>

#include "tests/store/fixture.h"

namespace det::store {
namespace {

using model::ExperimentState;
using model::TrialState;

struct Unmanaged : StoreTest {
  model::ExperimentId make(const std::string& external_id = {}) {
    NewExperiment wanted = experiment();
    wanted.state = ExperimentState::kPaused;
    wanted.is_unmanaged = true;
    wanted.external_id = external_id;
    return must(experiments.insert(wanted)).id;
  }
  model::TrialId trial_of(model::ExperimentId id, const std::string& external_id = {}) {
    return must(unmanaged.put_trial({.experiment = id, .hparams = {{"lr", 1}}, .external_id = external_id}));
  }
  ExperimentState state(model::ExperimentId id) { return must(experiments.find(id))->state; }
  TrialRow row(model::TrialId id) { return *must(trials.find(id)); }
  void be_silent(model::TrialId id) {
    sql("UPDATE trials SET last_heartbeat = now() - interval '10 minutes' WHERE id = " + to_string(id) +
        " RETURNING id");
  }
  std::vector<model::TrialId> end_silent() {
    std::vector<model::TrialId> ended;
    for (const auto& one : must(unmanaged.end_silent(std::chrono::minutes(5)))) ended.push_back(one.trial);
    return ended;
  }
};

TEST_F(Unmanaged, ExperimentsFollowTheirTrials) {
  const auto id = make();
  const auto one = trial_of(id);
  const auto other = trial_of(id);
  EXPECT_EQ(state(id), ExperimentState::kPaused);
  EXPECT_EQ(must(unmanaged.start(one, false)).run, 1);
  EXPECT_EQ(state(id), ExperimentState::kActive);
  EXPECT_EQ(must(experiments.view(id))->allocation_state, model::AllocationState::kRunning);
  must(unmanaged.heartbeat(one, TrialState::kError));
  EXPECT_EQ(state(id), ExperimentState::kError);
  must(unmanaged.start(other, false));
  EXPECT_EQ(state(id), ExperimentState::kActive);
  EXPECT_FALSE(must(experiments.find(id))->end_time);
  must(unmanaged.heartbeat(other, TrialState::kCompleted));
  EXPECT_EQ(state(id), ExperimentState::kCompleted);
  EXPECT_TRUE(must(experiments.find(id))->end_time);
  EXPECT_EQ(row(one).state, TrialState::kError);
  EXPECT_TRUE(row(other).end_time);
  EXPECT_EQ(sql("SELECT count(*) FROM allocations WHERE ended_at IS NULL"), "0");
}

TEST_F(Unmanaged, RunsGoOnFromTheLatestCheckpoint) {
  const auto id = make("a search");
  const auto trial = trial_of(id, "first");
  const UnmanagedRun first = must(unmanaged.start(trial, true));
  EXPECT_EQ(first.checkpoint, "");
  const std::string saved = uuid_v4();
  must(checkpoints.report(
      {.uuid = saved, .task_id = row(trial).task_id, .allocation_id = row(trial).task_id, .steps = 30}));
  must(unmanaged.heartbeat(trial, TrialState::kCompleted));
  EXPECT_EQ(run(unmanaged.start(trial, false)).error().message, "trial has already been started");
  const UnmanagedRun second = must(unmanaged.start(trial, true));
  EXPECT_EQ(second.run, 2);
  EXPECT_EQ(second.checkpoint, saved);
  EXPECT_EQ(second.steps, 30);
  EXPECT_EQ(row(trial).state, TrialState::kActive);
  EXPECT_FALSE(row(trial).end_time);
  EXPECT_EQ(sql("SELECT restore_steps FROM allocations WHERE run = 2"), "30");
  // It is found by its names, and takes other hyperparameters.
  EXPECT_EQ(must(unmanaged.find_external("a search", "first")), trial);
  EXPECT_FALSE(must(unmanaged.find_external("a search", "second")));
  EXPECT_EQ(must(unmanaged.put_trial({.experiment = id, .hparams = {{"lr", 2}}, .external_id = "first"})), trial);
  EXPECT_EQ(row(trial).hparams, (nlohmann::json{{"lr", 2}}));
  EXPECT_EQ(make("a search"), id);
}

TEST_F(Unmanaged, ARunWhoseStartNobodyHeardOfIsNotStartedTwice) {
  const auto trial = trial_of(make());
  int losses = 1;
  pg::Pool lossy({.url = url, .connections = 1, .loses = [&losses](pg::Moment moment, const std::string&, pg::Access) {
                    return moment == pg::Moment::kAfterCommit && losses-- > 0;
                  }});
  UnmanagedStore store(lossy);
  EXPECT_EQ(must(store.start(trial, false)).run, 1);
  losses = 1;
  EXPECT_EQ(must(store.start(trial, true)).run, 2);
  EXPECT_EQ(row(trial).run, 2);
  EXPECT_EQ(run(store.start(trial, false)).error().message, "trial has already been started");
}

TEST_F(Unmanaged, DoNotGoOnFromWhatIsGoing) {
  const auto id = make();
  const auto trial = trial_of(id);
  must(unmanaged.start(trial, true));
  const std::string saved = uuid_v4();
  must(checkpoints.report(
      {.uuid = saved, .task_id = row(trial).task_id, .allocation_id = row(trial).task_id, .steps = 30}));
  must(unmanaged.heartbeat(trial, TrialState::kCompleted));
  must(removals.request({.uuids = {saved}, .globs = {"**/*"}, .owner = {}, .reason = "r"}));
  EXPECT_EQ(must(unmanaged.start(trial, true)).checkpoint, "");
}

TEST_F(Unmanaged, SilentTrialsEndUntilTheyAreHeardOfAgain) {
  const auto id = make();
  const auto trial = trial_of(id);
  const auto lively = trial_of(id);
  must(unmanaged.start(trial, false));
  must(unmanaged.start(lively, false));
  EXPECT_TRUE(end_silent().empty());
  be_silent(trial);
  EXPECT_THAT(end_silent(), testing::ElementsAre(trial));
  EXPECT_TRUE(end_silent().empty());
  EXPECT_EQ(row(trial).state, TrialState::kError);
  EXPECT_EQ(row(trial).exit_reason, "no heartbeat");
  EXPECT_EQ(state(id), ExperimentState::kActive);
  must(unmanaged.heartbeat(trial, std::nullopt));
  EXPECT_EQ(row(trial).state, TrialState::kActive);
  EXPECT_EQ(sql("SELECT count(*) FROM allocations WHERE ended_at IS NULL"), "2");
  // One that said itself that it failed is not taken back by a heartbeat.
  must(unmanaged.heartbeat(trial, TrialState::kError));
  must(unmanaged.heartbeat(trial, std::nullopt));
  EXPECT_EQ(row(trial).state, TrialState::kError);
}

TEST_F(Unmanaged, CanceledOnesAreRefused) {
  const auto id = make();
  const auto trial = trial_of(id);
  const auto done = trial_of(id);
  const auto waiting = trial_of(id);
  must(unmanaged.start(trial, false));
  must(unmanaged.start(done, false));
  must(unmanaged.heartbeat(done, TrialState::kCompleted));
  must(unmanaged.cancel(id));
  EXPECT_EQ(state(id), ExperimentState::kCanceled);
  EXPECT_EQ(row(trial).state, TrialState::kCanceled);
  EXPECT_EQ(row(waiting).state, TrialState::kCanceled);
  EXPECT_EQ(row(done).state, TrialState::kCompleted);
  EXPECT_EQ(run(unmanaged.heartbeat(trial, std::nullopt)).error().message,
            "trial " + to_string(trial) + " was canceled");
  must(unmanaged.heartbeat(done, TrialState::kCompleted));
  EXPECT_EQ(state(id), ExperimentState::kCanceled);
  // Whoever starts it again means it.
  EXPECT_EQ(must(unmanaged.start(trial, true)).run, 2);
  EXPECT_EQ(state(id), ExperimentState::kActive);
}

TEST_F(Unmanaged, WhatIsBeingDeletedIsNotBroughtBack) {
  const auto id = make("gone");
  const auto trial = trial_of(id);
  must(unmanaged.start(trial, false));
  must(unmanaged.heartbeat(trial, TrialState::kCompleted));
  must(removals.begin_delete(id));
  for (const Status& refused : {run(unmanaged.heartbeat(trial, TrialState::kActive)), run(unmanaged.cancel(id))}) {
    EXPECT_EQ(refused.error().message, "experiment " + to_string(id) + " is being deleted");
  }
  EXPECT_FALSE(run(unmanaged.start(trial, true)));
  EXPECT_FALSE(run(unmanaged.put_trial({.experiment = id, .external_id = {}})));
  EXPECT_EQ(state(id), ExperimentState::kDeleting);
}

TEST_F(Unmanaged, TrialsOfTheClusterAreNotTouched) {
  const TrialRow managed = started_trial();
  EXPECT_EQ(run(unmanaged.start(managed.id, true)).error().message, "only unmanaged trials are supported");
  EXPECT_EQ(run(unmanaged.heartbeat(managed.id, TrialState::kError)).error().message,
            "only unmanaged trials are supported");
  EXPECT_EQ(run(unmanaged.put_trial({.experiment = managed.experiment, .external_id = {}})).error().message,
            "trials can only be created on unmanaged experiments");
  EXPECT_EQ(run(unmanaged.start({99}, true)).error().code, ErrorCode::kNotFound);
  EXPECT_EQ(run(unmanaged.put_trial({.experiment = {99}, .external_id = {}})).error().code, ErrorCode::kNotFound);
  EXPECT_EQ(run(unmanaged.heartbeat(trial_of(make()), TrialState::kActive)).error().code,
            ErrorCode::kFailedPrecondition);
  EXPECT_EQ(row(managed.id).state, TrialState::kActive);
}

}  // namespace
}  // namespace det::store
