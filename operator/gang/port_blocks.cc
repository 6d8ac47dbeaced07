#include "operator/gang/port_blocks.h"

#include <algorithm>
#include <functional>

namespace det::op {
namespace {

constexpr int kPortsPerBlock = 8;
// Far from what the next numbers begin with, which may be chosen before the database knows of this choice. It has no
// divisor in common with the counts of blocks, so that each is tried.
constexpr int kStride = 149;

}  // namespace

int port_block(PortBlocks blocks, std::string_view cluster_id, std::int64_t number, const std::vector<int>& taken) {
  const auto begin =
      static_cast<std::int64_t>(std::hash<std::string_view>()(cluster_id) % static_cast<std::size_t>(blocks.count));
  auto block = static_cast<int>((number + begin) % blocks.count);
  const auto port_of = [&blocks](int one) { return blocks.first + one * kPortsPerBlock; };
  const auto is_taken = [&](int one) { return std::ranges::find(taken, port_of(one)) != taken.end(); };
  for (int tried = 0; tried < blocks.count && is_taken(block); ++tried) {
    block = (block + kStride) % blocks.count;
  }
  return port_of(block);
}

}  // namespace det::op
