// Groups, roles and assignments by REST, and what roles make of lists and of what bodies name.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/api/fixture.h"

namespace det::api {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

constexpr std::int64_t kAdminRole = 1;
constexpr std::int64_t kWorkspaceAdminRole = 2;
constexpr std::int64_t kCreatorRole = 3;
constexpr std::int64_t kViewerRole = 4;
constexpr std::int64_t kEditorRole = 5;
constexpr std::int64_t kModelViewerRole = 6;
constexpr std::int64_t kTokenRole = 10;

struct Access : ApiTest {
  Access() {
    for (const char* name : {"ann", "ben"}) {
      const auto id = must(users.create({.username = name, .display_name = {}, .password_hash = {}})).id;
      ids[name] = id.value;
    }
    ids["admin"] = 1;
    become("admin");
    there = make_workspace("there");
    project = post("/api/v1/workspaces/" + std::to_string(there) + "/projects", {{"name", "p"}})
                  .body()["project"]
                  .value("id", std::int64_t{0});
    const Answer made = post("/api/v1/experiments", {{"config", kConst}, {"activate", false}, {"projectId", project}});
    EXPECT_EQ(made.status, 200) << made.text;
    hidden = made.body()["experiment"].value("id", std::int64_t{0});
    shown = create(kConst, false);  // of the first workspace
  }
  // From here on roles rule; the user admin has ClusterAdmin.
  void switch_on() {
    services.settings.master.authz = {.has_roles = true, .shows_roles = true};
    must(role_assignments.ensure_cluster_admin());
    grants.forget_all();
  }
  void become(const std::string& name) {
    token = must(authenticator.login({.username = name, .password = "", .is_hashed = true, .peer = ""})).token;
  }
  std::int64_t make_workspace(const std::string& name) {
    return post("/api/v1/workspaces", {{"name", name}}).body()["workspace"].value("id", std::int64_t{0});
  }
  json assignment(const std::string& user, std::int64_t role, std::int64_t workspace = 0) const {
    json scope = {{"role", {{"roleId", role}}}};
    if (workspace != 0) scope["scopeWorkspaceId"] = workspace;
    return {{"userRoleAssignments", {{{"userId", ids.at(user)}, {"roleAssignment", scope}}}}};
  }
  // As the user admin.
  void give(const std::string& user, std::int64_t role, std::int64_t workspace = 0) {
    const std::string before = token;
    become("admin");
    const Answer given = post("/api/v1/roles/add-assignments", assignment(user, role, workspace));
    EXPECT_EQ(given.status, 200) << given.text;
    token = before;
  }
  std::vector<std::int64_t> listed(const std::string& path, const std::string& key) {
    std::vector<std::int64_t> found;
    const json body = get(path).body();
    for (const json& one : body[key]) found.push_back(one.value("id", std::int64_t{0}));
    EXPECT_EQ(body["pagination"].value("total", -1), static_cast<int>(found.size())) << path;
    return found;
  }
  static std::string experiment_path(std::int64_t id, const std::string& verb = {}) {
    return "/api/v1/experiments/" + std::to_string(id) + verb;
  }

