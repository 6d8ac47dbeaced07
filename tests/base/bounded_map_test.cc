#include "base/bounded_map.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace det {
namespace {

std::vector<std::string> keys(BoundedMap<std::string, int>& map) {
  std::vector<std::string> found;
  map.for_each([&](const std::string& key, int) { found.push_back(key); });
  return found;
}

TEST(BoundedMap, HoldsWhatWasUsedLast) {
  BoundedMap<std::string, int> map(3);
  map.put("a", 1);
  map.put("b", 2);
  map.put("c", 3);
  ASSERT_NE(map.find("a"), nullptr);  // "b" was used longest ago now
  map.put("d", 4);
  EXPECT_EQ(map.find("b"), nullptr);
  EXPECT_EQ(keys(map), (std::vector<std::string>{"d", "a", "c"}));
  EXPECT_EQ(map.size(), 3);
}

TEST(BoundedMap, PutReplacesAndEvictsNobodyThen) {
  BoundedMap<std::string, int> map(2);
  map.put("a", 1);
  map.put("b", 2);
  EXPECT_EQ(map.put("a", 7), 7);
  EXPECT_EQ(*map.find("a"), 7);
  EXPECT_EQ(*map.find("b"), 2);
}

TEST(BoundedMap, ErasesOneAndThoseThatMatch) {
  BoundedMap<std::string, int> map(5);
  for (int i = 0; i < 5; ++i) map.put(std::to_string(i), i);
  map.erase("0");
  map.erase("not there");
  map.erase_if([](const std::string&, int value) { return value % 2 == 1; });
  EXPECT_EQ(keys(map), (std::vector<std::string>{"4", "2"}));
  map.put("5", 5);
  EXPECT_EQ(map.size(), 3);
  map.clear();
  EXPECT_EQ(map.size(), 0);
  EXPECT_EQ(map.find("2"), nullptr);
}

TEST(BoundedMap, ACapacityOfNothingHoldsOne) {
  BoundedMap<int, int> map(0);
  map.put(1, 1);
  map.put(2, 2);
  EXPECT_EQ(map.find(1), nullptr);
  ASSERT_NE(map.find(2), nullptr);
}

}  // namespace
}  // namespace det
