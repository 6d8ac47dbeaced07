#include "store/cluster/queue_place.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

namespace det::store {
namespace {

using Places = std::vector<std::int64_t>;

TEST(QueuePlace, IsTheSubmissionWithRoomBetweenMicroseconds) {
  EXPECT_EQ(place_of_submission(WallTime(std::chrono::microseconds(7))), 7 * 1024);
}

TEST(QueuePlace, IsBetweenTwoOthers) {
  EXPECT_EQ(make_room({10, 20, 30}, 1).place, 15);
  EXPECT_EQ(make_room({10, 20, 30}, 0).place, 9);
  EXPECT_EQ(make_room({10, 20, 30}, 3).place, 31);
  EXPECT_TRUE(make_room({10, 20, 30}, 1).moved_on.empty());
}

TEST(QueuePlace, IsMadeWhereThereIsNone) {
  const Room room = make_room({10, 11, 12, 13}, 3);
  EXPECT_EQ(room.place, 12);
  EXPECT_EQ(room.moved_on, (std::map<std::size_t, std::int64_t>{{2, 11}, {1, 10}, {0, 9}}));
  EXPECT_EQ(make_room({5, 12, 13}, 2).moved_on, (std::map<std::size_t, std::int64_t>{{1, 11}}))
      << "no more than needed";
}

// Whatever was moved before, the order is that of the list, and nobody else's place in it changes.
TEST(QueuePlace, KeepsTheOrderOfAllOthers) {
  std::mt19937 random(7);
  Places places(8);
  for (std::size_t i = 0; i < places.size(); ++i) places[i] = static_cast<std::int64_t>(random() % 4) * 3;
  std::ranges::sort(places);
  for (int i = 0; i < 2000; ++i) {
    const std::size_t at = random() % (places.size() + 1);
    const Room room = make_room(places, at);
    for (const auto& [index, place] : room.moved_on) {
      ASSERT_LT(index, at);
      places[index] = place;
    }
    places.insert(places.begin() + static_cast<std::ptrdiff_t>(at), room.place);
    ASSERT_TRUE(std::ranges::is_sorted(places)) << i;
    if (at > 0) ASSERT_LT(places[at - 1], places[at]) << i;
    places.erase(places.begin() + static_cast<std::ptrdiff_t>(random() % places.size()));
  }
}

}  // namespace
}  // namespace det::store
