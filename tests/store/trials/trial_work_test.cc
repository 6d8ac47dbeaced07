#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/store/fixture.h"

namespace det::store {
namespace {

struct TrialWorkTest : StoreTest {
  TrialWorkTest() : trial(started_trial()), epoch(must(cluster.load_or_create()).epoch) {}

  TrialWork work() { return must(trials.find(trial.id))->work; }
  std::vector<PendingInput> input() { return must(searcher.pending(trial.experiment)).input; }

  TrialRow trial;
  Epoch epoch;
};

TEST_F(TrialWorkTest, OrdersComeFromTheLeaderAndResultsFromTheTrial) {
  EXPECT_FALSE(work().length);
  must(trials.order_work(epoch, {{.trial = trial.id, .length = 20}}));
  EXPECT_EQ(must(trials.ask_for_work(trial.id)).work, (TrialWork{.length = 20, .is_asked_for = true}));
  must(trials.complete_work(trial.id, 20, 0.5));
  EXPECT_EQ(work().completed, 20);
  EXPECT_FALSE(work().is_awaited()) << "the search has not seen it yet";
  must(trials.order_work(epoch, {{.trial = trial.id, .length = 20, .settled = 20}}));
  EXPECT_TRUE(work().is_awaited());
  must(trials.order_work(epoch, {{.trial = trial.id, .length = 20, .is_last = true, .settled = 20}}));
  EXPECT_TRUE(work().is_over());
}

TEST_F(TrialWorkTest, AResultIsNewsOnceHoweverOftenItIsTold) {
  must(trials.order_work(epoch, {{.trial = trial.id, .length = 20}}));
  for (int i = 0; i < 3; ++i) must(trials.complete_work(trial.id, 20, "NaN"));
  ASSERT_EQ(input().size(), 1U);
  EXPECT_EQ(
      input()[0].event,
      (nlohmann::json{{"kind", "operation"}, {"request_id", trial.request_id}, {"length", 20}, {"metric", "NaN"}}));
  must(trials.order_work(epoch, {{.trial = trial.id, .length = 40, .settled = 20}}));
  must(trials.complete_work(trial.id, 20, 1));
  EXPECT_EQ(input().size(), 1U) << "also when the next work has come";
}

TEST_F(TrialWorkTest, AResultOfAnotherLengthIsRefusedAsUpstreamSaysIt) {
  const Status early = run(trials.complete_work(trial.id, 20, 1));
  EXPECT_EQ(early.error().code, ErrorCode::kInvalidArgument);
  must(trials.order_work(epoch, {{.trial = trial.id, .length = 20}}));
  const Status wrong = run(trials.complete_work(trial.id, 30, 1));
  EXPECT_EQ(wrong.error().message, "expected op {ValidateAfter " + trial.request_id +
                                       ", 20} but received op {ValidateAfter " + trial.request_id + ", 30}");
  EXPECT_TRUE(input().empty());
  EXPECT_EQ(run(trials.complete_work({999}, 20, 1)).error().code, ErrorCode::kNotFound);
}

TEST_F(TrialWorkTest, WhatTheSearchSettlesWithoutAReportIsCompletedToo) {
  must(trials.order_work(epoch, {{.trial = trial.id, .length = 20, .settled = 20}}));
  EXPECT_EQ(work().completed, 20);
  EXPECT_FALSE(work().is_asked_for);
}

TEST_F(TrialWorkTest, AnOldLeaderOrdersNothing) {
  const Epoch old = epoch;
  must(cluster.raise_epoch());
  EXPECT_EQ(run(trials.order_work(old, {{.trial = trial.id, .length = 20}})).error().code,
            ErrorCode::kFailedPrecondition);
  EXPECT_FALSE(work().length);
}

TEST_F(TrialWorkTest, AWarmStartTakesTheCheckpointOrTheTrialsLatest) {
  EXPECT_EQ(must(checkpoints.warm_start({}, {})), "");
  EXPECT_EQ(run(checkpoints.warm_start({}, trial.id)).error().message,
            "no checkpoint found for source trial " + to_string(trial.id));
  const auto save = [&](std::int64_t steps, model::CheckpointState state) {
    CheckpointRow row;
    row.uuid = uuid_v4();
    row.task_id = trial.task_id;
    row.allocation_id = trial.task_id + ".1";
    row.steps = steps;
    row.state = state;
    must(checkpoints.report(row));
    return row.uuid;
  };
  const std::string late = save(9, model::CheckpointState::kCompleted);
  const std::string early = save(5, model::CheckpointState::kCompleted);
  const std::string broken = save(12, model::CheckpointState::kError);
  EXPECT_EQ(must(checkpoints.warm_start({}, trial.id)), late);
  EXPECT_EQ(must(checkpoints.warm_start(early, trial.id)), early) << "the checkpoint is the more exact wish";
  for (const std::string& useless : {broken, std::string("not a uuid")}) {
    const auto refused = run(checkpoints.warm_start(useless, {}));
    EXPECT_EQ(refused.error().code, ErrorCode::kInvalidArgument);
    EXPECT_EQ(refused.error().field, "searcher.source_checkpoint_uuid");
  }
}

TEST_F(TrialWorkTest, AWarmStartIsKeptFromTheFirstRunOn) {
  NewRun run2 = new_run(2, "02");
  run2.plan.checkpoint = uuid_v4();
  run2.plan.starts_warm = true;
  must(trials.start_run(epoch, trial.id, run2));
  NewRun run3 = new_run(3, "03");
  run3.plan.checkpoint = uuid_v4();
  run3.plan.starts_warm = true;
  must(trials.start_run(epoch, trial.id, run3));
  EXPECT_EQ(must(trials.find(trial.id))->warm_start_checkpoint, run2.plan.checkpoint);
}

struct RevivalTest : TrialWorkTest {
  static std::vector<model::ExperimentState> live() { return {model::ExperimentState::kActive}; }
  ContinuedExperiment change() {
    return {.nonce = nonce,
            .config = {{"searcher", {{"name", searcher_name}}}},
            .original_config = "{}",
            .config_hash = "h2"};
  }
  Status prepare() {
    const auto row = must(experiments.find(trial.experiment));
    const auto claimed = run(experiments.claim_to_continue(trial.experiment, row->nonce, nonce));
    if (!claimed) return std::unexpected(claimed.error());
    return run(experiments.prepare_to_continue(trial.experiment, change()));
  }
  void end_all(model::TrialState trial_state, model::ExperimentState state) {
    must(trials.transition(epoch, trial.id, {model::TrialState::kActive}, trial_state, "x"));
    must(experiments.transition(epoch, trial.experiment, live(), state, "x"));
  }

