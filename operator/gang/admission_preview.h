#pragma once

// What the API server makes of a pod before it stores it: a LimitRange's default requests, tolerations and node
// selectors of a namespace, a RuntimeClass's overhead, whatever webhooks add. A scheduler that only knew the pod as we
// build it would choose nodes on which the stored one does not fit. Asked by a server-side dry run, one for all pods
// that are alike. Belongs to the io thread.

#include <set>
#include <string>

#include <nlohmann/json.hpp>

#include "base/async.h"
#include "base/bounded_map.h"
#include "base/clock.h"
#include "base/log.h"
#include "k8sclient/client.h"
#include "scheduler/snapshot.h"

namespace det::op {

class AdmissionPreview {
 public:
  AdmissionPreview(asio::any_io_executor executor, k8s::Client& client, Clock& clock);

  // `pod` as it would be stored. When the server refuses the dry run or cannot be asked: as it was stored last, else as
  // it was built; creating the pod then says what is wrong with it.
  Task<scheduler::PodShape> shape_of(nlohmann::json pod);
  // `stored` is what became of `pod`, pinned to a node since; false when that is not what shape_of said, which from
  // then on it does.
  bool confirm(const nlohmann::json& pod, nlohmann::json stored, const scheduler::PodShape& said);

 private:
  struct Known {
    scheduler::PodShape shape;
    SteadyTime asked{};
  };

  Task<void> ask(std::string key, nlohmann::json pod);
  Task<void> await_answer(std::string key);  // that somebody else asked for
  void keep(const std::string& key, const nlohmann::json& stored);

  k8s::Client& client_;
  Clock& clock_;
  Logger log_{"scheduler"};
  BoundedMap<std::string, Known> known_{1000};
  std::set<std::string> asking_;
  Signal answered_;
};

// Equal for pods that admission treats alike: all but what differs from run to run.
[[nodiscard]] std::string admission_key(nlohmann::json pod);

}  // namespace det::op
