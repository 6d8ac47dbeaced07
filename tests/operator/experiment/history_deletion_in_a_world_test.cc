#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/operator/in_a_world.h"

namespace det::op {
namespace {

using nlohmann::json;
using simulation::Scenario;
using simulation::World;
using ::testing::HasSubstr;

class HistoryDeletionInAWorld : public test::InAWorld {
 protected:
  static Scenario scenario(json config, std::function<Task<void>(World&)> act) {
    return {.name = "", .about = "", .config = std::move(config), .plan = {}, .act = std::move(act), .free = {}};
  }
  // As RemovalStore::begin_delete does it.
  static void ask_again(World& world) {
    world.database().execute("UPDATE removals SET state = 'PENDING', ended_at = NULL WHERE state = 'FAILED'");
    world.database().execute("UPDATE experiments SET state = 'DELETING' WHERE state = 'DELETE_FAILED'");
  }
  // No Task can be made any more, nor files removed.
  static void refuse_tasks(World& world) {
    world.server().refuse_with([](const std::string& collection, const json&) -> std::optional<det::test::StoreAnswer> {
      if (!collection.ends_with("/tasks")) return std::nullopt;
      return det::test::refusal(403, "Forbidden", "exceeded quota: objects");
    });
  }
};

TEST_F(HistoryDeletionInAWorld, ItsHistoryGoesWithAnObjectThatWantsThat) {
  std::string finalizers;
  json told;
  play(scenario(config(), [&](World& world) -> Task<void> {
    create(k8s::experiments(), "gone", {{"config", config()}, {"deletionPolicy", "Delete"}});
    co_await world.until([&] { return world.states() == "COMPLETED,COMPLETED"; });
    finalizers = object(k8s::experiments(), "gone")["metadata"].value("finalizers", json::array()).dump();
    world.need_no_history_of("gone");
    world.server().ask_to_delete(k8s::experiments(), key("gone"));
    co_await world.until([&] { return state(k8s::experiments(), "gone") == "DELETING"; });
    told = condition(k8s::experiments(), "gone", "Complete");
    co_await world.until([&] { return object(k8s::experiments(), "gone").is_null(); });
  }));
  EXPECT_EQ(told["reason"], "Deleting");
  EXPECT_THAT(finalizers, HasSubstr("det-operator.dev/"));
  EXPECT_EQ(value("SELECT string_agg(object_name, ',') FROM experiments"), "exp");
  EXPECT_EQ(value("SELECT count(*) FROM trials"), "1");
}

TEST_F(HistoryDeletionInAWorld, AnObjectThatNoLongerWantsItsHistoryGoneLosesOurFinalizer) {
  play(scenario(config(), [&](World& world) -> Task<void> {
    create(k8s::experiments(), "kept", {{"config", config()}, {"deletionPolicy", "Delete"}});
    co_await world.until([&] { return object(k8s::experiments(), "kept")["metadata"].contains("finalizers"); });
    world.edit(k8s::experiments(), key("kept"), {{"deletionPolicy", "Keep"}});
    co_await world.until([&] {
      const json metadata = object(k8s::experiments(), "kept")["metadata"];
      return get_array(metadata, "finalizers").empty() && world.states() == "COMPLETED,COMPLETED";
    });
    world.server().ask_to_delete(k8s::experiments(), key("kept"));
    co_await world.until([&] { return object(k8s::experiments(), "kept").is_null(); });
  }));
  EXPECT_EQ(value("SELECT count(*) FROM experiments"), "2");
}

TEST_F(HistoryDeletionInAWorld, AnObjectWhoseFilesCannotBeRemovedSaysSoAndGoesWithoutThem) {
  json complete;
  json stalled;
  play(scenario(config(), [&](World& world) -> Task<void> {
    create(k8s::experiments(), "held", {{"config", config()}, {"deletionPolicy", "Delete"}});
    co_await world.until([&] { return world.states() == "COMPLETED,COMPLETED"; });
    world.need_no_history_of("held");
    refuse_tasks(world);
    world.server().ask_to_delete(k8s::experiments(), key("held"));
    co_await world.until([&] { return state(k8s::experiments(), "held") == "DELETING"; });
    world.database().execute("UPDATE removals SET state = 'FAILED' WHERE state = 'PENDING'");
    co_await world.until([&] { return state(k8s::experiments(), "held") == "DELETE_FAILED"; });
    complete = condition(k8s::experiments(), "held", "Complete");
    stalled = condition(k8s::experiments(), "held", "Stalled");
    world.edit(k8s::experiments(), key("held"), {{"deletionPolicy", "Keep"}});
    co_await world.until([&] { return object(k8s::experiments(), "held").is_null(); });
    EXPECT_EQ(world.states(), "COMPLETED,DELETE_FAILED") << "its history stays";
    world.server().refuse_with({});
    ask_again(world);
    co_await world.until([&] { return world.states() == "COMPLETED"; });
  }));
  EXPECT_EQ(complete["reason"], "DeleteFailed");
  EXPECT_THAT(complete["message"].get<std::string>(), HasSubstr("its files could not be removed"));
  EXPECT_EQ(stalled["status"], "True");
  EXPECT_EQ(stalled["reason"], "HistoryHeld");
  EXPECT_THAT(stalled["message"].get<std::string>(), HasSubstr("with deletionPolicy Keep the object goes"));
}

}  // namespace
}  // namespace det::op