  std::string nonce = uuid_v4();
  std::string searcher_name = "single";
};

TEST_F(RevivalTest, BringsBackAnExperimentWithItsNumberAndItsTrial) {
  must(searcher.add_input(trial.experiment, "k", {{"kind", "x"}}));
  must(trials.order_work(epoch, {{.trial = trial.id, .length = 20, .is_last = true, .settled = 20}}));
  end_all(model::TrialState::kCompleted, model::ExperimentState::kCompleted);
  ASSERT_TRUE(prepare());
  EXPECT_EQ(must(experiments.find(trial.experiment))->state, model::ExperimentState::kCompleted);
  EXPECT_EQ(run(experiments.revive(trial.experiment, nonce)).error().code, ErrorCode::kFailedPrecondition)
      << "before it has an object";
  must(experiments.adopt(nonce, "uid-2", "team", "exp-1"));
  must(experiments.revive(trial.experiment, nonce));
  const auto row = must(experiments.find(trial.experiment));
  EXPECT_EQ(row->state, model::ExperimentState::kActive);
  EXPECT_EQ(row->config_hash, "h2");
  const auto again = must(trials.find(trial.id));
  EXPECT_EQ(again->state, model::TrialState::kActive);
  EXPECT_EQ(again->run, 1);
  EXPECT_EQ(again->work, TrialWork{});
  EXPECT_FALSE(again->end_time);
  EXPECT_TRUE(input().empty());
}

TEST_F(RevivalTest, IsDoneWhenNobodyHeardThatItWas) {
  end_all(model::TrialState::kCompleted, model::ExperimentState::kCompleted);
  ASSERT_TRUE(prepare());
  must(experiments.adopt(nonce, "uid-2", "team", "exp-1"));
  int losses = 1;
  pg::Pool lossy({.url = url, .connections = 1, .loses = [&losses](pg::Moment moment, const std::string&, pg::Access) {
                    return moment == pg::Moment::kAfterCommit && losses-- > 0;
                  }});
  ExperimentStore store(lossy);
  must(store.revive(trial.experiment, nonce));
  EXPECT_EQ(must(experiments.find(trial.experiment))->state, model::ExperimentState::kActive);
  EXPECT_FALSE(run(experiments.revive(trial.experiment, uuid_v4()))) << "by another request";
}

TEST_F(RevivalTest, LeavesTrialsThatCompletedUnlessThereIsOnlyOne) {
  searcher_name = "random";
  const TrialRow other = must(trials.insert(epoch, new_trial(trial.experiment)));
  must(trials.transition(epoch, other.id, {model::TrialState::kActive}, model::TrialState::kError, "x"));
  end_all(model::TrialState::kCompleted, model::ExperimentState::kCompleted);
  ASSERT_TRUE(prepare());
  must(experiments.adopt(nonce, "uid-2", "team", "exp-1"));
  must(experiments.revive(trial.experiment, nonce));
  EXPECT_EQ(must(trials.find(trial.id))->state, model::TrialState::kCompleted);
  EXPECT_EQ(must(trials.find(other.id))->state, model::TrialState::kActive);
}

TEST_F(RevivalTest, RefusesWhatIsNotOver) {
  EXPECT_EQ(prepare().error().code, ErrorCode::kFailedPrecondition);
}

TEST_F(RevivalTest, GoesOnForTheLastClaimOnly) {
  end_all(model::TrialState::kCompleted, model::ExperimentState::kCompleted);
  const auto before = must(experiments.find(trial.experiment)).value();
  must(experiments.adopt(before.nonce, "uid-1", "team", "exp-1"));
  const auto claim = [this](const std::string& from, const std::string& to) {
    return run(experiments.claim_to_continue(trial.experiment, from, to));
  };
  EXPECT_EQ(claim(before.nonce, nonce), "uid-1");
  EXPECT_EQ(claim(before.nonce, nonce), "uid-1") << "an answer that was lost";
  EXPECT_EQ(must(experiments.find_by_uid("uid-1"))->id, trial.experiment) << "its object is not taken for a new one";
  const std::string late = uuid_v4();
  EXPECT_EQ(claim(before.nonce, late).error().code, ErrorCode::kFailedPrecondition) << "it read what has changed";
  EXPECT_EQ(claim(nonce, late), "uid-1") << "it read what the first claim left, which may have died";
  EXPECT_EQ(run(experiments.prepare_to_continue(trial.experiment, change())).error().code,
            ErrorCode::kFailedPrecondition)
      << "the first one was overtaken";
  nonce = late;
  must(experiments.prepare_to_continue(trial.experiment, change()));
  EXPECT_EQ(claim(late, late), "");
  must(experiments.adopt(nonce, "uid-2", "team", "exp-1"));
  must(experiments.revive(trial.experiment, nonce));
  EXPECT_EQ(claim(nonce, uuid_v4()).error().code, ErrorCode::kFailedPrecondition) << "it runs";
}

}  // namespace
}  // namespace det::store
