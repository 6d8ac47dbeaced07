#include "tests/cli/fixture.h"

namespace det::cli {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

struct Templates : CliTest {
  Templates() {
    variables = {{"DET_USER", "ann"}, {"DET_USER_TOKEN", "T"}};  // no login in the way
  }
  static Json one(const std::string& name, const Json& config, int workspace = 1) {
    return {{"name", name}, {"config", config}, {"workspaceId", workspace}};
  }
  static Json page(const std::string& key, const Json& items) {
    return {{key, items}, {"pagination", {{"endIndex", items.size()}, {"total", items.size()}}}};
  }
  void answer_list() {
    http.answer(200, page("workspaces", Json::array({Json{{"id", 1}, {"name", "Uncategorized"}}})));
    const Json environment = {{"image", "x:1"}, {"l", {"a", "b"}}};
    http.answer(200, page("templates", Json::array({one("gpu", {{"a", 1}, {"environment", environment}}),
                                                    one("b", Json::object(), 9)})));
  }
};

TEST_F(Templates, AreListedWithTheirWorkspaces) {
  answer_list();
  EXPECT_EQ(det({"template", "list"}).out,
            " Name   | Workspace\n"
            "--------+-------------------\n"
            " gpu    | Uncategorized\n"
            " b      | missing workspace\n");
  EXPECT_THAT(http.asked(), ElementsAre("GET /api/v1/workspaces?offset=0", "GET /api/v1/templates?offset=0"));
}

TEST_F(Templates, ShowTheirConfigsAmongLines) {
  answer_list();
  EXPECT_EQ(det({"tpl", "ls", "-d"}).out,
            "+--------+-------------------+--------------+\n"
            "| Name   | Workspace         | Config       |\n"
            "+========+===================+==============+\n"
            "| gpu    | Uncategorized     | a: 1         |\n"
            "|        |                   | environment: |\n"
            "|        |                   |   image: x:1 |\n"
            "|        |                   |   l:         |\n"
            "|        |                   |   - a        |\n"
            "|        |                   |   - b        |\n"
            "+--------+-------------------+--------------+\n"
            "| b      | missing workspace | {}           |\n"
            "+--------+-------------------+--------------+\n");
}

TEST_F(Templates, AreDescribedAsYaml) {
  http.answer(200, {{"template", one("a b", {{"debug", true}})}});
  EXPECT_EQ(det({"template", "describe", "a b"}).out, "debug: true\n\n");
  EXPECT_THAT(http.asked(), ElementsAre("GET /api/v1/templates/a%20b"));
}

TEST_F(Templates, AreCreatedInAWorkspace) {
  const std::string file = folder.write("t.yaml", "resources: {slots: 2}\n");
  http.answer(200, page("workspaces", Json::array({Json{{"id", 4}, {"name", "W"}, {"archived", false}}})));
  http.answer(200, {{"template", one("gpu", Json::object())}});
  EXPECT_EQ(det({"template", "create", "gpu", file, "-w", "W"}).out, "Created template gpu\n");
  EXPECT_EQ(sent(1), (Json{{"name", "gpu"}, {"config", {{"resources", {{"slots", 2}}}}}, {"workspaceId", 4}}));
  http.answer(200, page("workspaces", Json::array()));
  EXPECT_THAT(det({"template", "create", "gpu", file, "-w", "X"}).err, HasSubstr("workspace 'X' not found"));
}

TEST_F(Templates, SetChangesOrCreates) {
  const std::string file = folder.write("t.yaml", "debug: true\n");
  http.answer(200, {{"template", one("gpu", Json::object())}});
  EXPECT_EQ(det({"template", "set", "gpu", file}).out, "Set template gpu\n");
  EXPECT_EQ(sent(0), (Json{{"debug", true}}));
  http.answer(404, {{"error", {{"code", 5}, {"error", "template 'gpu' not found"}}}});
  http.answer(200, {{"template", one("gpu", Json::object())}});
  EXPECT_EQ(det({"template", "set", "gpu", file}).out, "Set template gpu\n");
  EXPECT_EQ(sent(2)["workspaceId"], 0);
  http.answer(200, {{"template", one("gpu", Json::object())}});
  EXPECT_EQ(det({"template", "set-value", "config", "gpu", file}).out, "Updated template gpu\n");
  EXPECT_EQ(http.asked().back(), "PATCH /api/v1/templates/gpu");
}

TEST_F(Templates, AreRemoved) {
  http.answer(200, Json::object());
  EXPECT_EQ(det({"template", "rm", "gpu"}).out, "Removed template gpu\n");
  http.answer(404, {{"error", {{"code", 5}, {"error", "template 'gpu' not found"}}}});
  const Outcome gone = det({"template", "remove", "gpu"});
  EXPECT_NE(gone.code, 0);
  EXPECT_THAT(gone.err, HasSubstr("template 'gpu' not found"));
}

TEST_F(Templates, NeedAFileThatHoldsAMap) {
  EXPECT_THAT(det({"template", "set", "gpu", folder.path().string()}).err, HasSubstr("it is a directory"));
  EXPECT_THAT(det({"template", "set", "gpu", folder.write("t.yaml", "[1]")}).err, HasSubstr("keys and values"));
  EXPECT_THAT(det({"template", "create", "gpu", folder.write("t.yaml", "a: [")}).err, HasSubstr("line 1"));
  EXPECT_TRUE(http.asked().empty());
}

}  // namespace
}  // namespace det::cli
