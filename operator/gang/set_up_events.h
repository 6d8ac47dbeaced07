#pragma once

// Why a node does not come to start a pod's containers. Of volumes that it cannot mount and a network that it cannot
// set up a kubelet tells in events alone: the pod says ContainerCreating all the while. Belongs to the io thread.

#include <chrono>
#include <optional>
#include <string>
#include <vector>

#include "base/bounded_map.h"
#include "base/clock.h"
#include "base/task.h"
#include "k8sclient/client.h"
#include "operator/gang/pod_facts.h"

namespace det::op {

class SetUpEvents {
 public:
  // Pods that are set up sooner are never asked about; the others this often.
  static constexpr std::chrono::seconds kAskEvery{30};
  // Between two questions, whatever they are about: an API server reads all events of the namespace for each.
  static constexpr std::chrono::milliseconds kApart{200};

  SetUpEvents(k8s::Client& client, Clock& clock) : client_(client), clock_(clock) {}

  // `pods`: of one run. Of those that are not set up the first has in its waiting_reason and waiting_message what its
  // events say, if they say anything; the others have the same trouble as a rule. Returns when to ask again; nothing:
  // all are set up.
  Task<std::optional<WallTime>> explain(std::vector<PodFacts>& pods);

 private:
  struct Told {
    std::string reason;  // empty: nothing
    std::string message;
  };
  struct Known {
    WallTime ask_at;
    Told told;
  };
  // When the next question may be asked that is not asked yet.
  WallTime next_turn(WallTime now);
  Task<Result<Told>> ask(const PodFacts& pod);

  k8s::Client& client_;
  Clock& clock_;
  BoundedMap<std::string, Known> known_{4'096};  // by the pod's uid
  WallTime last_turn_{};
};

}  // namespace det::op
