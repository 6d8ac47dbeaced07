#include "store/trials/trial_store.h"

#include "tests/store/fixture.h"

namespace det::store {
namespace {

using State = model::TrialState;
using Trials = StoreTest;

TEST_F(Trials, AreInsertedOncePerRequest) {
  const Epoch epoch = must(cluster.load_or_create()).epoch;
  const auto id = must(experiments.insert(experiment())).id;
  const NewTrial wanted = new_trial(id);
  const TrialRow made = must(trials.insert(epoch, wanted));
  EXPECT_EQ(must(trials.insert(epoch, wanted)).id, made.id);
  EXPECT_EQ(made.task_id, to_string(id) + "." + wanted.request_id);
  EXPECT_EQ(made.hparams, wanted.hparams);
  EXPECT_EQ(made.seed, 7);
  EXPECT_EQ(made.run, 0);
  EXPECT_EQ(must(trials.find_by_request(id, wanted.request_id))->id, made.id);
  EXPECT_EQ(must(trials.find_by_task(made.task_id))->id, made.id);
  EXPECT_EQ(must(trials.of_experiment(id)).size(), 1U);
  EXPECT_FALSE(must(trials.find({99})));
}

TEST_F(Trials, TakeTheirObjectFromTheObjectOfTheirExperimentOnly) {
  NewExperiment of_object = experiment();
  of_object.uid = "owner";
  const auto id = must(experiments.insert(of_object)).id;
  const TrialRow made = must(trials.insert(must(cluster.load_or_create()).epoch, new_trial(id)));
  must(trials.set_uid(made.id, "uid", "owner"));
  EXPECT_EQ(must(trials.find(made.id))->uid, "uid");
  // As continuing it does; what an earlier leader was sending may arrive after it.
  sql("UPDATE experiments SET uid = 'new owner' RETURNING 1");
  sql("UPDATE trials SET uid = NULL RETURNING 1");
  EXPECT_EQ(run(trials.set_uid(made.id, "uid", "owner")).error().code, ErrorCode::kAborted);
  EXPECT_EQ(must(trials.find(made.id))->uid, "");
}

TEST_F(Trials, StartARunOnceAndInOrder) {
  const TrialRow trial = started_trial();
  const Epoch epoch = must(cluster.load_or_create()).epoch;
  EXPECT_EQ(trial.run, 1);
  must(trials.start_run(epoch, trial.id, new_run(1, "01")));
  EXPECT_EQ(must(trials.find(trial.id))->run, 1);
  EXPECT_EQ(must(allocations.of_task(trial.task_id)).size(), 1U);
  const auto skipped = run(trials.start_run(epoch, trial.id, new_run(3, "03")));
  ASSERT_FALSE(skipped);
  EXPECT_EQ(skipped.error().code, ErrorCode::kFailedPrecondition);
  must(trials.start_run(epoch, trial.id, new_run(2, "02")));
  EXPECT_EQ(must(trials.find(trial.id))->run, 2);
  EXPECT_FALSE(must(allocations.find_by_token(sha256_hex("01"))));
  EXPECT_TRUE(must(allocations.find_by_token(sha256_hex("02"))));
}

TEST_F(Trials, StartNoRunOnceTheyAreOver) {
  const TrialRow trial = started_trial();
  const Epoch epoch = must(cluster.load_or_create()).epoch;
  must(trials.end(epoch, trial.id, {.state = model::TrialState::kCanceled, .run = TrialExit{.run = 1}}));
  const auto late = run(trials.start_run(epoch, trial.id, new_run(2, "02")));
  ASSERT_FALSE(late);
  EXPECT_EQ(late.error().message, "trial " + to_string(trial.id) + " is over");
  EXPECT_EQ(must(allocations.of_task(trial.task_id)).size(), 1U);
}

TEST_F(Trials, GetNewTokensWhenThePlainOnesWereLost) {
  const TrialRow trial = started_trial("lost");
  const Epoch epoch = must(cluster.load_or_create()).epoch;
  must(trials.start_run(epoch, trial.id, new_run(1, "fresh")));
  EXPECT_FALSE(must(allocations.find_by_token(sha256_hex("lost"))));
  EXPECT_TRUE(must(allocations.find_by_token(sha256_hex("fresh"))));
  EXPECT_TRUE(must(allocations.find_by_token(sha256_hex("userfresh"))));
}

TEST_F(Trials, CountAnExitOnce) {
  const TrialRow trial = started_trial();
  const Epoch epoch = must(cluster.load_or_create()).epoch;
  const TrialExit evicted{.run = 1, .kind = ExitKind::kInfraRestart, .exit_code = 137, .reason = "node lost"};
  for (int times = 0; times < 2; ++times) {
    must(trials.record_exit(epoch, trial.id, evicted));
    EXPECT_EQ(must(trials.find(trial.id))->infra_restarts, 1);
  }
  must(trials.start_run(epoch, trial.id, new_run(2, "02")));
  must(trials.record_exit(epoch, trial.id, {.run = 2, .kind = ExitKind::kRestart, .exit_code = 1, .reason = "exit 1"}));
  const TrialRow crashed = *must(trials.find(trial.id));
  EXPECT_EQ(crashed.restarts, 1);
  EXPECT_EQ(crashed.infra_restarts, 1);
  EXPECT_EQ(crashed.exit_reason, "exit 1");
  const auto runs = must(allocations.of_task(trial.task_id));
  ASSERT_EQ(runs.size(), 2U);
  EXPECT_EQ(runs[0].exit_code, 137);
  EXPECT_EQ(runs[0].state, model::AllocationState::kTerminated);
  EXPECT_TRUE(runs[1].ended_at);
}

TEST_F(Trials, RememberTheFailuresOfTheInfrastructure) {
  const TrialRow trial = started_trial();
  const Epoch epoch = must(cluster.load_or_create()).epoch;
  const WallTime before = SystemClock().wall_now() - std::chrono::hours(1);
  EXPECT_EQ(must(trials.infra_failures(trial.id, before)).count, 0);
  must(trials.record_exit(epoch, trial.id, {.run = 1, .kind = ExitKind::kInfraRestart, .reason = "evicted"}));
  must(trials.start_run(epoch, trial.id, new_run(2, "02")));
  must(trials.record_exit(epoch, trial.id, {.run = 2, .kind = ExitKind::kRestart, .reason = "exit 1"}));
  must(trials.start_run(epoch, trial.id, new_run(3, "03")));
  must(trials.record_exit(epoch, trial.id, {.run = 3, .kind = ExitKind::kInfraRestart, .reason = "node lost"}));
  const InfraFailures failures = must(trials.infra_failures(trial.id, before));
  EXPECT_EQ(failures.count, 2);
  EXPECT_LT(failures.first, failures.last);
  EXPECT_EQ(failures.last_reason, "node lost");
  EXPECT_EQ(must(trials.infra_failures(trial.id, failures.last)).count, 1);
}

TEST_F(Trials, StartOnlyWhereTheExperimentsLimitsLeaveRoom) {
  const TrialRow first = started_trial();
  const Epoch epoch = must(cluster.load_or_create()).epoch;
  const TrialRow second = must(trials.insert(epoch, new_trial(first.experiment)));
  NewRun wanted = new_run(1, "second");
  const int slots = must(trials.open_runs(first.experiment)).at(0).slots;
  wanted.limits.max_slots = slots + wanted.slots - 1;
  const auto refused = run(trials.start_run(epoch, second.id, wanted));
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, ErrorCode::kResourceExhausted);
  EXPECT_NE(refused.error().message.find("resources.max_slots is"), std::string::npos);
  EXPECT_EQ(must(trials.find(second.id))->run, 0) << "nothing of it was done";
  must(trials.record_exit(epoch, first.id, {.run = 1, .reason = "done"}));
  must(trials.start_run(epoch, second.id, wanted));
  EXPECT_EQ(must(trials.find(second.id))->run, 1);
  EXPECT_EQ(must(trials.open_runs(first.experiment)).size(), 1U);
}

TEST_F(Trials, CountAnExitThatAnotherHandEnded) {
  const TrialRow trial = started_trial();
  const Epoch epoch = must(cluster.load_or_create()).epoch;
  must(allocations.end(trial.task_id + ".1", "killed", std::nullopt));
  must(trials.record_exit(epoch, trial.id, {.run = 1, .kind = ExitKind::kRestart, .exit_code = 1, .reason = "x"}));
  EXPECT_EQ(must(trials.find(trial.id))->restarts, 1);
}

TEST_F(Trials, AreNotDecidedByAFormerLeader) {
  const TrialRow trial = started_trial();
  const Epoch old = must(cluster.raise_epoch());
  must(cluster.raise_epoch());
  const auto code = [](const auto& result) { return result.error().code; };
  EXPECT_EQ(code(run(trials.insert(old, new_trial(trial.experiment)))), ErrorCode::kFailedPrecondition);
  EXPECT_EQ(code(run(trials.start_run(old, trial.id, new_run(2, "02")))), ErrorCode::kFailedPrecondition);
  EXPECT_EQ(code(run(trials.record_exit(old, trial.id, {.run = 1, .reason = "x"}))), ErrorCode::kFailedPrecondition);
  EXPECT_EQ(code(run(trials.transition(old, trial.id, {State::kActive}, State::kError, ""))),
            ErrorCode::kFailedPrecondition);
  EXPECT_EQ(must(trials.find(trial.id))->run, 1);
  EXPECT_EQ(must(trials.find(trial.id))->state, State::kActive);
}

TEST_F(Trials, EndTogetherWithTheirRun) {
  const TrialRow trial = started_trial();
  const Epoch epoch = must(cluster.load_or_create()).epoch;
  const TrialEnd end{.state = State::kError,
                     .reason = "exit code 3",
                     .run = TrialExit{.run = 1, .kind = ExitKind::kRestart, .exit_code = 3, .reason = "exit code 3"}};
  EXPECT_TRUE(must(trials.end(epoch, trial.id, end)));
  const auto run_of = must(allocations.run_of(trial.id));
  EXPECT_EQ(run_of->trial.state, State::kError);
  EXPECT_EQ(run_of->trial.restarts, 1);
  EXPECT_EQ(run_of->trial.exit_reason, "exit code 3");
  EXPECT_TRUE(run_of->allocation->ended_at);
  EXPECT_EQ(run_of->allocation->exit_code, 3);
  EXPECT_EQ(sql("SELECT count(*) FROM tasks WHERE end_time IS NOT NULL"), "1");
  EXPECT_FALSE(must(trials.end(epoch, trial.id, end))) << "it was over";
  EXPECT_EQ(must(trials.find(trial.id))->restarts, 1) << "counted once";
}

// A run may begin while the end of the one before it is decided; nobody would look after it.
TEST_F(Trials, EndTogetherWithAnyLaterRun) {
  const TrialRow trial = started_trial();
  const Epoch epoch = must(cluster.load_or_create()).epoch;
  const TrialExit first{.run = 1, .kind = ExitKind::kRestart, .exit_code = 1, .reason = "exit code 1"};
  must(trials.record_exit(epoch, trial.id, first));
  must(trials.start_run(epoch, trial.id, new_run(2, "02")));
  EXPECT_TRUE(must(trials.end(epoch, trial.id, {.state = State::kCanceled, .reason = "gone", .run = first})));
  const auto second = must(allocations.find(trial.task_id + ".2"));
  EXPECT_TRUE(second->ended_at);
  EXPECT_EQ(second->exit_reason, "gone");
  EXPECT_EQ(must(allocations.find(trial.task_id + ".1"))->exit_reason, "exit code 1");
  EXPECT_EQ(must(trials.find(trial.id))->restarts, 1);
}

TEST_F(Trials, WhoseEndWasCutShortByAnOlderProgramAreClosed) {
  const TrialRow trial = started_trial();
  const Epoch epoch = must(cluster.load_or_create()).epoch;
  must(trials.transition(epoch, trial.id, {State::kActive}, State::kCanceled, "killed"));
  EXPECT_FALSE(must(allocations.find(trial.task_id + ".1"))->ended_at);
  EXPECT_FALSE(must(
      trials.end(epoch, trial.id, {.state = State::kError, .reason = "x", .run = TrialExit{.run = 1, .reason = "x"}})));
  EXPECT_TRUE(must(allocations.find(trial.task_id + ".1"))->ended_at);
  EXPECT_EQ(must(trials.find(trial.id))->state, State::kCanceled) << "the first end stands";
}

TEST_F(Trials, ThatAreOverKeepWhyTheyEnded) {
  const TrialRow trial = started_trial();
  const Epoch epoch = must(cluster.load_or_create()).epoch;
  must(trials.set_early_exit(trial.id, "EXITED_REASON_INVALID_HP"));
  must(trials.end(epoch, trial.id, {.state = State::kCompleted, .reason = "x", .run = {}}));
  must(trials.set_early_exit(trial.id, "EXITED_REASON_USER_CANCELED"));
  EXPECT_EQ(must(trials.find(trial.id))->early_exit, "EXITED_REASON_INVALID_HP");
  EXPECT_EQ(run(trials.set_early_exit({99}, "x")).error().code, ErrorCode::kNotFound);
}

TEST_F(Trials, EndOnlyInATerminalState) {
  const TrialRow trial = started_trial();
  const Epoch epoch = must(cluster.load_or_create()).epoch;
  const auto refused = run(trials.end(epoch, trial.id, {.state = State::kPaused, .reason = "x", .run = {}}));
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, ErrorCode::kInvalidArgument);
  EXPECT_EQ(run(trials.end(epoch, {4711}, {.state = State::kError, .reason = "x", .run = {}})).error().code,
            ErrorCode::kNotFound);
}

