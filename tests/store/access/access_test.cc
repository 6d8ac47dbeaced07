#include <gmock/gmock.h>

#include "tests/store/fixture.h"

namespace det::store {
namespace {

using enum model::Permission;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::SizeIs;

struct Access : StoreTest {
  model::UserId make_user(const std::string& name) {
    return must(users.create({.username = name, .display_name = {}, .password_hash = {}})).id;
  }
  model::UserGroupId make_group(const std::string& name, std::vector<model::UserId> members) {
    return must(user_groups.create(name, std::move(members))).group.id;
  }
  void give(RoleAssignment one) { must(role_assignments.add({one})); }
  static RoleAssignment to_user(model::UserId user, std::int64_t role, std::optional<model::WorkspaceId> where = {}) {
    return {.role = {role}, .user = user, .group = {}, .workspace = where};
  }
  static RoleAssignment to_group(model::UserGroupId group, std::int64_t role,
                                 std::optional<model::WorkspaceId> where = {}) {
    return {.role = {role}, .user = {}, .group = group, .workspace = where};
  }
};

TEST_F(Access, GroupsAreMadeChangedAndListedInPages) {
  const auto ann = make_user("ann");
  const auto ben = make_user("ben");
  const auto a = make_group("a", {ann, ben});
  const auto b = make_group("b", {ann});
  EXPECT_EQ(run(user_groups.create("a", {})).error().code, ErrorCode::kAlreadyExists);
  EXPECT_EQ(run(user_groups.create("c", {{999}})).error().message, "user '999' not found");
  UserGroupFilter of_ben;
  of_ben.user = ben;
  EXPECT_THAT(must(user_groups.list(of_ben)).items, ElementsAre(UserGroupRow{.id = a, .name = "a", .members = 2}));
  UserGroupFilter second;
  second.page = {.offset = 1, .limit = 1};
  const auto page = must(user_groups.list(second));
  EXPECT_EQ(page.total, 2);
  EXPECT_THAT(page.items, ElementsAre(UserGroupRow{.id = b, .name = "b", .members = 1}));
  const auto changed = must(user_groups.change(b, {.name = "bb", .add = {ben}, .remove = {ann}}));
  EXPECT_EQ(changed.group.name, "bb");
  ASSERT_THAT(changed.users, SizeIs(1));
  EXPECT_EQ(changed.users[0].id, ben);
  EXPECT_EQ(run(user_groups.change(b, {.name = "a", .add = {}, .remove = {}})).error().code, ErrorCode::kAlreadyExists);
  EXPECT_EQ(run(user_groups.change(b, {.name = {}, .add = {ben}, .remove = {}})).error().code,
            ErrorCode::kAlreadyExists);
  EXPECT_EQ(run(user_groups.change(b, {.name = {}, .add = {}, .remove = {ann}})).error().code, ErrorCode::kNotFound);
  must(user_groups.remove(a));
  EXPECT_EQ(run(user_groups.find(a)).error().message, "group '" + to_string(a) + "' not found");
}

TEST_F(Access, ManyUsersAndGroupsAreAssignedAtOnceOrNot) {
  const auto ann = make_user("ann");
  const auto ben = make_user("ben");
  const auto a = make_group("a", {ann});
  const auto b = make_group("b", {ann, ben});
  must(user_groups.assign({ann, ben}, {a}, {b}));
  EXPECT_EQ(must(user_groups.find(a)).group.members, 2);
  EXPECT_EQ(must(user_groups.find(b)).group.members, 0);
  EXPECT_EQ(run(user_groups.assign({ann}, {b}, {{999}})).error().code, ErrorCode::kNotFound);
  EXPECT_EQ(must(user_groups.find(b)).group.members, 0) << "nothing of it was done";
}

TEST_F(Access, GrantsAreTheUsersAndTheirGroups) {
  const auto ann = make_user("ann");
  const auto group = make_group("g", {ann});
  const auto there = must(workspaces.create({.name = "there", .owner = {1}, .agent = {}, .defaults = {}}));
  give(to_user(ann, 4, there));
  give(to_group(group, 5, model::WorkspaceId{1}));
  const model::Grants grants = must(role_assignments.grants_of(ann));
  EXPECT_TRUE(grants.in(kViewExperimentMetadata, there));
  EXPECT_FALSE(grants.in(kUpdateExperiment, there));
  EXPECT_TRUE(grants.in(kUpdateExperiment, {1}));
  EXPECT_FALSE(must(role_assignments.grants_of({2})).somewhere(kViewExperimentMetadata));
  must(user_groups.change(group, {.name = {}, .add = {}, .remove = {ann}}));
  EXPECT_FALSE(must(role_assignments.grants_of(ann)).in(kUpdateExperiment, {1}));
}

TEST_F(Access, AnAssignmentIsThereOnce) {
  const auto ann = make_user("ann");
  give(to_user(ann, 4));
  const Status again = run(role_assignments.add({to_user(ann, 5), to_user(ann, 4)}));
  EXPECT_EQ(again.error().code, ErrorCode::kAlreadyExists);
  EXPECT_THAT(again.error().message, HasSubstr("role 'Viewer' of user '" + to_string(ann) + "' everywhere"));
  RoleAssignmentFilter of_ann;
  of_ann.holder = ann;
  EXPECT_THAT(must(role_assignments.list(of_ann)), ElementsAre(to_user(ann, 4))) << "all or nothing";
  EXPECT_EQ(run(role_assignments.add({to_user({999}, 4)})).error().message, "user '999' not found");
  EXPECT_EQ(run(role_assignments.add({to_group({999}, 4)})).error().message, "group '999' not found");
  EXPECT_EQ(run(role_assignments.add({to_user(ann, 4, model::WorkspaceId{999})})).error().message,
            "workspace '999' not found");
  EXPECT_EQ(run(role_assignments.remove({to_user(ann, 4, model::WorkspaceId{1})})).error().code, ErrorCode::kNotFound);
  must(role_assignments.remove({to_user(ann, 4)}));
  EXPECT_THAT(must(role_assignments.list(of_ann)), SizeIs(0));
}

TEST_F(Access, SomebodyIsAlwaysClusterAdmin) {
  EXPECT_EQ(must(role_assignments.ensure_cluster_admin()), 1);
  EXPECT_TRUE(must(role_assignments.grants_of({1})).everywhere(kAssignRoles)) << "the user admin";
  EXPECT_EQ(must(role_assignments.ensure_cluster_admin()), 0) << "nobody is given it twice";
  must(users.change({2}, {.admin = true}));
  must(users.change({1}, {.active = false}));
  EXPECT_EQ(must(role_assignments.ensure_cluster_admin()), 1) << "who has it cannot log in";
  EXPECT_TRUE(must(role_assignments.grants_of({2})).everywhere(kAssignRoles));
}

TEST_F(Access, PlacesAreThoseOfWhatTheThingsAreIn) {
  const auto there = must(workspaces.create({.name = "there", .owner = {1}, .agent = {}, .defaults = {}}));
  const auto project =
      must(projects.create({.workspace = there, .name = "p", .description = {}, .key = {}, .owner = {1}}));
  NewExperiment given = experiment();
  given.project = project;
  const auto id = must(experiments.insert(std::move(given))).id;
  const TrialRow trial = started_trial_of(id, "01");
  EXPECT_EQ(must(place_of.experiment(id)), there);
  EXPECT_EQ(must(place_of.trial(trial.id)), there);
  EXPECT_EQ(must(place_of.project(project)), there);
  EXPECT_EQ(must(place_of.task(trial.task_id))->workspace, there);
  EXPECT_TRUE(must(place_of.task(trial.task_id))->is_trial);
  EXPECT_EQ(must(place_of.allocation(trial.task_id + ".1"))->workspace, there);
  EXPECT_EQ(must(place_of.experiment({999})), std::nullopt);
  EXPECT_EQ(must(place_of.checkpoint("no uuid")), std::nullopt);
  EXPECT_THAT(must(place_of.experiments({id.value, 999})), ElementsAre(there));
  EXPECT_THAT(must(place_of.trials({trial.id.value})), ElementsAre(there));
}

TEST_F(Access, WhatIsLeftOfADeletedWorkspaceIsInNone) {
  sql("INSERT INTO tasks (id, type) VALUES ('left', 'GENERIC') RETURNING id");
  sql("INSERT INTO checkpoints (uuid, task_number, allocation_id, report_time, state, steps, metadata, resources, "
      "size) "
      "SELECT '00000000-0000-4000-8000-000000000001', number, 'left.1', now(), 'COMPLETED', 1, '{}', '{}', 0 FROM "
      "tasks "
      "WHERE id = 'left' RETURNING uuid");
  const model::WorkspaceId none{0};
  EXPECT_EQ(must(place_of.task("left"))->workspace, none);
  EXPECT_EQ(must(place_of.checkpoint("00000000-0000-4000-8000-000000000001")), none);
  EXPECT_THAT(must(place_of.checkpoints({"00000000-0000-4000-8000-000000000001"})), ElementsAre(none));
  EXPECT_EQ(must(place_of.task("never")), std::nullopt);
}

TEST_F(Access, ListsAreNarrowedInTheDatabase) {
  const auto there = must(workspaces.create({.name = "there", .owner = {1}, .agent = {}, .defaults = {}}));
  const auto project =
      must(projects.create({.workspace = there, .name = "p", .description = {}, .key = {}, .owner = {1}}));
  NewExperiment hidden = experiment();
  hidden.project = project;
  const auto invisible = must(experiments.insert(std::move(hidden))).id;
  const auto seen = must(experiments.insert(experiment())).id;
  ExperimentFilter filter;
  filter.visible = {model::WorkspaceId{1}};
  const auto page = must(experiments.ids(filter));
  EXPECT_EQ(page.total, 1);
  EXPECT_THAT(page.items, ElementsAre(seen));
  filter.visible = std::vector<model::WorkspaceId>();
  EXPECT_EQ(must(experiments.ids(filter)).total, 0);
  ListSearch search{.of = ListPlace::kExperiment, .project = {}, .filter = {}, .orders = {}, .ids = {}};
  search.visible = {model::WorkspaceId{1}};
  EXPECT_EQ(must(run_lists.search(search)).total, 1);
  const TrialRow run_of_it = started_trial_of(seen, "01");
  started_trial_of(invisible, "02");
  ListSearch of_runs{.of = ListPlace::kRun, .project = {}, .filter = {}, .orders = {}, .ids = {}};
  of_runs.visible = {model::WorkspaceId{1}};
  const ListedIds runs = must(run_lists.search(of_runs));
  EXPECT_EQ(runs.total, 1);
  EXPECT_THAT(runs.ids, ElementsAre(run_of_it.id.value));
  of_runs.visible = std::vector<model::WorkspaceId>();
  EXPECT_EQ(must(run_lists.search(of_runs)).total, 0);
  of_runs.visible = {model::WorkspaceId{1}, there};
  EXPECT_EQ(must(run_lists.search(of_runs)).total, 2);
  WorkspaceFilter of_workspaces;
  of_workspaces.visible = {there};
  EXPECT_EQ(must(workspaces.list(of_workspaces)).total, 1);
}

}  // namespace
}  // namespace det::store
