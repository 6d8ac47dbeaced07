// What `kubectl delete --cascade=orphan` leaves, and objects that somebody copied.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "pods/pull_secret.h"
#include "tests/operator/in_a_world.h"

namespace det::op {
namespace {

using nlohmann::json;
using simulation::Scenario;
using simulation::World;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

class Orphans : public test::InAWorld {
 protected:
  static Scenario scenario(std::function<Task<void>(World&)> act) {
    Scenario made{.name = "", .about = "", .config = config(), .plan = {}, .act = std::move(act), .free = {}};
    made.task.time = std::chrono::hours(1);
    return made;
  }
  // As the API server's orphaning does it.
  void take_owners_off(const k8s::Resource& resource, const std::string& names) {
    for (json each : world_->server().all(resource, "ml")) {
      const std::string name = get_string(each["metadata"], "name");
      if (!name.starts_with(names)) continue;
      each["metadata"].erase("ownerReferences");
      world_->server().overwrite(resource, key(name), std::move(each));
    }
  }
  [[nodiscard]] std::size_t count(const k8s::Resource& resource) { return world_->server().all(resource, "ml").size(); }
};

TEST_F(Orphans, OfAnExperimentTheTrialGoesWithItsPods) {
  play(scenario([&](World& world) -> Task<void> {
    co_await world.until([&] { return world.reported_steps() >= 1; });
    world.need_no_history_of("exp");
    take_owners_off(k8s::trials(), "exp");
    world.server().erase(k8s::experiments(), key("exp"));
    co_await world.until([&] { return count(k8s::trials()) == 0 && count(k8s::pods()) == 0; });
    EXPECT_EQ(world.states(), "CANCELED");
  }));
}

TEST_F(Orphans, OfATaskPodsAndSecretsGo) {
  play(scenario([&](World& world) -> Task<void> {
    world.server().create(k8s::tasks(),
                          {{"metadata", {{"name", "hello"}, {"namespace", "ml"}}},
                           {"spec",
                            {{"type", "Command"},
                             {"config",
                              {{"entrypoint", {"sleep", "1"}},
                               {"resources", {{"slots", 0}}},
                               {"environment", {{"registry_auth", {{"username", "u"}, {"password", "p"}}}}}}}}}});
    co_await world.until([&] { return state(k8s::tasks(), "hello") == "RUNNING" && world.states() == "COMPLETED"; });
    take_owners_off(k8s::pods(), "hello");
    take_owners_off(k8s::secrets(), "hello");
    world.server().erase(k8s::tasks(), key("hello"));
    const std::string base = pods::task_base_name("hello");
    const std::vector secrets = {pods::allocation_secret_name(base, 1), pods::pull_secret_name(base, 1)};
    for (const std::string& name : secrets) EXPECT_FALSE(object(k8s::secrets(), name).is_null()) << name;
    co_await world.until([&] {
      for (const json& pod : world.server().all(k8s::pods(), "ml")) {
        if (get_string(pod["metadata"], "name").starts_with("hello")) return false;
      }
      return true;
    });
    for (const std::string& name : secrets) EXPECT_TRUE(object(k8s::secrets(), name).is_null()) << name;
  }));
}

// A restore by a tool for backups, or a person who copies YAML.
TEST_F(Orphans, ASecondObjectOfATrialIsPassedOver) {
  play(scenario([&](World& world) -> Task<void> {
    co_await world.until([&] { return world.reported_steps() >= 1; });
    json copy = object(k8s::trials(), "exp-1");
    copy["metadata"]["name"] = "exp-1-copy";
    copy["metadata"].erase("uid");
    copy["metadata"].erase("resourceVersion");
    world.server().create(k8s::trials(), std::move(copy));
    co_await world.until([&] { return world.states() == "COMPLETED"; });
  }));
  EXPECT_EQ(value("SELECT run::text FROM trials"), "1");
  EXPECT_THAT(events("NotItsTrial"), ElementsAre(HasSubstr("trial 1 has an object of its own")));
}

}  // namespace
}  // namespace det::op