TEST_F(Trials, KeepThePlanThatTheirRunStartedWith) {
  const TrialRow trial = started_trial();
  const Epoch epoch = must(cluster.load_or_create()).epoch;
  must(trials.record_exit(epoch, trial.id, {.run = 1, .reason = "paused"}));
  NewRun second = new_run(2, "02");
  second.plan = {.pods = 2,
                 .slots_per_pod = 4,
                 .checkpoint = "0b6bd8a6-4c8c-4bd4-8f0c-3a1fd0c2a001",
                 .steps = 300,
                 .starts_warm = false,
                 .port_base = 14'008,
                 .excluded_nodes = {"node-7"}};
  must(trials.start_run(epoch, trial.id, second));
  EXPECT_EQ(must(allocations.run_of(trial.id))->allocation->plan, second.plan);
  // A leader that died before it knew: the tokens are new, the pods that may be there already are not.
  NewRun again = new_run(2, "again");
  again.plan = {.pods = 1, .slots_per_pod = 8, .steps = 400};
  must(trials.start_run(epoch, trial.id, again));
  EXPECT_EQ(must(allocations.run_of(trial.id))->allocation->plan, second.plan);
  // Written by a program that knew no plans.
  sql("UPDATE allocations SET plan = NULL");
  EXPECT_FALSE(must(allocations.run_of(trial.id))->allocation->plan);
}