  std::map<std::string, std::int64_t> ids;
  std::int64_t there = 0;
  std::int64_t project = 0;
  std::int64_t hidden = 0;  // an experiment of that project
  std::int64_t shown = 0;
};

TEST_F(Access, GroupsAreTheAdministratorsAndShownToTheirMembers) {
  switch_on();
  const Answer made = post("/api/v1/groups", {{"name", "g"}, {"addUsers", {ids["ann"]}}});
  EXPECT_EQ(made.status, 200) << made.text;
  EXPECT_EQ(made.body()["group"]["users"][0]["username"], "ann");
  const std::string path = "/api/v1/groups/" + std::to_string(made.body()["group"].value("groupId", 0));
  EXPECT_EQ(post("/api/v1/groups", {{"name", "g"}}).status, 409);
  EXPECT_EQ(post("/api/v1/groups", {{"name", "3DeterminedPersonalGroup"}}).status, 400);
  EXPECT_EQ(post("/api/v1/groups/search", {{"limit", 501}}).status, 400);
  EXPECT_EQ(post("/api/v1/groups/search", {{"limit", 5}}).body()["groups"],
            (json{{{"group", {{"groupId", made.body()["group"]["groupId"]}, {"name", "g"}}}, {"numMembers", 1}}}));
  become("ann");
  EXPECT_EQ(get(path).status, 200);
  EXPECT_THAT(post("/api/v1/groups/search", {{"limit", 5}}).body()["groups"], SizeIs(1));
  const Answer refused = call("PUT", path, R"({"name":"mine"})");
  EXPECT_EQ(refused.status, 403);
  EXPECT_EQ(refused.error(), "access denied; required permissions: PERMISSION_TYPE_UPDATE_GROUP");
  become("ben");
  EXPECT_EQ(get(path).status, 404);
  EXPECT_THAT(post("/api/v1/groups/search", {{"limit", 5}}).body()["groups"], IsEmpty());
  become("admin");
  EXPECT_EQ(call("PUT", path, json{{"name", "h"}, {"addUsers", {ids["ben"]}}}.dump()).body()["group"]["name"], "h");
  EXPECT_EQ(call("PATCH", "/api/v1/users/assignments",
                 json{{"userIds", {ids["ann"]}},
                      {"addGroups", json::array()},
                      {"removeGroups", {get(path).body()["group"]["groupId"]}}}
                     .dump())
                .status,
            200);
  EXPECT_THAT(get(path).body()["group"]["users"], SizeIs(1));
  EXPECT_EQ(call("DELETE", path).status, 200);
  EXPECT_EQ(get(path).status, 404);
}

TEST_F(Access, WithoutRolesAdminsPrepareThem) {
  EXPECT_EQ(post("/api/v1/roles/add-assignments", assignment("ann", kViewerRole, there)).status, 200);
  become("ann");
  EXPECT_EQ(get(experiment_path(hidden)).status, 200) << "nothing is ruled by them yet";
  EXPECT_EQ(post("/api/v1/roles/add-assignments", assignment("ann", kAdminRole)).status, 403);
  EXPECT_EQ(post("/api/v1/groups", {{"name", "g"}}).status, 403);
}

TEST_F(Access, WhoHasNoRoleSeesNothing) {
  switch_on();
  become("ann");
  EXPECT_THAT(listed("/api/v1/experiments", "experiments"), IsEmpty());
  EXPECT_THAT(listed("/api/v1/workspaces", "workspaces"), IsEmpty());
  EXPECT_THAT(listed("/api/v1/workspaces/0/projects", "projects"), IsEmpty());
  EXPECT_EQ(get("/api/v1/workspaces/" + std::to_string(there) + "/projects").status, 404);
  const Answer gone = get(experiment_path(hidden));
  EXPECT_EQ(gone.status, 404);
  EXPECT_EQ(gone.error(), "experiment '" + std::to_string(hidden) + "' not found");
  EXPECT_EQ(get(experiment_path(99999)).error(), "experiment '99999' not found") << "the same words";
  EXPECT_EQ(post("/api/v1/experiments-search", json::object()).body()["pagination"]["total"], 0);
  EXPECT_EQ(get("/api/v1/permissions/summary").body(),
            (json{{"roles", json::array()}, {"assignments", json::array()}}));
  EXPECT_EQ(post("/api/v1/workspaces", {{"name", "mine"}}).error(),
            "access denied; required permissions: PERMISSION_TYPE_CREATE_WORKSPACE");
}

TEST_F(Access, AViewerOfOneWorkspaceSeesThatOneAndChangesNothing) {
  switch_on();
  give("ann", kViewerRole, there);
  become("ann");
  EXPECT_THAT(listed("/api/v1/experiments", "experiments"), ElementsAre(hidden));
  EXPECT_THAT(listed("/api/v1/workspaces", "workspaces"), ElementsAre(there));
  EXPECT_THAT(listed("/api/v1/workspaces/0/projects", "projects"), ElementsAre(project));
  EXPECT_EQ(post("/api/v1/experiments-search", json::object()).body()["experiments"][0]["experiment"]["id"], hidden);
  EXPECT_EQ(get(experiment_path(shown)).status, 404);
  EXPECT_EQ(post(experiment_path(hidden, "/kill")).error(),
            "access denied; required permissions: PERMISSION_TYPE_UPDATE_EXPERIMENT");
  EXPECT_EQ(post(experiment_path(shown, "/kill")).status, 404);
  const Answer many = post("/api/v1/projects/0/experiments/kill", {{"experimentIds", {hidden, shown}}});
  EXPECT_THAT(many.body()["results"][0]["error"].get<std::string>(), HasSubstr("access denied"));
  EXPECT_THAT(many.body()["results"][1]["error"].get<std::string>(), HasSubstr("not found"));
  const Answer filtered = post("/api/v1/projects/0/experiments/kill", {{"filters", {{"name", "const"}}}});
  EXPECT_THAT(filtered.body()["results"], IsEmpty()) << "a filter finds what one may do it to";
  EXPECT_EQ(post("/api/v1/experiments", {{"config", kConst}, {"projectId", project}}).status, 403);
  EXPECT_EQ(post("/api/v1/experiments", {{"config", kConst}}).status, 404) << "the project of the first workspace";
  EXPECT_EQ(post("/api/v1/experiments/continue", {{"id", hidden}}).status, 403);
  EXPECT_EQ(post("/api/v1/templates/t", {{"config", json::object()}, {"workspaceId", there}}).status, 403);
  EXPECT_EQ(post("/api/v1/models", {{"name", "m"}, {"workspaceId", there}}).status, 403);
  EXPECT_EQ(post("/api/v1/commands", {{"config", {{"entrypoint", {"true"}}}}, {"workspaceId", there}}).status, 403);
  EXPECT_EQ(get("/api/v1/job-queues").body()["jobs"].size(), 0U) << "paused ones wait for nothing";
}

TEST_F(Access, AnEditorOfOneWorkspaceTakesNothingToAnother) {
  switch_on();
  give("ann", kEditorRole, there);
  give("ann", kViewerRole, 1);
  become("ann");
  EXPECT_EQ(post(experiment_path(hidden, "/move"), {{"destinationProjectId", 1}}).status, 403);
  EXPECT_EQ(post(experiment_path(shown, "/move"), {{"destinationProjectId", project}}).status, 403);
  EXPECT_EQ(post("/api/v1/projects/" + std::to_string(project) + "/experiments/move",
                 {{"destinationProjectId", 1}, {"experimentIds", {hidden}}})
                .status,
            403);
  EXPECT_EQ(
      post("/api/v1/runs/move", {{"sourceProjectId", project}, {"destinationProjectId", 1}, {"runIds", json::array()}})
          .status,
      403);
  EXPECT_EQ(post("/api/v1/projects/" + std::to_string(project) + "/move", {{"destinationWorkspaceId", 1}}).status, 403);
  EXPECT_EQ(sql("SELECT project_id FROM experiments WHERE id = " + std::to_string(hidden)), std::to_string(project));
  EXPECT_EQ(post("/api/v1/experiments", {{"config", kConst}, {"activate", false}, {"projectId", project}}).status, 200);
  EXPECT_EQ(post("/api/v1/experiments", {{"config", kConst}, {"activate", false}}).status, 403);
  give("ann", kEditorRole, 1);
  EXPECT_EQ(post(experiment_path(hidden, "/move"), {{"destinationProjectId", 1}}).status, 200);
}

TEST_F(Access, RolesAreAssignedWhereOneMayAssignThem) {
  switch_on();
  give("ann", kWorkspaceAdminRole, there);
  become("ann");
  EXPECT_EQ(post("/api/v1/roles/add-assignments", assignment("ben", kEditorRole, there)).status, 200);
  EXPECT_EQ(post("/api/v1/roles/add-assignments", assignment("ben", kEditorRole, there)).status, 409);
  EXPECT_EQ(post("/api/v1/roles/add-assignments", assignment("ben", kEditorRole, 1)).status, 403);
  EXPECT_EQ(post("/api/v1/roles/add-assignments", assignment("ann", kEditorRole)).status, 403);
  EXPECT_THAT(post("/api/v1/roles/add-assignments", assignment("ann", kAdminRole, there)).error(),
              HasSubstr("a global-only permission cannot be assigned to a local scope"));
  EXPECT_EQ(post("/api/v1/roles/add-assignments", json::object()).error(),
            "must specify at least one group or user assignment");
  EXPECT_EQ(post("/api/v1/roles/add-assignments", assignment("ann", 77, there)).status, 400);
  const json members = get("/api/v1/roles/workspace/" + std::to_string(there)).body();
  EXPECT_THAT(members["usersAssignedDirectly"], SizeIs(2));
  EXPECT_EQ(members["assignments"][0]["role"]["name"], "WorkspaceAdmin");
  EXPECT_EQ(members["assignments"][1]["userRoleAssignments"][0]["roleAssignment"]["scopeWorkspaceId"], there);
  become("ben");
  EXPECT_EQ(post(experiment_path(hidden, "/archive")).status, 400) << "it is paused, not hidden";
  EXPECT_EQ(get("/api/v1/roles/search/by-user/" + std::to_string(ids["ann"])).status, 403);
  EXPECT_THAT(get("/api/v1/roles/search/by-user/" + std::to_string(ids["ben"])).body()["roles"], SizeIs(1));
  EXPECT_THAT(post("/api/v1/roles/search", {{"limit", 10}}).body()["roles"], SizeIs(1)) << "only one's own";
  EXPECT_EQ(post("/api/v1/roles/search/by-assignability", {{"limit", 10}}).status, 403);
  EXPECT_EQ(post("/api/v1/roles/search/by-assignability", {{"limit", 10}, {"workspaceId", there}})
                .body()["pagination"]["total"],
            6);
  become("ann");
  EXPECT_EQ(post("/api/v1/roles/remove-assignments", assignment("ben", kEditorRole, there)).status, 200);
  EXPECT_EQ(post("/api/v1/roles/remove-assignments", assignment("ben", kEditorRole, there)).status, 404);
  become("ben");
  EXPECT_EQ(get(experiment_path(hidden)).status, 404) << "at once";
}

TEST_F(Access, WhoLeavesAGroupLosesItsRolesAtOnceWhateverTheirToken) {
  switch_on();
  const std::int64_t group = post("/api/v1/groups", {{"name", "g"}, {"addUsers", {ids["ann"]}}})
                                 .body()["group"]
                                 .value("groupId", std::int64_t{0});
  const json scope = {{"role", {{"roleId", kEditorRole}}}, {"scopeWorkspaceId", there}};
  EXPECT_EQ(post("/api/v1/roles/add-assignments",
                 {{"groupRoleAssignments", {{{"groupId", group}, {"roleAssignment", scope}}}}})
                .status,
            200);
  become("ann");
  const std::string anns = token;
  EXPECT_EQ(get(experiment_path(hidden)).status, 200);
  EXPECT_EQ(get("/api/v1/permissions/summary").body()["assignments"],
            (json{{{"roleId", kEditorRole}, {"scopeWorkspaceIds", {there}}, {"scopeCluster", false}}}));
  become("admin");
  EXPECT_EQ(call("PUT", "/api/v1/groups/" + std::to_string(group), json{{"removeUsers", {ids["ann"]}}}.dump()).status,
            200);
  token = anns;
  EXPECT_EQ(get(experiment_path(hidden)).status, 404);
}

TEST_F(Access, ATasksTokenIsWorthWhatItsOwnerMayNow) {
  switch_on();
  give("ann", kEditorRole, there);
  store::NewExperiment given = experiment();
  given.owner = {ids["ann"]};
  given.project = {project};
  const store::TrialRow trial = started_trial_of(must(experiments.insert(std::move(given))).id, "anns");
  token = "useranns";
  EXPECT_EQ(post(experiment_path(hidden, "/archive")).status, 400);
  EXPECT_EQ(post("/api/v1/roles/add-assignments", assignment("ann", kAdminRole)).error(),
            "a task's token cannot change users, passwords, tokens, roles or policies: log in");
  become("admin");
  EXPECT_EQ(post("/api/v1/roles/remove-assignments", assignment("ann", kEditorRole, there)).status, 200);
  token = "useranns";
  EXPECT_EQ(get(experiment_path(hidden)).status, 404);
  EXPECT_EQ(post("/api/v1/trials/" + to_string(trial.id) + "/runner/metadata", {{"state", "x"}}).status, 200)
      << "its own reports go on";
  token = "anns";
  EXPECT_EQ(post("/api/v1/trials/" + to_string(trial.id) + "/runner/metadata", {{"state", "x"}}).status, 200);
}

TEST_F(Access, ATensorBoardShowsNobodyWhatIsInAnotherWorkspace) {
  switch_on();
  give("ann", kEditorRole, there);
  const auto start = [&](std::int64_t experiment) {
    return post("/api/v1/tensorboards", {{"workspaceId", there}, {"experimentIds", {experiment}}});
  };
  become("ann");
  EXPECT_EQ(start(shown).status, 404);
  const Answer filtered = post("/api/v1/tensorboards", {{"workspaceId", there}, {"filters", json::object()}});
  EXPECT_EQ(filtered.body()["tensorboard"]["experimentIds"], json({hidden})) << "of all, what one may look at";
  give("ann", kEditorRole, 1);
  const Answer refused = start(shown);
  EXPECT_EQ(refused.status, 400);
  EXPECT_THAT(refused.error(), HasSubstr("of its own workspace only"));
  EXPECT_EQ(start(hidden).status, 200) << start(hidden).text;
}

TEST_F(Access, WhoLooksStartsATensorBoardThatIsAsTheClusterHasIt) {
  EXPECT_EQ(post("/api/v1/templates/t", {{"config", json::object()}, {"workspaceId", there}}).status, 200);
  switch_on();
  give("ann", kViewerRole, there);
  become("ann");
  const auto start = [&](json more) {
    more["workspaceId"] = there;
    more["experimentIds"] = {hidden};
    return post("/api/v1/tensorboards", more);
  };
  const Answer started = start({{"config", {{"description", "curves"}, {"idle_timeout", "10m"}}}});
  EXPECT_EQ(started.status, 200) << started.text;
  EXPECT_EQ(start(json::object()).status, 200);
  const std::string needed = "access denied; required permissions: PERMISSION_TYPE_CREATE_NSC";
  EXPECT_EQ(start({{"config", {{"environment", {{"image", "own"}}}}}}).error(), needed);
  EXPECT_EQ(start({{"templateName", "t"}}).error(), needed);
  EXPECT_EQ(start({{"files", {{{"path", "a.py"}, {"type", 48}, {"content", "YQ=="}}}}}).error(), needed);
  EXPECT_EQ(post("/api/v1/commands", {{"workspaceId", there}, {"config", {{"entrypoint", {"ls"}}}}}).error(), needed);
  const std::string path = "/api/v1/tensorboards/" + started.body()["tensorboard"].value("id", "");
  EXPECT_EQ(post(path + "/kill").error(), "access denied; required permissions: PERMISSION_TYPE_UPDATE_NSC");
  become("ben");
  EXPECT_EQ(start(json::object()).error(), "access denied; required permissions: PERMISSION_TYPE_VIEW_WORKSPACE");
  give("ben", kModelViewerRole, there);
  EXPECT_NE(start(json::object()).status, 200);
}

TEST_F(Access, WhoMakesAWorkspaceIsItsAdmin) {
  switch_on();
  give("ann", kCreatorRole);
  become("ann");
  const std::int64_t mine = make_workspace("mine");
  EXPECT_THAT(listed("/api/v1/workspaces", "workspaces"), ElementsAre(mine));
  const std::string path = "/api/v1/workspaces/" + std::to_string(mine);
  EXPECT_EQ(call("PATCH", path, R"({"name":"mine too"})").status, 200);
  EXPECT_EQ(
      call("PATCH", path, R"({"agentUserGroup":{"agentUid":0,"agentGid":0,"agentUser":"r","agentGroup":"r"}})").error(),
      "access denied; required permissions: PERMISSION_TYPE_SET_WORKSPACE_AGENT_USER_GROUP");
  services.settings.master.authz.assigns_to_creator = false;
  const Answer made = post("/api/v1/workspaces", {{"name", "nobodys"}});
  EXPECT_EQ(made.status, 200) << made.text;
  EXPECT_EQ(get("/api/v1/workspaces/" + std::to_string(made.body()["workspace"].value("id", 0))).status, 404);
}

TEST_F(Access, AModelNamedLikeANumberIsInItsWorkspace) {
  EXPECT_EQ(post("/api/v1/models", {{"name", "-5"}, {"workspaceId", there}}).status, 200);
  switch_on();
  become("ben");
  EXPECT_EQ(get("/api/v1/models/-5").status, 404);
  EXPECT_EQ(call("PATCH", "/api/v1/models/-5", R"({"notes": "mine"})").status, 404);
  give("ben", kViewerRole, there);
  EXPECT_EQ(get("/api/v1/models/-5").status, 200);
}

TEST_F(Access, UsersAreFoundByTheRoleThatTheyHaveEverywhere) {
  EXPECT_EQ(get("/api/v1/users?roleIdAssignedDirectlyToUser=1").status, 400) << "without roles";
  switch_on();
  give("ann", kViewerRole);
  give("ben", kViewerRole, there);
  EXPECT_THAT(listed("/api/v1/users?roleIdAssignedDirectlyToUser=1", "users"), ElementsAre(ids["admin"]));
  EXPECT_THAT(listed("/api/v1/users?roleIdAssignedDirectlyToUser=4", "users"), ElementsAre(ids["ann"]));
}

TEST_F(Access, AccessTokensTakeARole) {
  switch_on();
  become("ann");
  EXPECT_EQ(post("/api/v1/tokens", {{"userId", ids["ann"]}}).error(),
            "access denied; required permissions: PERMISSION_TYPE_CREATE_TOKEN");
  EXPECT_EQ(get("/api/v1/tokens").status, 403);
  give("ann", kTokenRole);
  EXPECT_EQ(post("/api/v1/tokens", {{"userId", ids["ann"]}}).status, 200);
  EXPECT_EQ(post("/api/v1/tokens", {{"userId", ids["ben"]}}).status, 403);
  EXPECT_EQ(get("/api/v1/tokens").body()["pagination"]["total"], 1);
  become("admin");
  EXPECT_EQ(post("/api/v1/tokens", {{"userId", ids["ben"]}}).status, 200);
  EXPECT_EQ(get("/api/v1/tokens").body()["pagination"]["total"], 2);
}

TEST_F(Access, TheFlagOfAdministratorsIsWorthNothingWhereRolesRule) {
  must(users.change({ids["ann"]}, {.admin = true}));
  switch_on();
  become("ann");
  EXPECT_EQ(get(experiment_path(hidden)).status, 404);
  EXPECT_EQ(post("/api/v1/users", {{"user", {{"username", "x1"}}}}).status, 403);
  EXPECT_EQ(call("PATCH", "/api/v1/users/" + std::to_string(ids["ann"]), R"({"admin":true})").status, 403);
  EXPECT_EQ(get("/api/v1/master/config").status, 403);
  become("admin");
  EXPECT_EQ(get("/api/v1/master/config").status, 200);
}

}  // namespace
}  // namespace det::api
