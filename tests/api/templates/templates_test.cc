#include <array>
#include <functional>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/encoding.h"
#include "tests/api/fixture.h"

namespace det::api {
namespace {

using testing::AllOf;
using testing::HasSubstr;

struct TemplateRoutes : ApiTest {
  void add(const std::string& name, const json& config) {
    const Answer made = post("/api/v1/templates/" + name, {{"name", name}, {"config", config}, {"workspaceId", 0}});
    ASSERT_EQ(made.status, 200) << made.text;
    EXPECT_EQ(made.body()["template"], (json{{"name", name}, {"config", config}, {"workspaceId", 1}}));
  }
  Answer create_with(const std::string& yaml, const std::string& name, bool validate_only = false) {
    return post("/api/v1/experiments",
                {{"config", yaml}, {"template", name}, {"activate", true}, {"validateOnly", validate_only}});
  }
};

TEST_F(TemplateRoutes, CreateListChangeAndRemove) {
  add("b", {{"debug", true}});
  add("a b", {{"idle_timeout", "5m"}});
  const json all = get("/api/v1/templates").body();
  EXPECT_EQ(all["templates"][0]["name"], "a b");
  EXPECT_EQ(all["templates"][1]["config"], (json{{"debug", true}}));
  EXPECT_EQ(all["pagination"]["total"], 2);
  EXPECT_EQ(get("/api/v1/templates?name=B&limit=1&orderBy=ORDER_BY_DESC").body()["templates"][0]["name"], "b");
  const Answer changed = call("PATCH", "/api/v1/templates/a%20b", R"({"debug":false})");
  EXPECT_EQ(changed.body()["template"]["config"], (json{{"debug", false}}));
  EXPECT_EQ(get("/api/v1/templates/a%20b").body()["template"]["config"], (json{{"debug", false}}));
  EXPECT_EQ(call("DELETE", "/api/v1/templates/b").text, "{}");
  for (const char* method : {"GET", "PATCH", "DELETE"}) {
    const Answer gone = call(method, "/api/v1/templates/b", method == std::string("PATCH") ? "{}" : "");
    EXPECT_EQ(gone.status, 404) << method;
    EXPECT_EQ(gone.error(), "template 'b' not found");
  }
}

TEST_F(TemplateRoutes, HaveAnOlderForm) {
  EXPECT_EQ(call("PUT", "/templates/old", R"({"debug": true})").text, "{}");
  EXPECT_EQ(get("/api/v1/templates/old").body()["template"],
            (json{{"name", "old"}, {"config", {{"debug", true}}}, {"workspaceId", 1}}));
  EXPECT_EQ(call("PUT", "/templates/old", R"({"max_restarts": 2})").status, 200);
  const json one = get("/templates/old").body();
  EXPECT_EQ(one, (json{{"name", "old"}, {"config", base64_encode(R"({"max_restarts":2})")}}));
  EXPECT_EQ(get("/templates").body(), json::array({one}));
  EXPECT_EQ(call("PUT", "/templates/old", "[]").status, 400);
  token = must(authenticator.login({.username = "admin", .password = "", .is_hashed = true, .peer = ""})).token;
  EXPECT_EQ(call("PUT", "/templates/of-admin", "{}").status, 200);
  token = must(authenticator.login({.username = "determined", .password = "", .is_hashed = true, .peer = ""})).token;
  EXPECT_EQ(call("PUT", "/templates/of-admin", R"({"debug": true})").status, 403);
  EXPECT_EQ(call("DELETE", "/templates/old").text, "{}");
  EXPECT_EQ(get("/templates/old").status, 404);
}

TEST_F(TemplateRoutes, APutMovesThemAndLeavesWhatItDoesNotSay) {
  const model::WorkspaceId other =
      must(workspaces.create({.name = "other", .owner = {1}, .agent = {}, .defaults = {}}));
  add("a", {{"debug", true}});
  const auto put = [&](const json& body) { return call("PUT", "/api/v1/templates/a", body.dump()); };
  const json moved = {{"name", "a"}, {"config", {{"debug", true}}}, {"workspaceId", other.value}};
  EXPECT_EQ(put({{"workspaceId", other.value}}).body()["template"], moved);
  EXPECT_EQ(put({{"workspaceId", 0}, {"config", {{"debug", false}}}}).body()["template"]["workspaceId"], other.value);
  EXPECT_EQ(put({{"workspaceId", 99}}).error(), "workspace '99' not found");
  EXPECT_EQ(call("PUT", "/templates/a", R"({"max_restarts": 2})").text, "{}");
  EXPECT_EQ(get("/api/v1/templates/a").body()["template"]["workspaceId"], other.value) << "the older form moves none";
  EXPECT_EQ(call("PUT", "/api/v1/templates/new", "{}").status, 400) << "a new one needs a configuration";
}

TEST_F(TemplateRoutes, WithRolesAChangeTakesTheRightToChangeAndAMoveTheRightToCreate) {
  const model::WorkspaceId mine = must(workspaces.create({.name = "mine", .owner = {1}, .agent = {}, .defaults = {}}));
  const model::WorkspaceId theirs =
      must(workspaces.create({.name = "theirs", .owner = {1}, .agent = {}, .defaults = {}}));
  EXPECT_EQ(post("/api/v1/templates/t", {{"config", json::object()}, {"workspaceId", mine.value}}).status, 200);
  services.settings.master.authz.has_roles = true;
  must(role_assignments.ensure_cluster_admin());
  constexpr model::RoleId kEditor{5};
  must(role_assignments.add({{.role = kEditor, .user = model::UserId{2}, .group = {}, .workspace = mine}}));
  const auto put = [&](const std::string& name, const json& body) {
    return call("PUT", "/api/v1/templates/" + name, body.dump());
  };
  EXPECT_EQ(put("t", {{"config", {{"debug", true}}}}).status, 200);
  EXPECT_EQ(put("t", {{"config", json::object()}, {"workspaceId", mine.value}}).status, 200);
  const std::string needed = "access denied; required permissions: PERMISSION_TYPE_CREATE_TEMPLATES";
  EXPECT_EQ(put("t", {{"workspaceId", theirs.value}}).error(), needed);
  EXPECT_EQ(put("new", {{"config", json::object()}}).error(), needed) << "without a place it is in the first workspace";
}

TEST_F(TemplateRoutes, ArePutAndRenamed) {
  const auto put = [&](const std::string& name, const json& config) {
    return call("PUT", "/api/v1/templates/" + name, json{{"config", config}, {"workspaceId", 1}}.dump());
  };
  EXPECT_EQ(put("a", {{"debug", true}}).body()["template"]["config"], (json{{"debug", true}}));
  EXPECT_EQ(put("a", {{"debug", false}}).body()["template"]["config"], (json{{"debug", false}}));
  EXPECT_EQ(put("b", json::array()).status, 400);
  const auto rename = [&](const char* from, const char* to) {
    return call("PATCH", "/api/v1/template/rename", json{{"oldName", from}, {"newName", to}}.dump());
  };
  EXPECT_EQ(rename("a", "z").body()["template"]["name"], "z");
  EXPECT_EQ(get("/api/v1/templates/a").status, 404);
  EXPECT_EQ(rename("a", "c").error(), "template 'a' not found");
  EXPECT_EQ(put("y", json::object()).status, 200);
  EXPECT_EQ(rename("y", "z").status, 409);
  EXPECT_THAT(rename("y", "").error(), HasSubstr("newName"));
  EXPECT_EQ(get("/api/v1/templates?sortBy=SORT_BY_NAME").body()["templates"][0]["name"], "y");
  EXPECT_EQ(get("/api/v1/templates?sortBy=SORT_BY_COLOR").status, 400);
  sql("UPDATE templates SET owner_id = 1 RETURNING 1");
  EXPECT_EQ(rename("y", "x").status, 403) << "somebody else's";
  EXPECT_EQ(put("y", json::object()).status, 403);
}

struct LateBodies : TemplateRoutes {
  // The head of a request that this token sends is admitted; then `meanwhile`; then its body comes.
  int status_of(const std::string& method, const std::string& target, const std::string& body,
                const std::function<void()>& meanwhile) {
    http::Request request;
    request.method = method;
    request.target = target;
    request.headers.add("Authorization", "Bearer " + token);
    auto parsed = http::parse_target(target).value();
    request.path = parsed.path;
    auto match = router.find(method, parsed.segments);
    request.params = std::move(match.params);
    EXPECT_FALSE(run(match.route->options.admit(request)).has_value()) << target;
    meanwhile();
    request.body = http::Body(std::string(body));
    request.announces_body = true;
    return run(match.route->handler(request)).status;
  }
};

TEST_F(LateBodies, ChangeNothingThatBecameSomebodyElsesMeanwhile) {
  must(users.create({.username = "mallory"}));
  const std::string owners = token;
  const std::string mallorys =
      must(authenticator.login({.username = "mallory", .password = "", .is_hashed = true, .peer = ""})).token;
  const std::string evil = R"({"environment": {"image": "evil"}})";
  const std::vector<std::array<std::string, 3>> bodies = {{"PUT", "/api/v1/templates/", R"({"config": )" + evil + "}"},
                                                          {"PUT", "/templates/", evil},
                                                          {"PATCH", "/api/v1/templates/", evil}};
  int number = 0;
  for (const auto& [method, path, body] : bodies) {
    const std::string name = "t" + std::to_string(++number);
    token = mallorys;
    const int status = status_of(method, path + name, body, [&] {
      token = owners;
      add(name, {{"debug", true}});
    });
    EXPECT_EQ(status, 403) << method << " " << path;
    EXPECT_EQ(get("/api/v1/templates/" + name).body()["template"]["config"], (json{{"debug", true}}));
  }
  token = mallorys;
  EXPECT_EQ(status_of("PUT", "/templates/own", evil, [] {}), 200);
}

// In chunks.
TEST_F(LateBodies, AreLateAlsoWhenTheyAreEmpty) {
  must(users.create({.username = "mallory"}));
  const std::string owners = token;
  token = must(authenticator.login({.username = "mallory", .password = "", .is_hashed = true, .peer = ""})).token;
  const int status = status_of("DELETE", "/api/v1/templates/late", "", [&] {
    const std::string mallorys = std::exchange(token, owners);
    add("late", {{"debug", true}});
    token = mallorys;
  });
  EXPECT_EQ(status, 403);
  EXPECT_EQ(sql("SELECT count(*) FROM templates WHERE name = 'late'"), "1");
}

TEST_F(LateBodies, AreOfNobodyWhoWasSwitchedOffMeanwhile) {
  const auto mallory = must(users.create({.username = "mallory"})).id;
  token = must(authenticator.login({.username = "mallory", .password = "", .is_hashed = true, .peer = ""})).token;
  const int status = status_of("PUT", "/templates/late", R"({"debug": true})", [&] {
    must(users.change(mallory, {.active = false}));
    authenticator.forget_user(mallory);
  });
  EXPECT_EQ(status, 401);
  EXPECT_EQ(sql("SELECT count(*) FROM templates WHERE name = 'late'"), "0");
}

TEST_F(LateBodies, ReportForNoTrialThatHasGotItsNumberMeanwhile) {
  must(users.create({.username = "mallory"}));
  token = must(authenticator.login({.username = "mallory", .password = "", .is_hashed = true, .peer = ""})).token;
  model::TrialId trial;
  const int status = status_of("POST", "/api/v1/trials/1/runner/metadata", R"({"state": "forged"})",
                               [&] { trial = started_trial().id; });
  EXPECT_EQ(trial.value, 1);
  EXPECT_EQ(status, 403);
  EXPECT_EQ(sql("SELECT runner_state FROM trials"), "");
}

TEST_F(TemplateRoutes, SayWhatIsWrong) {
  add("a", json::object());
  EXPECT_EQ(post("/api/v1/templates/a", {{"config", json::object()}}).status, 409);
  EXPECT_EQ(post("/api/v1/templates/x", {{"name", "x"}}).error(), "missing argument: config");
  EXPECT_THAT(post("/api/v1/templates/x", {{"config", "text"}}).error(), HasSubstr("not string"));
  EXPECT_EQ(post("/api/v1/templates/x", {{"config", json::object()}, {"workspaceId", 7}}).status, 404);
  EXPECT_EQ(call("PATCH", "/api/v1/templates/a", "[]").status, 400);
  EXPECT_EQ(get("/api/v1/templates?orderBy=UP").status, 400);
}

TEST_F(TemplateRoutes, AnExperimentIsInTheProjectThatItsConfigurationOrTemplateNames) {
  sql("INSERT INTO workspaces (name, owner_id) VALUES ('vision', 1) RETURNING id");
  sql("INSERT INTO projects (name, workspace_id, owner_id) SELECT 'ships', id, 1 FROM workspaces WHERE name = 'vision' "
      "RETURNING id");
  const auto project_of = [&](const Answer& made) { return made.body()["experiment"]["projectName"]; };
  add("in-ships", {{"workspace", "vision"}, {"project", "ships"}});
  const std::string named = std::string(kConst) + "workspace: vision\nproject: ships\n";
  EXPECT_EQ(project_of(create_with(named, "")), "ships");
  EXPECT_EQ(project_of(create_with(kConst, "in-ships")), "ships");
  EXPECT_EQ(project_of(create_with(kConst, "")), "Uncategorized");
  const std::string home = "workspace: Uncategorized\nproject: Uncategorized\n";
  EXPECT_EQ(project_of(create_with(kConst + home, "in-ships")), "Uncategorized") << "the configuration lies on top";
  const Answer wrong = create_with(std::string(kConst) + "workspace: vision\nproject: boats\n", "", true);
  EXPECT_EQ(wrong.status, 404);
  EXPECT_EQ(
      wrong.error(),
      "workspace/project 'vision/boats' not found; create it with `det project create`, or leave out `workspace` and "
      "`project`");
  EXPECT_THAT(create_with(std::string(kConst) + "workspace: vision\n", "").error(), HasSubstr("must both be included"));
}

TEST_F(TemplateRoutes, AnExperimentLiesOnItsTemplate) {
  add("base", {{"searcher", {{"name", "random"}, {"metric", "loss"}, {"max_trials", 3}}},
               {"hyperparameters", {{"lr", {{"type", "double"}, {"minval", 0}, {"maxval", 1}}}}},
               {"labels", {"shared"}},
               {"max_restarts", 1},
               {"checkpoint_storage", {{"type", "directory"}, {"container_path", "/c"}}}});
  const Answer made = create_with("entrypoint: train\nlabels: [mine]\nsearcher: {metric: accuracy}\n", "base");
  ASSERT_EQ(made.status, 200) << made.text;
  const json config = made.body()["config"];
  EXPECT_EQ(config["searcher"]["metric"], "accuracy");
  EXPECT_EQ(config["searcher"]["max_trials"], 3);
  EXPECT_EQ(config["labels"], (json{"mine", "shared"}));
  EXPECT_EQ(config["max_restarts"], 1);
  const auto id = made.body()["experiment"].value("id", std::int64_t{0});
  EXPECT_EQ(object(id)["spec"]["template"], "base");
  EXPECT_FALSE(object(id)["spec"]["config"].contains("max_restarts"));
  // What was accepted stays, whatever becomes of the template.
  EXPECT_EQ(call("DELETE", "/api/v1/templates/base").status, 200);
  EXPECT_EQ(get("/api/v1/experiments/" + std::to_string(id)).body()["experiment"]["config"]["max_restarts"], 1);
}

TEST_F(TemplateRoutes, ABrokenOrAbsentTemplateIsNamed) {
  const Answer absent = create_with(kConst, "nothing");
  EXPECT_EQ(absent.status, 404);
  EXPECT_EQ(absent.error(), "template 'nothing' not found; create it with `det template create`");
  add("broken", {{"resources", {{"slots_per_trial", "many"}}}, {"idle_timeout", 5}});
  const Answer refused = create_with(kConst, "broken", true);
  EXPECT_EQ(refused.status, 400);
  EXPECT_THAT(refused.error(),
              AllOf(HasSubstr("template 'broken' is invalid: "), HasSubstr("slots_per_trial: expected integer"),
                    HasSubstr("additionalProperties \"idle_timeout\" not allowed")));
}

TEST_F(TemplateRoutes, WorkspacesAreListed) {
  const json all = get("/api/v1/workspaces").body();
  ASSERT_EQ(all["workspaces"].size(), 1U);
  EXPECT_EQ(all["workspaces"][0]["name"], "Uncategorized");
  EXPECT_EQ(get("/api/v1/workspaces?nameCaseSensitive=uncategorized").body()["workspaces"].size(), 0U);
  EXPECT_EQ(get("/api/v1/workspaces?name=UNCATEGORIZED").body()["workspaces"].size(), 1U);
  EXPECT_EQ(get("/api/v1/workspaces/1").body()["workspace"]["username"], "admin");
  EXPECT_EQ(get("/api/v1/workspaces/2").status, 404);
}

}  // namespace
}  // namespace det::api
