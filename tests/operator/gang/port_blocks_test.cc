#include "operator/gang/port_blocks.h"

#include <gtest/gtest.h>

#include <set>

namespace det::op {
namespace {

TEST(PortBlocks, AreOthersForTheNextNumbers) {
  std::set<int> ports;
  for (int number = 0; number < kTaskPorts.count; ++number) {
    const int port = port_block(kTaskPorts, "a", number, {});
    EXPECT_GE(port, 30'000);
    EXPECT_LE(port + 8, 32'768);
    EXPECT_TRUE(ports.insert(port).second) << number;
  }
  EXPECT_EQ(port_block(kTaskPorts, "a", 7, {}), port_block(kTaskPorts, "a", 7 + kTaskPorts.count, {}));
}

TEST(PortBlocks, OfTwoClustersBeginSomewhereElse) {
  EXPECT_NE(port_block(kTrialPorts, "a", 7, {}), port_block(kTrialPorts, "b", 7, {}));
  EXPECT_NE(port_block(kTaskPorts, "a", 7, {}), port_block(kTaskPorts, "b", 7, {}));
}

TEST(PortBlocks, ThatAreTakenAreNotGivenAgain) {
  for (const PortBlocks blocks : {kTrialPorts, kTaskPorts}) {
    std::vector<int> taken;
    for (int number = 0; number < blocks.count; ++number) taken.push_back(port_block(blocks, "a", number, {}));
    EXPECT_EQ(port_block(blocks, "a", 7, taken), taken[7]) << "there is none left";
    const int free = taken.back();
    taken.pop_back();
    EXPECT_EQ(port_block(blocks, "a", 7, taken), free) << "each is looked at";
  }
}

// Those may be chosen at the same time, when the database does not know of this one yet.
TEST(PortBlocks, BesideATakenOneIsFarFromWhatTheNextNumbersGet) {
  const int taken = port_block(kTaskPorts, "a", 7, {});
  const int instead = port_block(kTaskPorts, "a", 7, {taken});
  for (int number = 8; number < 50; ++number) EXPECT_NE(port_block(kTaskPorts, "a", number, {taken}), instead);
}

}  // namespace
}  // namespace det::op