TEST(RunPlan, ReadsWhatAnotherVersionWrote) {
  EXPECT_EQ(read_run_plan(nlohmann::json::object()), RunPlan());
  EXPECT_EQ(read_run_plan({{"pods", 3}, {"of_tomorrow", true}}).pods, 3);
  const RunPlan plan{.pods = 2,
                     .slots_per_pod = 1,
                     .checkpoint = "c",
                     .steps = 5,
                     .starts_warm = true,
                     .port_base = 9,
                     .excluded_nodes = {"a", "b"}};
  EXPECT_EQ(read_run_plan(to_json(plan)), plan);
}

TEST_F(Trials, EndWithTheirTask) {
  const TrialRow trial = started_trial();
  const Epoch epoch = must(cluster.load_or_create()).epoch;
  EXPECT_TRUE(must(trials.transition(epoch, trial.id, {State::kActive}, State::kCompleted, "done")));
  EXPECT_FALSE(must(trials.transition(epoch, trial.id, {State::kActive}, State::kCompleted, "done")));
  EXPECT_TRUE(must(trials.find(trial.id))->end_time);
  EXPECT_EQ(sql("SELECT count(*) FROM tasks WHERE end_time IS NOT NULL"), "1");
  EXPECT_EQ(run(trials.transition(epoch, {99}, {State::kActive}, State::kError, "")).error().code,
            ErrorCode::kNotFound);
}

