#include "tests/cli/fixture.h"

namespace det::cli {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

struct WorkspaceNamespaces : CliTest {
  WorkspaceNamespaces() { variables = {{"DET_USER", "ann"}, {"DET_USER_TOKEN", "T"}}; }  // no login in the way
  void answer_workspace() {
    const Json workspace = {{"id", 4}, {"name", "team"}};
    http.answer(200, {{"workspaces", {workspace}}, {"pagination", {{"endIndex", 1}, {"total", 1}}}});
    http.answer(200, {{"workspace", workspace}});
  }
};

TEST_F(WorkspaceNamespaces, AreListed) {
  answer_workspace();
  http.answer(200, {{"namespaceBindings", {{"", {{"namespace", "tasks"}, {"clusterName", ""}}}}}});
  EXPECT_EQ(det({"w", "bindings", "ls", "team"}).out,
            "workspace-namespace bindings for workspace team\n"
            " Cluster   | Namespace\n"
            "-----------+-------------\n"
            "           | tasks\n");
  EXPECT_EQ(http.asked().back(), "GET /api/v1/workspaces/4/list-namespace-bindings");
  answer_workspace();
  http.answer(200, {{"namespaceBindings", Json::object()}});
  EXPECT_EQ(det({"w", "bindings", "list", "team"}).out, "No workspace-namespace bindings for workspace team\n");
}

TEST_F(WorkspaceNamespaces, AreSetAndDeletedAsThePythonCommandLineDoes) {
  answer_workspace();
  http.answer(200, {{"namespaceBindings", {{"", {{"namespace", "theirs"}}}}}});
  EXPECT_EQ(det({"w", "bindings", "set", "team", "--namespace", "theirs"}).out,
            "Workspace team is bound to namespace theirs \n");
  EXPECT_EQ(sent(2), (Json{{"workspaceId", 4},
                           {"clusterNamespaceMeta",
                            {{"",
                              {{"clusterName", ""},
                               {"namespace", "theirs"},
                               {"autoCreateNamespace", false},
                               {"autoCreateNamespaceAllClusters", false}}}}}}));
  answer_workspace();
  http.answer(200, {{"namespaceBindings", {{"c1", {{"namespace", "made"}}}}}});
  EXPECT_EQ(det({"w", "bindings", "set", "team", "--auto-create-namespace", "--cluster-name", "c1"}).out,
            "Workspace team is bound to namespace made for cluster c1.\n");
  answer_workspace();
  http.answer(200, Json::object());
  EXPECT_EQ(det({"w", "bindings", "delete", "team", "--cluster-name", "c1"}).out, "Successfully deleted binding.\n");
  EXPECT_EQ(http.asked().back(), "DELETE /api/v1/workspaces/4/namespace-bindings?clusterNames=c1");
}

TEST_F(WorkspaceNamespaces, NeedANameOrTheWishForOne) {
  EXPECT_THAT(det({"w", "bindings", "set", "team", "--cluster-name", "c1"}).err,
              HasSubstr("Failed to set workspace-namespace binding: must provide --namespace NAMESPACE or "
                        "--auto-create-namespace, or remove --cluster-name CLUSTER_NAME and specify "
                        "--auto-create-namespace-all-clusters"));
  EXPECT_EQ(det({"w", "bindings", "set", "team", "--namespace", "a", "--auto-create-namespace"}).code, 2);
  EXPECT_THAT(det({"w", "create", "team", "--cluster-name", "c1"}).err, HasSubstr("must provide --namespace"));
  EXPECT_TRUE(http.requests().empty());
}

TEST_F(WorkspaceNamespaces, AndTheirQuotasAreRefusedInTheServersWords) {
  answer_workspace();
  http.answer(501, {{"error", {{"error", "this version binds no workspace to a namespace"}}}});
  const Outcome bound = det({"w", "bindings", "set", "team", "--namespace", "theirs"});
  EXPECT_EQ(bound.code, 1);
  EXPECT_THAT(bound.err, HasSubstr("this version binds no workspace to a namespace"));
  answer_workspace();
  const std::string unbound = "cannot set quota on a workspace that is not bound to an auto-created namespace";
  http.answer(400, {{"error", {{"error", unbound}}}});
  EXPECT_THAT(det({"w", "resource-quota", "set", "team", "8"}).err,
              HasSubstr("Failed to set resource quota: " + unbound));
}

TEST_F(WorkspaceNamespaces, HaveQuotas) {
  answer_workspace();
  http.answer(200, Json::object());
  EXPECT_EQ(det({"w", "resource-quota", "set", "team", "8"}).out, "Resource quota 8 is set on workspace team \n");
  EXPECT_EQ(http.asked().back(), "POST /api/v1/workspaces/4/set-resource-quota");
  EXPECT_EQ(sent(2), (Json{{"id", 4}, {"clusterQuotaPairs", {{"", 8}}}}));
}

TEST_F(WorkspaceNamespaces, ComeWithANewWorkspace) {
  http.answer(200, {{"workspace", {{"id", 4}, {"name", "team"}}}, {"namespaceBindings", {{"", {{"namespace", "n"}}}}}});
  EXPECT_THAT(det({"w", "create", "team", "-n", "n", "--resource-quota", "3"}).out,
              HasSubstr("Workspace team is bound to namespace n\n"));
  EXPECT_EQ(sent(0)["clusterNamespaceMeta"][""]["namespace"], "n");
  EXPECT_EQ(sent(0)["clusterNamespaceMeta"][""]["resourceQuota"], 3);
  EXPECT_EQ(sent(0)["clusterQuotaPairs"], (Json{{"", 3}}));
  http.answer(200, {{"workspace", {{"id", 4}, {"name", "team"}}}, {"namespaceBindings", Json::object()}});
  const Outcome unbound = det({"w", "create", "team", "--auto-create-namespace"});
  EXPECT_THAT(unbound.out, HasSubstr("Failed to set workspace-namespace binding.\n"));
  EXPECT_EQ(unbound.code, 1);
  http.answer(200, {{"workspace", {{"id", 4}, {"name", "team"}}}, {"namespaceBindings", {{"", {{"namespace", "n"}}}}}});
  const Outcome as_json = det({"w", "create", "team", "-n", "n", "--json"});
  EXPECT_EQ(Json::parse(as_json.out, nullptr, false)["id"], 4) << as_json.out;
  EXPECT_EQ(as_json.err, "Workspace team is bound to namespace n\n");
}

TEST_F(WorkspaceNamespaces, HaveMembers) {
  const Json members = {{"groups", {{{"groupId", 2}, {"name", "crew"}}}},
                        {"usersAssignedDirectly", {{{"id", 7}, {"username", "ann"}}}},
                        {"assignments",
                         {{{"role", {{"name", "Editor"}}},
                           {"groupRoleAssignments", {{{"groupId", 2}}}},
                           {"userRoleAssignments", {{{"userId", 7}}}}}}}};
  const auto shown = [&](std::vector<std::string> words) {
    answer_workspace();
    http.answer(200, members);
    words.insert(words.begin(), {"w", "list-members", "team"});
    return det(words).out;
  };
  EXPECT_EQ(shown({}),
            " User/Group Name   | User/Group   | Role Name\n"
            "-------------------+--------------+-------------\n"
            " crew              | G            | Editor\n"
            " ann               | U            | Editor\n");
  EXPECT_EQ(http.asked().back(), "GET /api/v1/roles/workspace/4");
  EXPECT_EQ(shown({"--csv"}), "User/Group Name,User/Group,Role Name\r\ncrew,G,Editor\r\nann,U,Editor\r\n");
  EXPECT_EQ(Json::parse(shown({"--json"})), members);
  EXPECT_THAT(shown({"--yaml"}), HasSubstr("groups:\n"));
  EXPECT_EQ(det({"w", "list-members", "team", "--csv", "--json"}).code, 2);
}

}  // namespace
}  // namespace det::cli
