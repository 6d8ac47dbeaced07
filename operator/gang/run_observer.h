#pragma once

// What the pods of a run are doing: those that our copy of the cluster has, what was last seen of those that are gone,
// and, before a pod is given up for vanished, the server's own list. Belongs to the io thread.

#include <map>
#include <string>
#include <unordered_map>
#include <vector>

#include "base/clock.h"
#include "k8sclient/client.h"
#include "k8sclient/informer.h"
#include "operator/gang/gang_state.h"
#include "operator/gang/set_up_events.h"
#include "operator/gang/workload_key.h"
#include "store/trials/allocation_store.h"

namespace det::op {

class RunObserver {
 public:
  RunObserver(k8s::Client& client, Clock& clock, k8s::Informer<PodFacts>& pods)
      : client_(client), clock_(clock), pods_(pods), set_up_(client, clock) {}

  struct Run {
    WorkloadKey owner;
    std::string owner_uid;  // pods of an earlier object of that name are not this one's
    int run = 0;
    int size = 1;                               // pods of its gang
    bool is_open = false;                       // its allocation has not ended
    bool has_verdict = false;                   // what ended it is written: vanished pods say nothing new
    std::vector<store::ResourceRow> resources;  // as the database has them
  };
  Task<Result<GangState>> observe(Run run);
  // A pod that exists no more: what it said last may say why.
  void note_gone(const PodFacts& pod);
  // Of an object that is gone itself.
  void forget(const WorkloadKey& owner) { gone_.erase(to_string(owner)); }

 private:
  k8s::Client& client_;
  Clock& clock_;
  k8s::Informer<PodFacts>& pods_;  // index kByWorkload
  SetUpEvents set_up_;
  // What pods said that were removed during a run that has not ended, by owner and rank.
  std::unordered_map<std::string, std::map<int, PodFacts>> gone_;
};

}  // namespace det::op
