#include "store/tasks/task_store.h"

#include "tests/store/fixture.h"

namespace det::store {
namespace {

using State = model::TaskState;

struct Tasks : StoreTest {
  static NewTask notebook() {
    return {.id = uuid_v4(),
            .type = "NOTEBOOK",
            .nonce = uuid_v4(),
            .uid = {},
            .ns = "default",
            .name = "notebook-1",
            .owner = {2},
            .workspace = {1},
            .state = State::kActive,
            .description = "JupyterLab (wise-newt)",
            .config = {{"resources", {{"slots", 1}}}},
            .config_hash = "h",
            .context = {},
            .experiments = {},
            .trials = {},
            .access = {.token = "t", .private_key = {}, .public_key = {}}};
  }
  // In its first run.
  TaskRow started(const std::string& token = "01") {
    const TaskRow task = must(tasks.insert(notebook()));
    must(tasks.start_run(epoch(), task.id, new_run(1, token)));
    return *must(tasks.find(task.id));
  }
  Epoch epoch() { return must(cluster.load_or_create()).epoch; }

  TaskStore tasks{pool};
};

// Decided with the run: what an administrator says later counts for the next one.
TEST_F(Tasks, RunAsTheAccountThatTheirOwnerHasWhenTheRunStarts) {
  EXPECT_FALSE(must(tasks.run_of(started("01").id))->allocation->plan->account);
  const model::AgentAccount account{.uid = 1234, .gid = 99, .user = "jane", .group = "ml"};
  store::UserPatch patch;
  patch.agent = account;
  must(users.change({2}, patch));
  const TaskRow task = started("02");
  patch.agent = std::optional<model::AgentAccount>();
  must(users.change({2}, patch));
  EXPECT_EQ(must(tasks.run_of(task.id))->allocation->plan->account, account);
}

TEST_F(Tasks, AreKeptAsTheyWereAccepted) {
  NewTask wanted = notebook();
  wanted.type = "TENSORBOARD";
  wanted.experiments = {3, 4};
  wanted.trials = {17};
  const TaskRow made = must(tasks.insert(wanted));
  EXPECT_EQ(made.id, wanted.id);
  EXPECT_EQ(made.type, "TENSORBOARD");
  EXPECT_EQ(made.username, "determined");
  EXPECT_EQ(made.workspace_name, "Uncategorized");
  EXPECT_EQ(made.config, wanted.config);
  EXPECT_EQ(made.experiments, wanted.experiments);
  EXPECT_EQ(made.trials, wanted.trials);
  EXPECT_EQ(made.access, wanted.access);
  EXPECT_EQ(made.run, 0);
  EXPECT_FALSE(made.priority);
  EXPECT_FALSE(made.end_time);
  EXPECT_EQ(must(tasks.insert(wanted)).number, made.number) << "the same nonce is the same task";
  EXPECT_FALSE(must(tasks.find("no such task")));
}

TEST_F(Tasks, AreAdoptedByOneObjectOnly) {
  const TaskRow made = must(tasks.insert(notebook()));
  EXPECT_EQ(must(tasks.adopt(made.nonce, "uid-1", "default", "mine")).id, made.id);
  EXPECT_EQ(must(tasks.adopt(made.nonce, "uid-1", "default", "mine")).name, "mine");
  EXPECT_EQ(must(tasks.find_by_uid("uid-1")).value().id, made.id);
  const auto second = run(tasks.adopt(made.nonce, "uid-2", "default", "copy"));
  ASSERT_FALSE(second);
  EXPECT_EQ(second.error().code, ErrorCode::kFailedPrecondition);
  const auto unknown = run(tasks.adopt(uuid_v4(), "uid-3", "default", "other"));
  ASSERT_FALSE(unknown);
  EXPECT_EQ(unknown.error().code, ErrorCode::kNotFound);
}

TEST_F(Tasks, GoWithoutATraceOnlyWhileNoObjectHasThem) {
  const TaskRow made = must(tasks.insert(notebook()));
  must(tasks.discard(made.nonce));
  EXPECT_FALSE(must(tasks.find(made.id)));
  EXPECT_EQ(sql("SELECT count(*) FROM tasks"), "0");
  const TaskRow adopted = must(tasks.insert(notebook()));
  must(tasks.adopt(adopted.nonce, "uid", "default", "mine"));
  must(tasks.discard(adopted.nonce));
  EXPECT_TRUE(must(tasks.find(adopted.id)));
}

TEST_F(Tasks, HaveRunsWithTokensThatEndWithThem) {
  const TaskRow task = started("t");
  EXPECT_EQ(task.run, 1);
  const AllocationAuth auth = must(allocations.find_by_token(sha256_hex("t"))).value();
  EXPECT_EQ(auth.allocation.id, task.id + ".1");
  EXPECT_EQ(auth.allocation.task_id, task.id);
  EXPECT_FALSE(auth.allocation.trial);
  EXPECT_EQ(auth.owner.username, "determined");
  must(allocations.note_pods(task.id + ".1", model::AllocationState::kRunning,
                             {{.rank = 0, .resources_id = "r", .pod_name = "p", .node = "n", .ip = "10.0.0.1"}}));
  const TaskRun seen = must(tasks.run_of(task.id)).value();
  EXPECT_EQ(seen.allocation.value().state, model::AllocationState::kRunning);
  ASSERT_EQ(seen.resources.size(), 1U);
  EXPECT_EQ(seen.resources[0].ip, "10.0.0.1");

  // After a crash the same run starts again, with the tokens that its Secret has.
  must(tasks.start_run(epoch(), task.id, new_run(1, "t2")));
  EXPECT_FALSE(must(allocations.find_by_token(sha256_hex("t"))));
  EXPECT_TRUE(must(allocations.find_by_token(sha256_hex("t2"))));
  const Status skipped = run(tasks.start_run(epoch(), task.id, new_run(3, "t3")));
  ASSERT_FALSE(skipped);
  EXPECT_EQ(skipped.error().code, ErrorCode::kFailedPrecondition);

  must(tasks.start_run(epoch(), task.id, new_run(2, "t4")));
  EXPECT_FALSE(must(allocations.find_by_token(sha256_hex("t2"))));
  EXPECT_EQ(must(tasks.find(task.id)).value().run, 2);
}

TEST_F(Tasks, CountFailuresOfTheInfrastructureOncePerRun) {
  const TaskRow task = started();
  const TrialExit lost{.run = 1, .kind = ExitKind::kInfraRestart, .exit_code = {}, .reason = "node lost"};
  must(tasks.record_exit(epoch(), task.id, lost));
  must(tasks.record_exit(epoch(), task.id, lost));
  EXPECT_EQ(must(tasks.find(task.id)).value().infra_restarts, 1);
  const InfraFailures failures = must(tasks.infra_failures(task.id, WallTime{}));
  EXPECT_EQ(failures.count, 1);
  EXPECT_EQ(failures.last_reason, "node lost");
  EXPECT_EQ(must(tasks.infra_failures(task.id, WallTime::max() - std::chrono::hours(1))).count, 0);
}

TEST_F(Tasks, EndOnceTogetherWithTheirRun) {
  const TaskRow task = started("t");
  const TaskEnd over{.state = State::kError,
                     .reason = "exit code 3",
                     .run = TrialExit{.run = 1, .kind = ExitKind::kNone, .exit_code = 3, .reason = "exit code 3"}};
  EXPECT_TRUE(must(tasks.end(epoch(), task.id, over)));
  EXPECT_FALSE(must(tasks.end(epoch(), task.id, {.state = State::kCanceled, .reason = "late", .run = {}})));
  const TaskRow ended = must(tasks.find(task.id)).value();
  EXPECT_EQ(ended.state, State::kError);
  EXPECT_EQ(ended.exit_reason, "exit code 3");
  EXPECT_EQ(ended.exit_code, 3);
  EXPECT_TRUE(ended.end_time);
  EXPECT_FALSE(must(allocations.find_by_token(sha256_hex("t"))));
  EXPECT_FALSE(run(tasks.end(epoch(), task.id, {.state = State::kActive, .reason = {}, .run = {}})));
}

// One that began while the end of the run before it was decided: nobody would look after it.
TEST_F(Tasks, EndTogetherWithAnyLaterRun) {
  const TaskRow task = started("t");
  must(tasks.record_exit(epoch(), task.id, {.run = 1, .kind = {}, .exit_code = 1, .reason = "exit code 1"}));
  must(tasks.start_run(epoch(), task.id, new_run(2, "t2")));
  const TaskEnd over{.state = State::kError,
                     .reason = "gone",
                     .run = TrialExit{.run = 1, .kind = ExitKind::kNone, .exit_code = 1, .reason = "exit code 1"}};
  EXPECT_TRUE(must(tasks.end(epoch(), task.id, over)));
  const auto runs = must(allocations.of_task(task.id));
  ASSERT_EQ(runs.size(), 2U);
  EXPECT_EQ(runs[0].exit_reason, "exit code 1");
  EXPECT_TRUE(runs[1].ended_at);
  EXPECT_EQ(runs[1].exit_reason, "gone");
}

// A program that is being ended has seconds left, and a token. What it starts in them nobody would end.
TEST_F(Tasks, StartNothingBelowThemWhileTheyAreStopped) {
  const TaskRow parent = started();
  const auto start = [&] {
    NewTask below = notebook();
    below.kin.parent = parent.id;
    return run(tasks.insert(below));
  };
  EXPECT_TRUE(start());
  must(allocations.record_verdict(
      epoch(), parent.id + ".1",
      {.kind = model::ExitClass::kStopped, .code = std::nullopt, .reason = "Stopped", .message = "killed"}));
  EXPECT_EQ(start().error().message, "task " + parent.id + " is being stopped: nothing starts below it");
  must(tasks.record_exit(epoch(), parent.id, {.run = 1, .kind = {}, .exit_code = {}, .reason = "paused"}));
  EXPECT_TRUE(start()) << "it is paused";
  must(tasks.end(epoch(), parent.id, {.state = State::kCanceled, .reason = "killed", .run = {}}));
  EXPECT_EQ(start().error().message, "task " + parent.id + " has ended: nothing starts below it");
}

TEST_F(Tasks, AreDecidedByTheLeaderAlone) {
  const TaskRow task = started();
  const Epoch old = epoch();
  must(cluster.raise_epoch());
  EXPECT_FALSE(run(tasks.start_run(old, task.id, new_run(2, "x"))));
  EXPECT_FALSE(run(tasks.record_exit(old, task.id, {.run = 1, .kind = {}, .exit_code = {}, .reason = {}})));
  EXPECT_FALSE(run(tasks.end(old, task.id, {})));
  EXPECT_EQ(must(tasks.find(task.id)).value().state, State::kActive);
}

TEST_F(Tasks, AreListedByTypeOwnerAndWorkspace) {
  const TaskRow first = must(tasks.insert(notebook()));
  NewTask shell = notebook();
  shell.type = "SHELL";
  shell.owner = {1};
  const TaskRow second = must(tasks.insert(shell));
  const auto ids = [this](TaskFilter filter) {
    std::vector<std::string> found;
    for (const TaskRun& one : must(tasks.list(std::move(filter)))) found.push_back(one.task.id);
    return found;
  };
  using Ids = std::vector<std::string>;
  EXPECT_EQ(ids({}), (Ids{first.id, second.id}));
  EXPECT_EQ(ids({.type = "SHELL", .users = {}, .user_ids = {}, .workspace = {}}), Ids{second.id});
  EXPECT_EQ(ids({.type = {}, .users = {"determined"}, .user_ids = {}, .workspace = {}}), Ids{first.id});
  EXPECT_EQ(ids({.type = {}, .users = {}, .user_ids = {{1}}, .workspace = {}}), Ids{second.id});
  EXPECT_EQ(ids({.type = {}, .users = {}, .user_ids = {}, .workspace = model::WorkspaceId{99}}), Ids{});
  must(tasks.end(epoch(), first.id, {.state = State::kCompleted, .reason = {}, .run = {}}));
  const WallTime ended = must(tasks.find(first.id))->end_time.value();
  EXPECT_EQ(ids({.type = {}, .users = {}, .user_ids = {}, .workspace = {}, .since = ended}),
            (Ids{first.id, second.id}));
  EXPECT_EQ(ids({.type = {}, .users = {}, .user_ids = {}, .workspace = {}, .since = ended + std::chrono::seconds(1)}),
            Ids{second.id});
  must(tasks.set_paused(epoch(), second.id, true));
  EXPECT_EQ(
      ids({.type = "SHELL", .users = {}, .user_ids = {}, .workspace = {}, .since = ended + std::chrono::hours(1)}),
      Ids{second.id})
      << "what pauses has not ended";
  EXPECT_EQ(ids({.type = "SHELL", .users = {}, .user_ids = {{2}}, .workspace = {}, .since = ended}), Ids{});
  const std::vector<TaskRun> open = must(tasks.open());
  ASSERT_EQ(open.size(), 1U);
  EXPECT_EQ(open[0].task.id, second.id);
  EXPECT_FALSE(open[0].allocation);
}

TEST_F(Tasks, AreListedWithoutTheirConfigurations) {
  NewTask wanted = notebook();
  wanted.config = {{"resources", {{"slots", 1}, {"resource_pool", "fast"}}}, {"idle_timeout", "10m"}, {"bind", "x"}};
  wanted.submitted = {{"bind", "x"}};
  must(tasks.insert(wanted));
  must(tasks.insert(notebook()));
  const std::vector<TaskRun> listed = must(tasks.list({}));
  ASSERT_EQ(listed.size(), 2U);
  EXPECT_EQ(listed[0].task.config,
            (nlohmann::json{{"resources", {{"resource_pool", "fast"}}}, {"idle_timeout", "10m"}}));
  EXPECT_TRUE(listed[0].task.submitted.is_null());
  EXPECT_EQ(listed[1].task.config, (nlohmann::json{{"resources", nlohmann::json::object()}}));
}

TEST_F(Tasks, RememberThePriorityThatWasSetLater) {
  const TaskRow task = must(tasks.insert(notebook()));
  must(tasks.set_priority(task.id, 7));
  EXPECT_EQ(must(tasks.find(task.id)).value().priority, 7);
  EXPECT_EQ(run(tasks.set_priority("no such task", 7)).error().code, ErrorCode::kNotFound);
  EXPECT_FALSE(must(tasks.find(task.id)).value().followed_priority);
  must(tasks.follow_priority(epoch(), task.id, 80));
  EXPECT_EQ(must(tasks.find(task.id)).value().priority, 80);
  EXPECT_EQ(must(tasks.find(task.id)).value().followed_priority, 80);
}

}  // namespace
}  // namespace det::store
