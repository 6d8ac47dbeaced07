#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/api/fixture.h"

namespace det::api {
namespace {

using testing::HasSubstr;

constexpr const char* kGlobal = "/api/v1/config-policies/global/EXPERIMENT";
constexpr const char* kWorkspace = "/api/v1/config-policies/workspaces/1/EXPERIMENT";

struct ConfigPolicyRoutes : ApiTest {
  ConfigPolicyRoutes() { become("admin"); }
  void become(const std::string& name) {
    token = must(authenticator.login({.username = name, .password = "", .is_hashed = true, .peer = ""})).token;
  }
  Answer put(const std::string& target, const std::string& yaml) {
    return call("PUT", target, json{{"workloadType", "EXPERIMENT"}, {"configPolicies", yaml}}.dump());
  }
  void set(const std::string& target, const std::string& yaml) {
    const Answer answer = put(target, yaml);
    EXPECT_EQ(answer.status, 200) << answer.text;
  }
  Answer submit(const std::string& more) {
    return post("/api/v1/experiments", {{"config", kConst + more}, {"activate", true}});
  }
  Answer change(std::int64_t id, const json& resources) {
    return call("PATCH", "/api/v1/experiments/" + std::to_string(id), json{{"resources", resources}}.dump());
  }
};

TEST_F(ConfigPolicyRoutes, SetDescribeAndDelete) {
  EXPECT_EQ(get(kGlobal).text, R"({"configPolicies":{}})");
  const json policy = {{"constraints", {{"resources", {{"max_slots", 4}}}}}, {"invariant_config", {{"debug", true}}}};
  const Answer made = put(kGlobal, "constraints:\n  resources:\n    max_slots: 4\ninvariant_config: {debug: yes}\n");
  EXPECT_EQ(made.body()["configPolicies"], policy) << made.text;
  become("determined");
  EXPECT_EQ(get(kGlobal).body()["configPolicies"], policy) << "everybody may read";
  EXPECT_EQ(get(kWorkspace).text, R"({"configPolicies":{}})");
  become("admin");
  EXPECT_EQ(call("DELETE", kGlobal).text, "{}");
  EXPECT_EQ(get(kGlobal).text, R"({"configPolicies":{}})");
}

TEST_F(ConfigPolicyRoutes, AreForAdministratorsAndOwnersOfWorkspaces) {
  become("determined");
  const Answer global = put(kGlobal, "constraints: {}");
  EXPECT_EQ(global.status, 403);
  EXPECT_EQ(global.error(), "user does not have permission");
  EXPECT_EQ(call("DELETE", kGlobal).status, 403);
  EXPECT_EQ(put(kWorkspace, "constraints: {}").error(), "only admins may set config policies for workspaces");
  EXPECT_EQ(call("DELETE", kWorkspace).status, 403);
  sql("UPDATE workspaces SET owner_id = 2 WHERE id = 1");
  EXPECT_EQ(put(kWorkspace, "constraints: {}").status, 200);
}

TEST_F(ConfigPolicyRoutes, SayWhatIsWrong) {
  EXPECT_EQ(put(kGlobal, "").error(), "no specified config policies");
  const Answer unknown = put(kGlobal, "invariant: {}");
  EXPECT_EQ(unknown.status, 400);
  EXPECT_EQ(unknown.error(),
            "invalid experiment config policy: <policy>: additionalProperties \"invariant\" not allowed");
  EXPECT_EQ(put("/api/v1/config-policies/global/GPU", "constraints: {}").error(),
            "invalid workload type: GPU; there are EXPERIMENT and NTSC");
  EXPECT_EQ(put("/api/v1/config-policies/workspaces/9/NTSC", "constraints: {}").status, 404);
  EXPECT_THAT(put("/api/v1/config-policies/global/NTSC", "invariant_config: {}").error(), HasSubstr("not supported: "));
  set(kGlobal, "constraints: {resources: {max_slots: 2}}");
  EXPECT_THAT(put(kWorkspace, "invariant_config: {resources: {max_slots: 3}}").error(),
              HasSubstr("workspace invariant_config conflicts with global constraints: "));
}

TEST_F(ConfigPolicyRoutes, FixWhatExperimentsRunWithAndLeaveTheObjectAlone) {
  set(kWorkspace, "invariant_config: {max_restarts: 1, description: theirs}");
  set(kGlobal, "invariant_config: {max_restarts: 0, resources: {priority: 40}}");
  const std::int64_t id = create(std::string(kConst) + "max_restarts: 9\nresources: {priority: 60}\n");
  const json config = get("/api/v1/experiments/" + std::to_string(id)).body()["config"];
  EXPECT_EQ(config["max_restarts"], 0);
  EXPECT_EQ(config["description"], "theirs");
  EXPECT_EQ(config["resources"]["priority"], 40);
  const json written = object(id)["spec"]["config"];
  EXPECT_EQ(written["max_restarts"], 9);
  EXPECT_EQ(written["resources"], json({{"priority", 60}}));
  EXPECT_FALSE(written.contains("description"));
}

TEST_F(ConfigPolicyRoutes, RefuseWhatIsOverTheirLimits) {
  set(kGlobal, "constraints: {priority_limit: 60, resources: {max_slots: 2}}");
  const Answer slots = submit("resources: {slots_per_trial: 4}\n");
  EXPECT_EQ(slots.status, 400);
  EXPECT_EQ(slots.error(),
            "requested resources.slots [4] exceeds limit set by admin [2]: submitted workload failed a resource "
            "constraint");
  const Answer priority = post(
      "/api/v1/experiments", {{"config", std::string(kConst) + "resources: {priority: 61}\n"}, {"validateOnly", true}});
  EXPECT_EQ(priority.error(),
            "requested priority [61] exceeds limit set by admin [60]: submitted workload failed priority constraint");
  EXPECT_EQ(submit("resources: {slots_per_trial: 2, priority: 60}\n").status, 200);
  EXPECT_EQ(sql("SELECT count(*) FROM experiments"), "1");
}

TEST_F(ConfigPolicyRoutes, RefuseLaterChanges) {
  const std::int64_t id = create();
  set(kGlobal,
      "constraints: {priority_limit: 60, resources: {max_slots: 2}}\ninvariant_config: {resources: {weight: 2}}");
  const Answer slots = change(id, {{"maxSlots", 3}});
  EXPECT_EQ(slots.status, 400);
  EXPECT_EQ(slots.error(), "requested slots is violates max slots constraint: 3 > 2");
  EXPECT_EQ(change(id, {{"weight", 3}}).error(),
            "cannot change experiment weight to 3: weight is enforced as an invariant config policy of 2");
  EXPECT_EQ(change(id, {{"priority", 61}, {"maxSlots", 1}}).error(),
            "cannot change experiment priority to 61: priority exceeds task config policy's priority_limit");
  const json update = {{"jobId", std::to_string(id)}, {"priority", 61}};
  EXPECT_THAT(post("/api/v1/job-queues", {{"updates", {update}}}).error(), HasSubstr("priority_limit"));
  EXPECT_FALSE(object(id)["spec"]["config"].contains("resources")) << "nothing was changed";
  EXPECT_EQ(change(id, {{"priority", 60}, {"maxSlots", 2}, {"weight", 2}}).status, 200);
  set(kGlobal, "invariant_config: {resources: {max_slots: 1, priority: 50}}");
  EXPECT_EQ(change(id, {{"maxSlots", 2}}).error(),
            "max slots is already set in an invariant config policy:max_slots of 1 is enforced");
  EXPECT_EQ(change(id, {{"priority", 51}}).error(),
            "cannot change experiment priority to 51: priority set by invariant config: priority cannot be modified");
}

}  // namespace
}  // namespace det::api
