#include "api/stream_gate.h"

#include <vector>

#include <gtest/gtest.h>

namespace det::api {
namespace {

TEST(StreamGate, BoundsEachAccountAndAll) {
  StreamGate gate("downloads");
  std::vector<StreamGate::Pass> passes;
  for (std::size_t i = 0; i < StreamGate::kMostOfAccount; ++i) passes.push_back(std::move(gate.enter("ann").value()));
  const Error refused = gate.enter("ann").error();
  EXPECT_EQ(refused.code, ErrorCode::kResourceExhausted);
  EXPECT_EQ(refused.message, "4 downloads of yours are under way; begin another one when one of them has ended");
  EXPECT_TRUE(gate.enter("bob")) << "and it is over at once";
  for (std::size_t i = passes.size(); i < StreamGate::kMost; ++i) {
    passes.push_back(std::move(gate.enter("u" + std::to_string(i)).value()));
  }
  EXPECT_EQ(gate.enter("bob").error().code, ErrorCode::kResourceExhausted);
  passes.clear();
  EXPECT_TRUE(gate.enter("ann"));
}

}  // namespace
}  // namespace det::api
