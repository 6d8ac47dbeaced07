// Routes whose answers no other test here looks at: each once, for the comparison with the description. Those of
// harnesses are played through in tests/api/harness_flow_test.cc, over HTTP.
#include <filesystem>
#include <fstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/api/fixture.h"

namespace det::api {
namespace {

namespace fs = std::filesystem;

struct Coverage : ApiTest {
  store::TaskRow task(const std::string& type) { return insert_task(type, "a task"); }
  void become_admin() {
    token = must(authenticator.login({.username = "admin", .password = "", .is_hashed = true, .peer = ""})).token;
  }
};

TEST_F(Coverage, OfWhatAHarnessReportsOfItsRun) {
  const auto trial = started_trial("mine");
  const std::string allocation = model::allocation_id(trial.task_id, trial.run);
  const store::ResourceRow pod{.rank = 0,
                               .resources_id = "r0",
                               .pod_name = "pod",
                               .node = "n",
                               .ip = "10.0.0.5",
                               .slots = 1,
                               .daemon = false,
                               .accelerator = nullptr};
  must(allocations.note_pods(allocation, model::AllocationState::kPending, {pod}));
  token = "mine";
  const std::string path = "/api/v1/allocations/" + allocation;
  EXPECT_EQ(get(path + "/resources/r0/rendezvous").body()["rendezvousInfo"]["rank"], 0);
  for (const char* what : {"/resources/r0/daemon", "/ready", "/waiting"})
    EXPECT_EQ(post(path + what).status, 200) << what;
  EXPECT_EQ(post(path + "/proxy_address", {{"proxyAddress", "10.0.0.5"}}).status, 200);
  const json gpus = {
      {"containerId", "pod"}, {"nodeName", "n"}, {"acceleratorType", "A100"}, {"acceleratorUuids", {"GPU-1"}}};
  EXPECT_EQ(post(path + "/acceleratorData", {{"acceleratorData", gpus}}).status, 200);
  EXPECT_EQ(post(path + "/notify_container_running", {{"allocationId", allocation}, {"rank", 0}}).status, 501);
  const json mine = {{"requestUuid", uuid_v4()}, {"numPeers", 1}, {"data", {{"port", 1}}}};
  EXPECT_EQ(post(path + "/all_gather", mine).body()["data"].size(), 1U);
  const std::string of_trial = "/api/v1/trials/" + to_string(trial.id);
  const json report = {{"trialId", trial.id.value},
                       {"trialRunId", trial.run},
                       {"stepsCompleted", 3},
                       {"metrics", {{"avgMetrics", {{"loss", 0.5}}}}}};
  EXPECT_EQ(post(of_trial + "/training_metrics", report).status, 200);
  EXPECT_EQ(post(of_trial + "/validation_metrics", report).status, 200);
  EXPECT_EQ(post(of_trial + "/validation_metrics", {{"trialId", 99}, {"metrics", json::object()}}).status, 400);
  become_admin();
  sql("UPDATE allocations SET ended_at = now()");
  EXPECT_EQ(post(path + "/all_gather", mine).error(), "allocation '" + allocation + "' has ended");
  sql("UPDATE allocations SET ended_at = NULL");
  const json shown = get(path).body()["allocation"];
  EXPECT_EQ(shown["allocationId"], allocation);
  EXPECT_EQ(shown["isReady"], true);
  EXPECT_EQ(get("/api/v1/allocations/no.1").status, 404);
  const json known = get("/api/v1/tasks/" + trial.task_id + "/acceleratorData").body()["acceleratorData"];
  ASSERT_EQ(known.size(), 1U);
  EXPECT_EQ(known[0]["acceleratorUuids"], json{"GPU-1"});
  EXPECT_EQ(known[0]["nodeName"], "n");
  EXPECT_EQ(known[0]["resourcePool"], "default");
  const json groups =
      json::parse(sql("SELECT json_agg(grp ORDER BY grp) FROM series WHERE trial_id = " + to_string(trial.id)));
  EXPECT_EQ(groups, (json{"training", "validation"}));
}

TEST_F(Coverage, OfWhatPagesAskFirst) {
  EXPECT_EQ(get("/api/v1/master/telemetry").body()["enabled"], false);
  EXPECT_EQ(get("/api/v1/k8s-resource-managers").body()["resourceManagers"], json{""});
}

TEST_F(Coverage, OfTasks) {
  for (const auto& [type, many] : {std::pair("NOTEBOOK", "notebooks"), std::pair("SHELL", "shells"),
                                   std::pair("COMMAND", "commands"), std::pair("TENSORBOARD", "tensorboards")}) {
    const auto row = task(type);
    const std::string path = std::string("/api/v1/") + many;
    EXPECT_EQ(get(path + "?sortBy=SORT_BY_STATE&users=determined&workspaceId=1&limit=1").body()[many].size(), 1U);
    EXPECT_EQ(get(path + "/" + row.id).status, 200);
    EXPECT_EQ(post(path + "/" + row.id + "/set_priority", {{"priority", 7}}).status, 200);
    EXPECT_EQ(post(path + "/" + row.id + "/kill").status, 200);
  }
  const auto notebook = task("NOTEBOOK");
  EXPECT_EQ(call("PUT", "/api/v1/notebooks/" + notebook.id + "/report_idle", R"({"idle":true})").status, 200);
  EXPECT_EQ(get("/api/v1/tasks/" + notebook.id + "/logs/fields").status, 200);
}

TEST_F(Coverage, OfUsersRolesPoliciesAndModels) {
  EXPECT_EQ(get("/api/v1/users/2").body()["user"]["username"], "determined");
  EXPECT_EQ(post("/api/v1/models", {{"name", "m"}, {"labels", {"a"}}}).status, 200);
  EXPECT_EQ(get("/api/v1/model/labels?workspaceId=1").body()["labels"], json::array({"a"}));
  become_admin();
  const json group = post("/api/v1/groups", {{"name", "g"}, {"addUsers", {2}}}).body()["group"];
  const json role = {{"role", {{"roleId", 1}}}, {"scopeCluster", true}};
  EXPECT_EQ(post("/api/v1/roles/add-assignments",
                 {{"groupRoleAssignments", json::array({{{"groupId", group["groupId"]}, {"roleAssignment", role}}})}})
                .status,
            200);
  EXPECT_EQ(get("/api/v1/roles/search/by-group/" + group["groupId"].dump()).body()["roles"].size(), 1U);
  EXPECT_EQ(post("/api/v1/roles/search/by-ids", {{"roleIds", {1}}}).body()["roles"][0]["groupRoleAssignments"].size(),
            1U);
  EXPECT_EQ(call("DELETE", "/api/v1/config-policies/workspaces/1/NTSC").status, 200);
  EXPECT_EQ(post("/api/v1/projects/-1/experiments/cancel", {{"experimentIds", {1}}}).body()["results"].size(), 1U);
}

TEST_F(Coverage, OfTheHarnessesWheels) {
  const fs::path folder = fs::temp_directory_path() / uuid_v4();
  fs::create_directories(folder);
  std::ofstream(folder / "determined-0.38.1-py3-none-any.whl") << "wheel";
  services.settings.master.harness.wheelhouse = folder.string();
  EXPECT_THAT(get("/harness/wheels").text, testing::HasSubstr("determined-0.38.1"));
  EXPECT_EQ(get("/harness/wheels/determined-0.38.1-py3-none-any.whl").text, "wheel");
  fs::remove_all(folder);
}

}  // namespace
}  // namespace det::api
