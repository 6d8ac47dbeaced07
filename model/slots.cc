#include "model/slots.h"

#include <string>

namespace det::model {
namespace {

// No cluster is larger; keeps the number of pods an int.
constexpr std::int64_t kMostSlots = 1'000'000;

std::string not_a_multiple(std::int64_t slots, std::int64_t most) {
  const std::int64_t below = slots / most * most;
  return "invalid resource request: slots (" + std::to_string(slots) +
         ") must be < or a multiple of max_slots_per_pod (" + std::to_string(most) +
         "); the next sizes that work are " + std::to_string(below) + " and " + std::to_string(below + most);
}

}  // namespace

Result<GangShape> gang_shape(std::int64_t slots, int max_per_pod, bool single_pod) {
  if (slots < 0 || slots > kMostSlots) {
    return fail(ErrorCode::kInvalidArgument,
                "invalid resource request: slots (" + std::to_string(slots) + ") must be between 0 and 1000000");
  }
  if (slots == 0) return GangShape{.pods = 1, .slots_per_pod = 0};
  if (max_per_pod <= 0) {
    return fail(ErrorCode::kInvalidArgument, "invalid resource request: slots (" + std::to_string(slots) +
                                                 ") cannot be given while max_slots_per_pod is 0; set it above 0 to "
                                                 "schedule tasks with slots");
  }
  if (slots <= max_per_pod) return GangShape{.pods = 1, .slots_per_pod = static_cast<int>(slots)};
  if (single_pod) {
    return fail(ErrorCode::kInvalidArgument, "invalid resource request: slots (" + std::to_string(slots) +
                                                 ") must be < max_slots_per_pod (" + std::to_string(max_per_pod) +
                                                 ") on single pod; request unfulfillable, the largest size that works "
                                                 "is " +
                                                 std::to_string(max_per_pod));
  }
  if (slots % max_per_pod != 0) return fail(ErrorCode::kInvalidArgument, not_a_multiple(slots, max_per_pod));
  return GangShape{.pods = static_cast<int>(slots / max_per_pod), .slots_per_pod = max_per_pod};
}

}  // namespace det::model
