#include "store/cluster/workspace_store.h"

#include <gmock/gmock.h>

#include "tests/store/fixture.h"

namespace det::store {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using Names = std::vector<std::string>;

constexpr model::UserId kAdmin{1};
constexpr model::UserId kUser{2};

struct Workspaces : StoreTest {
  model::WorkspaceId make(const std::string& name, model::UserId owner = kUser) {
    return must(workspaces.create({.name = name, .owner = owner, .agent = {}, .defaults = {}}));
  }
  Names names(WorkspaceFilter filter = {}) {
    filter.viewer = kUser;
    Names found;
    for (const WorkspaceRow& row : must(workspaces.list(std::move(filter))).items) found.push_back(row.name);
    return found;
  }
  std::string refusal(Task<Status> task) {
    const Status status = run(std::move(task));
    return status ? std::string() : status.error().message;
  }
};

TEST_F(Workspaces, AreCountedAndHaveOwners) {
  const WorkspaceRow row = must(workspaces.find({1}, kUser));
  EXPECT_EQ(row.name, "Uncategorized");
  EXPECT_EQ(row.owner_name, "admin");
  EXPECT_EQ(row.projects, 1);
  EXPECT_EQ(row.experiments, 0);
  EXPECT_TRUE(row.immutable);
  must(experiments.insert(experiment()));
  EXPECT_EQ(must(workspaces.find({1}, kUser)).experiments, 1);
  EXPECT_EQ(run(workspaces.find({9}, kUser)).error().message, "workspace '9' not found");
  EXPECT_EQ(must(workspaces.owner({1})), kAdmin);
  EXPECT_EQ(must(workspaces.owner({9})), std::nullopt);
}

TEST_F(Workspaces, HaveNamesOfTheirOwnInWhateverCase) {
  const auto id = make("Vision");
  EXPECT_EQ(run(workspaces.create({.name = "vision", .owner = kUser, .agent = {}, .defaults = {}})).error().message,
            "avoid names equal to other workspaces (case-insensitive)");
  must(workspaces.change(id, {.name = "VISION"}));
  EXPECT_EQ(refusal(workspaces.change(id, {.name = "uncategorized"})),
            "avoid names equal to other workspaces (case-insensitive)");
}

TEST_F(Workspaces, AreListedByNameByOwnerAndInPages) {
  make("_TestPatched");
  make("_testWS", kAdmin);
  EXPECT_THAT(names(), ElementsAre("Uncategorized", "_TestPatched", "_testWS"));
  EXPECT_THAT(names({.order = Order::kDescending}), ElementsAre("_testWS", "_TestPatched", "Uncategorized"));
  EXPECT_THAT(names({.by_name = true}), ElementsAre("_TestPatched", "_testWS", "Uncategorized"));
  EXPECT_THAT(names({.name = "_TESTws"}), ElementsAre("_testWS"));
  EXPECT_THAT(names({.name = "_test"}), IsEmpty()) << "a whole name";
  EXPECT_THAT(names({.exact_name = "_testws"}), IsEmpty());
  EXPECT_THAT(names({.users = {"determined"}}), ElementsAre("_TestPatched"));
  EXPECT_THAT(names({.user_ids = {kAdmin}}), ElementsAre("Uncategorized", "_testWS"));
  EXPECT_THAT(names({.page = {.offset = 1, .limit = 1}}), ElementsAre("_TestPatched"));
  EXPECT_THAT(names({.page = {.offset = -1}}), ElementsAre("_testWS"));
  EXPECT_EQ(run(workspaces.list({.viewer = kUser, .page = {.offset = 9}})).error().message, "offset out of bounds");
}

TEST_F(Workspaces, ArePinnedByWhoMadeThemAndWhoWants) {
  const auto id = make("mine");
  make("others", kAdmin);
  EXPECT_THAT(names({.pinned = true}), ElementsAre("mine"));
  must(workspaces.set_pinned(id, kUser, false));
  must(workspaces.set_pinned(id, kUser, false));
  EXPECT_THAT(names({.pinned = true}), IsEmpty());
  must(workspaces.set_pinned({1}, kUser, true));
  must(workspaces.set_pinned({1}, kUser, true));
  EXPECT_THAT(names({.pinned = true}), ElementsAre("Uncategorized"));
  EXPECT_FALSE(must(workspaces.find({1}, kAdmin)).pinned_at);
  EXPECT_EQ(refusal(workspaces.set_pinned({9}, kUser, true)), "workspace '9' not found");
}

TEST_F(Workspaces, AreArchivedAndThenTakeNoChange) {
  const auto id = make("old");
  must(workspaces.set_archived(id, true));
  EXPECT_THAT(names({.archived = true}), ElementsAre("old"));
  EXPECT_THAT(names({.archived = false}), ElementsAre("Uncategorized"));
  EXPECT_EQ(refusal(workspaces.change(id, {.name = "new"})), "workspace (2) is archived and cannot add new projects");
  must(workspaces.set_archived(id, false));
  must(workspaces.change(id, {.name = "new"}));
  EXPECT_EQ(refusal(workspaces.set_archived({1}, true)),
            "workspace (1) does not exist or not archive-able by this user");
  EXPECT_EQ(refusal(workspaces.change({1}, {.name = "x"})), "workspace (1) is immutable and cannot add new projects");
}

TEST_F(Workspaces, KeepWhatTheyPutUnderConfigurations) {
  const nlohmann::json storage = {{"type", "s3"}, {"bucket", "b"}};
  const auto id = must(
      workspaces.create({.name = "full",
                         .owner = kUser,
                         .agent = {.uid = 7, .gid = 8, .user = "u", .group = "g"},
                         .defaults = {.compute_pool = "gpus", .aux_pool = "cpus", .checkpoint_storage = storage}}));
  WorkspaceRow row = must(workspaces.find(id, kUser));
  EXPECT_EQ(row.agent, (model::AgentAccountOverride{.uid = 7, .gid = 8, .user = "u", .group = "g"}));
  EXPECT_EQ(row.defaults.checkpoint_storage, storage);
  must(workspaces.change(id, {.compute_pool = "others"}));
  row = must(workspaces.for_tasks(id));
  EXPECT_EQ(row.defaults,
            (model::WorkspaceDefaults{.compute_pool = "others", .aux_pool = "cpus", .checkpoint_storage = storage}));
  EXPECT_EQ(row.agent.uid, 7);
  must(workspaces.change(id, {.agent = model::AgentAccountOverride(), .checkpoint_storage = nullptr}));
  row = must(workspaces.for_tasks_named("full"));
  EXPECT_TRUE(row.agent.is_empty());
  EXPECT_TRUE(row.defaults.checkpoint_storage.is_null());
}

TEST_F(Workspaces, SayWhetherAProjectIsOpen) {
  const auto id = make("team");
  const auto project =
      must(projects.create({.workspace = id, .name = "ships", .description = {}, .key = {}, .owner = kUser}));
  EXPECT_EQ(must(workspaces.place_named("team", "ships")).project, project);
  EXPECT_EQ(must(workspaces.place(project)).workspace, id);
  EXPECT_EQ(run(workspaces.place_named("team", "boats")).error().message, "workspace/project 'team/boats' not found");
  must(workspaces.set_archived(id, true));
  EXPECT_TRUE(must(workspaces.place(project)).is_workspace_archived);
}

// The account of a run is that of its workspace, part by part, else its owner's.
struct Accounts : Workspaces {
  // Of a run in a new workspace.
  std::optional<model::AgentAccount> of_run_under(model::AgentAccountOverride agent, const std::string& name) {
    const auto id = must(workspaces.create({.name = name, .owner = kUser, .agent = std::move(agent), .defaults = {}}));
    NewExperiment made = experiment();
    made.project = must(projects.create({.workspace = id, .name = "p", .description = {}, .key = {}, .owner = kUser}));
    const Epoch epoch = must(cluster.load_or_create()).epoch;
    const TrialRow trial = must(trials.insert(epoch, new_trial(must(experiments.insert(made)).id)));
    NewRun run = new_run(1, name);
    run.plan.account = of_cluster;
    must(trials.start_run(epoch, trial.id, run));
    return must(allocations.find(trial.task_id + ".1"))->plan->account;
  }

