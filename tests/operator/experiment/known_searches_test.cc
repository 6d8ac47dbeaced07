#include "operator/experiment/known_searches.h"

#include <gtest/gtest.h>

namespace det::op {
namespace {

constexpr bool kRuns = false;
constexpr bool kRests = true;

TEST(KnownSearches, ThatRestTakeNoPlaceOfThoseThatRun) {
  KnownSearches<int> known(3, 1);
  for (std::int64_t id = 1; id <= 3; ++id) known.put({id}, kRuns, static_cast<int>(id));
  for (std::int64_t id = 11; id <= 19; ++id) known.put({id}, kRests, static_cast<int>(id));
  for (std::int64_t id = 1; id <= 3; ++id) {
    const int* const found = known.find({id}, kRuns);
    ASSERT_NE(found, nullptr);
    EXPECT_EQ(*found, id);
  }
  EXPECT_EQ(known.find({18}, kRests), nullptr);
  EXPECT_NE(known.find({19}, kRests), nullptr);
}

TEST(KnownSearches, AreKeptWhenTheyArePausedAndGoOn) {
  KnownSearches<int> known(1, 1);
  known.put({1}, kRuns, 5);
  ASSERT_NE(known.find({1}, kRests), nullptr);
  known.put({2}, kRuns, 6);
  ASSERT_NE(known.find({1}, kRests), nullptr) << "its place among those that run is free";
  EXPECT_EQ(*known.find({1}, kRuns), 5);
  EXPECT_EQ(known.find({2}, kRuns), nullptr) << "and taken again";
}

TEST(KnownSearches, AreForgottenWhereverTheyAre) {
  KnownSearches<int> known;
  known.put({1}, kRuns, 5);
  known.put({2}, kRests, 6);
  known.erase({1});
  known.erase({2});
  EXPECT_EQ(known.find({1}, kRuns), nullptr);
  EXPECT_EQ(known.find({2}, kRests), nullptr);
}

}  // namespace
}  // namespace det::op
