#include "wire/forms.h"

#include <limits>

#include <gtest/gtest.h>

#include "wire/enums.h"
#include "wire/error.h"
#include "wire/log_record.h"

namespace det::wire {
namespace {

TEST(Forms, WriteNumbersThatJsonDoesNotHaveAsTexts) {
  EXPECT_EQ(number(std::numeric_limits<double>::quiet_NaN()), "NaN");
  EXPECT_EQ(number(-std::numeric_limits<double>::infinity()), "-Infinity");
  EXPECT_EQ(number(0.1).dump(), "0.1");
}

TEST(Forms, ReplaceBytesThatAreNotText) {
  EXPECT_EQ(dump({{"a", "\xff"}}), "{\"a\":\"\xEF\xBF\xBD\"}");
}

// As protocol buffers' JSON has it, which clients compare with.
TEST(Forms, WriteTimesWithTheDigitsThatTheyNeed) {
  const WallTime at = *parse_rfc3339("2026-11-21T02:00:00Z");
  EXPECT_EQ(time(at), "2026-11-21T02:00:00Z");
  EXPECT_EQ(time(at + std::chrono::milliseconds(50)), "2026-11-21T02:00:00.050Z");
  EXPECT_EQ(time_or_null(at + std::chrono::microseconds(1200001)), "2026-11-21T02:00:01.200001Z");
  EXPECT_EQ(time_or_null(std::nullopt), nullptr);
}

TEST(Frame, IsOneLine) {
  EXPECT_EQ(frame({{"log", "a\nb"}}), "{\"result\":{\"log\":\"a\\nb\"}}\n");
}

TEST(Enums, ShowHowFarAnActiveExperimentIs) {
  using model::AllocationState;
  const auto active = model::ExperimentState::kActive;
  EXPECT_EQ(experiment_state(active, std::nullopt), "STATE_QUEUED");
  EXPECT_EQ(experiment_state(active, AllocationState::kPulling), "STATE_PULLING");
  EXPECT_EQ(experiment_state(active, AllocationState::kTerminating), "STATE_RUNNING");
  EXPECT_EQ(experiment_state(model::ExperimentState::kPaused, AllocationState::kRunning), "STATE_PAUSED");
  EXPECT_EQ(trial_state(model::TrialState::kStoppingKilled, std::nullopt), "STATE_STOPPING_KILLED");
}

TEST(Enums, ReadFiltersWithAndWithoutPrefix) {
  EXPECT_EQ(parse_experiment_state("STATE_COMPLETED"), model::ExperimentState::kCompleted);
  EXPECT_EQ(parse_trial_state("RUNNING"), model::TrialState::kActive);
  EXPECT_EQ(parse_checkpoint_state("STATE_NONSENSE"), std::nullopt);
}

TEST(Enums, ReadLogLevelsAsTheyAreReallySent) {
  EXPECT_EQ(parse_log_level("LOG_LEVEL_INFO"), TaskLogLevel::kInfo);
  EXPECT_EQ(parse_log_level("ERROR"), TaskLogLevel::kError);
  EXPECT_EQ(parse_log_level("warning"), TaskLogLevel::kWarning);
  EXPECT_EQ(parse_log_level("loud"), std::nullopt);
}

TEST(Errors, HaveTheStatusesOfTheirCodes) {
  EXPECT_EQ(http_status(ErrorCode::kFailedPrecondition), 400);
  EXPECT_EQ(http_status(ErrorCode::kAborted), 409);
  EXPECT_EQ(http_status(ErrorCode::kUnimplemented), 501);
}

}  // namespace
}  // namespace det::wire
