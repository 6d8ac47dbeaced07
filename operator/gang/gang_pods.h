#pragma once

// The pods of a run, of whatever workload: made whole or not at all, and followed. What every run needs beside them,
// and how pods go, is RunPods. Every call may be repeated after a crash at any point. Belongs to the io thread.

#include <optional>
#include <string>

#include <nlohmann/json.hpp>

#include "base/result.h"
#include "base/task.h"
#include "operator/gang/gang_backend.h"
#include "operator/gang/gang_state.h"
#include "operator/gang/run_pods.h"
#include "operator/gang/run_rows.h"
#include "operator/gang/wait_notes.h"
#include "operator/services.h"
#include "pods/pod_builder.h"
#include "store/trials/allocation_store.h"

namespace det::op {

// The gang of one run, as a backend has to know it.
struct GangOfRun {
  WorkloadKey owner;
  std::string owner_uid;
  int priority = 50;
  JobInQueue job;
  std::int64_t order = 0;  // its task's number: smaller is earlier
  RunShape shape;
};

class GangPods {
 public:
  GangPods(OperatorServices& services, GangBackend& backend, RunPods& runs)
      : services_(services), backend_(backend), runs_(runs) {}

  struct Made {
    std::optional<GangWait> waits;  // none were made: why the gang has to wait
    std::string refused;            // none were made, and no later try can succeed: why, in the API server's words
    nlohmann::json pod_spec;        // of those that were to be made, for people; null: none were
  };
  // Those of `seen` that are missing, with what they need. `source`: where the code is, as pods/code_source.h reads it.
  // `shown_wait`: the reason of a wait that people were told of already.
  Task<Result<Made>> create(GangOfRun gang, pods::TaskRequest request, nlohmann::json source, GangState seen,
                            std::string shown_wait);
  // Tells whoever follows the log, who sees no events, why the run waits; each reason once.
  Task<void> log_wait(std::string task_id, std::string allocation_id, const GangWait& waits);
  // They exist and wait to be bound.
  Task<Status> keep(GangOfRun gang);
  // Writes where they are and how far the run is with that, when it says something new. True when it has come further.
  Task<Result<bool>> follow(GangOfRun gang, GangState seen, store::AllocationRow allocation,
                            std::vector<store::ResourceRow> known);

 private:
  Task<void> tell_cannot_start(const GangOfRun& gang, const GangState& seen, const store::AllocationRow& allocation);

  OperatorServices& services_;
  GangBackend& backend_;
  RunPods& runs_;
  WaitNotes notes_;
};

// A run whose pool is gone waits for it rather than go to other nodes; nothing otherwise. Pure.
[[nodiscard]] std::optional<GangWait> wait_for_pool(const pods::PodSettings& settings,
                                                    const model::ResourcesConfig& resources);
// What events about a workload are attached to. Pure.
[[nodiscard]] k8s::EventSubject subject_of(const WorkloadKey& workload, const std::string& uid);

}  // namespace det::op
