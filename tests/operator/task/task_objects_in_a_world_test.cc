// Objects of tasks and experiments that go, come back, change and are not ours.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/operator/in_a_world.h"

namespace det::op {
namespace {

using nlohmann::json;
using simulation::Scenario;
using simulation::World;
using std::chrono::seconds;
using ::testing::Contains;
using ::testing::HasSubstr;

class ObjectsInAWorld : public test::InAWorld {
 protected:
  static Scenario scenario(std::function<Task<void>(World&)> act) {
    Scenario made{.name = "", .about = "", .config = config(), .plan = {}, .act = std::move(act), .free = {}};
    made.task.time = std::chrono::hours(1);
    return made;
  }
  static json command() {
    return {{"type", "Command"}, {"config", {{"entrypoint", {"sleep", "1"}}, {"resources", {{"slots", 0}}}}}};
  }
  bool is(const std::string& name, const std::string& wanted) { return state(k8s::tasks(), name) == wanted; }
  // Of the pods of the task with that object's uid.
  int pods_of(const std::string& uid) {
    int count = 0;
    for (const json& pod : world_->server().all(k8s::pods(), "ml")) {
      for (const json& owner : get_array(pod["metadata"], "ownerReferences")) {
        count += get_string(owner, "uid") == uid ? 1 : 0;
      }
    }
    return count;
  }
  static Task<void> kill(World& world, const k8s::ObjectKey& task) {
    world.edit(k8s::tasks(), task, {{"stop", "Kill"}});
    co_return;
  }
};

// kubectl replace --force: the pods of the former one are still ending, and have the names that the new one's get.
TEST_F(ObjectsInAWorld, AReplacedTaskDoesNotTakeTheFormersPodsForItsOwn) {
  play(scenario([&](World& world) -> Task<void> {
    create(k8s::tasks(), "hello", command());
    co_await world.until([&] { return is("hello", "RUNNING"); });
    json former;
    for (const json& pod : world.server().all(k8s::pods(), "ml")) {
      if (get_string(pod["metadata"], "name").starts_with("hello")) former = pod;
    }
    world.server().ask_to_delete(k8s::tasks(), key("hello"));
    co_await world.until([&] { return world.server().find(k8s::tasks(), key("hello")).is_null(); });
    create(k8s::tasks(), "hello", command());
    const std::string uid = get_string(object(k8s::tasks(), "hello")["metadata"], "uid");
    co_await world.until([&] { return is("hello", "RUNNING") && pods_of(uid) == 1; });
    EXPECT_NE(get_string(former["metadata"]["ownerReferences"][0], "uid"), uid);
    co_await kill(world, key("hello"));
    co_await world.until([&] { return is("hello", "CANCELED"); });
  }));
}

TEST_F(ObjectsInAWorld, ThoseOfAnotherClassAreLeftAlone) {
  play(scenario([&](World& world) -> Task<void> {
    const json theirs = {
        {"name", "theirs"}, {"namespace", "ml"}, {"annotations", {{std::string(pods::kAnnotationClass), "ml"}}}};
    world.server().create(k8s::tasks(), {{"metadata", theirs}, {"spec", command()}});
    world.server().create(k8s::experiments(), {{"metadata", theirs}, {"spec", {{"config", config()}}}});
    co_await world.until([&] { return world.reported_steps() >= 1; });
    world.lose_database(std::chrono::seconds(1));  // afterwards everything is looked at
    co_await world.until([&] { return world.states() == "COMPLETED"; });
    co_await world.sleep(std::chrono::minutes(2));
  }));
  EXPECT_EQ(get_any(object(k8s::tasks(), "theirs"), "status"), json());
  EXPECT_EQ(get_any(object(k8s::experiments(), "theirs"), "status"), json());
  EXPECT_EQ(value("SELECT count(*) FROM standalone_tasks WHERE object_name = 'theirs'"), "0");
}

TEST_F(ObjectsInAWorld, APriorityBeyondThePolicyIsObjectedTo) {
  play(scenario([&](World& world) -> Task<void> {
    create(k8s::tasks(), "hello", command());
    co_await world.until([&] { return is("hello", "RUNNING"); });
    world.database().execute(
        "INSERT INTO config_policies (workspace_id, workload_type, policy, updated_by) VALUES (NULL, 'NTSC', "
        "'{\"constraints\": {\"priority_limit\": 60}}', 1)");
    json changed = command();
    changed["config"]["resources"]["priority"] = 99;
    world.edit(k8s::tasks(), key("hello"), changed);
    co_await world.until([&] { return condition(k8s::tasks(), "hello", "Stalled")["reason"] == "ConfigPolicy"; });
    EXPECT_THAT(get_string(condition(k8s::tasks(), "hello", "Stalled"), "message"),
                HasSubstr("spec.config.resources.priority: "));
    co_await kill(world, key("hello"));
    co_await world.until([&] { return is("hello", "CANCELED"); });
  }));
}

TEST_F(ObjectsInAWorld, ADescriptionIsChangedAndChangedBack) {
  play(scenario([&](World& world) -> Task<void> {
    json first = command();
    first["config"]["description"] = "evening";
    create(k8s::tasks(), "hello", first);
    co_await world.until([&] { return is("hello", "RUNNING"); });
    const auto describe = [&](const json& description) {
      json changed = first;
      changed["config"]["description"] = description;
      world.edit(k8s::tasks(), key("hello"), changed);
    };
    const auto name = [&] { return get_string(get_object(object(k8s::tasks(), "hello"), "status"), "name"); };
    describe("night");
    co_await world.until([&] { return name() == "night"; });
    EXPECT_EQ(value("SELECT description FROM standalone_tasks"), "night");
    describe("evening");
    co_await world.until([&] { return name() == "evening"; });
    describe(7);
    co_await world.until([&] { return condition(k8s::tasks(), "hello", "Stalled")["status"] == "True"; });
    EXPECT_THAT(get_string(condition(k8s::tasks(), "hello", "Stalled"), "message"),
                HasSubstr("spec.config.description: changed after acceptance"));
    EXPECT_EQ(name(), "evening");
    co_await kill(world, key("hello"));
    co_await world.until([&] { return is("hello", "CANCELED"); });
  }));
}

// A quota of Secrets, or a webhook that looks at them.
TEST_F(ObjectsInAWorld, WhatIsForbiddenBeforeAPodIsMadeIsSaid) {
  play(scenario([&](World& world) -> Task<void> {
    co_await world.until([&] { return world.states() == "COMPLETED"; });
    world.server().refuse_with([](const std::string& collection, const json&) -> std::optional<det::test::StoreAnswer> {
      if (collection != "v1/secrets") return std::nullopt;
      return det::test::refusal(403, "Forbidden", "exceeded quota: few-secrets");
    });
    create(k8s::tasks(), "hello", command());
    world.create_experiment("held", config());
    const auto told = [&](const k8s::Resource& resource, const std::string& name) {
      return get_string(get_object(object(resource, name), "status"), "message").find("few-secrets") !=
             std::string::npos;
    };
    co_await world.until([&] { return told(k8s::tasks(), "hello") && told(k8s::trials(), "held-2"); });
    EXPECT_EQ(state(k8s::tasks(), "hello"), "QUEUED");
    EXPECT_EQ(state(k8s::trials(), "held-2"), "QUEUED");
    world.server().refuse_with({});
    co_await world.until([&] { return is("hello", "RUNNING") && world.states() == "COMPLETED,COMPLETED"; });
    co_await kill(world, key("hello"));
    co_await world.until([&] { return is("hello", "CANCELED"); });
  }));
  EXPECT_THAT(events("PodsNotCreated"), Contains(HasSubstr("exceeded quota: few-secrets")));
}

TEST_F(ObjectsInAWorld, TheLogOfWhatLosesItsObjectSaysSo) {
  play(scenario([&](World& world) -> Task<void> {
    create(k8s::tasks(), "hello", command());
    co_await world.until([&] { return is("hello", "RUNNING"); });
    world.server().ask_to_delete(k8s::tasks(), key("hello"));
    co_await world.until(
        [&] { return value("SELECT state FROM standalone_tasks WHERE object_name = 'hello'") == "CANCELED"; });
  }));
  EXPECT_THAT(world_->lines(), Contains(HasSubstr("was terminated: the Task object was deleted")));
}

TEST_F(ObjectsInAWorld, NamesFollowTheObjectAfterTheEnd) {
  play(scenario([&](World& world) -> Task<void> {
    co_await world.until([&] { return world.states() == "COMPLETED"; });
    co_await world.sleep(seconds(30));
    json changed = config();
    changed["labels"] = {"filed"};
    changed["description"] = "the good one";
    world.edit_experiment({{"config", changed}});
    co_await world.until([&] { return value("SELECT description FROM experiments WHERE id = 1") == "the good one"; });
  }));
  EXPECT_EQ(value("SELECT labels FROM experiments WHERE id = 1"), R"(["filed"])");
}

}  // namespace
}  // namespace det::op
