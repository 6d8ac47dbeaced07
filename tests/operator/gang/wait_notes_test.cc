#include "operator/gang/wait_notes.h"

#include <gtest/gtest.h>

namespace det::op {
namespace {

TEST(WaitNotes, SayEachReasonOfARunOnce) {
  WaitNotes notes;
  EXPECT_TRUE(notes.is_new("1.a.1", "GangDoesNotFit"));
  EXPECT_FALSE(notes.is_new("1.a.1", "GangDoesNotFit"));
  EXPECT_TRUE(notes.is_new("1.a.1", "WaitsItsTurn"));
  EXPECT_FALSE(notes.is_new("1.a.1", "GangDoesNotFit")) << "they may change places for hours";
  EXPECT_TRUE(notes.is_new("1.a.2", "GangDoesNotFit"));
}

TEST(WaitNotes, LeaveOutWhatEveryGangWaitsFor) {
  WaitNotes notes;
  EXPECT_FALSE(notes.is_new("1.a.1", "Queued"));
  EXPECT_FALSE(notes.is_new("1.a.1", "NotTriedYet"));
}

TEST(WaitNotes, AreNoMoreThanSoManyOfARun) {
  WaitNotes notes;
  std::size_t said = 0;
  for (int i = 0; i < 20; ++i) said += notes.is_new("1.a.1", "Reason" + std::to_string(i)) ? 1 : 0;
  EXPECT_EQ(said, WaitNotes::kMostOfRun);
}

}  // namespace
}  // namespace det::op
