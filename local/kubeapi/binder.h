#pragma once

// Puts pods on nodes: oldest first, whole pods only, the first Ready node (by name) that has room. No priorities, no
// preemption, no affinity but a pin to a node's name; nodeSelector, taints, schedulingGates and schedulerName are
// respected. Belongs to the io thread.

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "base/async.h"
#include "base/clock.h"
#include "base/log.h"
#include "local/kubeapi/writer.h"

namespace det::local::kubeapi {

// Thousandths by resource name ("cpu", "memory", "nvidia.com/gpu", "pods").
using Amounts = std::map<std::string, std::int64_t>;

// What a pod asks for: the sum of its containers, or its largest init container, and one of "pods". Pure.
[[nodiscard]] Amounts requests_of(const nlohmann::json& pod);

struct NodeRoom {
  std::string name;
  Amounts free;
  const nlohmann::json* object = nullptr;
};
// The node for `pod`, or why none is fit: "0/1 nodes are available: 1 Insufficient cpu.". Pure.
struct Placement {
  std::string node;
  std::string why_not;
};
[[nodiscard]] Placement place_pod(const nlohmann::json& pod, const Amounts& requests,
                                  const std::vector<NodeRoom>& nodes);

class Binder {
 public:
  Binder(asio::any_io_executor executor, Clock& clock, ObjectStore& store, ObjectWriter& writer);
  Binder(const Binder&) = delete;
  Binder& operator=(const Binder&) = delete;

  // Ends by cancellation.
  Task<void> run();

 private:
  Outcome bind_all(Staging& staging) const;

  Clock& clock_;
  ObjectStore& store_;
  ObjectWriter& writer_;
  Signal woken_;
  Logger log_{"kube-api.binder"};
};

}  // namespace det::local::kubeapi