TEST_F(Trials, KeepWhatTheHarnessSays) {
  const TrialRow trial = started_trial();
  must(trials.set_runner_state(trial.id, "training"));
  must(trials.set_early_exit(trial.id, "EXITED_REASON_INVALID_HP"));
  const TrialRow row = must(trials.find(trial.id)).value();
  EXPECT_EQ(row.runner_state, "training");
  EXPECT_EQ(row.early_exit, "EXITED_REASON_INVALID_HP");
  EXPECT_EQ(run(trials.set_runner_state({99}, "lost")).error().message, "trial '99' not found");
}

TEST_F(Trials, ShowValidationsAndCheckpoints) {
  const TrialRow trial = started_trial();
  MetricWriter writer(io.get_executor(), {.url = url});
  must(writer.write(report(trial, "training", 300, {{"loss", 0.9}}), kPatience));
  for (const auto& [steps, loss] : {std::pair{100, 0.5}, std::pair{200, 0.2}, std::pair{300, 0.4}}) {
    must(writer.write(validation(trial, steps, loss), kPatience));
    must(checkpoints.report({.uuid = uuid_v4(), .task_id = trial.task_id, .steps = steps, .resources = {{"a", 10}}}));
  }
  const TrialView view = must(trials.view(trial.id)).value();
  EXPECT_EQ(view.total_batches, 300);
  EXPECT_EQ(view.best_metric, 0.2);
  EXPECT_EQ(view.best_validation->steps, 200);
  EXPECT_EQ(view.latest_validation->steps, 300);
  EXPECT_EQ(view.latest_validation->metrics, nlohmann::json({{"loss", 0.4}}));
  EXPECT_EQ(view.best_checkpoint->steps, 200);
  EXPECT_EQ(view.latest_checkpoint->steps, 300);
  EXPECT_EQ(view.checkpoint_count, 3);
  EXPECT_EQ(view.checkpoint_bytes, 30);
  EXPECT_EQ(view.allocation_state, model::AllocationState::kPending);
  const auto best = must(experiments.best_trial(trial.experiment));
  ASSERT_TRUE(best);
  EXPECT_EQ(best->trial, trial.id);
  EXPECT_EQ(best->metric, 0.2);
  EXPECT_EQ(must(experiments.view(trial.experiment))->best_trial, trial.id);
}

