#pragma once

// What a deletion with --cascade=orphan leaves. Kubernetes takes the owner off it, so that nothing ever removes it:
// pods would train on and hold slots that no list and no limit knows of. Belongs to the io thread.

#include "base/log.h"
#include "operator/services.h"

namespace det::op {

class Orphans {
 public:
  explicit Orphans(OperatorServices& services) : services_(services), log_("orphans") {}

  // Deletes Trials that are not over and belong to no Experiment, and pods that are alive and whose Trial or Task is
  // gone, with the Secrets of their run. What is over stays, as whoever orphaned it wished. Those of a name that is
  // there again are its run's: they go with that.
  Task<Status> remove();

 private:
  Task<Status> remove_trials();
  Task<Status> remove_pods();
  Task<Result<bool>> has_owner(const PodFacts& pod);
  [[nodiscard]] bool is_ours_to_remove(const k8s::ObjectKey& key) const;

  OperatorServices& services_;
  Logger log_;
};

}  // namespace det::op
