#include "model/states.h"

#include <vector>

#include <gtest/gtest.h>

namespace det::model {
namespace {

template <typename State>
std::vector<State> up_to(State last) {
  std::vector<State> states;
  for (int i = 0; i <= static_cast<int>(last); ++i) states.push_back(static_cast<State>(i));
  return states;
}

TEST(States, ReadBackTheWordsTheyPrint) {
  for (const auto s : up_to(ExperimentState::kDeleted)) EXPECT_EQ(parse_experiment_state(to_string(s)), s);
  for (const auto s : up_to(TrialState::kError)) EXPECT_EQ(parse_trial_state(to_string(s)), s);
  for (const auto s : up_to(AllocationState::kTerminated)) EXPECT_EQ(parse_allocation_state(to_string(s)), s);
  for (const auto s : up_to(TaskState::kError)) EXPECT_EQ(parse_task_state(to_string(s)), s);
  for (const auto s : up_to(CheckpointState::kPartiallyDeleted)) EXPECT_EQ(parse_checkpoint_state(to_string(s)), s);
  EXPECT_EQ(parse_trial_state("STATE_ACTIVE"), std::nullopt);
}

TEST(States, NeverCountStayingAsAChange) {
  for (const auto s : up_to(ExperimentState::kDeleted)) EXPECT_FALSE(may_become(s, s)) << to_string(s);
  for (const auto s : up_to(TrialState::kError)) EXPECT_FALSE(may_become(s, s)) << to_string(s);
  for (const auto s : up_to(AllocationState::kTerminated)) EXPECT_FALSE(may_become(s, s)) << to_string(s);
}

TEST(ExperimentStates, LeaveATerminalStateOnlyByDeletion) {
  for (const auto from : {ExperimentState::kCompleted, ExperimentState::kCanceled, ExperimentState::kError}) {
    for (const auto to : up_to(ExperimentState::kDeleted)) {
      EXPECT_EQ(may_become(from, to), to == ExperimentState::kDeleting) << to_string(from) << to_string(to);
    }
  }
}

TEST(ExperimentStates, EndWhereTheirStoppingStateSays) {
  for (const auto s : up_to(ExperimentState::kDeleted)) {
    if (!is_stopping(s)) continue;
    EXPECT_TRUE(may_become(s, state_after_stopping(s))) << to_string(s);
    EXPECT_TRUE(is_terminal(state_after_stopping(s)));
  }
  EXPECT_EQ(state_after_stopping(ExperimentState::kStoppingKilled), ExperimentState::kCanceled);
}

TEST(TrialStates, OnlyDegradeToAHarsherWayOfStopping) {
  for (const auto from : up_to(TrialState::kError)) {
    for (const auto to : up_to(TrialState::kError)) {
      if (is_stopping(from) && is_stopping(to)) EXPECT_EQ(may_become(from, to), to > from);
    }
  }
}

TEST(TrialStates, CompleteDirectlyAndCanBeContinued) {
  EXPECT_TRUE(may_become(TrialState::kActive, TrialState::kCompleted));
  EXPECT_TRUE(may_become(TrialState::kCompleted, TrialState::kActive));
  EXPECT_FALSE(may_become(TrialState::kPaused, TrialState::kCompleted));
}

TEST(AllocationStates, OnlyMoveForward) {
  for (const auto from : up_to(AllocationState::kTerminated)) {
    for (const auto to : up_to(AllocationState::kTerminated)) EXPECT_EQ(may_become(from, to), to > from);
  }
}

TEST(TaskStates, AreLeftUntilTheTaskHasEnded) {
  for (const auto from : up_to(TaskState::kError)) {
    for (const auto to : up_to(TaskState::kError)) EXPECT_EQ(may_become(from, to), !is_terminal(from) && from != to);
  }
}

TEST(Transition, IsRefusedWithTheObjectsNumber) {
  const Status refused = check_transition(ExperimentId{7}, ExperimentState::kCompleted, ExperimentState::kActive);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, ErrorCode::kFailedPrecondition);
  EXPECT_EQ(refused.error().message, "illegal transition COMPLETED -> ACTIVE for experiment 7");
  EXPECT_TRUE(check_transition(TrialId{1}, TrialState::kActive, TrialState::kPaused));
}

TEST(Ids, SpellTasksAndAllocations) {
  EXPECT_EQ(allocation_id(trial_task_id(ExperimentId{7}, "142ccb98"), 2), "7.142ccb98.2");
}

}  // namespace
}  // namespace det::model