  std::optional<model::AgentAccount> of_cluster;  // security.default_task of master.yaml
};

TEST_F(Accounts, ComeInPartsFromTheWorkspace) {
  EXPECT_EQ(of_run_under({}, "01"), std::nullopt);
  of_cluster = model::AgentAccount{.uid = 5, .gid = 6, .user = "svc", .group = "svcs"};
  EXPECT_EQ(of_run_under({}, "00"), of_cluster);
  EXPECT_EQ(of_run_under({.gid = 80, .group = "team"}, "05"),
            (model::AgentAccount{.uid = 5, .gid = 80, .user = "svc", .group = "team"}));
  of_cluster = {};
  EXPECT_EQ(of_run_under({.gid = 80, .group = "team"}, "02"),
            (model::AgentAccount{.uid = 0, .gid = 80, .user = "root", .group = "team"}));
  UserPatch patch;
  patch.agent = model::AgentAccount{.uid = 1, .gid = 2, .user = "own", .group = "owners"};
  must(users.change(kUser, patch));
  EXPECT_EQ(of_run_under({.gid = 80, .group = "team"}, "03"),
            (model::AgentAccount{.uid = 1, .gid = 80, .user = "own", .group = "team"}));
  EXPECT_EQ(of_run_under({.uid = 70}, "04"), (model::AgentAccount{.uid = 70, .gid = 2, .user = "", .group = "owners"}))
      << "a name belongs to its number";
}

TEST_F(Accounts, OfWorkspacesComeBeforeTheUsers) {
  UserPatch patch;
  patch.agent = model::AgentAccount{.uid = 1, .gid = 2, .user = "own", .group = ""};
  must(users.change(kUser, patch));
  const TrialRow before = started_trial("01");
  EXPECT_EQ(must(allocations.find(before.task_id + ".1"))->plan->account->uid, 1);
  const auto id = must(workspaces.create(
      {.name = "team", .owner = kUser, .agent = {.uid = 70, .gid = 80, .user = "team", .group = ""}, .defaults = {}}));
  NewExperiment made = experiment();
  made.project = must(projects.create({.workspace = id, .name = "p", .description = {}, .key = {}, .owner = kUser}));
  const TrialRow trial = started_trial_of(must(experiments.insert(made)).id, "02");
  const auto account = must(allocations.find(trial.task_id + ".1"))->plan->account;
  EXPECT_EQ(account, (model::AgentAccount{.uid = 70, .gid = 80, .user = "team", .group = ""}));
}

}  // namespace
}  // namespace det::store
