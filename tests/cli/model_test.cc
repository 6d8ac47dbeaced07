#include "tests/cli/fixture.h"

namespace det::cli {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

const std::string kUuid = "d49942f4-c795-4224-9952-0a7b4f37e523";

struct Models : CliTest {
  Models() {
    variables = {{"DET_USER", "ann"}, {"DET_USER_TOKEN", "T"}};  // no login in the way
  }
  const Json ships = {{"id", 6},
                      {"name", "ships"},
                      {"description", "finds"},
                      {"workspaceId", 1},
                      {"creationTime", "2026-11-24T17:51:54.5Z"},
                      {"lastUpdatedTime", "2026-11-24T17:51:55Z"},
                      {"metadata", {{"size", 3}}},
                      {"archived", false}};
};

TEST_F(Models, AreListedAsTheRealOnePrintsThem) {
  http.answer(200, {{"models", {ships}}, {"pagination", {{"endIndex", 1}, {"total", 1}}}});
  EXPECT_EQ(det({"m", "ls", "-w", "vision,nlp", "--order-by", "desc"}).out,
            "   ID | Name   |   Workspace ID | Creation Time             | Last Updated Time         | Metadata\n"
            "------+--------+----------------+---------------------------+---------------------------+-------------\n"
            "    6 | ships  |              1 | 2026-11-24 17:51:54+00:00 | 2026-11-24 17:51:55+00:00 | {\n"
            "      |        |                |                           |                           |   \"size\": 3\n"
            "      |        |                |                           |                           | }\n");
  EXPECT_THAT(http.asked().back(), HasSubstr("sortBy=SORT_BY_LAST_UPDATED_TIME&orderBy=ORDER_BY_DESC&"
                                             "workspaceNames=vision&workspaceNames=nlp"));
  http.answer(200, {{"models", {ships}}, {"pagination", {{"endIndex", 1}, {"total", 1}}}});
  EXPECT_EQ(Json::parse(det({"model", "list", "--json"}).out)[0]["creation_time"], "2026-11-24T17:51:54+00:00");
  EXPECT_THAT(det({"m", "ls", "--sort-by", "size"}).err, HasSubstr("size not in {name,description,"));
}

TEST_F(Models, TakeVersions) {
  EXPECT_THAT(det({"m", "register-version", "ships", "7"}).err, HasSubstr("'7' is not a UUID"));
  EXPECT_TRUE(http.requests().empty());
  http.answer(200, {{"modelVersion", {{"model", ships}, {"version", 2}, {"checkpoint", {{"uuid", kUuid}}}}}});
  EXPECT_THAT(det({"m", "register-version", "sea ships", kUuid}).out, HasSubstr(kUuid));
  EXPECT_THAT(http.asked(), ElementsAre("POST /api/v1/models/sea%20ships/versions"));
  EXPECT_EQ(http.requests().back().body, R"({"checkpointUuid":")" + kUuid + R"("})");
}

TEST_F(Models, WithoutVersionsAreDescribedAlone) {
  http.answer(200, {{"model", ships}});
  http.answer(200, {{"modelVersions", Json::array()}});
  const std::string said = det({"m", "describe", "ships"}).out;
  EXPECT_THAT(said, HasSubstr("finds"));
  EXPECT_THAT(said, testing::Not(HasSubstr("Version #")));
}

TEST_F(Models, MoveOnlyToANamedWorkspace) {
  EXPECT_THAT(det({"m", "move", "ships"}).err, HasSubstr("--workspace-name"));
  http.answer(200, {{"workspaces", {{{"id", 4}, {"name", "vision"}}}}});
  http.answer(200, Json::object());
  EXPECT_EQ(det({"m", "move", "ships", "-w", "vision"}).code, 0);
  EXPECT_EQ(http.requests().back().body, R"({"destinationWorkspaceId":4})");
  http.answer(404, {{"error", {{"error", "model \"ships\" not found"}}}});
  EXPECT_THAT(det({"m", "delete", "ships"}).err, HasSubstr("model \"ships\" not found"));
}

}  // namespace
}  // namespace det::cli