TEST_F(Trials, HaveTheBestOfTheirCheckpointsWhereTheBestValidationHasNone) {
  const TrialRow trial = started_trial();
  MetricWriter writer(io.get_executor(), {.url = url});
  for (const auto& [steps, loss] : {std::pair{100, 0.6}, std::pair{200, 0.5}, std::pair{300, 0.3}, std::pair{400, 0.4}})
    must(writer.write(validation(trial, steps, loss), kPatience));
  EXPECT_FALSE(must(trials.view(trial.id))->best_checkpoint);
  const auto save = [&](int steps) {
    std::string uuid = uuid_v4();
    const nlohmann::json files = {{"a", 10}, {"b", 5}};
    must(checkpoints.report({.uuid = uuid, .task_id = trial.task_id, .steps = steps, .resources = files}));
    return uuid;
  };
  save(200);
  const std::string second = save(400);
  save(450);  // never validated
  EXPECT_EQ(must(trials.view(trial.id))->best_checkpoint->steps, 400);
  EXPECT_EQ(must(trials.view(trial.id))->latest_checkpoint->steps, 450);
  must(checkpoints.patch({{second, {{"a", 10}}}}));
  EXPECT_EQ(must(trials.view(trial.id))->best_checkpoint->steps, 200) << "half a checkpoint is none";
}

TEST_F(Trials, ListSortedAndPaged) {
  const TrialRow first = started_trial("a");
  const TrialRow second = started_trial_of(first.experiment, "b");
  MetricWriter writer(io.get_executor(), {.url = url});
  must(writer.write(validation(first, 1, 0.9), kPatience));
  must(writer.write(validation(second, 1, 0.1), kPatience));
  const auto page =
      must(trials.list({.experiment = first.experiment, .sort = TrialSort::kBestMetric, .page = {.limit = 1}}));
  EXPECT_EQ(page.total, 2);
  ASSERT_EQ(page.items.size(), 1U);
  EXPECT_EQ(page.items[0].row.id, second.id);
  for (int sort = 0; sort <= static_cast<int>(TrialSort::kCheckpointSize); ++sort) {
    const auto all = must(trials.list({.experiment = first.experiment, .sort = static_cast<TrialSort>(sort)}));
    EXPECT_EQ(all.items.size(), 2U) << sort;
  }
  EXPECT_EQ(must(trials.list({.experiment = first.experiment, .states = {State::kError}})).total, 0);
}

}  // namespace
}  // namespace det::store
