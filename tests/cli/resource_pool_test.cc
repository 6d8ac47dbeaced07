#include "tests/cli/fixture.h"

namespace det::cli {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

struct ResourcePools : CliTest {
  ResourcePools() { variables = {{"DET_USER", "ann"}, {"DET_USER_TOKEN", "T"}}; }  // no login in the way
};

TEST_F(ResourcePools, AreBoundAsThePythonCommandLineDoes) {
  for (int i = 0; i < 3; ++i) http.answer(200, Json::object());
  EXPECT_EQ(det({"resource-pool", "bindings", "add", "gpu s", "team", "it's"}).out,
            "added bindings between the resource pool \"gpu s\" and the following workspaces: ['team', \"it's\"]\n");
  EXPECT_EQ(det({"rp", "bindings", "remove", "gpus", "team"}).out,
            "removed bindings between the resource pool \"gpus\" and the following workspaces: ['team']\n");
  EXPECT_EQ(det({"rp", "bindings", "replace", "gpus", "team"}).out,
            "replaced bindings of the resource pool \"gpus\" with those to the following workspaces: ['team']\n");
  EXPECT_THAT(http.asked(), ElementsAre("POST /api/v1/resource-pools/gpu%20s/workspace-bindings",
                                        "DELETE /api/v1/resource-pools/gpus/workspace-bindings",
                                        "PUT /api/v1/resource-pools/gpus/workspace-bindings"));
  EXPECT_EQ(sent(0), (Json{{"resourcePoolName", "gpu s"}, {"workspaceNames", {"team", "it's"}}}));
  EXPECT_EQ(sent(1), (Json{{"resourcePoolName", "gpus"}, {"workspaceNames", {"team"}}}));
}

TEST_F(ResourcePools, SayWhyTheServerDoesNotBindThem) {
  http.answer(501, {{"error", {{"code", 12}, {"error", "this version binds no pool to workspaces"}}}});
  const Outcome done = det({"rp", "bindings", "add", "gpus", "team"});
  EXPECT_EQ(done.code, 1);
  EXPECT_THAT(done.err, HasSubstr("Failed to add a resource-pool-to-workspace binding: this version binds no pool"));
  EXPECT_EQ(det({"rp", "bindings", "add", "gpus"}).code, 2);
}

TEST_F(ResourcePools, ListTheirWorkspaces) {
  http.answer(200, {{"workspaceIds", {4, 6}}});
  http.answer(200, {{"workspaces",
                     {{{"id", 4}, {"name", "team"}}, {{"id", 5}, {"name", "other"}}, {{"id", 6}, {"name", "crew"}}}},
                    {"pagination", {{"endIndex", 3}, {"total", 3}}}});
  EXPECT_EQ(det({"rp", "bindings", "list-workspaces", "gpus"}).out,
            " resource pool   | workspaces\n"
            "-----------------+--------------\n"
            " gpus            | team, crew\n");
  http.answer(200, {{"workspaceIds", Json::array()}});
  EXPECT_THAT(det({"rp", "bindings", "list-workspaces", "gpus"}).out, HasSubstr(" gpus            |\n"));
}

}  // namespace
}  // namespace det::cli
