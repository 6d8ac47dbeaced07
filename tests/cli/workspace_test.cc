#include "cli/place_tables.h"
#include "tests/cli/fixture.h"

namespace det::cli {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

struct Workspaces : CliTest {
  Workspaces() {
    variables = {{"DET_USER", "ann"}, {"DET_USER_TOKEN", "T"}};  // no login in the way
  }
  static Json workspace() {
    return {{"id", 4},
            {"name", "team"},
            {"numProjects", 1},
            {"agentUserGroup", nullptr},
            {"checkpointStorageConfig", {{"type", "s3"}, {"bucket", "it's"}}},
            {"defaultComputePool", "gpus"},
            {"defaultAuxPool", ""},
            {"state", "WORKSPACE_STATE_UNSPECIFIED"}};
  }
  static Json project(int id, const std::string& name) {
    return {{"id", id},
            {"key", "SHI01"},
            {"name", name},
            {"description", ""},
            {"numExperiments", 2},
            {"numActiveExperiments", 1},
            {"notes", Json::array()}};
  }
  static Json page(const std::string& key, const Json& items) {
    return {{key, items}, {"pagination", {{"endIndex", items.size()}, {"total", items.size()}}}};
  }
  void answer_workspace() {
    http.answer(200, page("workspaces", Json::array({workspace()})));
    http.answer(200, {{"workspace", workspace()}});
  }
  void answer_project() {
    answer_workspace();
    http.answer(200, page("projects", Json::array({project(7, "ships")})));
  }
};

// An unset variable of a shell.
TEST_F(Workspaces, AnEmptyNameIsNotTheFirstOne) {
  EXPECT_THAT(det({"workspace", "delete", "", "-y"}).err, HasSubstr("workspace name cannot be empty"));
  EXPECT_THAT(http.asked(), testing::IsEmpty());
  answer_workspace();
  EXPECT_THAT(det({"project", "delete", "team", "", "-y"}).err, HasSubstr("project name cannot be empty"));
  EXPECT_THAT(http.asked(), testing::Each(testing::StartsWith("GET ")));
  for (const std::vector<std::string>& words :
       std::vector<std::vector<std::string>>{{"rbac", "assign-role", "Viewer", "-u", "bob", "-w", ""},
                                             {"config-policies", "delete", "experiment", "-w", ""},
                                             {"trial", "download", "7", "--uuid", ""}}) {
    EXPECT_THAT(det(words).err, HasSubstr("cannot be empty"));
  }
}

TEST_F(Workspaces, AreListedWithoutTheirStorage) {
  http.answer(200, page("workspaces", Json::array({workspace()})));
  EXPECT_EQ(
      det({"w", "list"}).out,
      "   ID | Name   |   # Projects | Agent Uid   | Agent Gid   | Agent User   | Agent Group   | Default Compute "
      "Pool   | Default Aux Pool\n"
      "------+--------+--------------+-------------+-------------+--------------+---------------+----------------"
      "--------+--------------------\n"
      "    4 | team   |            1 |             |             |              |               | gpus           "
      "        |\n");
  EXPECT_THAT(http.asked(),
              ElementsAre("GET /api/v1/workspaces?orderBy=ORDER_BY_ASC&sortBy=SORT_BY_ID&offset=0&limit=200"));
}

TEST_F(Workspaces, AreDescribedWithIt) {
  answer_workspace();
  EXPECT_THAT(det({"workspace", "describe", "team"}).out, HasSubstr("{'bucket': \"it's\", 'type': 's3'}"));
  EXPECT_THAT(http.asked(), ElementsAre("GET /api/v1/workspaces?nameCaseSensitive=team", "GET /api/v1/workspaces/4"));
  http.answer(200, page("workspaces", Json::array()));
  EXPECT_THAT(det({"w", "describe", "nowhere"}).err, HasSubstr("workspace 'nowhere' not found"));
}

TEST_F(Workspaces, AreMadeAndChangedAsThePythonCommandLineDoes) {
  http.answer(200, {{"workspace", workspace()}, {"namespaceBindings", Json::object()}});
  EXPECT_EQ(det({"w", "create", "team", "--agent-uid", "7", "--checkpoint-storage-config", R"({"type":"s3"})"}).code,
            0);
  EXPECT_EQ(sent(0), (Json{{"name", "team"},
                           {"agentUserGroup",
                            {{"agentUid", 7}, {"agentGid", nullptr}, {"agentUser", nullptr}, {"agentGroup", nullptr}}},
                           {"checkpointStorageConfig", {{"type", "s3"}}},
                           {"defaultComputePool", nullptr},
                           {"defaultAuxPool", nullptr}}));
  answer_workspace();
  http.answer(200, {{"workspace", workspace()}});
  EXPECT_EQ(det({"w", "edit", "team", "--name", "crew", "--default-aux-pool", "cpus", "--json"}).code, 0);
  EXPECT_EQ(sent(3), (Json{{"name", "crew"},
                           {"agentUserGroup", nullptr},
                           {"checkpointStorageConfig", nullptr},
                           {"defaultComputeResourcePool", nullptr},
                           {"defaultAuxResourcePool", "cpus"}}));
  EXPECT_THAT(det({"w", "create", "x", "--checkpoint-storage-config", "{"}).err, HasSubstr("it is no JSON"));
}

TEST_F(Workspaces, AreArchivedAndDeleted) {
  answer_workspace();
  http.answer(200, Json::object());
  EXPECT_EQ(det({"w", "archive", "team"}).out, "Successfully archived workspace team.\n");
  answer_workspace();
  http.answer(200, Json::object());
  EXPECT_EQ(det({"w", "unarchive", "team"}).out, "Successfully un-archived workspace team.\n");
  answer_workspace();
  http.answer(200, {{"completed", true}});
  EXPECT_EQ(det({"w", "delete", "team", "--yes"}).out, "Successfully deleted workspace team.\n");
}

TEST_F(Workspaces, ListTheirPools) {
  answer_workspace();
  http.answer(200, {{"resourcePools", {"a", "b"}}});
  EXPECT_EQ(det({"w", "list-pools", "team"}).out,
            " Workspace   | Available Resource Pools\n"
            "-------------+----------------------------\n"
            " team        | a, b\n");
}

TEST_F(Workspaces, ListTheirProjectsSortedHere) {
  for (int i = 0; i < 2; ++i) {
    http.answer(200, page("workspaces", Json::array({workspace()})));
    http.answer(200, page("projects", Json::array({project(7, "ships"), project(8, "boats")})));
  }
  EXPECT_EQ(det({"p", "list", "team", "--sort-by", "name", "--limit", "1"}).out,
            "   ID | Key   | Name   | Description   |   # Experiments |   # Active Experiments\n"
            "------+-------+--------+---------------+-----------------+------------------------\n"
            "    8 | SHI01 | boats  |               |               2 |                      1\n");
  EXPECT_THAT(det({"w", "list-projects", "team", "--json"}).out, HasSubstr("\"name\": \"ships\""));
}

TEST_F(Workspaces, HaveProjectsThatAreMadeChangedAndDeleted) {
  answer_workspace();
  http.answer(200, {{"project", project(7, "ships")}});
  EXPECT_THAT(det({"project", "create", "team", "ships", "--description", "d"}).out, HasSubstr("ships"));
  EXPECT_EQ(sent(2), (Json{{"name", "ships"}, {"workspaceId", 4}, {"description", "d"}, {"key", nullptr}}));
  answer_project();
  http.answer(200, {{"project", project(7, "boats")}});
  EXPECT_EQ(det({"p", "edit", "team", "ships", "--new_name", "boats", "--json"}).code, 0);
  answer_project();
  http.answer(200, Json::object());
  EXPECT_EQ(det({"p", "archive", "team", "ships"}).out, "Successfully archived project ships.\n");
  answer_project();
  http.answer(200, {{"completed", true}});
  EXPECT_EQ(det({"p", "delete", "team", "ships", "-y"}).out, "Successfully deleted project ships.\n");
  answer_workspace();
  http.answer(200, page("projects", Json::array()));
  EXPECT_THAT(det({"p", "describe", "team", "rafts"}).err, HasSubstr("project 'rafts' not found"));
}

TEST_F(Workspaces, TakeExperiments) {
  answer_project();
  http.answer(200, Json::object());
  EXPECT_EQ(det({"e", "move", "3", "team", "ships"}).out, "Moved experiment 3 to project \"ships\"\n");
  EXPECT_EQ(sent(3), (Json{{"destinationProjectId", 7}, {"experimentId", 3}}));
}

TEST(PlaceTables, ShowConfigurationsAsPythonDoes) {
  EXPECT_EQ(python_text({{"a", nullptr}, {"b", true}, {"c", {1, "x"}}}), "{'a': None, 'b': True, 'c': [1, 'x']}");
}

}  // namespace
}  // namespace det::cli
