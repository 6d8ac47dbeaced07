#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "api/agents/agent_views.h"
#include "tests/api/fixture.h"

namespace det::api {
namespace {

using testing::HasSubstr;

struct Agents : ApiTest {
  void add_node(const std::string& name, int gpus) {
    kubernetes.create(k8s::nodes(), {{"metadata", {{"name", name}}},
                                     {"status",
                                      {{"allocatable", {{"nvidia.com/gpu", std::to_string(gpus)}}},
                                       {"addresses", {{{"type", "InternalIP"}, {"address", "10.0.0.7"}}}},
                                       {"conditions", {{{"type", "Ready"}, {"status", "True"}}}}}}});
    kubernetes.set_status(k8s::nodes(), {.ns = "", .name = name},
                          {{"allocatable", {{"nvidia.com/gpu", std::to_string(gpus)}}},
                           {"addresses", {{{"type", "InternalIP"}, {"address", "10.0.0.7"}}}},
                           {"conditions", {{{"type", "Ready"}, {"status", "True"}}}}});
  }
  void add_pod(const std::string& name, const std::string& node, int gpus, bool is_task = true) {
    json labels = json::object();
    if (is_task) labels["determined.ai/experiment_id"] = "1";
    const json resources = {{"limits", {{"nvidia.com/gpu", std::to_string(gpus)}}}};
    kubernetes.create(k8s::pods(),
                      {{"metadata", {{"name", name}, {"namespace", "team"}, {"labels", labels}}},
                       {"spec", {{"nodeName", node}, {"containers", {{{"name", "main"}, {"resources", resources}}}}}}});
  }
  void become_admin() {
    token = must(authenticator.login({.username = "admin", .password = "", .is_hashed = true, .peer = ""})).token;
  }
  [[nodiscard]] json node(const std::string& name) const {
    return kubernetes.find(k8s::nodes(), {.ns = "", .name = name});
  }
  [[nodiscard]] bool is_running(const std::string& pod) const {
    const json found = kubernetes.find(k8s::pods(), {.ns = "team", .name = pod});
    return !found.is_null() && !found["metadata"].contains("deletionTimestamp");
  }
  [[nodiscard]] json agent(const std::string& name) { return get("/api/v1/agents/" + name).body()["agent"]; }
};

TEST_F(Agents, ShowsNodesAsAgentsWithTheirSlots) {
  add_node("n1", 2);
  add_node("n2", 4);
  add_pod("exp-1-1-1-0", "n1", 1);
  add_pod("stranger", "n2", 3, false);
  const json agents = get("/api/v1/agents").body();
  ASSERT_EQ(agents["agents"].size(), 2U);
  EXPECT_FALSE(agents.contains("notice"));
  const json first = agents["agents"][0];
  EXPECT_EQ(first["id"], "n1");
  EXPECT_EQ(first["addresses"], json::array({"10.0.0.7"}));
  EXPECT_EQ(first["slots"]["000"]["container"]["id"], "exp-1-1-1-0");
  EXPECT_EQ(first["slots"]["000"]["device"]["type"], "TYPE_CUDA");
  EXPECT_EQ(first["slots"]["001"]["container"], nullptr);
  EXPECT_EQ(first["slotStats"]["typeStats"]["TYPE_CUDA"]["total"], 2);
  EXPECT_EQ(agents["agents"][1]["slots"]["002"]["container"]["id"], "stranger");
  EXPECT_TRUE(agents["agents"][1]["containers"].empty()) << "only tasks are its containers";
  EXPECT_EQ(get("/api/v1/agents/none").error(), "agent 'none' not found");
}

TEST_F(Agents, ShowsOnePoolThatIsTheDefaultOfBothKinds) {
  add_node("n1", 2);
  const json pools = get("/api/v1/resource-pools").body()["resourcePools"];
  ASSERT_EQ(pools.size(), 1U);
  EXPECT_TRUE(pools[0]["defaultComputePool"]);
  EXPECT_TRUE(pools[0]["defaultAuxPool"]);
  EXPECT_EQ(pools[0]["numAgents"], 1);
  EXPECT_EQ(pools[0]["slotsAvailable"], 2);
  EXPECT_EQ(pools[0]["slotsUsed"], 0);
  EXPECT_EQ(pools[0]["schedulerType"], "SCHEDULER_TYPE_PRIORITY");

  services.settings.master.scheduler.type = model::GangBackendKind::kCoscheduling;
  EXPECT_EQ(get("/api/v1/resource-pools").body()["resourcePools"][0]["schedulerType"], "SCHEDULER_TYPE_KUBERNETES")
      << "the order of the queue is not the operator's";
}

TEST_F(Agents, DrainsNodesByCordon) {
  add_node("n1", 2);
  add_pod("exp-1-1-1-0", "n1", 1);
  EXPECT_EQ(post("/api/v1/agents/n1/disable", {{"drain", true}}).status, 403) << "not an admin";
  become_admin();
  EXPECT_EQ(post("/api/v1/agents/n1/disable", {{"drain", true}}).body()["agent"]["draining"], true);
  EXPECT_EQ(kubernetes.find(k8s::nodes(), {.ns = "", .name = "n1"})["spec"]["unschedulable"], true);
  EXPECT_EQ(agent("n1")["enabled"], false);
  EXPECT_EQ(post("/api/v1/agents/n1/enable").body()["agent"]["enabled"], true);
  EXPECT_EQ(post("/api/v1/agents/n9/enable").error(), "agent 'n9' not found");
}

TEST_F(Agents, DisablesNodesAndEndsTheirTasks) {
  add_node("n1", 2);
  const auto add = [&](const std::string& name, const std::string& node, const json& labels) {
    kubernetes.create(k8s::pods(), {{"metadata", {{"name", name}, {"namespace", "team"}, {"labels", labels}}},
                                    {"spec", {{"nodeName", node}, {"containers", {{{"name", "main"}}}}}}});
  };
  const json ours = {{"det-operator.dev/managed-by", "det-operator"}};
  add("exp-1-1-1-0", "n1", ours);
  add("exp-2-2-1-0", "n2", ours);
  add("stranger", "n1", {{"app", "web"}});
  add("of-another-release", "n1", {{"det-operator.dev/managed-by", "second"}});
  EXPECT_EQ(post("/api/v1/agents/n1/disable").status, 403) << "not an admin";
  become_admin();
  EXPECT_EQ(post("/api/v1/agents/n1/disable", {{"drain", false}}).body()["agent"]["enabled"], false);
  EXPECT_FALSE(is_running("exp-1-1-1-0"));
  EXPECT_TRUE(is_running("exp-2-2-1-0"));
  EXPECT_TRUE(is_running("stranger"));
  EXPECT_TRUE(is_running("of-another-release"));
}

TEST_F(Agents, HaveTheVersionOfTheServer) {
  add_node("n1", 1);
  EXPECT_EQ(agent("n1")["version"], get("/info").body()["version"]);
}

TEST_F(Agents, StayDrainingWhenNothingRunsThereAnyMore) {
  add_node("n1", 1);
  become_admin();
  EXPECT_EQ(post("/api/v1/agents/n1/disable", {{"drain", true}}).status, 200);
  const json drained = agent("n1");
  EXPECT_EQ(drained["draining"], true);
  EXPECT_EQ(drained["slots"]["000"]["draining"], true);
  EXPECT_EQ(drained["slotStats"]["typeStats"]["TYPE_CUDA"]["draining"], 1);
  EXPECT_EQ(post("/api/v1/agents/n1/disable", {{"drain", false}}).body()["agent"]["draining"], false);
  EXPECT_EQ(post("/api/v1/agents/n1/disable", {{"drain", "yes"}}).status, 400);
}

TEST_F(Agents, LeaveACordonOfSomebodyElseInPlace) {
  add_node("n1", 1);
  const json cordon = {{"spec", {{"unschedulable", true}}}};
  ASSERT_TRUE(run(client.patch(k8s::nodes(), {.ns = "", .name = "n1"}, cordon, {})));
  become_admin();
  EXPECT_THAT(post("/api/v1/agents/n1/enable").error(), HasSubstr("kubectl uncordon n1"));
  EXPECT_EQ(post("/api/v1/agents/n1/disable", {{"drain", true}}).status, 200);
  EXPECT_EQ(post("/api/v1/agents/n1/enable").status, 400);
  EXPECT_EQ(node("n1")["spec"]["unschedulable"], true);
  EXPECT_EQ(agent("n1")["draining"], true) << "as kubectl cordon means it";
}

TEST_F(Agents, AreSortedAndPaged) {
  for (const char* name : {"b", "a", "c"}) add_node(name, 1);
  const auto ids = [&](const std::string& query) {
    std::string text;
    for (const json& one : get("/api/v1/agents?" + query).body()["agents"]) text += one["id"].get<std::string>();
    return text;
  };
  EXPECT_EQ(ids(""), "abc");
  EXPECT_EQ(ids("sortBy=SORT_BY_ID&orderBy=ORDER_BY_DESC"), "cba");
  EXPECT_EQ(ids("limit=1&offset=1"), "b");
  EXPECT_EQ(ids("offset=-1"), "c");
  EXPECT_EQ(get("/api/v1/agents?limit=1").body()["pagination"]["total"], 3);
  EXPECT_EQ(get("/api/v1/agents?offset=4").error(), "offset out of bounds");
  EXPECT_EQ(get("/api/v1/agents?sortBy=SORT_BY_COLOR").status, 400);
  const json bare = get("/api/v1/agents?excludeSlots=true&excludeContainers=true").body()["agents"][0];
  EXPECT_TRUE(bare["slots"].empty());
  EXPECT_EQ(bare["slotStats"]["typeStats"]["TYPE_CUDA"]["total"], 1) << "what they add up to stays";
  EXPECT_EQ(get("/api/v1/resource-pools?limit=1").body()["pagination"]["total"], 1);
}

TEST_F(Agents, ShowTheirSlotsOneByOne) {
  add_node("n1", 2);
  add_pod("exp-1-1-1-0", "n1", 1);
  const json slots = get("/api/v1/agents/n1/slots").body()["slots"];
  ASSERT_EQ(slots.size(), 2U);
  EXPECT_EQ(slots[0]["container"]["id"], "exp-1-1-1-0");
  EXPECT_EQ(get("/api/v1/agents/n1/slots/001").body()["slot"]["id"], "1");
  EXPECT_EQ(get("/api/v1/agents/n1/slots/2").error(), "slot '2' of agent 'n1' not found");
  EXPECT_EQ(get("/api/v1/agents/n1/slots/x").error(), "slot: expected a number from 0 on, got 'x'");
  EXPECT_EQ(get("/api/v1/agents/n9/slots").error(), "agent 'n9' not found");
}

TEST_F(Agents, DisableSingleSlotsAndEndWhatHoldsThem) {
  add_node("n1", 3);
  const auto add = [&](const std::string& name, const json& labels) {
    const json resources = {{"limits", {{"nvidia.com/gpu", "1"}}}};
    kubernetes.create(k8s::pods(),
                      {{"metadata", {{"name", name}, {"namespace", "team"}, {"labels", labels}}},
                       {"spec", {{"nodeName", "n1"}, {"containers", {{{"name", "main"}, {"resources", resources}}}}}}});
  };
  add("a-task", {{"det-operator.dev/managed-by", "det-operator"}});
  add("b-stranger", {{"app", "web"}});
  EXPECT_EQ(post("/api/v1/agents/n1/slots/0/disable").status, 403) << "not an admin";
  become_admin();
  EXPECT_EQ(post("/api/v1/agents/n1/slots/0/disable", {{"drain", true}}).body()["slot"],
            get("/api/v1/agents/n1/slots/0").body()["slot"]);
  EXPECT_TRUE(is_running("a-task")) << "it may finish";
  const json drained = get("/api/v1/agents/n1/slots/0").body()["slot"];
  EXPECT_EQ(drained["enabled"], false);
  EXPECT_EQ(drained["draining"], true);
  EXPECT_EQ(drained["container"], nullptr) << "as many slots as pods hold are enabled";
  EXPECT_EQ(agent("n1")["enabled"], true);
  EXPECT_EQ(agent("n1")["slotStats"]["typeStats"]["TYPE_CUDA"]["disabled"], 1);
  EXPECT_EQ(scheduler::read_disabled_slots(node("n1")).at(0),
            (scheduler::DisabledSlot{.resource = "nvidia.com/gpu", .milli = 1000, .drains = true}));

  EXPECT_EQ(get("/api/v1/agents/n1/slots/1").body()["slot"]["container"]["id"], "a-task");
  EXPECT_EQ(post("/api/v1/agents/n1/slots/1/disable").status, 200);
  EXPECT_FALSE(is_running("a-task"));
  EXPECT_EQ(post("/api/v1/agents/n1/slots/2/disable").status, 200);
  EXPECT_TRUE(is_running("b-stranger")) << "only tasks are ended";

  for (const char* slot : {"0", "1", "2", "0"}) {
    EXPECT_EQ(post(std::string("/api/v1/agents/n1/slots/") + slot + "/enable").body()["slot"]["enabled"], true);
  }
  EXPECT_TRUE(scheduler::read_disabled_slots(node("n1")).empty());
  EXPECT_EQ(post("/api/v1/agents/n1/slots/3/disable").status, 404);
}

TEST_F(Agents, AreThereForOlderClients) {
  add_node("n1", 2);
  add_pod("exp-1-1-1-0", "n1", 1);
  const json agents = get("/agents").body();
  EXPECT_EQ(agents["n1"]["resource_pool"], "default");
  EXPECT_EQ(agents["n1"]["slots"]["0"]["device"]["type"], "cuda");
  EXPECT_EQ(agents["n1"]["slots"]["0"]["container"]["id"], "exp-1-1-1-0");
  EXPECT_EQ(call("PATCH", "/agents/n1/slots/1", R"({"enabled":false})").status, 403) << "not an admin";
  become_admin();
  EXPECT_EQ(call("PATCH", "/agents/n1/slots/1", R"({"enabled":false})").text, "{}");
  EXPECT_EQ(get("/agents").body()["n1"]["slots"]["1"]["enabled"], false);
  EXPECT_EQ(call("PATCH", "/agents/n1/slots/1", R"({"enabled":true})").text, "{}");
  EXPECT_EQ(get("/agents").body()["n1"]["slots"]["1"]["enabled"], true);
  EXPECT_EQ(call("PATCH", "/agents/n1/slots/1", "{}").status, 400);
}

TEST_F(Agents, AreTooFewForWhatIsStarted) {
  add_node("n1", 2);
  const auto warnings_for = [&](int slots) {
    const Answer made =
        post("/api/v1/experiments", {{"config",
                                      "{name: a, entrypoint: x, searcher: {name: single, metric: loss}, "
                                      "resources: {slots_per_trial: " +
                                          std::to_string(slots) + "}}"},
                                     {"activate", false}});
    EXPECT_EQ(made.status, 200) << made.text;
    return made.body()["warnings"];
  };
  EXPECT_EQ(warnings_for(0), json::array());
  EXPECT_EQ(warnings_for(2), json::array());
  EXPECT_EQ(warnings_for(4), json::array({"LAUNCH_WARNING_CURRENT_SLOTS_EXCEEDED"}));
}

TEST_F(Agents, DisableNoSlotsWhereAnotherSchedulerPlacesThePods) {
  add_node("n1", 1);
  become_admin();
  services.settings.master.scheduler.type = model::GangBackendKind::kNative;
  const Answer refused = post("/api/v1/agents/n1/slots/0/disable");
  EXPECT_EQ(refused.status, 501);
  EXPECT_THAT(refused.error(), HasSubstr("scheduler.type: own"));
}

TEST_F(Agents, CountsEachPoolsOwnNodesAndSlots) {
  services.settings.master = model::read_master_config(json::parse(R"({"resource_pools": [
        {"pool_name": "a100", "description": "large", "node_selector": {"gpu": "a100"}, "max_slots_per_pod": 4},
        {"pool_name": "cpus", "node_selector": {"kind": "cpu"}, "slot_type": "cpu", "slot_resource_requests": {"cpu": 2}}]})"))
                                 .value()
                                 .config;
  const auto add = [&](const std::string& name, const json& labels, const json& allocatable) {
    const k8s::ObjectKey key{.ns = "", .name = name};
    kubernetes.create(k8s::nodes(), {{"metadata", {{"name", name}, {"labels", labels}}}});
    const json ready = {{{"type", "Ready"}, {"status", "True"}}};
    kubernetes.set_status(k8s::nodes(), key, {{"allocatable", allocatable}, {"conditions", ready}});
  };
  add("a1", {{"gpu", "a100"}}, {{"nvidia.com/gpu", "8"}});
  add("a2", {{"gpu", "a100"}}, {{"nvidia.com/gpu", "8"}});
  add("c1", {{"kind", "cpu"}}, {{"cpu", "9"}});
  add("other", json::object(), {{"nvidia.com/gpu", "2"}});
  const json list = get("/api/v1/resource-pools").body()["resourcePools"];
  ASSERT_EQ(list.size(), 3U);
  EXPECT_EQ(list[0]["name"], "a100");
  EXPECT_EQ(list[0]["description"], "large");
  EXPECT_EQ(list[0]["numAgents"], 2);
  EXPECT_EQ(list[0]["slotsAvailable"], 16);
  EXPECT_EQ(list[0]["slotsPerAgent"], 4);
  EXPECT_EQ(list[0]["slotType"], "TYPE_CUDA");
  EXPECT_EQ(list[1]["name"], "cpus");
  EXPECT_EQ(list[1]["slotType"], "TYPE_CPU");
  EXPECT_EQ(list[1]["slotsAvailable"], 4) << "nine CPUs, two for each";
  EXPECT_EQ(list[2]["name"], "default");
  EXPECT_TRUE(list[2]["defaultComputePool"]);
  EXPECT_EQ(agent("a1")["resourcePools"], json::array({"a100", "default"})) << "the default pool chooses no nodes";
  EXPECT_EQ(agent("other")["resourcePools"], json::array({"default"}));
}

TEST(AgentViews, ShowWhatIsKnownWhereNodesAreHidden) {
  model::MasterConfig master;
  ClusterNodes cluster;
  cluster.hidden = "no rights";
  store::OpenAllocation open{.id = "a",
                             .task_id = "t",
                             .experiment = model::ExperimentId{1},
                             .trial = model::TrialId{1},
                             .title = {},
                             .slots = 2,
                             .priority = 50,
                             .resource_pool = {},
                             .created_at = {},
                             .job_id = {},
                             .labels = {},
                             .resources = {}};
  open.resources.push_back({.rank = 0,
                            .resources_id = "r",
                            .pod_name = "p",
                            .node = "n1",
                            .ip = {},
                            .slots = 2,
                            .daemon = false,
                            .accelerator = {}});
  const auto agents = agents_of(cluster, {open}, master);
  ASSERT_EQ(agents.size(), 1U);
  EXPECT_EQ(agents[0].id, "n1");
  ASSERT_EQ(agents[0].slots.size(), 2U);
  EXPECT_EQ(agents[0].slots[1].container, "p");
}

TEST(AgentViews, CountCpusAsSlots) {
  model::MasterConfig master;
  master.slot_type = model::SlotType::kCpu;
  master.cpu_per_slot = 2;
  EXPECT_EQ(slots_in({{"cpu", 7900}}, slot_rule("default", master)), 3);
  EXPECT_EQ(slots_in({{"nvidia.com/gpu", 8000}}, slot_rule("default", master)), 0);
}

}  // namespace
}  // namespace det::api
