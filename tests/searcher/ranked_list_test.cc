#include "searcher/ranked_list.h"

#include <algorithm>
#include <random>

#include <gtest/gtest.h>

namespace det::searcher {
namespace {

std::vector<Ranked> entries_of(const RankedList& list) {
  std::vector<Ranked> entries;
  list.for_each([&](const Ranked& entry) { entries.push_back(entry); });
  return entries;
}

// The same in the plainest way.
std::size_t insert_plainly(std::vector<Ranked>& entries, Ranked entry, bool before_equals) {
  const auto place = std::find_if(entries.begin(), entries.end(), [&](const Ranked& each) {
    return before_equals ? each.metric >= entry.metric : each.metric > entry.metric;
  });
  return static_cast<std::size_t>(entries.insert(place, entry) - entries.begin());
}

TEST(RankedList, RanksLikeASortedVectorThroughInsertionsAndRemovals) {
  std::mt19937 random(1);
  for (const unsigned values : {3U, 50U, 1000000U}) {
    RankedList list;
    std::vector<Ranked> plain;
    for (TrialNumber trial = 0; trial < 3000; ++trial) {
      const Ranked entry{.metric = static_cast<double>(random() % values), .trial = trial};
      const bool before_equals = random() % 2 == 0;
      const std::size_t rank = before_equals ? list.insert_before_equals(entry) : list.insert_behind_equals(entry);
      ASSERT_EQ(rank, insert_plainly(plain, entry, before_equals));
      ASSERT_EQ(list.size(), plain.size());
      const std::size_t any = random() % plain.size();
      ASSERT_EQ(list.at(any), plain[any]);
      if (random() % 3 != 0) continue;
      const TrialNumber gone = static_cast<TrialNumber>(random() % (trial + 1));
      const auto found = std::find_if(plain.begin(), plain.end(), [&](const Ranked& e) { return e.trial == gone; });
      ASSERT_EQ(list.erase_first(gone), found != plain.end());
      if (found != plain.end()) plain.erase(found);
    }
    EXPECT_EQ(entries_of(list), plain);
  }
}

TEST(RankedList, RemembersWhoIsPromotedWhateverIsInsertedBefore) {
  RankedList list;
  list.insert_before_equals({.metric = 2, .trial = 0});
  list.set_promoted(0, true);
  for (TrialNumber trial = 1; trial < 1000; ++trial) list.insert_before_equals({.metric = 1, .trial = trial});
  EXPECT_EQ(list.at(999), (Ranked{.metric = 2, .trial = 0, .is_promoted = true}));
  EXPECT_FALSE(list.at(998).is_promoted);
  list.set_promoted(999, false);
  EXPECT_FALSE(list.at(999).is_promoted);
}

TEST(RankedList, KeepsTheOrderOfWhatIsAppended) {
  RankedList list;
  std::vector<Ranked> plain;
  for (TrialNumber trial = 0; trial < 20000; ++trial) {
    plain.push_back({.metric = static_cast<double>(trial * 7919 % 101), .trial = trial});
    list.append(plain.back());
  }
  EXPECT_EQ(entries_of(list), plain);
  EXPECT_EQ(list.at(1234), plain[1234]);
}

TEST(RankedList, RemovesTheBestOfSeveralEntriesOfATrial) {
  RankedList list;
  for (const double metric : {3.0, 1.0, 2.0}) list.insert_before_equals({.metric = metric, .trial = 7});
  EXPECT_TRUE(list.erase_first(7));
  EXPECT_EQ(list.at(0).metric, 2.0);
  EXPECT_TRUE(list.erase_first(7));
  EXPECT_TRUE(list.erase_first(7));
  EXPECT_FALSE(list.erase_first(7));
  EXPECT_EQ(list.size(), 0U);
  EXPECT_EQ(list.insert_behind_equals({.metric = 5, .trial = 1}), 0U);
}

}  // namespace
}  // namespace det::searcher
