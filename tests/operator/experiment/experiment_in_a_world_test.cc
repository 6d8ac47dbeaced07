#include <memory>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "pods/names.h"
#include "tests/operator/in_a_world.h"

namespace det::op {
namespace {

using nlohmann::json;
using simulation::Scenario;
using simulation::World;
using std::chrono::seconds;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::UnorderedElementsAre;

class ExperimentInAWorld : public test::InAWorld {
 protected:
  static Scenario scenario(json config, std::function<Task<void>(World&)> act = {}) {
    return {.name = "", .about = "", .config = std::move(config), .plan = {}, .act = std::move(act), .free = {}};
  }
  // Trials that wait at their third step for as long as the flag is set.
  static simulation::TrainingPlan holding_while(std::shared_ptr<bool> held) {
    simulation::TrainingPlan plan;
    plan.holds = [held](int, int step) { return *held && step == 3; };
    return plan;
  }
};

TEST_F(ExperimentInAWorld, SaysWhatIsWrongAndRunsOnceItIsMended) {
  json wrong = config();
  wrong["searcher"]["metric"] = 7;
  json told;
  play(scenario(config(), [&](World& world) -> Task<void> {
    world.create_experiment("other", wrong);
    co_await world.until([&] { return !condition(k8s::experiments(), "other", "Accepted").is_null(); });
    told = object(k8s::experiments(), "other");
    world.edit(k8s::experiments(), key("other"), {{"config", {{"searcher", {{"metric", "loss"}}}}}});
    co_await world.until([&] { return value("SELECT count(*) FROM experiments") == "2"; });
  }));
  EXPECT_EQ(told["status"]["state"], "REJECTED");
  EXPECT_EQ(told["status"]["conditions"][0]["reason"], "InvalidConfig");
  EXPECT_THAT(told["status"]["conditions"][0]["message"].get<std::string>(), HasSubstr("spec.config.searcher.metric"));
  EXPECT_THAT(events("InvalidConfig"), ElementsAre(HasSubstr("searcher.metric")));
  EXPECT_EQ(state(k8s::experiments(), "other"), "COMPLETED");
  EXPECT_EQ(condition(k8s::experiments(), "other", "Accepted")["status"], "True");
}

TEST_F(ExperimentInAWorld, OfTheRestServerIsNobodysWithoutItsRow) {
  const auto is = [this](const std::string& name, const std::string& wanted) {
    return [this, name, wanted] { return state(k8s::experiments(), name) == wanted; };
  };
  play(scenario(config(), [&](World& world) -> Task<void> {
    world.server().create(k8s::experiments(), written_by("det-api", "lost", {{"config", config()}}));
    world.server().create(k8s::experiments(), written_by("kubectl-create", "copy", {{"config", config()}}));
    co_await world.until(is("lost", "REJECTED"));
    co_await world.until(is("copy", "COMPLETED"));
  }));
  EXPECT_EQ(condition(k8s::experiments(), "lost", "Accepted")["reason"], "SubmissionLost");
  EXPECT_EQ(value("SELECT count(*) FROM experiments WHERE object_name = 'lost'"), "0");
}

TEST_F(ExperimentInAWorld, WaitsForTheUserWhoseItIs) {
  json told;
  play(scenario(config(), [&](World& world) -> Task<void> {
    co_await world.until([&] { return value("SELECT count(*) FROM experiments") == "1"; });
    const auto rename = [&](const std::string& from, const std::string& to) {
      return value("UPDATE users SET username = '" + to + "' WHERE username = '" + from + "' RETURNING username");
    };
    EXPECT_EQ(rename("determined", "somebody"), "somebody");
    world.create_experiment("other", config());
    create(k8s::tasks(), "hello", {{"type", "Command"}, {"config", {{"entrypoint", {"sh", "-c", "true"}}}}});
    co_await world.until([&] { return !condition(k8s::experiments(), "other", "Accepted").is_null(); });
    co_await world.until([&] { return !condition(k8s::tasks(), "hello", "Accepted").is_null(); });
    told = {condition(k8s::experiments(), "other", "Accepted"), condition(k8s::tasks(), "hello", "Accepted")};
    EXPECT_EQ(rename("somebody", "determined"), "determined");
    co_await world.until([&] { return state(k8s::tasks(), "hello") == "COMPLETED"; });
  }));
  for (const json& accepted : told) {
    EXPECT_EQ(accepted["status"], "Unknown");
    EXPECT_EQ(accepted["reason"], "OwnerNotFound");
    EXPECT_THAT(accepted["message"].get<std::string>(),
                HasSubstr("belongs to the user 'determined' (--default-owner)"));
  }
  EXPECT_EQ(state(k8s::experiments(), "other"), "COMPLETED");
}

TEST_F(ExperimentInAWorld, IsPausedWhileItsThousandsOfTrialsAreStillBeingMade) {
  json grid = config();
  grid["hyperparameters"] = {{"lr", {{"type", "int"}, {"minval", 1}, {"maxval", 400}, {"count", 400}}}};
  grid["searcher"] = {{"name", "grid"}, {"metric", "loss"}, {"max_concurrent_trials", 0}};
  int made = 0;
  int made_before = 0;  // it was paused
  play(scenario(grid, [&](World& world) -> Task<void> {
    world.server().admit_with([&](const std::string& collection, json&) {
      if (!collection.ends_with("/trials")) return;
      if (++made == 50) world.edit_experiment({{"suspend", true}});
      if (made_before == 0 && value("SELECT state FROM experiments") == "PAUSED") made_before = made;
    });
    co_await world.until([&] { return state(k8s::experiments(), "exp") == "PAUSED"; });
    world.edit_experiment({{"stop", "Kill"}});
  }));
  EXPECT_GE(made_before, 50);
  EXPECT_LT(made_before, 200);
  EXPECT_EQ(value("SELECT state FROM experiments"), "CANCELED");
}

TEST_F(ExperimentInAWorld, NameDescriptionAndLabelsFollowTheObject) {
  auto held = std::make_shared<bool>(true);
  Scenario renamed = scenario(config(), [&, held](World& world) -> Task<void> {
    co_await world.until([&] { return world.reported_steps() >= 3; });
    world.edit_experiment(
        {{"config", {{"name", "renamed"}, {"description", "the better one"}, {"labels", {"a", "b"}}}}});
    co_await world.until([&] { return value("SELECT name FROM experiments") == "renamed"; });
    *held = false;
  });
  renamed.plan = holding_while(held);
  play(std::move(renamed));
  EXPECT_EQ(value("SELECT description FROM experiments"), "the better one");
  EXPECT_EQ(value("SELECT labels::text FROM experiments"), R"(["a", "b"])");
  EXPECT_EQ(world_->states(), "COMPLETED");
}

TEST_F(ExperimentInAWorld, ANameFollowsTheObjectBackAndARenameByRestStays) {
  auto held = std::make_shared<bool>(true);
  const auto name = [this] { return value("SELECT name FROM experiments"); };
  Scenario renamed = scenario(config(), [&, held](World& world) -> Task<void> {
    const auto edit = [&](const char* to) { world.edit_experiment({{"config", {{"name", to}}}}); };
    co_await world.until([&] { return world.reported_steps() >= 3; });
    edit("renamed");
    co_await world.until([&] { return name() == "renamed"; });
    edit("simulated");  // as it was accepted
    co_await world.until([&] { return name() == "simulated"; });
    edit("again");
    co_await world.until([&] { return name() == "again"; });
    world.database().execute("UPDATE experiments SET name = 'by REST'");
    co_await world.sleep(seconds(90));
    EXPECT_EQ(name(), "by REST");
    *held = false;
  });
  renamed.plan = holding_while(held);
  play(std::move(renamed));
}

TEST_F(ExperimentInAWorld, ATrialThatWasKilledBeforeItHadAnObjectEndsWithoutOne) {
  int refused = 0;
  play(scenario(config(), [&](World& world) -> Task<void> {
    world.server().refuse_with(
        [&](const std::string& collection, const json&) -> std::optional<det::test::StoreAnswer> {
          if (!collection.ends_with("/trials")) return std::nullopt;
          ++refused;
          return det::test::refusal(403, "Forbidden", "trials is forbidden: exceeded quota: objects");
        });
    co_await world.until([&] { return refused > 0; });
    world.database().execute("UPDATE trials SET early_exit = 'EXITED_REASON_USER_CANCELED'");
    co_await world.until([&] { return value("SELECT state FROM trials") == "CANCELED"; });
  }));
  EXPECT_EQ(value("SELECT exit_reason FROM trials"), "canceled before it ran");
  EXPECT_EQ(value("SELECT count(*) FROM allocations"), "0");
}

// The other ranks of its program wait for the one that gave up.
TEST_F(ExperimentInAWorld, ATrialThatReportedInvalidHyperparametersAndHangsIsEnded) {
  auto held = std::make_shared<bool>(true);
  Scenario hanging = scenario(config(), [&](World& world) -> Task<void> {
    co_await world.until([&] { return world.reported_steps() >= 2; });
    world.database().execute("UPDATE trials SET early_exit = 'EXITED_REASON_INVALID_HP'");
    world.database().execute("SELECT pg_notify('det_searcher', id::text) FROM experiments");
    co_await world.sleep(seconds(60));
    EXPECT_EQ(value("SELECT state FROM trials"), "COMPLETED");
  });
  hanging.plan = holding_while(held);
  play(std::move(hanging));
}

TEST_F(ExperimentInAWorld, MoreTrialsRunAtOnceWhenItsObjectSaysSo) {
  json random = config();
  random["hyperparameters"] = {{"lr", {{"type", "double"}, {"minval", 0}, {"maxval", 1}}}};
  random["searcher"] = {{"name", "random"}, {"metric", "loss"}, {"max_trials", 3}, {"max_concurrent_trials", 1}};
  const auto held = std::make_shared<bool>(true);
  const auto running = [this] { return value("SELECT count(*) FROM allocations WHERE ended_at IS NULL"); };
  Scenario wider = scenario(random, [&, held](World& world) -> Task<void> {
    co_await world.until([&] { return world.reported_steps() >= 3; });
    EXPECT_EQ(running(), "1");
    world.edit_experiment({{"config", {{"searcher", {{"max_concurrent_trials", 3}}}}}});
    co_await world.until([&] { return running() == "3"; });
    *held = false;
  });
  wider.plan = holding_while(held);
  play(std::move(wider));
  EXPECT_EQ(value("SELECT count(*) FROM trials WHERE state = 'COMPLETED'"), "3");
}

// The search begins anew, and finds trials that are over before it has made them.
TEST_F(ExperimentInAWorld, ContinuesARandomSearchWithAsManyTrialsAtATimeAsBefore) {
  json random = config();
  random["max_restarts"] = 0;
  random["hyperparameters"] = {{"lr", {{"type", "double"}, {"minval", 0}, {"maxval", 1}}}};
  random["searcher"] = {{"name", "random"}, {"metric", "loss"}, {"max_trials", 5}, {"max_concurrent_trials", 1}};
  int most = 0;
  Scenario continued = scenario(random, [&](World& world) -> Task<void> {
    co_await world.until([&] { return world.states() == "COMPLETED"; });
    EXPECT_EQ(value("SELECT string_agg(state, ',' ORDER BY id) FROM trials"), "ERROR,ERROR,ERROR,COMPLETED,COMPLETED");
    co_await world.continue_experiment(json::object());
    co_await world.until([&] {
      most = std::max(most, std::stoi(value("SELECT count(*) FROM allocations WHERE ended_at IS NULL")));
      return world.states() == "COMPLETED";
    });
  });
  continued.plan.fails = [failed = std::make_shared<int>(0)](int, int step) {
    return step == 2 && ++*failed <= 3 ? std::optional(3) : std::nullopt;
  };
  play(std::move(continued));
  EXPECT_EQ(most, 1);
  EXPECT_EQ(value("SELECT string_agg(state || ' ' || run, ',' ORDER BY id) FROM trials"),
            "COMPLETED 2,COMPLETED 2,COMPLETED 2,COMPLETED 1,COMPLETED 1");
}

TEST_F(ExperimentInAWorld, EndsAsAnErrorThatNamesTheTrialAndItsExitCode) {
  Scenario failing = scenario(config());
  failing.plan.fails = [](int, int step) { return step == 2 ? std::optional(3) : std::nullopt; };
  play(std::move(failing));
  EXPECT_EQ(world_->states(), "ERROR");
  EXPECT_EQ(state(k8s::experiments(), "exp"), "ERROR");
  EXPECT_THAT(events("Failed"), ElementsAre(::testing::AllOf(HasSubstr("trial 1: "), HasSubstr("exit code 3"))));
  EXPECT_EQ(events("TrialFailed").size(), 1U);
}

TEST_F(ExperimentInAWorld, KeepsTheSecretsOfItsLastRunOnly) {
  json again = config();
  again["max_restarts"] = 3;
  again["resources"]["slots_per_trial"] = 2;
  Scenario failing = scenario(again);
  failing.nodes = {{"node-1", 2}};
  failing.max_slots_per_pod = 1;  // two pods, which have keys for ssh
  failing.plan.fails = [](int, int step) { return step == 2 ? std::optional(3) : std::nullopt; };
  play(std::move(failing));
  EXPECT_EQ(value("SELECT run FROM trials"), "2") << "it went on from its checkpoint";
  std::vector<std::string> names;
  for (const json& secret : world_->server().all(k8s::secrets())) names.push_back(secret["metadata"]["name"]);
  EXPECT_THAT(names, UnorderedElementsAre(::testing::EndsWith("-2-env"), ::testing::EndsWith("-2-files")));
}

TEST_F(ExperimentInAWorld, SaysThatNoTrialReportedTheMetricOfTheSearch) {
  json misspelt = config();
  misspelt["searcher"]["metric"] = "vall_loss";
  Scenario other = scenario(misspelt);
  other.plan.has_metric = false;
  play(std::move(other));
  EXPECT_THAT(events("NoSuchMetric"), ElementsAre(HasSubstr("vall_loss")));
  EXPECT_EQ(condition(k8s::experiments(), "exp", "MetricReported")["status"], "False");
}

TEST_F(ExperimentInAWorld, EndsAsAnErrorWhenTheApiServerRefusesItsPod) {
  play(scenario(config(), [&](World& world) -> Task<void> {
    co_await world.until([&] { return world.states() == "COMPLETED"; });
    world.server().refuse_with([](const std::string& collection, const json&) -> std::optional<det::test::StoreAnswer> {
      if (collection != "v1/pods") return std::nullopt;
      return det::test::refusal(422, "Invalid", "spec.containers[0].image: Required value");
    });
    world.create_experiment("refused", config());
    co_await world.until([&] { return world.states() == "COMPLETED,ERROR"; });
  }));
  EXPECT_THAT(events("PodRefused"), ElementsAre(HasSubstr("image: Required value")));
}

TEST_F(ExperimentInAWorld, APodThatTheApiServerRefusesHoldsNoPlace) {
  json large = config();
  large["resources"]["slots_per_trial"] = 8;  // all that the node has
  play(scenario(config(), [&](World& world) -> Task<void> {
    co_await world.until([&] { return world.states() == "COMPLETED"; });
    world.server().refuse_with([](const std::string& collection, const json&) -> std::optional<det::test::StoreAnswer> {
      if (collection != "v1/pods") return std::nullopt;
      return det::test::refusal(422, "Invalid", "no");
    });
    world.create_experiment("refused", large);
    co_await world.until([&] { return world.states() == "COMPLETED,ERROR"; });
    world.server().refuse_with({});
    world.create_experiment("next", large);
    co_await world.until([&] { return world.states() == "COMPLETED,ERROR,COMPLETED"; });
  }));
}

// Longer than the client tries; it has the same code as limits that leave no room, for which nobody tries again.
TEST_F(ExperimentInAWorld, RunsOnceAnApiServerThatThrottlesTakesItsSecret) {
  play(scenario(config(), [&](World& world) -> Task<void> {
    co_await world.until([&] { return world.states() == "COMPLETED"; });
    world.server().refuse_with([](const std::string& collection, const json&) -> std::optional<det::test::StoreAnswer> {
      if (collection != "v1/secrets") return std::nullopt;
      return det::test::refusal(429, "TooManyRequests", "too many requests");
    });
    world.create_experiment("throttled", config());
    co_await world.sleep(seconds(120));
    EXPECT_EQ(world.states(), "COMPLETED,ACTIVE");
    world.server().refuse_with({});
    co_await world.until([&] { return world.states() == "COMPLETED,COMPLETED"; });
  }));
}

// It has no pods whose end would wake anybody.
TEST_F(ExperimentInAWorld, ATrialThatIsDeletedWhileItWaitsKeepsNoPlace) {
  const auto with_slots = [](int slots) {
    json some = config();
    some["resources"]["slots_per_trial"] = slots;
    return some;
  };
  auto held = std::make_shared<bool>(true);
  Scenario waiting = scenario(with_slots(2), [&, held](World& world) -> Task<void> {
    co_await world.until([&] { return world.reported_steps() >= 3; });
    world.create_experiment("large", with_slots(8));  // the whole node
    co_await world.until([&] { return value("SELECT count(*) FROM allocations WHERE ended_at IS NULL") == "2"; });
    co_await world.until([&] { return state(k8s::trials(), "large-2") == "QUEUED"; });
    world.create_experiment("small", with_slots(2));
    co_await world.until([&] { return state(k8s::trials(), "small-3") == "QUEUED"; });
    world.server().ask_to_delete(k8s::trials(), key("large-2"));
    co_await world.until([&] { return state(k8s::trials(), "small-3") == "RUNNING"; });
    *held = false;
  });
  waiting.plan.holds = [held](int, int step) { return *held && step == 3; };
  waiting.nodes = {{"node-1", 8}};
  play(std::move(waiting));
}

TEST_F(ExperimentInAWorld, ADeletedTrialMakesRoomForThoseThatWaitForTheLimits) {
  json two = config();
  two["searcher"] = {{"name", "random"}, {"metric", "loss"}, {"max_trials", 2}};
  two["resources"]["max_slots"] = 1;
  play(scenario(config(), [&](World& world) -> Task<void> {
    co_await world.until([&] { return world.states() == "COMPLETED"; });
    world.create_experiment("limited", two);
    const auto running = "SELECT count(*) FROM allocations WHERE ended_at IS NULL";
    co_await world.until([&] { return value(running) == "1"; });
    const model::TrialId first{std::stoll(value("SELECT trial_id FROM allocations WHERE ended_at IS NULL"))};
    const std::string name = pods::trial_object_name("limited", first);
    co_await world.until([&] { return state(k8s::trials(), name) == "RUNNING"; });
    world.server().ask_to_delete(k8s::trials(), key(name));
    co_await world.until([&] { return world.states() == "COMPLETED,COMPLETED"; });
  }));
}

// What a former leader sent while it led may arrive long after, when the experiment is over and nobody looks at it.
TEST_F(ExperimentInAWorld, WhatAFormerLeaderWritesLateIsWrittenOver) {
  play(scenario(config(), [&](World& world) -> Task<void> {
    co_await world.until([&] { return state(k8s::experiments(), "exp") == "COMPLETED"; });
    co_await world.sleep(seconds(30));
    for (const auto& [resource, name] : {std::pair(k8s::experiments(), "exp"), std::pair(k8s::trials(), "exp-1")}) {
      json late = object(resource, name);
      late["status"]["state"] = "PAUSED";
      world.server().overwrite(resource, key(name), late);
      EXPECT_EQ(state(resource, name), "PAUSED");
    }
    co_await world.until([&] {
      return state(k8s::experiments(), "exp") == "COMPLETED" && state(k8s::trials(), "exp-1") == "COMPLETED";
    });
  }));
}

// A merge patch of what only moves on changes no state.
TEST_F(ExperimentInAWorld, WhatAFormerLeaderCountedIsWrittenOver) {
  play(scenario(config(), [&](World& world) -> Task<void> {
    co_await world.until([&] { return state(k8s::experiments(), "exp") == "COMPLETED"; });
    co_await world.sleep(seconds(30));
    const json experiment = object(k8s::experiments(), "exp")["status"];
    const json trial = object(k8s::trials(), "exp-1")["status"];
    json late = object(k8s::experiments(), "exp");
    late["status"]["trials"]["running"] = 1;
    late["status"]["conditions"].erase(late["status"]["conditions"].size() - 1);
    world.server().overwrite(k8s::experiments(), key("exp"), late);
    late = object(k8s::trials(), "exp-1");
    late["status"]["message"] = "waiting for slots";
    world.server().overwrite(k8s::trials(), key("exp-1"), late);
    EXPECT_NE(object(k8s::trials(), "exp-1")["status"], trial);
    co_await world.until([&] {
      const json now = object(k8s::experiments(), "exp")["status"];
      return now["trials"] == experiment["trials"] && now["conditions"].size() == experiment["conditions"].size() &&
             object(k8s::trials(), "exp-1")["status"] == trial;
    });
  }));
}

TEST_F(ExperimentInAWorld, WhatItKeepsOfItsCheckpointsFollowsTheObjectAfterTheEnd) {
  Scenario thrifty = scenario(config(), [&](World& world) -> Task<void> {
    co_await world.until([&] { return world.states() == "COMPLETED"; });
    EXPECT_EQ(value("SELECT count(*) FROM checkpoints WHERE state = 'COMPLETED'"), "3");
    world.edit_experiment({{"config", {{"checkpoint_storage", {{"save_trial_latest", 1}}}}}});
    co_await world.until([&] { return value("SELECT count(*) FROM checkpoints WHERE state = 'DELETED'") == "2"; });
  });
  thrifty.keeps = "6";
  play(std::move(thrifty));
}

}  // namespace
}  // namespace det::op
