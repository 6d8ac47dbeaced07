#include "operator/task/task_facts.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace det::op {
namespace {

using model::TaskType;
using nlohmann::json;
using std::chrono::seconds;
using testing::HasSubstr;

const WallTime kNow = WallTime(std::chrono::hours(500'000));

TEST(TaskFacts, ACommandIsNeverRunTwiceAndOnlyGenericTasksPause) {
  ObservedTask object;
  object.suspend = true;
  const store::TaskRow row;
  for (const auto& [type, once, pauses] :
       {std::tuple(TaskType::kNotebook, false, false), std::tuple(TaskType::kShell, false, false),
        std::tuple(TaskType::kTensorBoard, false, false), std::tuple(TaskType::kCommand, true, false),
        std::tuple(TaskType::kGeneric, true, true)}) {
    const RunFacts facts = task_facts(object, row, std::nullopt, type);
    EXPECT_EQ(facts.runs_once, once);
    EXPECT_EQ(facts.suspend, pauses);
  }
}

TEST(TaskFacts, ATaskHasIdledWhenItsTimeIsUpAndNotASecondBefore) {
  EXPECT_EQ(idled(seconds(300), kNow - seconds(299), kNow), "");
  EXPECT_EQ(idled(seconds(300), kNow - seconds(300), kNow),
            "idle for more than 5m0s: nobody used it since " + format_rfc3339_seconds(kNow - seconds(300)));
}

TEST(TaskFacts, OnlyNotebooksAndTensorBoardsWithATimeoutAreWatched) {
  model::TaskConfig config;
  EXPECT_FALSE(is_watched_for_idling(TaskType::kNotebook, config));
  config.idle_timeout = seconds(60);
  EXPECT_TRUE(is_watched_for_idling(TaskType::kNotebook, config));
  EXPECT_TRUE(is_watched_for_idling(TaskType::kTensorBoard, config));
  EXPECT_FALSE(is_watched_for_idling(TaskType::kShell, config));
  EXPECT_FALSE(is_watched_for_idling(TaskType::kCommand, config));
}

TEST(TaskFacts, WhatIsFrozenIsNamedWhenItChanges) {
  TaskRound round;
  round.row.submitted = {{"entrypoint", "a"}, {"resources", {{"slots", 1}}}};
  round.row.config = {{"entrypoint", {"sh", "-c", "a"}}, {"debug", false}, {"resources", {{"slots", 1}}}};
  json& now = round.object.config;
  now = round.row.submitted;
  EXPECT_FALSE(objection_to_edit(round));
  now["description"] = "another name";
  now["resources"]["priority"] = 3;
  EXPECT_FALSE(objection_to_edit(round)) << "names and priorities may change";
  now["entrypoint"] = {"sh", "-c", "a"};
  now["debug"] = false;
  now["environment"] = json::object();
  EXPECT_FALSE(objection_to_edit(round)) << "the same, and defaults";
  now["entrypoint"] = "b";
  now.erase("resources");
  const auto objection = objection_to_edit(round);
  ASSERT_TRUE(objection);
  EXPECT_EQ(objection->reason, "ImmutableFieldChanged");
  EXPECT_EQ(objection->message,
            "spec.config.entrypoint, spec.config.resources.slots: changed after acceptance; the task goes on with what "
            "was accepted. Create a new task to run the change");
  round.row.submitted = nullptr;
  EXPECT_FALSE(objection_to_edit(round)) << "of rows that an earlier version made nothing is known";
}

TEST(TaskFacts, ThePriorityThatWasSetLastCounts) {
  const auto config = [](int priority) { return json({{"resources", {{"priority", priority}}}}); };
  TaskRound round;
  round.config.resources.priority = 42;
  round.row.submitted = config(42);
  round.object.config = config(42);
  EXPECT_EQ(priority_of(round), 42);
  round.row.priority = 7;  // over REST
  EXPECT_EQ(priority_of(round), 7);
  round.object.config = config(500);
  EXPECT_EQ(priority_of(round), 99) << "an edit";
  round.refuses_priority = true;
  EXPECT_EQ(priority_of(round), 7);
  round.refuses_priority = false;
  round.row.followed_priority = 99;
  round.row.priority = 99;
  EXPECT_FALSE(edited_priority(round));
  round.row.priority = 8;  // over REST again
  EXPECT_EQ(priority_of(round), 8);
  round.object.config = config(42);
  EXPECT_EQ(priority_of(round), 42) << "an edit back to what was accepted";
}

TEST(TaskFacts, OfRowsOfAnEarlierVersionWhatWasSetOverRestStays) {
  TaskRound round;
  round.config.resources.priority = 42;
  round.object.config = {{"resources", {{"priority", 50}}}};
  EXPECT_EQ(priority_of(round), 50);
  round.row.priority = 7;
  EXPECT_EQ(priority_of(round), 7);
}

TEST(TaskFacts, APlanHasAPodForEachNodefulOfSlotsAndPortsWhereTheNetworkIsShared) {
  pods::PodSettings settings;
  settings.master.max_slots_per_pod = 8;
  model::ResourcesConfig resources;
  resources.slots_per_trial = 16;
  store::RunPlan plan = plan_task(settings, resources, 5, {});
  EXPECT_EQ(plan.pods, 2);
  EXPECT_EQ(plan.slots_per_pod, 8);
  EXPECT_EQ(plan.port_base, 0);
  resources.slots_per_trial = 0;
  settings.master.host_network_ports = true;
  plan = plan_task(settings, resources, 5, {});
  EXPECT_EQ(plan.pods, 1);
  EXPECT_NE(plan.port_base, plan_task(settings, resources, 6, {}).port_base);
}

TEST(TaskFacts, APlanKeepsOffThePortsOfRunsThatAreOpen) {
  pods::PodSettings settings;
  settings.master.host_network_ports = true;
  const model::ResourcesConfig resources;
  const auto task = [&](std::int64_t number, bool has_ended) {
    store::TaskRun run;
    run.allocation.emplace();
    run.allocation->plan = plan_task(settings, resources, number, {});
    if (has_ended) run.allocation->ended_at = WallTime();
    return run;
  };
  const store::RunPlan notebook = *task(5, false).allocation->plan;
  EXPECT_EQ(ports_of({task(5, false), task(6, true), store::TaskRun()}), std::vector<int>{notebook.port_base});
  EXPECT_EQ(plan_task(settings, resources, 305, {}).port_base, notebook.port_base);
  EXPECT_NE(plan_task(settings, resources, 305, {notebook.port_base}).port_base, notebook.port_base);
}

}  // namespace
}  // namespace det::op
