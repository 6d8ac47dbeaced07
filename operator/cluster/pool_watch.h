#pragma once

// Follows ResourcePool objects, on every replica: the pools of the cluster are those of master.yaml and these. The
// leader says on each object whether it could be read. Where the objects may not be listed (an operator of one
// namespace) or their definition is not installed, master.yaml alone counts. Belongs to the io thread.

#include <functional>
#include <map>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "base/async.h"
#include "base/clock.h"
#include "base/log.h"
#include "k8sclient/client.h"
#include "k8sclient/informer.h"
#include "model/cluster/resource_pool.h"

namespace det::op {

[[nodiscard]] k8s::Resource resource_pools();  // cluster-scoped

struct PoolView {
  std::int64_t generation = 0;
  std::string resource_version;
  model::ResourcePool pool;  // with what is wrong in `objection`
  nlohmann::json status;
};
[[nodiscard]] PoolView view_pool(const nlohmann::json& object);

// The status that says what became of the object.
[[nodiscard]] nlohmann::json pool_status(const PoolView& view, WallTime now);

class PoolWatch {
 public:
  using OnChange = std::function<void(std::vector<model::ResourcePool>)>;

  // `on_change` gets all pools, sorted by name, each time one changes. `client` and `clock` outlive this.
  PoolWatch(asio::any_io_executor executor, k8s::Client& client, Clock& clock, OnChange on_change,
            std::function<bool()> is_leading);

  // Until cancelled.
  Task<void> run();
  // Returns once it is known which pools there are, or that they cannot be read. Nothing may be placed before.
  Task<void> wait_known();

 private:
  Task<void> wait_readable();
  Task<void> follow();
  Task<void> write_statuses();
  void publish();

  k8s::Client& client_;
  Clock& clock_;
  OnChange on_change_;
  std::function<bool()> is_leading_;
  k8s::Informer<PoolView> pools_;
  Signal changed_;
  Signal known_signal_;
  bool is_known_ = false;
  Logger log_{"pools"};
};

}  // namespace det::op
