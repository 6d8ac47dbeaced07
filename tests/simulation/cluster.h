#pragma once

// The rest of a Kubernetes cluster: kube-scheduler, which binds pinned pods, kubelets, which run a Training in each pod
// and tell how it ends in an order that is drawn, and the garbage collector. Writes past the operator's client. Belongs
// to the thread of the simulation.

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "base/async.h"
#include "tests/operator/trial/kubelet_orders.h"
#include "tests/simulation/scenario.h"
#include "tests/support/fake_api_server.h"

namespace det::simulation {

// A container that was started and has not ended.
struct Container {
  k8s::ObjectKey pod;
  std::string workload;  // name of the Trial or Task object
  int run = 0;
  int rank = 0;
};

class Cluster {
 public:
  using Train = std::function<Task<int>(std::map<std::string, std::string> environment)>;

  Cluster(asio::any_io_executor executor, test::FakeApiServer& server, test::FakeClock& clock, Draw& draw, Train train,
          const Broken& broken);
  ~Cluster();
  Cluster(const Cluster&) = delete;
  Cluster& operator=(const Cluster&) = delete;

  void add_node(const std::string& name, int gpus);
  // At most so many GPUs in the namespace, as a ResourceQuota.
  void set_quota(const std::string& ns, int gpus);
  // The node dies with what runs there, and is never heard of again; after a while its pods are deleted.
  void lose_node(const std::string& name);
  // From now on, or no longer, nodes have no volumes for the pods that they take on.
  void lose_volumes(bool are_lost) { are_volumes_lost_ = are_lost; }
  // Ends by cancellation; stop() cancels all pods too.
  Task<void> run();
  void stop();
  [[nodiscard]] bool is_idle() const { return pods_.size() == 0; }

  // By uid of the pod.
  [[nodiscard]] const std::map<std::string, Container>& running() const { return running_; }
  // Orders of a kubelet that were played.
  [[nodiscard]] const std::map<std::string, int>& played() const { return played_; }

 private:
  struct Pod;
  void look();
  void bind(const nlohmann::json& pod);
  void collect_garbage();
  void count_quota();
  [[nodiscard]] int gpus_in_use() const;
  Task<void> live(std::shared_ptr<Pod> pod);
  [[nodiscard]] bool lacks_volumes(const Pod& pod) const;
  Task<void> wait_for_volumes(std::shared_ptr<Pod> pod);
  Task<void> train(std::shared_ptr<Pod> pod);
  Task<void> until_told(std::shared_ptr<Pod> pod);
  Task<void> tell_end(std::shared_ptr<Pod> pod);
  Task<void> remove(std::shared_ptr<Pod> pod);
  // Shows one step of an order. False: the pod is gone.
  bool show(const Pod& pod, const op::test::Step& step);
  [[nodiscard]] nlohmann::json current(const Pod& pod) const;

  asio::any_io_executor executor_;
  test::FakeApiServer& server_;
  test::FakeClock& clock_;
  Draw& draw_;
  Train train_;
  const Broken& broken_;
  TaskGroup pods_;
  std::map<std::string, std::shared_ptr<Pod>> known_;  // by uid
  std::map<std::string, Container> running_;
  std::map<std::string, int> played_;
  std::map<std::string, SteadyTime> lost_nodes_;
  std::string quota_ns_;
  int quota_ = 0;
  bool are_volumes_lost_ = false;
  std::uint64_t seen_ = 0;
  int next_ip_ = 1;
};

}  // namespace det::simulation
