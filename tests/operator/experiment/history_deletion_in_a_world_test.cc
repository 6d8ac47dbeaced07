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
  // As the namespace controller leaves it: nothing is made there any more, and what has a finalizer stays.
  static void end_namespace(World& world) {
    json going = world.server().find(k8s::namespaces(), {.ns = {}, .name = "ml"});
    going["metadata"]["deletionTimestamp"] = "2026-11-29T00:00:00Z";
    world.server().overwrite(k8s::namespaces(), {.ns = {}, .name = "ml"}, going);
    world.server().refuse_with([](const std::string&, const json& object) -> std::optional<det::test::StoreAnswer> {
      if (get_string(get_any(object, "metadata"), "namespace") != "ml") return std::nullopt;
      return det::test::refusal(403, "Forbidden",
                                "unable to create new content in namespace ml because it is being terminated");
    });
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

TEST_F(HistoryDeletionInAWorld, FilesOfANamespaceThatIsBeingDeletedAreRemovedFromTheDefaultOne) {
  json mounted = config();
  mounted["bind_mounts"] = {{{"host_path", "/dev/shm"}, {"container_path", "/tmp/checkpoints"}}};
  std::string places;
  play(scenario(config(), [&](World& world) -> Task<void> {
    create(k8s::experiments(), "gone", {{"config", mounted}, {"deletionPolicy", "Delete"}});
    co_await world.until([&] { return world.states() == "COMPLETED,COMPLETED"; });
    world.need_no_history_of("gone");
    end_namespace(world);
    world.server().ask_to_delete(k8s::experiments(), key("gone"));
    co_await world.until([&] {
      const std::string now = value("SELECT string_agg(DISTINCT namespace, ',') FROM standalone_tasks");
      if (!now.empty()) places = now;
      return object(k8s::experiments(), "gone").is_null();
    });
  }));
  EXPECT_EQ(places, "default");
  EXPECT_EQ(value("SELECT string_agg(object_name, ',') FROM experiments"), "exp");
}

TEST_F(HistoryDeletionInAWorld, FilesThatNothingReachesAreLeftWhereSomebodyAsksAgain) {
  json failed;
  play(scenario(config(), [&](World& world) -> Task<void> {
    create(k8s::experiments(), "gone", {{"config", config()}, {"deletionPolicy", "Delete"}});
    co_await world.until([&] { return world.states() == "COMPLETED,COMPLETED"; });
    world.need_no_history_of("gone");
    end_namespace(world);
    world.server().ask_to_delete(k8s::experiments(), key("gone"));
    co_await world.until([&] { return state(k8s::experiments(), "gone") == "DELETE_FAILED"; });
    failed = condition(k8s::experiments(), "gone", "Failed");
    ask_again(world);
    co_await world.until([&] { return object(k8s::experiments(), "gone").is_null(); });
  }));
  EXPECT_THAT(failed["message"].get<std::string>(),
              ::testing::AllOf(HasSubstr("namespace ml is gone"), HasSubstr("its files stay there"),
                               HasSubstr("delete it again to delete the rest of it")));
  EXPECT_EQ(value("SELECT string_agg(object_name, ',') FROM experiments"), "exp");
}

}  // namespace
}  // namespace det::op
