#pragma once

// Nodes of the cluster and the pods on them, read from the Kubernetes API when somebody asks and kept for a moment, so
// that scripts that ask in a loop do not make the API server list everything each time. Belongs to the io thread.

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "base/clock.h"
#include "base/result.h"
#include "base/task.h"
#include "k8sclient/client.h"
#include "model/cluster/master_config.h"

namespace det::api {

// A pod that holds a place on a node.
struct PodOnNode {
  std::string name;
  std::string node;
  std::map<std::string, std::int64_t> requests;  // thousandths by resource
  bool is_ours = false;                          // a task's, of any installation of ours or of Determined
};

struct ClusterNodes {
  std::vector<nlohmann::json> nodes;  // Node objects
  std::vector<PodOnNode> pods;        // of all namespaces
  // Why the lists are missing, in words for people: the operator may not read nodes or pods of the whole cluster.
  // Empty: they are whole.
  std::string hidden;
};

class NodeList {
 public:
  // Both outlive this.
  NodeList(k8s::Client& kubernetes, Clock& clock) : kubernetes_(kubernetes), clock_(clock) {}

  // At most one second old; where the lists take long to read, forty times as old as that took, five seconds at most. A
  // refusal (403) is an answer, with `hidden`; other failures are errors.
  Task<Result<ClusterNodes>> read() { return read(new_, std::clamp(40 * new_.took, kNewest, kNew)); }
  // Up to a minute old: for what changes with the nodes alone. Leaves read() as fresh as it is.
  Task<Result<ClusterNodes>> read_older() { return read(older_, kOlder); }
  // The next read() asks.
  void forget() { new_.view.reset(); }

 private:
  using Duration = SteadyTime::duration;
  static constexpr Duration kNewest = std::chrono::seconds(1);
  static constexpr Duration kNew = std::chrono::seconds(5);
  static constexpr Duration kOlder = std::chrono::seconds(60);
  struct Kept {
    std::optional<ClusterNodes> view;
    SteadyTime at{};
    Duration took{};
  };
  Task<Result<ClusterNodes>> read(Kept& kept, Duration age);
  Task<Result<ClusterNodes>> ask();

  k8s::Client& kubernetes_;
  Clock& clock_;
  Kept new_;
  Kept older_;
};

// How many slots `resources` (allocatable of a node, requests of a pod; thousandths by name) stand for.
[[nodiscard]] int slots_in(const std::map<std::string, std::int64_t>& resources, const model::SlotRule& rule);

}  // namespace det::api
