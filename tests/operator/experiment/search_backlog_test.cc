#include <memory>

#include <gtest/gtest.h>

#include "tests/operator/in_a_world.h"

namespace det::op {
namespace {

using SearchBacklog = test::InAWorld;

// More than one step takes: the end of the trial comes after all of it.
TEST_F(SearchBacklog, OfMegabytesIsTakenStepByStep) {
  auto held = std::make_shared<bool>(true);
  simulation::Scenario busy{.name = "", .about = "", .config = config(), .plan = {}, .act = {}, .free = {}};
  busy.act = [&, held](simulation::World& world) -> Task<void> {
    co_await world.until([&] { return world.reported_steps() >= 3; });
    world.database().execute(
        "INSERT INTO searcher_inbox (experiment_id, event) "
        "SELECT id, json_build_object('kind', 'noise', 'text', repeat('x', 600000)) FROM experiments, "
        "generate_series(1, 4)");
    *held = false;
  };
  busy.plan.holds = [held](int, int step) { return *held && step == 3; };
  play(std::move(busy));
  EXPECT_EQ(value("SELECT count(*) FROM searcher_inbox"), "0");
  EXPECT_EQ(value("SELECT count(*) FROM searcher_events WHERE event->>'in' = 'set_aside'"), "4");
  EXPECT_EQ(value("SELECT event->>'in' FROM searcher_events ORDER BY seq DESC LIMIT 1"), "exited");
  EXPECT_EQ(world_->states(), "COMPLETED");
}

}  // namespace
}  // namespace det::op
