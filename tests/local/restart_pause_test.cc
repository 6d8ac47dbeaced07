#include "local/restart_pause.h"

#include <vector>

#include <gtest/gtest.h>

namespace det::local {
namespace {

using std::chrono::seconds;

TEST(RestartPause, GrowsToHalfAMinuteAndBeginsAgainAfterALongLife) {
  RestartPause pause;
  EXPECT_EQ(pause.after(std::chrono::hours(1)), seconds(1));
  std::vector<seconds> pauses;
  for (int i = 0; i < 7; ++i) pauses.push_back(pause.after(pauses.empty() ? seconds(1) : pauses.back()));
  EXPECT_EQ(pauses,
            (std::vector{seconds(2), seconds(4), seconds(8), seconds(16), seconds(30), seconds(30), seconds(30)}));
  EXPECT_EQ(pause.after(std::chrono::minutes(2)), seconds(1));
  EXPECT_EQ(pause.after(seconds(0)), seconds(2)) << "it could not be started";
}

}  // namespace
}  // namespace det::local
