#include "operator/task/task_status.h"

#include <map>

#include <gtest/gtest.h>

#include "operator/gang/policy_wait.h"

namespace det::op {
namespace {

using nlohmann::json;

std::map<std::string, json> conditions_of(const TaskRound& round, const RunDecision& decision) {
  std::map<std::string, json> conditions;
  const json status = task_status(round, decision, WallTime());
  for (const json& one : status["conditions"]) conditions[one["type"]] = one;
  return conditions;
}

TaskRound waiting() {
  TaskRound round;
  round.row.state = model::TaskState::kActive;
  round.facts.run_is_open = true;
  return round;
}

TEST(TaskStatus, AStricterPolicyShowsAsStalledWithWhatItSays) {
  TaskRound round = waiting();
  round.facts.gang.waiting_reason = kPodPolicyWait;
  round.facts.gang.waiting_message = "pod_policy allows no longer";
  auto conditions = conditions_of(round, {});
  EXPECT_EQ(conditions["Stalled"]["status"], "True");
  EXPECT_EQ(conditions["Stalled"]["reason"], "PodPolicy");
  EXPECT_EQ(conditions["Stalled"]["message"], "pod_policy allows no longer");
  EXPECT_EQ(conditions["Queued"]["reason"], "PodPolicy");
  round.row.state = model::TaskState::kCanceled;
  EXPECT_EQ(conditions_of(round, {})["Stalled"]["status"], "False");
}

TEST(TaskStatus, FailuresOfTheInfrastructureShowAsStalled) {
  RunDecision decision;
  decision.is_stalled = true;
  decision.reason = "10 failures";
  auto conditions = conditions_of(waiting(), decision);
  EXPECT_EQ(conditions["Stalled"]["reason"], "InfrastructureFailures");
  EXPECT_EQ(conditions["Stalled"]["message"], "10 failures");
}

TEST(TaskStatus, WhatWaitsForRoomIsNotStalled) {
  TaskRound round = waiting();
  round.facts.gang.waiting_reason = "InsufficientSlots";
  EXPECT_EQ(conditions_of(round, {})["Stalled"]["status"], "False");
}

}  // namespace
}  // namespace det::op
