#pragma once

// The orders in which a kubelet and the control plane tell how a pod ends, as statuses of the API, and what each order
// means for the run. The rows of the table in docs/failures.md.

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "base/clock.h"
#include "model/run_exit.h"

namespace det::op::test {

// One thing that the API shows next; `now` is when. A null object: the pod is gone.
using Step = std::function<void(nlohmann::json& pod, WallTime now)>;

struct Order {
  const char* name;
  std::vector<Step> steps;
  model::ExitClass expected;
  const char* reason;
  bool starts_pending = false;  // the container does not run yet
};

// A pod of run 1 of trial "t" whose container runs, or that waits for its node.
[[nodiscard]] nlohmann::json new_pod(int rank, bool is_pending, WallTime now);
// What happens to a pod after a deletion with `grace`: the container hears of it, ends, gets its phase, and goes.
[[nodiscard]] std::vector<Step> removal(nlohmann::json& pod, WallTime now, std::chrono::seconds grace);

[[nodiscard]] const std::vector<Order>& kubelet_orders();

}  // namespace det::op::test
