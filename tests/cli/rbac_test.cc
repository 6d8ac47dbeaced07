#include "tests/cli/fixture.h"

namespace det::cli {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

struct Rbac : CliTest {
  Rbac() { variables = {{"DET_USER", "ann"}, {"DET_USER_TOKEN", "T"}}; }  // no login in the way
  void are_shown(bool shown = true) { http.answer(200, {{"rbacEnabled", shown}}); }
  static Json viewer() {
    return {{"roleId", 4},
            {"name", "Viewer"},
            {"permissions",
             {{{"id", "PERMISSION_TYPE_VIEW_WORKSPACE"},
               {"name", "view workspace"},
               {"scopeTypeMask", {{"cluster", true}, {"workspace", true}}}}}}};
  }
  void answer_roles() { http.answer(200, {{"roles", {viewer()}}, {"pagination", {{"total", 1}}}}); }
};

TEST_F(Rbac, IsRefusedWhereTheServerDoesNotOfferIt) {
  are_shown(false);
  EXPECT_THAT(det({"rbac", "list-roles"}).err, HasSubstr("security.authz.type: rbac"));
  are_shown(false);
  EXPECT_THAT(det({"user-group", "list"}).err, HasSubstr("User groups commands require"));
}

TEST_F(Rbac, ListsRolesWithWhatTheyPermit) {
  are_shown();
  answer_roles();
  EXPECT_EQ(det({"rbac", "list-roles", "--exclude-global-roles"}).out,
            "role 'Viewer' with ID 4 with permissions\n"
            " Id                             | Name           | Scopetypemask\n"
            "--------------------------------+----------------+--------------------------------------\n"
            " PERMISSION_TYPE_VIEW_WORKSPACE | view workspace | {'cluster': True, 'workspace': True}\n"
            "\n");
  EXPECT_EQ(sent(1), (Json{{"limit", 200}, {"offset", 0}, {"workspaceId", 1}}));
}

TEST_F(Rbac, AssignsAndTakesAway) {
  are_shown();
  answer_roles();
  http.answer(200, {{"workspaces", {{{"id", 7}}}}});
  http.answer(200, {{"workspace", {{"id", 7}}}});
  http.answer(200, {{"user", {{"id", 3}}}});
  http.answer(200, Json::object());
  EXPECT_EQ(det({"rbac", "assign-role", "Viewer", "-w", "vision", "-u", "ben"}).out,
            "assigned role 'Viewer' with ID 4 to user 'ben' with ID 3 to workspace vision\n");
  EXPECT_EQ(sent(5),
            (Json{{"userRoleAssignments",
                   {{{"userId", 3}, {"roleAssignment", {{"role", {{"roleId", 4}}}, {"scopeWorkspaceId", 7}}}}}}}));
  are_shown();
  answer_roles();
  http.answer(200, {{"groups", {{{"group", {{"groupId", 9}, {"name", "g"}}}, {"numMembers", 1}}}}});
  http.answer(200, Json::object());
  EXPECT_EQ(det({"rbac", "unassign-role", "Viewer", "-g", "g"}).out,
            "removed role 'Viewer' with ID 4 from group 'g' with ID 9 globally\n");
  EXPECT_THAT(det({"rbac", "assign-role", "Viewer", "-u", "ben", "-g", "g"}).err,
              HasSubstr("must provide exactly one of"));
  are_shown();
  answer_roles();
  EXPECT_THAT(det({"rbac", "assign-role", "Viewr", "-u", "ben"}).err, HasSubstr("could not find role name Viewr"));
}

TEST_F(Rbac, ListsTheRolesOfAUserByTheNamesOfThings) {
  are_shown();
  http.answer(200, {{"user", {{"id", 3}}}});
  http.answer(
      200, {{"roles",
             {{{"role", viewer()},
               {"userRoleAssignments",
                {{{"userId", 3}, {"roleAssignment", {{"scopeWorkspaceId", 7}, {"scopeCluster", false}}}}}},
               {"groupRoleAssignments",
                {{{"groupId", 9}, {"roleAssignment", {{"scopeWorkspaceId", nullptr}, {"scopeCluster", true}}}}}}}}}});
  http.answer(200, {{"workspace", {{"name", "vision"}}}});
  http.answer(200, {{"group", {{"name", "g"}}}});
  const std::string out = det({"rbac", "list-users-roles", "ben"}).out;
  EXPECT_THAT(out, HasSubstr("True                     | N/A"));
  EXPECT_THAT(out, HasSubstr("vision"));
  EXPECT_THAT(out, HasSubstr("| g "));
}

TEST_F(Rbac, PrintsRoleBindingsThatFitAWorkspace) {
  const auto everywhere = [](std::int64_t user) {
    return Json{{"userId", user}, {"roleAssignment", {{"scopeWorkspaceId", nullptr}, {"scopeCluster", true}}}};
  };
  const Json here = {{"groupId", 9}, {"roleAssignment", {{"scopeWorkspaceId", 7}, {"scopeCluster", false}}}};
  const Json elsewhere = {{"groupId", 8}, {"roleAssignment", {{"scopeWorkspaceId", 6}, {"scopeCluster", false}}}};
  are_shown();
  http.answer(200, {{"workspaces", {{{"id", 7}}}}});
  http.answer(200, {{"workspace", {{"id", 7}}}});
  http.answer(
      200,
      {{"roles",
        {{{"role", viewer()}, {"groupRoleAssignments", {here, elsewhere}}, {"userRoleAssignments", {everywhere(3)}}},
         {{"role", {{"name", "TokenCreator"}}}, {"userRoleAssignments", {everywhere(4)}}}}}});
  http.answer(200, {{"user", {{"username", "ben"}}}});
  http.answer(200, {{"group", {{"name", "crew"}}}});
  const std::string out = det({"rbac", "export", "ships", "-n", "ships"}).out;
  EXPECT_THAT(out, HasSubstr("kind: RoleBinding"));
  EXPECT_THAT(out, HasSubstr("name: det-view"));
  EXPECT_THAT(out, HasSubstr("name: crew"));
  EXPECT_THAT(out, HasSubstr("name: ben"));
  EXPECT_THAT(http.asked(), testing::Not(testing::Contains("GET /api/v1/groups/8")));
}

TEST_F(Rbac, MakesAndShowsGroups) {
  are_shown();
  http.answer(200, {{"user", {{"id", 3}}}});
  http.answer(200, {{"group", {{"groupId", 9}, {"name", "g"}, {"users", {{{"username", "ben"}}}}}}});
  EXPECT_EQ(det({"user-group", "create", "g", "--add-user", "ben"}).out,
            "user group with name g and ID 9 created\nben was added to the group\n");
  EXPECT_EQ(sent(2), (Json{{"name", "g"}, {"addUsers", {3}}}));
  are_shown();
  http.answer(200, {{"groups", {{{"group", {{"groupId", 9}, {"name", "g"}}}, {"numMembers", 1}}}}});
  EXPECT_EQ(det({"user-group"}).out,
            "   Groupid | Name   |   Nummembers\n"
            "-----------+--------+--------------\n"
            "         9 | g      |            1\n");
  EXPECT_THAT(http.asked().back(), HasSubstr("POST /api/v1/groups/search"));
}

TEST_F(Rbac, ListsAllPagesUnlessOneIsWanted) {
  const auto page = [](int from, int to) {
    Json groups = Json::array();
    for (int id = from; id < to; ++id)
      groups.push_back({{"group", {{"groupId", id}, {"name", "g"}}}, {"numMembers", 0}});
    return Json{{"groups", groups}, {"pagination", {{"endIndex", to}, {"total", 5}}}};
  };
  are_shown();
  http.answer(200, page(0, 2));
  http.answer(200, page(2, 4));
  http.answer(200, page(4, 5));
  const std::size_t before = http.requests().size();
  EXPECT_EQ(Json::parse(det({"user-group", "list", "--limit", "2", "--json"}).out)["groups"].size(), 5U);
  EXPECT_EQ(sent(before + 2), (Json{{"offset", 2}, {"limit", 2}}));
  are_shown();
  http.answer(200, page(0, 2));
  EXPECT_EQ(Json::parse(det({"user-group", "list", "--limit", "2", "--pages", "1", "--json"}).out)["groups"].size(),
            2U);
}

}  // namespace
}  // namespace det::cli
