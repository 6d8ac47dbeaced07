#include "api/webhooks/log_triggers.h"

#include <optional>

#include "tests/api/fixture.h"
#include "tests/support/background.h"

namespace det::api {
namespace {

TEST(LogTriggersWork, EndsWhenItsPatienceDoes) {
  store::LogLine line;
  line.text = "aaaa\n";
  const std::vector<store::LogTrigger> triggers = {{.id = 1, .regex = "a+$"}, {.id = 2, .regex = "b"}};
  const Findings all = find_in_lines(triggers, {line}, std::chrono::hours(1));
  ASSERT_EQ(all.found.size(), 1U);
  EXPECT_EQ(all.found[0].line, "aaaa");
  EXPECT_TRUE(all.is_whole);
  const Findings none = find_in_lines(triggers, {line}, std::chrono::nanoseconds(-1));
  EXPECT_TRUE(none.found.empty());
  EXPECT_FALSE(none.is_whole);
}

using LogTriggersTest = ApiTest;

// They have one thread with the log policies of all.
TEST_F(LogTriggersTest, WaitForTheTasksTurn) {
  must(webhooks.create(
      {.id = 0,
       .name = "",
       .url = "https://hooks.example.com/",
       .form = {},
       .mode = model::WebhookMode::kWorkspace,
       .workspace = {},
       .triggers = {{.id = 0, .cause = model::WebhookCause::kTaskLog, .condition = {{"regex", "code 7"}}}}}));
  const store::TrialRow trial = started_trial();
  std::vector<store::LogLine> lines(1);
  lines[0].text = "exit with code 7\n";
  Turns& turns = log_policies.turns();
  std::optional<Turns::Turn> held;
  const auto hold = [&]() -> Task<bool> {
    held.emplace(co_await turns.wait("another task"));
    co_return true;
  };
  run(hold());
  bool is_done = false;
  const auto look = [&]() -> Task<void> {
    co_await log_triggers.look(trial.task_id, lines, turns);
    is_done = true;
  };
  test::Background background(io);
  background.start(look());
  const auto found = [this] { return sql("SELECT count(*) FROM webhook_deliveries"); };
  test::run_until(io, [&] { return is_done || turns.waiting() == 1; });
  EXPECT_EQ(found(), "0");
  held.reset();
  test::run_until(io, [&] { return is_done; });
  EXPECT_EQ(found(), "1");
}

}  // namespace
}  // namespace det::api
