#include <gmock/gmock.h>

#include "store/removals/removal_store.h"
#include "tests/store/fixture.h"

namespace det::store {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;

constexpr model::UserId kUser{2};

struct PlaceDeletion : StoreTest {
  Epoch epoch = must(cluster.load_or_create()).epoch;
  model::WorkspaceId team = must(workspaces.create({.name = "team", .owner = kUser, .agent = {}, .defaults = {}}));
  model::ProjectId ships =
      must(projects.create({.workspace = team, .name = "ships", .description = {}, .key = {}, .owner = kUser}));

  model::ExperimentId experiment_in(model::ProjectId project, const std::string& state) {
    NewExperiment made = experiment();
    made.project = project;
    const auto id = must(experiments.insert(made)).id;
    sql("UPDATE experiments SET state = '" + state + "' WHERE id = " + to_string(id) + " RETURNING id");
    return id;
  }
  TaskRow task_in(model::WorkspaceId workspace, const std::string& type = "COMMAND") {
    return must(tasks.insert({.id = uuid_v4(),
                              .type = type,
                              .nonce = uuid_v4(),
                              .uid = uuid_v4(),
                              .ns = "team",
                              .name = "t",
                              .owner = kUser,
                              .workspace = workspace,
                              .config = {{"a", 1}},
                              .submitted = nullptr}));
  }
  std::string count(const std::string& table) { return sql("SELECT count(*)::text FROM " + table); }
};

TEST_F(PlaceDeletion, TakesWhatIsEmptyAtOnce) {
  EXPECT_TRUE(must(removals.begin_delete_project(ships)));
  EXPECT_FALSE(must(projects.find(ships)));
  EXPECT_TRUE(must(removals.begin_delete_workspace(team)));
  EXPECT_EQ(run(removals.begin_delete_workspace(team)).error().message, "workspace '2' not found");
  EXPECT_EQ(run(removals.begin_delete_workspace({1})).error().message,
            "workspace (1) does not exist or not deletable by this user");
  EXPECT_EQ(run(removals.begin_delete_project({1})).error().message,
            "project (1) does not exist or not deletable by this user");
}

TEST_F(PlaceDeletion, LeavesNoPoolToEverybody) {
  const auto other = must(workspaces.create({.name = "other", .owner = kUser, .agent = {}, .defaults = {}}));
  sql("INSERT INTO pool_bindings SELECT 'big', id FROM workspaces WHERE name IN ('team', 'other') RETURNING 1");
  sql("INSERT INTO pool_bindings VALUES ('small', " + to_string(team) + ") RETURNING 1");
  must(removals.begin_delete_project(ships));
  EXPECT_EQ(run(removals.begin_delete_workspace(team)).error().message,
            "workspace (2) is the only one that resource pool 'small' is bound to, and without it everybody could use "
            "the pool: bind the pool to another workspace, or unbind it first");
  sql("DELETE FROM pool_bindings WHERE pool = 'small' RETURNING 1");
  task_in(other);
  EXPECT_FALSE(must(removals.begin_delete_workspace(other))) << "it goes";
  EXPECT_THAT(run(removals.begin_delete_workspace(team)).error().message, HasSubstr("resource pool 'big'"))
      << "the other one does not stay";
}

TEST_F(PlaceDeletion, IsRefusedWhileExperimentsRun) {
  const auto id = experiment_in(ships, "ACTIVE");
  const std::string rest = " has experiments that are not in a terminal state: " + to_string(id) + ". Kill them first";
  EXPECT_EQ(run(removals.begin_delete_project(ships)).error().message, "project (2)" + rest);
  EXPECT_EQ(run(removals.begin_delete_workspace(team)).error().message, "workspace (2)" + rest);
  EXPECT_EQ(must(projects.find(ships))->state, PlaceState::kUnspecified);
}

TEST_F(PlaceDeletion, IsRefusedWhileOthersStartFromItsCheckpoints) {
  const TrialRow source = started_trial();
  must(checkpoints.report({.uuid = uuid_v4(), .task_id = source.task_id, .steps = 1, .resources = {{"a", 1}}}));
  sql("UPDATE experiments SET state = 'COMPLETED', project_id = " + to_string(ships) + " RETURNING 1");
  const TrialRow heir = started_trial_of(must(experiments.insert(experiment())).id, "02");
  sql("UPDATE experiments SET config = jsonb_set(config, '{searcher}', '{\"source_trial_id\": " + to_string(source.id) +
      "}') WHERE id = " + to_string(heir.experiment) + " RETURNING 1");
  const std::string rest =
      " has checkpoints that experiments which have not ended start or go on from: " + to_string(heir.experiment) +
      ". Wait for their end, or stop them";
  EXPECT_EQ(run(removals.begin_delete_project(ships)).error().message, "project (2)" + rest);
  EXPECT_EQ(run(removals.begin_delete_workspace(team)).error().message, "workspace (2)" + rest);
  sql("UPDATE experiments SET state = 'CANCELED' WHERE id = " + to_string(heir.experiment) + " RETURNING 1");
  EXPECT_FALSE(must(removals.begin_delete_project(ships))) << "it has experiments";
}

TEST_F(PlaceDeletion, OfAProjectGoesThroughItsExperimentsInOrder) {
  const auto over = experiment_in(ships, "COMPLETED");
  const auto stopping = experiment_in(ships, "STOPPING_KILLED");
  EXPECT_FALSE(must(removals.begin_delete_project(ships)));
  EXPECT_FALSE(must(removals.begin_delete_project(ships))) << "again";
  EXPECT_EQ(must(projects.find(ships))->state, PlaceState::kDeleting);
  auto going = must(removals.going_projects());
  ASSERT_EQ(going.size(), 1U);
  ASSERT_EQ(going[0].next.size(), 2U);
  must(removals.begin_delete(over));
  must(removals.note_begun(epoch, ships, over));
  going = must(removals.going_projects());
  ASSERT_EQ(going[0].next.size(), 1U);
  EXPECT_EQ(going[0].next[0].id, stopping);
  EXPECT_EQ(going[0].left, 2);
  EXPECT_FALSE(run(removals.finish_project(epoch, ships))) << "experiments are in it";
  EXPECT_EQ(run(projects.move_experiment(experiment_in({1}, "COMPLETED"), ships)).error().message,
            "project (2) is being deleted");
  for (const auto id : {over, stopping}) {
    sql("UPDATE experiments SET state = 'DELETING' WHERE id = " + to_string(id) + " RETURNING id");
    must(experiments.remove(id));
  }
  must(removals.finish_project(epoch, ships));
  EXPECT_THAT(must(removals.going_projects()), IsEmpty());
}

TEST_F(PlaceDeletion, TellsOfWhatCouldNotBeDeleted) {
  const auto id = experiment_in(ships, "ERROR");
  must(removals.begin_delete_workspace(team));
  must(removals.note_begun(epoch, ships, id));
  sql("UPDATE experiments SET state = 'DELETE_FAILED', message = 'no storage' WHERE id = " + to_string(id) +
      " RETURNING id");
  ASSERT_EQ(must(removals.going_projects())[0].failed.size(), 1U);
  must(removals.give_up_project(epoch, ships, "no storage"));
  EXPECT_EQ(must(removals.going_workspaces())[0].failure, "project 'ships': no storage");
  must(removals.give_up_workspace(epoch, team, "project 'ships': no storage"));
  const WorkspaceRow row = must(workspaces.find(team, kUser));
  EXPECT_EQ(row.state, PlaceState::kDeleteFailed);
  EXPECT_EQ(row.error, "project 'ships': no storage");
  EXPECT_FALSE(must(removals.begin_delete_workspace(team))) << "it is tried again";
  EXPECT_EQ(must(removals.going_projects())[0].next.size(), 1U);
  EXPECT_EQ(must(workspaces.find(team, kUser)).error, "");
}

TEST_F(PlaceDeletion, OfAWorkspaceTakesItsTasksAndTemplates) {
  must(removals.begin_delete_project(ships));
  must(templates.create({.name = "t", .config = nlohmann::json::object(), .workspace = team, .owner = {}}));
  const TaskRow task = task_in(team);
  const TaskRow elsewhere = task_in({1});
  must(tasks.start_run(epoch, task.id, new_run(1, "01")));
  EXPECT_FALSE(must(removals.begin_delete_workspace(team)));
  EXPECT_EQ(count("templates"), "1") << "it may yet stay";
  const auto going = must(removals.going_workspaces());
  ASSERT_EQ(going.size(), 1U);
  ASSERT_EQ(going[0].tasks.size(), 1U);
  EXPECT_FALSE(going[0].tasks[0].is_over);
  EXPECT_EQ(going[0].tasks[0].uid, task.uid);
  must(removals.remove_tasks(epoch, {task.id}));
  EXPECT_TRUE(must(tasks.find(task.id))) << "it runs";
  must(tasks.end(epoch, task.id, {.reason = "r", .run = TrialExit{.run = 1}}));
  EXPECT_TRUE(must(removals.going_workspaces())[0].tasks[0].is_over);
  must(removals.remove_tasks(epoch, {task.id}));
  EXPECT_FALSE(must(tasks.find(task.id)));
  EXPECT_EQ(count("allocations"), "0");
  EXPECT_THAT(must(removals.going_workspaces())[0].tasks, IsEmpty());
  EXPECT_THAT(must(removals.going_workspaces(team.value)), IsEmpty()) << "behind it";
  must(removals.finish_workspace(epoch, team));
  EXPECT_EQ(count("templates"), "0");
  EXPECT_THAT(must(removals.going_workspaces()), IsEmpty());
  EXPECT_TRUE(must(tasks.find(elsewhere.id)));
}

TEST_F(PlaceDeletion, IsForTheLeaderToCarryOut) {
  experiment_in(ships, "ERROR");
  must(removals.begin_delete_project(ships));
  sql("UPDATE cluster SET epoch = epoch + 1 RETURNING epoch");
  EXPECT_FALSE(run(removals.finish_project(epoch, ships)));
  EXPECT_FALSE(run(removals.give_up_project(epoch, ships, "why")));
  EXPECT_FALSE(run(removals.remove_tasks(epoch, {})));
  EXPECT_EQ(must(projects.find(ships))->state, PlaceState::kDeleting);
}

}  // namespace
}  // namespace det::store
