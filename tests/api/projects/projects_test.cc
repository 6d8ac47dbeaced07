#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/api/fixture.h"

namespace det::api {
namespace {

using testing::HasSubstr;

struct ProjectRoutes : ApiTest {
  ProjectRoutes() {
    must(users.create({.username = "mallory", .display_name = {}, .password_hash = {}}));
    team = post("/api/v1/workspaces", {{"name", "team"}}).body()["workspace"].value("id", std::int64_t{0});
    ships = make("ships");
  }
  void become(const std::string& name) {
    token = must(authenticator.login({.username = name, .password = "", .is_hashed = true, .peer = ""})).token;
  }
  std::int64_t make(const std::string& name) {
    const Answer made = post(projects_of(team), {{"name", name}, {"description", "d"}, {"key", nullptr}});
    EXPECT_EQ(made.status, 200) << made.text;
    return made.body()["project"].value("id", std::int64_t{0});
  }
  static std::string projects_of(std::int64_t workspace) {
    return "/api/v1/workspaces/" + std::to_string(workspace) + "/projects";
  }
  static std::string path(std::int64_t id, const std::string& verb = {}) {
    return "/api/v1/projects/" + std::to_string(id) + verb;
  }
  Answer patch(std::int64_t id, const json& body) { return call("PATCH", path(id), body.dump()); }
  json shown(std::int64_t id) { return get(path(id)).body()["project"]; }

