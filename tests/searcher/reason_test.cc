#include "searcher/reason.h"

#include <limits>

#include <gtest/gtest.h>

namespace det::searcher {
namespace {

TEST(Reason, ReadsAsItsPatternWithItsNumbersAndItsWord) {
  EXPECT_EQ(Reason().text(), "");
  EXPECT_EQ(Reason("enough").text(), "enough");
  EXPECT_EQ(Reason("trial # of #", 3, std::size_t{20}).text(), "trial 3 of 20");
  EXPECT_EQ(Reason("#", std::numeric_limits<std::int64_t>::min()).text(), "-9223372036854775808");
  EXPECT_EQ(Reason("all # of @", "batches", 8).text(), "all 8 of batches");
  EXPECT_EQ(Reason("@, bracket #", Reason("trial # of #", 1, 4).text(), 2).text(), "trial 1 of 4, bracket 2");
}

TEST(Reason, TakesTextsFromOutsideAsTheyAre) {
  EXPECT_EQ(Reason("number # of @").text(), "number # of @");
  EXPECT_EQ(Reason("# @", "#@", 1).text(), "1 #@");
}

TEST(Reason, IsEqualToOneThatReadsTheSame) {
  EXPECT_EQ(Reason("trial #", 3), Reason("trial 3"));
  EXPECT_NE(Reason("trial #", 3), Reason("trial #", 4));
}

}  // namespace
}  // namespace det::searcher
