#include "local/agent/gpus.h"

#include <filesystem>

#include <gtest/gtest.h>

#include "tests/local/scratch.h"

namespace det::local {
namespace {

std::string information(const std::string& uuid, int minor) {
  return "Model: \t\t NVIDIA H100 80GB HBM3\nIRQ:   \t\t 154\nGPU UUID: \t " + uuid +
         "\nVideo BIOS: \t 96.00.74.00.01\nBus Type: \t PCIe\nDMA Size: \t 52 bits\nBus Location: \t 0000:1b:00.0\n"
         "Device Minor: \t " +
         std::to_string(minor) + "\nGPU Firmware: \t 535.129.03\nGPU Excluded:\t No\n";
}

struct GpusTest : testing::Test {
  GpusTest() {
    // The bus order is not the order of the devices.
    add("0000:1b:00.0", "GPU-b", 10);
    add("0000:43:00.0", "GPU-a", 2);
  }
  void add(const std::string& bus, const std::string& uuid, int minor) {
    test::write_text(scratch.path() + "/driver/gpus/" + bus + "/information", information(uuid, minor));
  }
  test::Scratch scratch;
};

TEST_F(GpusTest, AreFoundInTheOrderOfTheirDevices) {
  test::write_text(scratch.path() + "/driver/gpus/0000:77:00.0/information", "Model: half a file\n");
  const auto found = find_gpus(scratch.path() + "/driver");
  ASSERT_EQ(found.size(), 2U);
  EXPECT_EQ(found[0], (Gpu{.uuid = "GPU-a", .model = "NVIDIA H100 80GB HBM3", .device = "/dev/nvidia2"}));
  EXPECT_EQ(found[1].device, "/dev/nvidia10");
  EXPECT_TRUE(find_gpus(scratch.path() + "/no-driver").empty());
}

TEST_F(GpusTest, BelongToOneContainerAtATime) {
  GpuLedger ledger(find_gpus(scratch.path() + "/driver"), scratch.path() + "/gpus");
  const auto first = ledger.take("pod-1/main", 1);
  ASSERT_TRUE(first);
  EXPECT_EQ(first->at(0).uuid, "GPU-a");
  const auto too_many = ledger.take("pod-2/main", 2);
  ASSERT_FALSE(too_many);
  EXPECT_EQ(too_many.error().message, "the container asks for 2 of nvidia.com/gpu and 1 of this node's 2 are free");
  EXPECT_EQ(ledger.take("pod-2/main", 1)->at(0).uuid, "GPU-b");
  ledger.give_back("pod-1/main");
  EXPECT_EQ(ledger.take("pod-3/main", 1)->at(0).uuid, "GPU-a");
}

TEST_F(GpusTest, StayWithTheirContainerWhenTheAgentIsReplaced) {
  const auto gpus = find_gpus(scratch.path() + "/driver");
  GpuLedger before(gpus, scratch.path() + "/gpus");
  ASSERT_TRUE(before.take("pod-1/main", 1));
  ASSERT_TRUE(before.take("pod-2/main", 1));
  GpuLedger after(gpus, scratch.path() + "/gpus");
  EXPECT_EQ(after.take("pod-1/main", 1)->at(0).uuid, "GPU-a");
  EXPECT_FALSE(after.take("pod-3/main", 1));
  after.keep_only({"pod-1"});
  EXPECT_EQ(after.take("pod-3/main", 1)->at(0).uuid, "GPU-b");
}

TEST_F(GpusTest, AreGivenInFullAfterAnAgentThatEndedInBetween) {
  test::write_text(scratch.path() + "/gpus/GPU-b", "pod-1/main");
  GpuLedger ledger(find_gpus(scratch.path() + "/driver"), scratch.path() + "/gpus");
  const auto taken = ledger.take("pod-1/main", 2);
  ASSERT_TRUE(taken) << taken.error().message;
  EXPECT_EQ(taken->size(), 2U);
  EXPECT_FALSE(ledger.take("pod-2/main", 1));
}

TEST_F(GpusTest, AreAllFreeAgainWhereOneCannotBeNoted) {
  GpuLedger ledger(find_gpus(scratch.path() + "/driver"), scratch.path() + "/gpus");
  std::filesystem::create_directories(scratch.path() + "/gpus/GPU-b/in-the-way");
  EXPECT_FALSE(ledger.take("pod-1/main", 2));
  EXPECT_EQ(ledger.take("pod-2/main", 1)->at(0).uuid, "GPU-a");
}

}  // namespace
}  // namespace det::local
