#include "model/slots.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace det::model {
namespace {

TEST(GangShape, IsOnePodUpToTheLimitAndFullPodsForMultiples) {
  EXPECT_EQ(gang_shape(0, 8), (GangShape{1, 0}));
  EXPECT_EQ(gang_shape(1, 8), (GangShape{1, 1}));
  EXPECT_EQ(gang_shape(8, 8), (GangShape{1, 8}));
  EXPECT_EQ(gang_shape(16, 8), (GangShape{2, 8}));
  EXPECT_EQ(gang_shape(96, 8), (GangShape{12, 8}));
  EXPECT_EQ(gang_shape(2, 1), (GangShape{2, 1}));
}

TEST(GangShape, NeverLosesOrInventsASlot) {
  for (int most = 1; most <= 9; ++most) {
    for (int slots = 0; slots <= 60; ++slots) {
      const auto shape = gang_shape(slots, most);
      EXPECT_EQ(shape.has_value(), slots <= most || slots % most == 0);
      if (shape) EXPECT_EQ(shape->pods * shape->slots_per_pod, slots);
    }
  }
}

TEST(GangShape, NamesTheNextSizesThatWork) {
  EXPECT_EQ(
      gang_shape(12, 8).error().message,
      "invalid resource request: slots (12) must be < or a multiple of max_slots_per_pod (8); the next sizes that work "
      "are 8 and 16");
  EXPECT_THAT(
      gang_shape(16, 8, true).error().message,
      testing::HasSubstr("slots (16) must be < max_slots_per_pod (8) on single pod; request unfulfillable, the largest "
                         "size that works is 8"));
}

TEST(GangShape, RefusesSlotsWhereNoPodMayHaveAny) {
  EXPECT_THAT(gang_shape(1, 0).error().message, testing::HasSubstr("max_slots_per_pod is 0"));
  EXPECT_TRUE(gang_shape(0, 0));
  EXPECT_FALSE(gang_shape(-1, 8));
  EXPECT_FALSE(gang_shape(std::int64_t{1} << 40, 1));
}

}  // namespace
}  // namespace det::model
