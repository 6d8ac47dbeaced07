// What is done when the database comes back after so long that the next try of whatever failed is minutes away.

#include <gtest/gtest.h>

#include "tests/operator/in_a_world.h"

namespace det::op {
namespace {

using nlohmann::json;
using simulation::Scenario;
using simulation::World;
using std::chrono::seconds;

constexpr std::chrono::minutes kOutage{6};
constexpr seconds kSoon{5};

class DatabaseOutage : public test::InAWorld {
 protected:
  static Scenario scenario(std::function<Task<void>(World&)> act) {
    return {.name = "", .about = "", .config = config(), .plan = {}, .act = std::move(act), .free = {}};
  }
};

TEST_F(DatabaseOutage, ATaskThatEndedMeanwhileIsOverAtOnce) {
  play(scenario([&](World& world) -> Task<void> {
    const auto says = [&](const char* wanted) {
      return [this, wanted] { return state(k8s::tasks(), "hello") == wanted; };
    };
    co_await world.until([&] { return world.states() == "COMPLETED"; });
    create(k8s::tasks(), "hello", {{"type", "Command"}, {"config", {{"entrypoint", {"sh", "-c", "true"}}}}});
    co_await world.until(says("RUNNING"));
    world.lose_database(kOutage);
    co_await world.sleep(kOutage + kSoon);
    EXPECT_EQ(state(k8s::tasks(), "hello"), "COMPLETED");
    co_await world.until(says("COMPLETED"));
  }));
}

TEST_F(DatabaseOutage, ATrialThatLostItsPodMeanwhileRunsAgainAtOnce) {
  play(scenario([&](World& world) -> Task<void> {
    co_await world.until([&] { return world.reported_steps() > 0; });
    world.lose_database(kOutage);
    co_await world.sleep(seconds(1));
    for (const json& pod : world.server().all(k8s::pods(), "ml")) {
      world.server().erase(k8s::pods(), key(get_string(get_any(pod, "metadata"), "name")));
    }
    co_await world.sleep(kOutage - seconds(1) + kSoon);
    EXPECT_EQ(value("SELECT run FROM trials"), "2");
  }));
}

}  // namespace
}  // namespace det::op
