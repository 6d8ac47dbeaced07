#include "tests/cli/fixture.h"

namespace det::cli {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

struct ConfigPolicies : CliTest {
  ConfigPolicies() {
    variables = {{"DET_USER", "ann"}, {"DET_USER_TOKEN", "T"}};  // no login in the way
  }
  void answer(const Json& policy) { http.answer(200, {{"configPolicies", policy}}); }
  void answer_workspace() {
    http.answer(200, {{"workspaces", Json::array({Json{{"id", 4}, {"name", "W"}, {"archived", false}}})}});
  }
};

TEST_F(ConfigPolicies, AreDescribedAsYamlOrJson) {
  const Json policy = {{"constraints", {{"priority_limit", 60}}}};
  answer(policy);
  EXPECT_EQ(det({"config-policies", "describe", "experiment"}).out, "constraints:\n  priority_limit: 60\n\n");
  answer(policy);
  EXPECT_EQ(Json::parse(det({"cp", "describe", "tasks", "--json"}).out), policy);
  EXPECT_THAT(http.asked(),
              ElementsAre("GET /api/v1/config-policies/global/EXPERIMENT", "GET /api/v1/config-policies/global/NTSC"));
}

TEST_F(ConfigPolicies, AreSetFromAFileAsItIs) {
  const std::string file = folder.write("p.yaml", "constraints: {priority_limit: 60}\n");
  answer({{"constraints", {{"priority_limit", 60}}}});
  EXPECT_EQ(det({"config-policies", "set", "experiment", file}).out,
            "Set global experiment config policies:\nconstraints:\n  priority_limit: 60\n\n");
  EXPECT_EQ(sent(0), (Json{{"workloadType", "EXPERIMENT"}, {"configPolicies", "constraints: {priority_limit: 60}\n"}}));
  answer_workspace();
  answer(Json::object());
  EXPECT_EQ(det({"config-policies", "set", "tasks", file, "-w", "W"}).out,
            "Set tasks config policies for workspace W:\n{}\n\n");
  EXPECT_EQ(http.asked().back(), "PUT /api/v1/config-policies/workspaces/4/NTSC");
}

TEST_F(ConfigPolicies, AreDeleted) {
  http.answer(200, Json::object());
  EXPECT_EQ(det({"cp", "delete", "experiment"}).out, "Successfully deleted global EXPERIMENT config policies\n");
  answer_workspace();
  http.answer(200, Json::object());
  EXPECT_EQ(det({"cp", "delete", "tasks", "-w", "W"}).out,
            "Successfully deleted NTSC config policies for workspace W\n");
  EXPECT_EQ(http.asked().back(), "DELETE /api/v1/config-policies/workspaces/4/NTSC");
}

TEST_F(ConfigPolicies, SayWhatIsWrong) {
  EXPECT_THAT(det({"cp", "set", "experiment", folder.path().string()}).err, HasSubstr("it is a directory"));
  EXPECT_THAT(det({"cp", "describe", "gpus"}).err, HasSubstr("experiment"));
  http.answer(200, {{"workspaces", Json::array()}});
  EXPECT_THAT(det({"cp", "describe", "experiment", "-w", "X"}).err, HasSubstr("workspace 'X' not found"));
}

}  // namespace
}  // namespace det::cli
