#include <gmock/gmock.h>

#include "tests/api/fixture.h"

namespace det::api {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

struct RegistryRoutes : ApiTest {
  RegistryRoutes() : trial(started_trial_of(model::ExperimentId{create()}, "01")) {}

  std::string save(std::int64_t steps) {
    const std::string uuid = uuid_v4();
    must(checkpoints.report({.uuid = uuid,
                             .task_id = trial.task_id,
                             .allocation_id = trial.task_id + ".1",
                             .report_time = WallTime(std::chrono::seconds(steps)),
                             .steps = steps,
                             .resources = {{"a", 100}}}));
    return uuid;
  }
  json make(const std::string& name, json more = json::object()) {
    more["name"] = name;
    const Answer made = post("/api/v1/models", more);
    EXPECT_EQ(made.status, 200) << made.text;
    return made.body()["model"];
  }
  Answer patch(const std::string& path, const json& body) { return call("PATCH", path, body.dump()); }
  void log_in(const std::string& user) {
    token = must(authenticator.login({.username = user, .password = "", .is_hashed = true, .peer = ""})).token;
  }

  store::TrialRow trial;
};

TEST_F(RegistryRoutes, AModelFromItsMakingToItsEnd) {
  const json model =
      make("sea ships", {{"description", "finds"}, {"labels", {"b", "a", "b"}}, {"metadata", {{"k", 1}}}});
  EXPECT_EQ(model["username"], "determined");
  EXPECT_EQ(model["workspaceId"], 1);
  EXPECT_EQ(model["numVersions"], 0);
  EXPECT_EQ(model["labels"], (json{"b", "a"}));
  EXPECT_EQ(get("/api/v1/models/sea%20ships").body()["model"], model);
  const std::string by_id = "/api/v1/models/" + model["id"].dump();
  EXPECT_EQ(get(by_id).body()["model"], model);
  EXPECT_EQ(patch(by_id, {{"name", "ships"}, {"notes", "n"}, {"labels", json::array()}}).body()["model"]["notes"], "n");
  EXPECT_EQ(get("/api/v1/models?name=SHI&sortBy=SORT_BY_NAME&orderBy=ORDER_BY_DESC").body()["pagination"]["total"], 1);
  EXPECT_EQ(get("/api/v1/models?workspaceNames=nowhere").body()["models"], json::array());
  EXPECT_EQ(post("/api/v1/models/ships/archive", json::object()).text, "{}");
  EXPECT_THAT(patch(by_id, {{"name", "x"}}).error(), HasSubstr("is archived"));
  EXPECT_EQ(post("/api/v1/models/ships/unarchive", json::object()).text, "{}");
  sql("INSERT INTO workspaces (name, owner_id) VALUES ('vision', 1) RETURNING id");
  EXPECT_EQ(patch(by_id, {{"workspaceName", "vision"}}).body()["model"]["workspaceId"], 2);
  EXPECT_EQ(post("/api/v1/models/ships/move", {{"destinationWorkspaceId", 1}}).text, "{}");
  EXPECT_EQ(get("/api/v1/models?workspaceIds=1").body()["models"][0]["name"], "ships");
  EXPECT_EQ(call("DELETE", by_id).text, "{}");
  EXPECT_EQ(get("/api/v1/models/ships").error(), "model \"ships\" not found");
  EXPECT_EQ(call("DELETE", by_id).status, 404);
}

// Notes may have a megabyte each: no list of them is put together whole.
TEST_F(RegistryRoutes, ListsOfManyModelsComeInPages) {
  EXPECT_EQ(get("/api/v1/models").body()["pagination"],
            (json{{"offset", 0}, {"limit", 0}, {"startIndex", 0}, {"endIndex", 0}, {"total", 0}}));
  sql("INSERT INTO models (name, owner_id, workspace_id, description, metadata, labels, notes) SELECT 'm' || i, 2, 1, "
      "'', '{}', '{}', '' FROM generate_series(1, 120) i RETURNING 1");
  EXPECT_FALSE(unread("/api/v1/models?limit=50").stream);
  EXPECT_TRUE(unread("/api/v1/models?limit=51").stream);
  const auto listed = [this](const std::string& query) {
    const json answer = get("/api/v1/models?orderBy=ORDER_BY_ASC" + query).body();
    std::vector<std::int64_t> ids;
    for (const json& one : answer["models"]) ids.push_back(one["id"]);
    EXPECT_TRUE(std::ranges::is_sorted(ids));
    const json& pages = answer["pagination"];
    return std::to_string(ids.size()) + " from " + std::to_string(ids.empty() ? 0 : ids.front()) + ", " +
           pages["startIndex"].dump() + " to " + pages["endIndex"].dump() + " of " + pages["total"].dump();
  };
  EXPECT_EQ(listed(""), "120 from 1, 0 to 120 of 120");
  EXPECT_EQ(listed("&limit=70&offset=10"), "70 from 11, 10 to 80 of 120");
  EXPECT_EQ(listed("&limit=70&offset=100"), "20 from 101, 100 to 120 of 120");
  EXPECT_EQ(listed("&limit=3&offset=-5"), "3 from 116, 115 to 118 of 120");
}

TEST_F(RegistryRoutes, FindAModelWhoseNameIsANumberBelowZero) {
  make("-5");
  EXPECT_EQ(get("/api/v1/models/-5").body()["model"]["name"], "-5");
}

TEST_F(RegistryRoutes, SayWhichNamesWork) {
  make("ships");
  const std::pair<std::string, const char*> kNames[] = {{" ", "model names cannot be blank"},
                                                        {"a  b", "model names cannot have excessive spacing"},
                                                        {"a/b", "model names cannot have slashes"},
                                                        {"12", "model names cannot be only numbers"},
                                                        {"a\nb", "model names cannot have control characters"},
                                                        {std::string(257, 'a'), "cannot be longer than 256 bytes"}};
  for (const auto& [name, message] : kNames) {
    const Answer refused = post("/api/v1/models", {{"name", name}});
    EXPECT_EQ(refused.status, 400) << name;
    EXPECT_THAT(refused.error(), HasSubstr(message));
  }
  EXPECT_EQ(post("/api/v1/models", {{"name", "ships"}}).status, 409);
  EXPECT_THAT(post("/api/v1/models", {{"name", "x"}, {"metadata", {1}}}).error(), HasSubstr("expected an object"));
  EXPECT_THAT(post("/api/v1/models", {{"name", "x"}, {"labels", {1}}}).error(), HasSubstr("labels: expected a list"));
  EXPECT_THAT(post("/api/v1/models", {{"name", std::string("x\0y", 3)}}).error(), HasSubstr("without NUL"));
  EXPECT_EQ(post("/api/v1/models", {{"name", "x"}, {"workspaceName", "nowhere"}}).error(),
            "workspace 'nowhere' not found");
  EXPECT_EQ(get("/api/v1/models?sortBy=UP").status, 400);
  EXPECT_EQ(post("/api/v1/models/ships/move", json::object()).error(), "missing argument: destinationWorkspaceId");
}

TEST_F(RegistryRoutes, ManyVersionsComeInTheirOrder) {
  make("ships");
  const std::string uuid = save(10);
  for (int i = 0; i < 60; ++i) post("/api/v1/models/ships/versions", {{"checkpointUuid", uuid}});
  const json list = get("/api/v1/models/ships/versions?sortBy=SORT_BY_VERSION&orderBy=ORDER_BY_DESC").body();
  ASSERT_EQ(list["modelVersions"].size(), 60U);
  EXPECT_EQ(list["modelVersions"][0]["version"], 60);
  EXPECT_EQ(list["modelVersions"][59]["version"], 1);
  EXPECT_EQ(list["model"]["numVersions"], 60);
  EXPECT_EQ(list["pagination"]["total"], 60);
}

TEST_F(RegistryRoutes, VersionsAreCheckpoints) {
  make("ships");
  const std::string uuid = save(10);
  const Answer added = post("/api/v1/models/ships/versions", {{"checkpointUuid", uuid}, {"comment", "first"}});
  ASSERT_EQ(added.status, 200) << added.text;
  const json version = added.body()["modelVersion"];
  EXPECT_EQ(version["version"], 1);
  EXPECT_EQ(version["checkpoint"]["uuid"], uuid);
  EXPECT_EQ(version["model"]["numVersions"], 1);
  EXPECT_EQ(version["comment"], "first");
  const json list = get("/api/v1/models/ships/versions?sortBy=SORT_BY_VERSION&orderBy=ORDER_BY_DESC&limit=1").body();
  EXPECT_EQ(list["modelVersions"][0], version);
  EXPECT_EQ(list["model"]["name"], "ships");
  EXPECT_EQ(get("/api/v1/models/ships/versions/1").body()["modelVersion"], version);
  EXPECT_EQ(get("/api/v1/models/ships/versions/2").error(), "version 2 for model \"ships\" not found");
  EXPECT_EQ(get("/api/v1/models/ships/versions/x").status, 400);
  EXPECT_EQ(get("/api/v1/models/ships/versions/3000000000").status, 404) << "more than an integer of PostgreSQL's";
  const std::string path = "/api/v1/models/ships/versions/1";
  EXPECT_EQ(call("PATCH", path, R"({"name":"x","checkpoint":5})").error(), "checkpoint: expected an object, got 5");
  EXPECT_EQ(call("PATCH", path, R"({"name":"x","checkpoint":{"uuid":5}})").error(),
            "checkpoint.uuid: expected a string, got 5");
  EXPECT_EQ(patch(path, {{"name", "best"}}).body()["modelVersion"]["name"], "best");
  EXPECT_THAT(patch(path, {{"checkpoint", {{"uuid", uuid_v4()}}}}).error(), HasSubstr("a version stays"));
  EXPECT_EQ(post("/api/v1/models/ships/versions", {{"checkpointUuid", "x"}}).error(), "checkpoint 'x' not found");
  EXPECT_THAT(call("DELETE", "/api/v1/checkpoints", json({{"checkpointUuids", {uuid}}}).dump()).error(),
              HasSubstr("in the model registry and cannot be deleted: [" + uuid + "]"));
  EXPECT_EQ(call("DELETE", path).text, "{}");
  EXPECT_EQ(call("DELETE", path).status, 404);
}

TEST_F(RegistryRoutes, OnlyOwnersAndAdminsDelete) {
  log_in("admin");
  make("ships");
  const std::string uuid = save(10);
  post("/api/v1/models/ships/versions", {{"checkpointUuid", uuid}});
  log_in("determined");
  EXPECT_EQ(post("/api/v1/models/ships/versions", {{"checkpointUuid", uuid}}).body()["modelVersion"]["version"], 2);
  const Answer model = call("DELETE", "/api/v1/models/ships");
  EXPECT_EQ(model.status, 403);
  EXPECT_EQ(model.error(), "non-admin users may not delete other users' models");
  const Answer version = call("DELETE", "/api/v1/models/ships/versions/1");
  EXPECT_EQ(version.status, 403);
  EXPECT_EQ(version.error(), "non-admin users may not delete other users' model versions");
  EXPECT_EQ(call("DELETE", "/api/v1/models/ships/versions/2").status, 200) << "its own";
}

TEST_F(RegistryRoutes, InferenceOverAVersionIsFoundByIt) {
  const json model = make("ships");
  const std::string uuid = save(10);
  post("/api/v1/models/ships/versions", {{"checkpointUuid", uuid}});
  const auto report = [&](const json& source) {
    json all = {{"trialId", trial.id.value},
                {"checkpointUuid", uuid},
                {"trialSourceInfoType", "TRIAL_SOURCE_INFO_TYPE_INFERENCE"}};
    all.update(source);
    return post("/api/v1/trial-source-info", {{"trialSourceInfo", all}});
  };
  EXPECT_EQ(report({{"modelId", model["id"]}}).status, 400);
  EXPECT_EQ(report({{"modelId", model["id"]}, {"modelVersion", 7}}).status, 404);
  EXPECT_THAT(report({{"modelId", model["id"]}, {"modelVersion", 1}, {"checkpointUuid", save(20)}}).error(),
              HasSubstr("that version of the model is checkpoint " + uuid));
  EXPECT_EQ(report({{"modelId", model["id"]}, {"modelVersion", 1}}).status, 200);
  EXPECT_EQ(get("/api/v1/models/ships/versions/1/metrics").body(), (json{{"metrics", json::array()}}));
}

}  // namespace
}  // namespace det::api
