#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "api/agents/agent_views.h"
#include "api/jobs/job_reason.h"
#include "tests/api/fixture.h"

namespace det::api {
namespace {

using testing::HasSubstr;

struct Queue : ApiTest {
  Queue() : trial(started_trial()) {}

  // Its pod is on a node.
  void place(const std::string& node) {
    const std::string id = model::allocation_id(trial.task_id, 1);
    must(allocations.note_pods(id, model::AllocationState::kPending,
                               {{.rank = 0,
                                 .resources_id = id + ".0",
                                 .pod_name = "exp-1-1-1-0",
                                 .node = node,
                                 .ip = {},
                                 .slots = 1,
                                 .daemon = false,
                                 .accelerator = {}}}));
  }
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
  [[nodiscard]] json agent(const std::string& name) { return get("/api/v1/agents/" + name).body()["agent"]; }

  store::TrialRow trial;
};

TEST_F(Queue, ListsTasksWithTheirNodes) {
  place("n1");
  const json all = get("/api/v1/tasks").body()["allocationIdToSummary"];
  ASSERT_EQ(all.size(), 1U);
  const json task = all[model::allocation_id(trial.task_id, 1)];
  EXPECT_EQ(task["taskId"], trial.task_id);
  EXPECT_EQ(task["name"], "Trial 1 (Experiment 1)");
  EXPECT_EQ(task["slotsNeeded"], 1);
  EXPECT_EQ(task["resourcePool"], "default");
  EXPECT_EQ(task["resources"][0]["containerId"], "exp-1-1-1-0");
  EXPECT_TRUE(task["resources"][0]["agentDevices"].contains("n1"));
  EXPECT_EQ(get("/api/v1/tasks/count").body()["notebooks"], 0);
  must(allocations.end(model::allocation_id(trial.task_id, 1), "done", 0));
  EXPECT_TRUE(get("/api/v1/tasks").body()["allocationIdToSummary"].empty());
}

TEST_F(Queue, OrdersJobsByPriorityThenBySubmission) {
  const std::int64_t second = create();
  const std::int64_t third = create(std::string(kConst) + "resources:\n  priority: 60\n");
  place("n1");
  const json answer = get("/api/v1/job-queues-v2?limit=100&offset=0&orderBy=ORDER_BY_ASC").body();
  ASSERT_EQ(answer["jobs"].size(), 3U);
  EXPECT_EQ(answer["jobs"][0]["full"]["entityId"], std::to_string(third));
  EXPECT_EQ(answer["jobs"][0]["full"]["priority"], 60);
  const json first = answer["jobs"][1]["full"];
  EXPECT_EQ(first["entityId"], "1");
  EXPECT_EQ(first["allocatedSlots"], 1);
  EXPECT_EQ(first["summary"], (json{{"state", "STATE_SCHEDULED"}, {"jobsAhead", 1}}));
  EXPECT_EQ(answer["jobs"][2]["full"]["entityId"], std::to_string(second));
  EXPECT_EQ(answer["jobs"][2]["full"]["summary"]["state"], "STATE_QUEUED");
  EXPECT_EQ(get("/api/v1/job-queues?limit=1&offset=1").body()["jobs"][0]["entityId"], "1");
  EXPECT_EQ(get("/api/v1/job-queues?orderBy=ORDER_BY_DESC").body()["jobs"][0]["entityId"], std::to_string(second));
  EXPECT_EQ(get("/api/v1/job-queues?states=STATE_SCHEDULED").body()["pagination"]["total"], 1);
  EXPECT_EQ(get("/api/v1/job-queues?resourcePool=other").body()["pagination"]["total"], 0);
  EXPECT_EQ(get("/api/v1/job-queues?offset=4").error(), "offset out of bounds");
  const json stats = get("/api/v1/job-queues/stats").body()["results"];
  EXPECT_EQ(stats[0]["stats"], (json{{"queuedCount", 2}, {"scheduledCount", 1}}));
}

TEST_F(Queue, LeavesOutWhatHasEndedOrIsPaused) {
  create(kConst, false);
  sql("UPDATE experiments SET state = 'COMPLETED', end_time = now() WHERE id = 1");
  EXPECT_TRUE(get("/api/v1/job-queues").body()["jobs"].empty());
}

TEST_F(Queue, ChangesPriorityAndWeightInTheObject) {
  const std::int64_t id = create();
  const std::string job = sql("SELECT job_id FROM experiments WHERE id = " + std::to_string(id));
  const json none = nullptr;
  EXPECT_EQ(post("/api/v1/job-queues",
                 {{"updates", {{{"jobId", job}, {"priority", 70}, {"weight", none}, {"resourcePool", none}}}}})
                .text,
            "{}");
  EXPECT_EQ(object(id)["spec"]["config"]["resources"]["priority"], 70);
  EXPECT_EQ(get("/api/v1/job-queues").body()["jobs"][0]["priority"], 70);
  EXPECT_EQ(post("/api/v1/job-queues", {{"updates", {{{"jobId", job}, {"weight", 2.5}}}}}).text, "{}");
  EXPECT_EQ(object(id)["spec"]["config"]["resources"]["weight"], 2.5);
}

TEST_F(Queue, RefusesWrongUpdates) {
  const std::int64_t id = create();
  const std::string job = std::to_string(id);
  const auto refused = [&](const json& update) {
    return post("/api/v1/job-queues", {{"updates", json::array({update})}}).error();
  };
  EXPECT_EQ(refused({{"jobId", "nobody"}, {"priority", 5}}), "job 'nobody' not found");
  EXPECT_EQ(refused({{"jobId", job}, {"priority", 100}}), "priority must be between 1 and 99");
  EXPECT_EQ(refused({{"jobId", job}, {"resourcePool", "default"}}), "resource pool is unchanged (default == default)");
  EXPECT_EQ(refused({{"jobId", job}, {"resourcePool", "big"}}), "invalid resource pool name big");
  EXPECT_THAT(refused({{"jobId", job}, {"aheadOf", "x"}}), HasSubstr("set the priority"));
  const json two = {{{"jobId", "a"}, {"priority", 5}}, {{"jobId", "b"}, {"priority", 5}}};
  EXPECT_EQ(post("/api/v1/job-queues", {{"updates", two}}).error(),
            "encountered the following errors: job 'a' not found, job 'b' not found");
}

TEST_F(Queue, SaysWhyAJobWaits) {
  const std::int64_t id = create();
  must(experiments.adopt(sql("SELECT nonce FROM experiments WHERE id = " + std::to_string(id)),
                         object(id)["metadata"]["uid"].get<std::string>(), "team", "exp-" + std::to_string(id)));
  sql("UPDATE experiments SET state = 'ACTIVE' WHERE id = " + std::to_string(id));
  const std::string path = "/api/v1/job-queues/" + std::to_string(id) + "/reason";
  EXPECT_THAT(get(path).body()["reason"], HasSubstr("none of its trials has been started yet"));
  kubernetes.create(k8s::trials(), {{"metadata",
                                     {{"name", "t"},
                                      {"namespace", "team"},
                                      {"labels", {{"det-operator.dev/experiment", "exp-" + std::to_string(id)}}},
                                      {"ownerReferences", {{{"uid", object(id)["metadata"]["uid"]}}}}}}});
  kubernetes.set_status(k8s::trials(), {.ns = "team", .name = "t"},
                        {{"id", 9}, {"state", "QUEUED"}, {"message", "its 4 pods have to start together"}});
  const json answer = get(path).body();
  EXPECT_EQ(answer["reason"],
            "experiment " + std::to_string(id) + " waits; trial 9: its 4 pods have to start together");
  EXPECT_EQ(answer["waitingTrials"][0]["trialId"], 9);
  EXPECT_EQ(get("/api/v1/job-queues/77/reason").status, 404);
}

TEST_F(Queue, ShowsNodesAsAgentsWithTheirSlots) {
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

TEST_F(Queue, ShowsOnePoolThatIsTheDefaultOfBothKinds) {
  add_node("n1", 2);
  place("n1");
  const json pools = get("/api/v1/resource-pools").body()["resourcePools"];
  ASSERT_EQ(pools.size(), 1U);
  EXPECT_TRUE(pools[0]["defaultComputePool"]);
  EXPECT_TRUE(pools[0]["defaultAuxPool"]);
  EXPECT_EQ(pools[0]["numAgents"], 1);
  EXPECT_EQ(pools[0]["slotsAvailable"], 2);
  EXPECT_EQ(pools[0]["slotsUsed"], 1);
  EXPECT_EQ(pools[0]["schedulerType"], "SCHEDULER_TYPE_KUBERNETES");
}

TEST_F(Queue, DrainsNodesByCordon) {
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

TEST_F(Queue, DisablesNodesAndEndsTheirTasks) {
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
  const auto exists = [&](const std::string& pod) {
    const json found = kubernetes.find(k8s::pods(), {.ns = "team", .name = pod});
    return !found.is_null() && !found["metadata"].contains("deletionTimestamp");
  };
  EXPECT_FALSE(exists("exp-1-1-1-0"));
  EXPECT_TRUE(exists("exp-2-2-1-0"));
  EXPECT_TRUE(exists("stranger"));
  EXPECT_TRUE(exists("of-another-release"));
}

TEST_F(Queue, CountsEachPoolsOwnNodesAndSlots) {
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

TEST_F(Queue, RefusesExperimentsForUnknownPools) {
  const Answer refused =
      post("/api/v1/experiments", {{"config", std::string(kConst) + "resources:\n  resource_pool: h100\n"}});
  EXPECT_EQ(refused.status, 400);
  EXPECT_THAT(refused.error(), HasSubstr("resource pool h100 does not exist; there are: default"));
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

store::ExperimentRow experiment_in(model::ExperimentState state, const std::string& message = {}) {
  store::ExperimentRow row;
  row.id = {7};
  row.state = state;
  row.message = message;
  return row;
}

TEST(JobReason, NamesTheOldestWaitingTrial) {
  const auto trial = [](int id, const char* state) {
    return json{{"status", {{"id", id}, {"state", state}, {"message", "no room"}}}};
  };
  EXPECT_EQ(job_reason(experiment_in(model::ExperimentState::kActive),
                       {trial(12, "QUEUED"), trial(10, "QUEUED"), trial(9, "RUNNING"), trial(8, "COMPLETED")}),
            "experiment 7 runs 1 trial, and waits with 2 trials; trial 10: no room");
  EXPECT_EQ(job_reason(experiment_in(model::ExperimentState::kActive), {trial(9, "RUNNING")}),
            "experiment 7 runs: 1 trial, none waits");
}

TEST(JobReason, SaysThatItIsPausedOrOver) {
  EXPECT_EQ(job_reason(experiment_in(model::ExperimentState::kPaused), {}),
            "experiment 7 is paused; 'det experiment activate 7' lets it go on");
  EXPECT_EQ(job_reason(experiment_in(model::ExperimentState::kError, "all trials failed"), {}),
            "experiment 7 has ended (ERROR): all trials failed");
}

}  // namespace
}  // namespace det::api
