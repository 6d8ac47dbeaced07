// What a node cannot do for a pod stands in events alone; people find it where they look.

#include "operator/gang/set_up_events.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/operator/in_a_world.h"

namespace det::op {
namespace {

using nlohmann::json;
using simulation::Scenario;
using simulation::World;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

class SetUpInAWorld : public test::InAWorld {
 protected:
  static Scenario scenario(std::function<Task<void>(World&)> act) {
    return {.name = "", .about = "", .config = config(), .plan = {}, .act = std::move(act), .free = {}};
  }
};

TEST_F(SetUpInAWorld, AreToldUntilTheNodeHasTheVolumes) {
  const auto event = [](const json& pod, const std::string& time, const std::string& reason, const std::string& text) {
    return json{{"metadata", {{"name", time}, {"namespace", "ml"}}},
                {"involvedObject", {{"kind", "Pod"}, {"uid", pod["metadata"]["uid"]}}},
                {"type", "Warning"},
                {"reason", reason},
                {"lastTimestamp", "2026-11-21T02:0" + time + ":00Z"},
                {"message", text}};
  };
  json told, pod_told;
  play(scenario([&](World& world) -> Task<void> {
    world.cluster().lose_volumes(true);
    co_await world.until([&] {
      const std::vector<json> pods = world.server().all(k8s::pods());
      return pods.size() == 1 && pods[0]["status"].contains("containerStatuses");
    });
    const json pod = world.server().all(k8s::pods())[0];
    const std::string newest = R"(MountVolume.SetUp failed for volume "data" : secret "nope" not found)";
    world.server().create(k8s::core_events(), event(pod, "2", "FailedMount", newest));
    world.server().create(k8s::core_events(), event(pod, "1", "FailedAttachVolume", "still on another node"));
    world.server().create(k8s::core_events(), event(pod, "3", "SomethingElse", "of no matter"));
    co_await world.until(
        [&] { return get_string(condition(k8s::experiments(), "exp", "Queued"), "reason") == "FailedMount"; });
    told = condition(k8s::experiments(), "exp", "Queued");
    pod_told = object(k8s::trials(), "exp-1")["status"]["pods"][0];
    world.cluster().lose_volumes(false);
  }));
  const std::string what = R"( cannot start (FailedMount): MountVolume.SetUp failed for volume "data" : secret "nope")";
  EXPECT_THAT(told["message"].get<std::string>(), HasSubstr(what));
  EXPECT_EQ(pod_told["reason"], "FailedMount");
  EXPECT_THAT(events("PodCannotStart"), ElementsAre(HasSubstr(what)));
  EXPECT_THAT(world_->lines(), Contains(HasSubstr("Waiting to start: pod ")));
  EXPECT_EQ(value("SELECT max(run) FROM trials"), "1") << "what is only slow is not begun again";
}

}  // namespace
}  // namespace det::op