  std::int64_t team = 0;
  std::int64_t ships = 0;
};

TEST_F(ProjectRoutes, MakeThemAndShowThem) {
  const json project = shown(ships);
  EXPECT_EQ(project["name"], "ships");
  EXPECT_EQ(project["workspaceName"], "team");
  EXPECT_EQ(project["notes"], json::array());
  EXPECT_EQ(project["numRuns"], 0);
  EXPECT_EQ(project["state"], "WORKSPACE_STATE_UNSPECIFIED");
  EXPECT_EQ(get("/api/v1/projects/key/" + project["key"].get<std::string>()).body()["project"], project);
  EXPECT_EQ(get(projects_of(team) + "?name=SHIPS").body()["projects"], json::array({project}));
  EXPECT_EQ(get(projects_of(team)).body()["pagination"]["total"], 1);
  EXPECT_EQ(get(projects_of(0)).body()["projects"].size(), 2U) << "of all workspaces";
  EXPECT_EQ(get(projects_of(99)).error(), "workspace '99' not found");
  EXPECT_EQ(get(path(99)).error(), "project '99' not found");
  EXPECT_EQ(post(projects_of(1), {{"name", "x"}}).error(), "workspace (1) is immutable and cannot add new projects");
  EXPECT_EQ(post(projects_of(team), {{"name", "ships"}}).status, 409);
}

TEST_F(ProjectRoutes, RefuseNamesAndKeysThatWillNotDo) {
  EXPECT_EQ(post(projects_of(team), {{"name", " "}}).status, 400);
  EXPECT_EQ(post(projects_of(team), {{"name", "a\x07"}}).error(), "name must not hold control characters");
  EXPECT_EQ(post(projects_of(team), {{"name", std::string(256, 'x')}}).status, 400);
  EXPECT_EQ(post(projects_of(team), {{"name", "a"}, {"key", "toolong"}}).error(),
            "project key cannot be longer than 5 characters");
  EXPECT_EQ(post(projects_of(team), {{"name", "a"}, {"key", ""}}).error(), "project key cannot be empty");
  EXPECT_EQ(post(projects_of(team), {{"name", "a"}, {"key", "a-b"}}).error(),
            "project key can only contain alphanumeric characters: a-b");
  EXPECT_EQ(post(projects_of(team), {{"name", "a"}, {"key", "abc"}}).body()["project"]["key"], "ABC");
}

TEST_F(ProjectRoutes, ChangeArchiveMoveAndDelete) {
  // As clients do: with all that they were shown. Most of it is ignored.
  json body = shown(ships);
  body["name"] = "boats";
  is_as_described = false;
  EXPECT_EQ(patch(ships, body).body()["project"]["name"], "boats");
  is_as_described = true;
  EXPECT_EQ(post(path(ships, "/archive")).text, "{}");
  EXPECT_EQ(shown(ships)["archived"], true);
  EXPECT_EQ(patch(ships, body).status, 400);
  EXPECT_EQ(post(path(ships, "/unarchive")).text, "{}");
  const auto other = post("/api/v1/workspaces", {{"name", "other"}}).body()["workspace"]["id"];
  EXPECT_EQ(post(path(ships, "/move"), {{"destinationWorkspaceId", other}, {"projectId", ships}}).text, "{}");
  EXPECT_EQ(shown(ships)["workspaceId"], other);
  EXPECT_EQ(call("DELETE", path(ships)).text, R"({"completed":true})");
  EXPECT_EQ(get(path(ships)).status, 404);
}

TEST_F(ProjectRoutes, KeepNotes) {
  const json note = {{"name", "Hello"}, {"contents", "World"}};
  EXPECT_EQ(post(path(ships, "/notes"), note).body()["notes"], json::array({note}));
  EXPECT_EQ(post(path(ships, "/notes"), note).body()["notes"].size(), 2U);
  const Answer put = call("PUT", path(ships, "/notes"), json{{"notes", {note}}, {"projectId", ships}}.dump());
  EXPECT_EQ(put.body()["notes"], json::array({note}));
  EXPECT_EQ(shown(ships)["notes"], json::array({note}));
  EXPECT_EQ(call("PUT", path(ships, "/notes"), R"({"notes":[{},"x"]})").error(),
            "notes[1]: expected an object with a name and contents, got \"x\"");
  EXPECT_EQ(call("PUT", path(ships, "/notes"), R"({"notes":[{"name":5}]})").error(),
            "notes[0].name: expected a string, got 5");
  EXPECT_EQ(call("PUT", path(ships, "/notes"), R"({"notes":{}})").status, 400);
}

TEST_F(ProjectRoutes, AreForTheirOwnersAndAdmins) {
  become("mallory");
  const char* refusal = "non admin users need to own the project or workspace";
  EXPECT_EQ(patch(ships, {{"name", "x"}}).error(), refusal);
  EXPECT_EQ(patch(1, {{"name", "x"}}).error(), "project (1) is immutable and cannot have attributes updated");
  EXPECT_EQ(post(path(1, "/archive")).error(), refusal);
  for (const char* verb : {"/archive", "/unarchive", "/notes"}) EXPECT_EQ(post(path(ships, verb)).error(), refusal);
  EXPECT_EQ(post(path(ships, "/move"), {{"destinationWorkspaceId", 2}}).status, 403);
  EXPECT_EQ(call("PUT", path(ships, "/notes"), R"({"notes":[]})").status, 403);
  EXPECT_EQ(call("DELETE", path(ships)).status, 403);
  const auto theirs = make("theirs");
  EXPECT_EQ(patch(theirs, {{"name", "still theirs"}}).status, 200);
  become("determined");
  EXPECT_EQ(patch(theirs, {{"description", "in my workspace"}}).status, 200);
  EXPECT_EQ(post(path(theirs, "/move"), {{"destinationWorkspaceId", 2}}).error(),
            "non admin users can't move projects that someone else owns");
}

TEST_F(ProjectRoutes, TakeExperiments) {
  const auto id = create();
  const std::string move = "/api/v1/experiments/" + std::to_string(id) + "/move";
  become("mallory");
  EXPECT_EQ(post(move, {{"destinationProjectId", ships}}).status, 403);
  const Answer refused = post(path(1, "/experiments/move"), {{"destinationProjectId", ships}, {"experimentIds", {id}}});
  EXPECT_THAT(refused.body()["results"][0]["error"].get<std::string>(), HasSubstr("only its owner"));
  become("determined");
  EXPECT_EQ(post(move, {{"destinationProjectId", ships}, {"experimentId", id}}).text, "{}");
  EXPECT_EQ(get("/api/v1/experiments?projectId=" + std::to_string(ships)).body()["experiments"][0]["id"], id);
  EXPECT_EQ(shown(ships)["numActiveExperiments"], 1);
  EXPECT_TRUE(shown(ships).contains("lastExperimentStartedAt"));
  const Answer back =
      post(path(ships, "/experiments/move"), {{"destinationProjectId", 1}, {"experimentIds", {id, 99}}});
  EXPECT_EQ(back.body()["results"],
            json({{{"id", id}, {"error", ""}}, {{"id", 99}, {"error", "experiment '99' not found"}}}));
  const json filters = {{"name", "CON"}, {"excludedExperimentIds", {99}}};
  const Answer filtered =
      post(path(1, "/experiments/move"),
           {{"destinationProjectId", ships}, {"filters", filters}, {"experimentIds", json::array()}});
  EXPECT_EQ(filtered.body()["results"], (json::array({{{"id", id}, {"error", ""}}}))) << filtered.text;
  EXPECT_EQ(post(path(1, "/experiments/move"), {{"destinationProjectId", ships}, {"filters", 3}}).status, 400);
  EXPECT_EQ(post(move, json::object()).status, 400);
}

}  // namespace
}  // namespace det::api
