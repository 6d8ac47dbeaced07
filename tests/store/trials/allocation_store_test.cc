#include "store/trials/allocation_store.h"

#include "tests/store/fixture.h"

namespace det::store {
namespace {

using State = model::AllocationState;
using Allocations = StoreTest;

ResourceRow pod(int rank, const std::string& ip) {
  return {.rank = rank,
          .resources_id = "r" + std::to_string(rank),
          .pod_name = "pod-" + std::to_string(rank),
          .node = "node",
          .ip = ip,
          .slots = 8};
}

TEST_F(Allocations, AreFoundByEitherTokenUntilTheyEnd) {
  const TrialRow trial = started_trial("t");
  const std::string id = trial.task_id + ".1";
  const auto auth = must(allocations.find_by_token(sha256_hex("t")));
  ASSERT_TRUE(auth);
  EXPECT_EQ(auth->allocation.id, id);
  EXPECT_EQ(auth->allocation.trial, trial.id);
  EXPECT_EQ(auth->allocation.experiment, trial.experiment);
  EXPECT_EQ(auth->owner.username, "determined");
  EXPECT_TRUE(must(allocations.find_by_token(sha256_hex("usert"))));
  EXPECT_FALSE(must(allocations.find_by_token(sha256_hex("other"))));
  must(allocations.end(id, "exit 0", 0));
  must(allocations.end(id, "again", 1));
  EXPECT_FALSE(must(allocations.find_by_token(sha256_hex("t"))));
  const AllocationRow ended = must(allocations.find(id)).value();
  EXPECT_EQ(ended.exit_reason, "exit 0");
  EXPECT_EQ(ended.exit_code, 0);
  EXPECT_EQ(ended.state, State::kTerminated);
}

TEST_F(Allocations, AreSeenWithTheirTrialAndPodsInOneLook) {
  const Epoch epoch = must(cluster.load_or_create()).epoch;
  const TrialRow waiting = must(trials.insert(epoch, new_trial(must(experiments.insert(experiment())).id)));
  const TrialRun before = must(allocations.run_of(waiting.id)).value();
  EXPECT_EQ(before.trial.run, 0);
  EXPECT_FALSE(before.allocation);
  EXPECT_TRUE(before.resources.empty());

  const TrialRow trial = started_trial();
  must(allocations.note_pods(trial.task_id + ".1", model::AllocationState::kPending, {pod(1, "10.0.0.2"), pod(0, "")}));
  const TrialRun running = must(allocations.run_of(trial.id)).value();
  EXPECT_EQ(running.trial.id, trial.id);
  EXPECT_EQ(running.allocation.value().id, trial.task_id + ".1");
  ASSERT_EQ(running.resources.size(), 2U);
  EXPECT_EQ(running.resources[1].ip, "10.0.0.2");
  EXPECT_FALSE(must(allocations.run_of({9'999})));
}

TEST_F(Allocations, MeetWhenAllPodsHaveAnAddress) {
  const TrialRow trial = started_trial();
  const std::string id = trial.task_id + ".1";
  EXPECT_FALSE(must(allocations.rendezvous(id, "r0")));
  must(allocations.note_pods(id, model::AllocationState::kPending, {pod(1, "10.0.0.2"), pod(0, "")}));
  EXPECT_FALSE(must(allocations.rendezvous(id, "r0")));
  must(allocations.note_pods(id, model::AllocationState::kPending, {pod(0, "10.0.0.1")}));
  const auto info = must(allocations.rendezvous(id, "r1"));
  ASSERT_TRUE(info);
  EXPECT_EQ(info->addresses, (std::vector<std::string>{"10.0.0.1", "10.0.0.2"}));
  EXPECT_EQ(info->slots, (std::vector{8, 8}));
  EXPECT_EQ(info->rank, 1);
  EXPECT_EQ(run(allocations.rendezvous(id, "r7")).error().message, "resources 'r7' not found");
  const AllocationRow row = must(allocations.find(id)).value();
  EXPECT_TRUE(row.ready_at);
  EXPECT_EQ(row.state, State::kRunning);
}

TEST_F(Allocations, KeepWhatTheHarnessReportedWhenPodsChange) {
  const TrialRow trial = started_trial();
  const std::string id = trial.task_id + ".1";
  must(allocations.note_pods(id, model::AllocationState::kPending, {pod(0, "")}));
  must(allocations.set_daemon(id, "r0"));
  must(allocations.set_accelerator(id, "pod-0", {{"acceleratorType", "cpu"}}));
  must(allocations.note_pods(id, model::AllocationState::kPending, {pod(0, "10.0.0.1")}));
  const auto rows = must(allocations.run_of(trial.id)).value().resources;
  ASSERT_EQ(rows.size(), 1U);
  EXPECT_TRUE(rows[0].daemon);
  EXPECT_EQ(rows[0].accelerator["acceleratorType"], "cpu");
  EXPECT_EQ(rows[0].ip, "10.0.0.1");
  EXPECT_EQ(run(allocations.set_daemon(id, "r9")).error().code, ErrorCode::kNotFound);
}

TEST_F(Allocations, KeepTheFirstVerdict) {
  const TrialRow trial = started_trial();
  const std::string id = trial.task_id + ".1";
  const Epoch epoch = must(cluster.load_or_create()).epoch;
  EXPECT_FALSE(must(allocations.find(id)).value().verdict);
  const model::RunExit first{
      .kind = model::ExitClass::kUserError, .code = 3, .reason = "NonZeroExit", .message = "pod p (exit code 3)"};
  must(allocations.record_verdict(epoch, id, first));
  must(allocations.record_verdict(
      epoch, id, {.kind = model::ExitClass::kStopped, .code = std::nullopt, .reason = "Stopped", .message = "later"}));
  EXPECT_EQ(must(allocations.run_of(trial.id)).value().allocation.value().verdict, first);
}

TEST_F(Allocations, TakeNoVerdictOfAFormerLeader) {
  const TrialRow trial = started_trial();
  const std::string id = trial.task_id + ".1";
  const Epoch old = must(cluster.load_or_create()).epoch;
  must(cluster.raise_epoch());
  const auto refused = run(allocations.record_verdict(old, id, {}));
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, ErrorCode::kFailedPrecondition);
  EXPECT_FALSE(must(allocations.find(id)).value().verdict);
}

TEST_F(Allocations, OnlyMoveForward) {
  const std::string id = started_trial().task_id + ".1";
  must(allocations.advance(id, State::kPulling));
  must(allocations.advance(id, State::kAssigned));
  EXPECT_EQ(must(allocations.find(id))->state, State::kPulling);
  must(allocations.mark_ready(id));
  EXPECT_EQ(must(allocations.find(id))->state, State::kRunning);
  EXPECT_EQ(run(allocations.mark_ready("x.1")).error().message, "allocation 'x.1' not found");
}

TEST_F(Allocations, RememberTheFirstPreemption) {
  const std::string id = started_trial().task_id + ".1";
  must(allocations.request_preemption(id));
  const auto first = must(allocations.find(id))->preempt_requested_at;
  ASSERT_TRUE(first);
  must(allocations.request_preemption(id));
  EXPECT_EQ(must(allocations.find(id))->preempt_requested_at, first);
  EXPECT_FALSE(must(allocations.find(id))->preempt_acked_at);
  must(allocations.ack_preemption(id));
  EXPECT_TRUE(must(allocations.find(id))->preempt_acked_at);
  EXPECT_EQ(run(allocations.request_preemption("x.1")).error().code, ErrorCode::kNotFound);
}

TEST_F(Allocations, OfAnExperimentAreAskedToLeaveTogetherWhenTheyAreReady) {
  const TrialRow ready = started_trial("a");
  const TrialRow early = started_trial_of(ready.experiment, "b");
  must(allocations.mark_ready(ready.task_id + ".1"));
  must(allocations.request_preemption(ready.experiment));
  const auto asked = must(allocations.find(ready.task_id + ".1")).value().preempt_requested_at;
  EXPECT_TRUE(asked);
  EXPECT_FALSE(must(allocations.find(early.task_id + ".1")).value().preempt_requested_at);
  must(allocations.request_preemption(ready.experiment));
  EXPECT_EQ(must(allocations.find(ready.task_id + ".1")).value().preempt_requested_at, asked);
}

}  // namespace
}  // namespace det::store
