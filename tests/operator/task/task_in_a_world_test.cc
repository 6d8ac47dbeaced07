#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/operator/in_a_world.h"

namespace det::op {
namespace {

using nlohmann::json;
using simulation::Scenario;
using simulation::World;
using std::chrono::seconds;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

class TaskInAWorld : public test::InAWorld {
 protected:
  // Beside an experiment, without which no world ends.
  static Scenario scenario(std::function<Task<void>(World&)> act) {
    return {.name = "", .about = "", .config = config(), .plan = {}, .act = std::move(act), .free = {}};
  }
  static json command(int slots = 0) {
    return {{"type", "Command"}, {"config", {{"entrypoint", {"sh", "-c", "true"}}, {"resources", {{"slots", slots}}}}}};
  }
  std::function<bool()> is(const std::string& name, const std::string& wanted) {
    return [this, name, wanted] { return state(k8s::tasks(), name) == wanted; };
  }
  // A task that ends as an error, because all that is created in `collection` is invalid to the API server.
  void play_refusal(const std::string& collection, const std::string& why) {
    const auto refuse = [=](const std::string& created, const json&) -> std::optional<det::test::StoreAnswer> {
      if (created != collection) return std::nullopt;
      return det::test::refusal(422, "Invalid", why);
    };
    play(scenario([&](World& world) -> Task<void> {
      co_await world.until([&] { return world.states() == "COMPLETED"; });
      world.server().refuse_with(refuse);
      create(k8s::tasks(), "hello", command());
      co_await world.until(is("hello", "ERROR"));
    }));
  }
  std::string message(const std::string& name) { return get_string(object(k8s::tasks(), name)["status"], "message"); }
};

TEST_F(TaskInAWorld, ACommandRunsAndCompletes) {
  play(scenario([&](World& world) -> Task<void> {
    create(k8s::tasks(), "hello", command());
    co_await world.until(is("hello", "COMPLETED"));
  }));
  EXPECT_EQ(condition(k8s::tasks(), "hello", "Complete")["status"], "True");
  EXPECT_EQ(condition(k8s::tasks(), "hello", "Ended")["reason"], "Completed");
  EXPECT_EQ(value("SELECT state FROM standalone_tasks WHERE object_name = 'hello'"), "COMPLETED");
}

TEST_F(TaskInAWorld, OneThatFailsSaysItsExitCode) {
  Scenario failing = scenario([&](World& world) -> Task<void> {
    create(k8s::tasks(), "hello", command());
    co_await world.until(is("hello", "ERROR"));
  });
  failing.task.exit_code = [](int) { return 3; };
  play(std::move(failing));
  EXPECT_THAT(message("hello"), HasSubstr("exit code 3"));
}

TEST_F(TaskInAWorld, SaysWhatIsWrongWithItsObject) {
  play(scenario([&](World& world) -> Task<void> {
    json wrong = command();
    wrong["config"]["resources"]["slots"] = "many";
    create(k8s::tasks(), "wrong-config", wrong);
    json unknown = command();
    unknown["type"] = "Spreadsheet";
    create(k8s::tasks(), "wrong-type", unknown);
    create(k8s::tasks(), std::string(70, 'n'), command());
    json lost = command();
    lost["workspace"] = "nowhere";
    create(k8s::tasks(), "wrong-workspace", lost);
    create(k8s::tasks(), "wrong-experiment",
           {{"type", "TensorBoard"}, {"tensorBoard", {{"experimentIDs", {99}}}}, {"config", json::object()}});
    for (const char* name : {"wrong-config", "wrong-type", "wrong-experiment"}) {
      co_await world.until(is(name, "REJECTED"));
    }
    co_await world.until(is("wrong-workspace", "PENDING"));  // it may be made yet
    co_await world.until(is(std::string(70, 'n'), "REJECTED"));
  }));
  EXPECT_THAT(message("wrong-config"), HasSubstr("spec.config.resources.slots"));
  EXPECT_THAT(message("wrong-type"), HasSubstr("must be Notebook, Shell, Command, TensorBoard or Generic"));
  EXPECT_THAT(message(std::string(70, 'n')), HasSubstr("70 characters; up to 63 work"));
  EXPECT_THAT(message("wrong-workspace"), HasSubstr("nowhere"));
  EXPECT_THAT(message("wrong-experiment"), HasSubstr("99"));
  EXPECT_EQ(events("InvalidType").size(), 1U);
  EXPECT_EQ(value("SELECT count(*) FROM standalone_tasks"), "0");
}

TEST_F(TaskInAWorld, OfTheRestServerIsNobodysWithoutItsRow) {
  play(scenario([&](World& world) -> Task<void> {
    world.server().create(k8s::tasks(), written_by("det-api", "lost", command()));
    world.server().create(k8s::tasks(), written_by("kubectl-create", "copy", command()));
    co_await world.until(is("lost", "REJECTED"));
    co_await world.until(is("copy", "COMPLETED"));
  }));
  EXPECT_EQ(condition(k8s::tasks(), "lost", "Accepted")["reason"], "SubmissionLost");
  EXPECT_EQ(value("SELECT count(*) FROM standalone_tasks WHERE object_name = 'lost'"), "0");
}

TEST_F(TaskInAWorld, WhatAFormerLeaderWritesLateIsWrittenOver) {
  play(scenario([&](World& world) -> Task<void> {
    create(k8s::tasks(), "hello", command());
    co_await world.until(is("hello", "COMPLETED"));
    co_await world.sleep(seconds(30));
    json late = object(k8s::tasks(), "hello");
    late["status"]["state"] = "RUNNING";
    world.server().overwrite(k8s::tasks(), key("hello"), late);
    co_await world.until(is("hello", "COMPLETED"));
  }));
}

TEST_F(TaskInAWorld, IsKilledWhenItsObjectSaysSo) {
  Scenario killed = scenario([&](World& world) -> Task<void> {
    create(k8s::tasks(), "endless", command());
    co_await world.until(is("endless", "RUNNING"));
    world.edit(k8s::tasks(), key("endless"), {{"stop", "Kill"}});
    co_await world.until(is("endless", "CANCELED"));
  });
  killed.task.time = std::chrono::hours(1);
  play(std::move(killed));
  EXPECT_EQ(value("SELECT count(*) FROM allocations WHERE ended_at IS NULL"), "0");
}

TEST_F(TaskInAWorld, GoesAwayWithItsObject) {
  Scenario deleted = scenario([&](World& world) -> Task<void> {
    create(k8s::tasks(), "endless", command());
    co_await world.until(is("endless", "RUNNING"));
    world.server().ask_to_delete(k8s::tasks(), key("endless"));
    co_await world.until(
        [&] { return value("SELECT state FROM standalone_tasks WHERE object_name = 'endless'") == "CANCELED"; });
  });
  deleted.task.time = std::chrono::hours(1);
  play(std::move(deleted));
}

TEST_F(TaskInAWorld, AGenericTaskPausesAndBeginsAnew) {
  Scenario paused = scenario([&](World& world) -> Task<void> {
    json generic = command();
    generic["type"] = "Generic";
    create(k8s::tasks(), "patient", generic);
    co_await world.until(is("patient", "RUNNING"));
    world.edit(k8s::tasks(), key("patient"), {{"suspend", true}});
    co_await world.until(is("patient", "PAUSED"));
    world.edit(k8s::tasks(), key("patient"), {{"suspend", false}});
    co_await world.until(is("patient", "COMPLETED"));
  });
  paused.task.time = seconds(30);
  play(std::move(paused));
  EXPECT_EQ(value("SELECT run FROM standalone_tasks WHERE object_name = 'patient'"), "2");
}

TEST_F(TaskInAWorld, WhatItBeganIsNotRunTwiceWhenItsNodeIsLost) {
  Scenario lost = scenario([&](World& world) -> Task<void> {
    co_await world.until([&] { return world.states() == "COMPLETED"; });
    create(k8s::tasks(), "hello", command(1));
    co_await world.until(is("hello", "RUNNING"));
    for (const json& pod : world.server().all(k8s::pods(), "ml")) {
      if (get_string(pod["metadata"], "name").starts_with("hello")) world.cluster().lose_node(pod["spec"]["nodeName"]);
    }
    co_await world.until(is("hello", "ERROR"));
  });
  lost.nodes = {{"node-1", 1}, {"node-2", 1}};
  lost.task.time = seconds(20);
  play(std::move(lost));
  EXPECT_EQ(value("SELECT run FROM standalone_tasks WHERE object_name = 'hello'"), "1");
  EXPECT_THAT(message("hello"), HasSubstr("what it had begun is not run a second time"));
}

TEST_F(TaskInAWorld, ANotebookRunsAgainAfterItsNodeWasLost) {
  Scenario lost = scenario([&](World& world) -> Task<void> {
    co_await world.until([&] { return world.states() == "COMPLETED"; });
    create(k8s::tasks(), "book", {{"type", "Notebook"}, {"config", {{"resources", {{"slots", 1}}}}}});
    const auto runs = [&] { return value("SELECT run FROM standalone_tasks WHERE object_name = 'book'"); };
    co_await world.until(is("book", "RUNNING"));
    for (const json& pod : world.server().all(k8s::pods(), "ml")) {
      if (get_string(pod["metadata"], "name").starts_with("book")) world.cluster().lose_node(pod["spec"]["nodeName"]);
    }
    co_await world.until([&] { return runs() == "2" && state(k8s::tasks(), "book") == "RUNNING"; });
    world.edit(k8s::tasks(), key("book"), {{"stop", "Kill"}});
    co_await world.until(is("book", "CANCELED"));
  });
  lost.nodes = {{"node-1", 1}, {"node-2", 1}};
  lost.task.time = std::chrono::hours(1);
  play(std::move(lost));
  EXPECT_THAT(events("InfrastructureFailure"), ElementsAre(HasSubstr("the task runs again")));
}

TEST_F(TaskInAWorld, WaitsForTheQuotaAndSaysSo) {
  std::string waiting;
  Scenario full = scenario([&](World& world) -> Task<void> {
    co_await world.until([&] { return world.reported_steps() >= 1; });
    create(k8s::tasks(), "hello", command(1));
    co_await world.until([&] { return message("hello").find("quota") != std::string::npos; });
    waiting = state(k8s::tasks(), "hello");
    co_await world.until(is("hello", "COMPLETED"));
  });
  full.gpu_quota = 1;
  full.plan.steps = 30;
  play(std::move(full));
  EXPECT_EQ(waiting, "QUEUED");
}

TEST_F(TaskInAWorld, EndsAsAnErrorWhenTheApiServerRefusesItsPod) {
  play_refusal("v1/pods", "spec.containers[0].image: Required value");
  EXPECT_THAT(events("PodRefused"), ElementsAre(HasSubstr("image: Required value")));
}

// Larger than a Secret may be, for instance.
TEST_F(TaskInAWorld, EndsAsAnErrorWhenTheApiServerRefusesItsSecret) {
  play_refusal("v1/secrets", "data: Too long: may not be more than 1048576 bytes");
  EXPECT_THAT(events("TaskFailed"), ElementsAre(HasSubstr("may not be more than 1048576 bytes")));
}

TEST_F(TaskInAWorld, ATensorBoardBringsNoCredentialsFromAnotherNamespace) {
  Scenario keyed = scenario([&](World& world) -> Task<void> {
    co_await world.until([&] { return world.states() == "COMPLETED"; });
    const json board = {{"type", "TensorBoard"},
                        {"tensorBoard", {{"experimentIDs", {1}}}},
                        {"config", {{"resources", {{"slots", 0}}}}}};
    world.server().create(k8s::namespaces(), {{"metadata", {{"name", "other"}}}});
    world.server().create(k8s::tasks(), {{"metadata", {{"name", "curves"}, {"namespace", "other"}}}, {"spec", board}});
    const k8s::ObjectKey there{.ns = "other", .name = "curves"};
    const auto told = [&] { return get_object(world.server().find(k8s::tasks(), there), "status"); };
    co_await world.until([&] { return get_string(told(), "state") == "REJECTED"; });
    EXPECT_THAT(get_string(told(), "message"), HasSubstr("experiment 1 belongs to namespace ml"));
    create(k8s::tasks(), "curves", board);
    co_await world.until(is("curves", "RUNNING"));
    co_await world.until(is("curves", "COMPLETED"));
  });
  keyed.config["checkpoint_storage"] = {
      {"type", "s3"}, {"bucket", "b"}, {"access_key", "a"}, {"secret_key", "s"}, {"save_trial_latest", 1'000}};
  play(std::move(keyed));
}

TEST_F(TaskInAWorld, ATensorBoardOfAnExperimentEndsWhenNobodyLooksAtIt) {
  Scenario unseen = scenario([&](World& world) -> Task<void> {
    co_await world.until([&] { return world.states() == "COMPLETED"; });
    create(k8s::tasks(), "curves",
           {{"type", "TensorBoard"},
            {"tensorBoard", {{"experimentIDs", {1}}}},
            {"config", {{"idle_timeout", "60s"}, {"resources", {{"slots", 0}}}}}});
    co_await world.until(is("curves", "RUNNING"));
    co_await world.until([&] { return !state(k8s::tasks(), "curves").empty() && is("curves", "RUNNING")() == false; });
  });
  unseen.task.time = std::chrono::hours(1);
  play(std::move(unseen));
  EXPECT_EQ(state(k8s::tasks(), "curves"), "COMPLETED");
  EXPECT_THAT(message("curves"), HasSubstr("idle"));
}

TEST_F(TaskInAWorld, ANotebookThatWaitsForSlotsIsNotIdle) {
  Scenario lost = scenario([&](World& world) -> Task<void> {
    co_await world.until([&] { return world.states() == "COMPLETED"; });
    create(k8s::tasks(), "book",
           {{"type", "Notebook"}, {"config", {{"idle_timeout", "30s"}, {"resources", {{"slots", 1}}}}}});
    co_await world.until(is("book", "RUNNING"));
    world.cluster().lose_node("node-1");
    co_await world.until(is("book", "QUEUED"));
    co_await world.sleep(std::chrono::minutes(12));
    EXPECT_EQ(state(k8s::tasks(), "book"), "QUEUED") << message("book");
    world.edit(k8s::tasks(), key("book"), {{"stop", "Kill"}});
    co_await world.until(is("book", "CANCELED"));
  });
  lost.nodes = {{"node-1", 1}};
  lost.task.time = std::chrono::hours(1);
  play(std::move(lost));
}

// JupyterLab may be installed first, and the package `determined`.
TEST_F(TaskInAWorld, ANotebookThatStillStartsIsNotIdle) {
  Scenario slow = scenario([&](World& world) -> Task<void> {
    create(k8s::tasks(), "notes",
           {{"type", "Notebook"}, {"config", {{"idle_timeout", "30s"}, {"resources", {{"slots", 0}}}}}});
    co_await world.until(is("notes", "RUNNING"));
    co_await world.sleep(std::chrono::minutes(8));
    EXPECT_EQ(state(k8s::tasks(), "notes"), "RUNNING");
    // As the ready route says it. The task's id is that of its run without the number.
    EXPECT_EQ(
        value("WITH ready AS (UPDATE allocations SET ready_at = to_timestamp(0) WHERE ready_at IS NULL RETURNING id) "
              "SELECT pg_notify('det_task', regexp_replace(id, '\\.[0-9]+$', '')) FROM ready"),
        "");
    co_await world.sleep(seconds(60));
    EXPECT_NE(state(k8s::tasks(), "notes"), "RUNNING") << "since then it has been idle";
  });
  slow.task.time = std::chrono::hours(1);
  play(std::move(slow));
}

TEST_F(TaskInAWorld, ATimeWithoutALeaderIsNotIdled) {
  Scenario returned = scenario([&](World& world) -> Task<void> {
    create(k8s::tasks(), "notes",
           {{"type", "Notebook"}, {"config", {{"idle_timeout", "5m"}, {"resources", {{"slots", 0}}}}}});
    co_await world.until(is("notes", "RUNNING"));
    EXPECT_EQ(value("WITH moved AS (UPDATE proxy_services SET last_request = last_request - interval '1 day' "
                    "RETURNING id) SELECT count(*) FROM moved"),
              "1");
    json touched = object(k8s::tasks(), "notes");
    touched["metadata"]["labels"]["looked-at"] = "again";
    world.server().overwrite(k8s::tasks(), key("notes"), touched);
    co_await world.sleep(seconds(60));
    EXPECT_EQ(state(k8s::tasks(), "notes"), "RUNNING");
    co_await world.until([&] { return state(k8s::tasks(), "notes") != "RUNNING"; });
  });
  returned.task.time = std::chrono::hours(1);
  play(std::move(returned));
  EXPECT_EQ(state(k8s::tasks(), "notes"), "COMPLETED");
}

TEST_F(TaskInAWorld, OneThatCannotBeAcceptedKeepsNoOtherFromIdling) {
  Scenario unseen = scenario([&](World& world) -> Task<void> {
    co_await world.until([&] { return world.states() == "COMPLETED"; });
    create(k8s::tasks(), "notes",
           {{"type", "Notebook"}, {"config", {{"idle_timeout", "30s"}, {"resources", {{"slots", 0}}}}}});
    co_await world.until(is("notes", "RUNNING"));
    // As where a webhook of the cluster is out of order; it is tried every few minutes.
    world.server().answer_dry_runs_with([](const std::string&) -> std::optional<det::test::StoreAnswer> {
      return det::test::refusal(500, "InternalError", "failed calling webhook");
    });
    create(k8s::tasks(), "stuck", command());
    co_await world.until(is("stuck", "PENDING"));
    co_await world.until([&] { return state(k8s::tasks(), "notes") != "RUNNING"; });
    EXPECT_EQ(condition(k8s::tasks(), "stuck", "Accepted")["reason"], "KubernetesUnavailable");
    world.server().answer_dry_runs_with({});
    world.server().ask_to_delete(k8s::tasks(), key("stuck"));
  });
  unseen.task.time = std::chrono::hours(1);
  play(std::move(unseen));
  EXPECT_EQ(state(k8s::tasks(), "notes"), "COMPLETED");
  EXPECT_THAT(message("notes"), HasSubstr("idle"));
}

}  // namespace
}  // namespace det::op
