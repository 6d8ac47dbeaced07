#include <gtest/gtest.h>

#include "pods/names.h"
#include "tests/operator/in_a_world.h"

namespace det::op {
namespace {

using nlohmann::json;
using simulation::Scenario;
using simulation::World;

class ClassChange : public test::InAWorld {
 protected:
  void give(const k8s::Resource& resource, const std::string& name, std::string_view controller_class) {
    json changed = object(resource, name);
    changed["metadata"]["annotations"][pods::kAnnotationClass] = controller_class;
    world_->server().overwrite(resource, key(name), changed);
  }
};

// The class is an annotation: no generation counts its changes.
TEST_F(ClassChange, AnObjectIsLeftAloneOnceItIsAnothersAndTakenOnceItIsOursAgain) {
  const auto act = [&](World& world) -> Task<void> {
    create(k8s::experiments(), "moved", {{"config", config()}, {"deletionPolicy", "Delete"}});
    create(k8s::tasks(), "hello", {{"type", "Command"}, {"config", {{"entrypoint", {"sh", "-c", "true"}}}}});
    // Before their turn, for which they stand in the queue already.
    give(k8s::experiments(), "moved", "another");
    give(k8s::tasks(), "hello", "another");
    co_await world.until([&] { return world.states() == "COMPLETED"; });
    for (const json& each : {object(k8s::experiments(), "moved"), object(k8s::tasks(), "hello")}) {
      EXPECT_FALSE(each.contains("status")) << each;
      EXPECT_TRUE(get_array(each["metadata"], "finalizers").empty()) << each;
    }
    EXPECT_EQ(value("SELECT count(*) FROM standalone_tasks WHERE object_name = 'hello'"), "0");
    give(k8s::experiments(), "moved", pods::kDefaultControllerClass);
    give(k8s::tasks(), "hello", pods::kDefaultControllerClass);
    co_await world.until([&] {
      return state(k8s::experiments(), "moved") == "COMPLETED" && state(k8s::tasks(), "hello") == "COMPLETED";
    });
  };
  play({.name = "", .about = "", .config = config(), .plan = {}, .act = act, .free = {}});
  EXPECT_EQ(world_->states(), "COMPLETED,COMPLETED");
}

}  // namespace
}  // namespace det::op
