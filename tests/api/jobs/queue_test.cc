#include <gmock/gmock.h>
#include <gtest/gtest.h>

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

TEST_F(Queue, SaysHowLongRunsWaitedOnAverage) {
  const auto averages = [this] { return get("/api/v1/job-queues/stats").body()["results"][0]["aggregates"]; };
  EXPECT_EQ(averages(), json::array());
  place("n1");
  sql("UPDATE allocations SET created_at = created_at - interval '90 s'");
  sql("UPDATE allocation_usage u SET started_at = a.created_at + interval '90 s' FROM allocations a");
  const std::string today = sql("SELECT to_char(started_at AT TIME ZONE 'UTC', 'YYYY-MM-DD') FROM allocation_usage");
  EXPECT_EQ(averages(), (json{{{"periodStart", today}, {"seconds", 90.0}}}));
  sql("UPDATE allocation_usage SET started_at = started_at - interval '31 days'");
  EXPECT_EQ(averages(), json::array()) << "a month is looked at";
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
  EXPECT_EQ(refused({{"jobId", job}, {"priority", 100}}), "priority must be between 1 and 99, but is 100");
  EXPECT_EQ(refused({{"jobId", job}, {"resourcePool", "default"}}), "resource pool is unchanged (default == default)");
  EXPECT_EQ(refused({{"jobId", job}, {"resourcePool", "big"}}), "invalid resource pool name big");
  EXPECT_EQ(refused({{"jobId", job}, {"aheadOf", "x"}}), "job 'x' not found");
  EXPECT_EQ(refused({{"jobId", job}, {"behindOf", job}}), "behindOf: a job has no place beside itself");
  EXPECT_THAT(refused({{"jobId", job}, {"aheadOf", "1"}, {"behindOf", "1"}}), HasSubstr("give one of them"));
  EXPECT_THAT(refused({{"jobId", job}}), HasSubstr("nothing to change"));
  const json two = {{{"jobId", "a"}, {"priority", 5}}, {{"jobId", "b"}, {"priority", 5}}};
  EXPECT_EQ(post("/api/v1/job-queues", {{"updates", two}}).error(),
            "encountered the following errors: job 'a' not found, job 'b' not found");
  const json many(1'001, two[0]);
  const Answer too_many = post("/api/v1/job-queues", {{"updates", many}});
  EXPECT_EQ(too_many.status, 400);
  EXPECT_EQ(too_many.error(), "updates: expected a list of at most 1000 changes");
}

TEST_F(Queue, ChangesNothingOfATaskWhereItRefusesAPart) {
  const json made = post("/api/v1/commands", {{"config", {{"entrypoint", {"true"}}}}}).body()["command"];
  const auto before = must(tasks.find(made["id"]))->priority;
  EXPECT_EQ(
      post("/api/v1/job-queues", {{"updates", {{{"jobId", made["jobId"]}, {"priority", 5}, {"weight", 2}}}}}).error(),
      "weight: of a task only the priority can be changed");
  EXPECT_EQ(must(tasks.find(made["id"]))->priority, before);
  EXPECT_EQ(post("/api/v1/job-queues", {{"updates", {{{"jobId", made["jobId"]}, {"priority", 5}}}}}).status, 200);
  EXPECT_EQ(must(tasks.find(made["id"]))->priority, 5);
}

TEST_F(Queue, TakesNoPartOfAListThatIsWrong) {
  const std::int64_t id = create();
  const json mixed = json::array({json{{"jobId", std::to_string(id)}, {"weight", 2.5}}, "x"});
  EXPECT_EQ(post("/api/v1/job-queues", {{"updates", mixed}}).error(), "updates: expected objects");
  EXPECT_NE(object(id)["spec"]["config"]["resources"]["weight"], 2.5);
}

TEST_F(Queue, RefusesAPriorityThatTheSchedulerDoesNotKnow) {
  const std::int64_t id = create();
  services.settings.master.scheduler.type = model::GangBackendKind::kNative;
  const auto update = [&](const json& change) {
    json one = {{"jobId", std::to_string(id)}};
    one.update(change);
    return post("/api/v1/job-queues", {{"updates", json::array({one})}});
  };
  EXPECT_THAT(update({{"priority", 70}}).error(),
              testing::AllOf(HasSubstr("priority: it has no effect with scheduler.type native"),
                             HasSubstr("priorityClassName in environment.pod_spec")));
  EXPECT_EQ(update({{"weight", 2}}).text, "{}");
  const Answer patched =
      call("PATCH", "/api/v1/experiments/" + std::to_string(id), json{{"resources", {{"priority", 70}}}}.dump());
  EXPECT_THAT(patched.error(), HasSubstr("priority: it has no effect with scheduler.type native"));
  services.settings.master.scheduler.type = model::GangBackendKind::kAuto;
  EXPECT_EQ(update({{"priority", 70}}).text, "{}");
}

struct QueueOrder : Queue {
  // The experiments' numbers in the order of the queue.
  std::string order() {
    std::string text;
    const json jobs = get("/api/v1/job-queues-v2").body()["jobs"];
    for (const json& job : jobs) text += job["full"].value("entityId", "") + " ";
    return text;
  }
  Answer move(std::int64_t job, const char* field, std::int64_t anchor) {
    return post("/api/v1/job-queues",
                {{"updates", {{{"jobId", std::to_string(job)}, {field, std::to_string(anchor)}}}}});
  }
};

TEST_F(QueueOrder, IsWhatPeopleMakeIt) {
  const std::int64_t second = create();
  const std::int64_t third = create();
  ASSERT_EQ(order(), "1 2 3 ");
  EXPECT_EQ(move(third, "aheadOf", 1).text, "{}");
  EXPECT_EQ(order(), "3 1 2 ");
  EXPECT_EQ(move(1, "behindOf", second).text, "{}");
  EXPECT_EQ(order(), "3 2 1 ");
  EXPECT_EQ(get("/api/v1/job-queues").body()["jobs"][2]["summary"]["jobsAhead"], 2);
  const std::int64_t fourth = create();
  EXPECT_EQ(order(), "3 2 1 4 ") << "who comes later is behind all";
  EXPECT_EQ(move(fourth, "aheadOf", second).text, "{}");
  EXPECT_EQ(order(), "3 4 2 1 ");
  const store::JobPlaces places = must(queue_places.places());
  EXPECT_TRUE(places.experiments.contains({third}));
  EXPECT_FALSE(places.experiments.contains({second})) << "nobody moved it";
}

TEST_F(QueueOrder, TakesThePriorityOfTheOtherOne) {
  const std::int64_t second = create(std::string(kConst) + "resources:\n  priority: 60\n");
  const std::int64_t third = create();
  ASSERT_EQ(order(), "2 1 3 ");
  EXPECT_EQ(move(third, "aheadOf", second).text, "{}");
  EXPECT_EQ(order(), "3 2 1 ");
  EXPECT_EQ(object(third)["spec"]["config"]["resources"]["priority"], 60);
}

TEST_F(QueueOrder, IsLeftAloneWithAllElseWhereItIsRefused) {
  const std::int64_t second = create(std::string(kConst) + "resources:\n  priority: 60\n");
  const std::int64_t third = create();
  const auto update = [&](const json& change) {
    json one = {{"jobId", std::to_string(third)}};
    one.update(change);
    return post("/api/v1/job-queues", {{"updates", json::array({one})}});
  };
  const auto priority = [&] { return get("/api/v1/job-queues").body()["jobs"][2]["priority"]; };
  ASSERT_EQ(order(), "2 1 3 ");
  const json before = priority();
  EXPECT_EQ(update({{"priority", 50}, {"aheadOf", "x"}}).error(), "job 'x' not found");
  const Answer refused = update({{"priority", 50}, {"aheadOf", std::to_string(second)}});
  EXPECT_EQ(refused.status, 400);
  EXPECT_EQ(refused.error(),
            "priority: 50, and aheadOf: job '2' has the priority 60; places count among jobs of one priority, so give "
            "one of them");
  EXPECT_EQ(order(), "2 1 3 ");
  EXPECT_EQ(priority(), before);
  EXPECT_EQ(update({{"priority", 60}, {"aheadOf", std::to_string(second)}}).text, "{}");
  EXPECT_EQ(order(), "3 2 1 ");
}

TEST_F(QueueOrder, HasNoPlaceForWhatIsNotInIt) {
  const std::int64_t second = create();
  const std::int64_t paused = create(kConst, false);
  EXPECT_EQ(move(second, "aheadOf", paused).error(), "experiment 3 is not in the queue: it is paused, or it has ended");
  EXPECT_EQ(move(paused, "aheadOf", second).status, 400);
  services.settings.master.scheduler.type = model::GangBackendKind::kCoscheduling;
  EXPECT_THAT(move(second, "aheadOf", 1).error(), HasSubstr("scheduler.type: own"));
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

TEST_F(Queue, RefusesExperimentsForUnknownPools) {
  const Answer refused =
      post("/api/v1/experiments", {{"config", std::string(kConst) + "resources:\n  resource_pool: h100\n"}});
  EXPECT_EQ(refused.status, 400);
  EXPECT_THAT(refused.error(), HasSubstr("resource pool h100 does not exist; there are: default"));
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
