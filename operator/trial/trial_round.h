#pragma once

// Everything that one look at a trial has found. Plain values.

#include <optional>
#include <vector>

#include <nlohmann/json.hpp>

#include "operator/gang/gang_backend.h"
#include "operator/gang/gang_pods.h"
#include "operator/gang/run_decision.h"
#include "operator/views.h"
#include "store/trials/allocation_store.h"
#include "store/trials/run_limits.h"
#include "store/trials/trial_rows.h"

namespace det::op {

struct TrialRound {
  ObservedTrial object;
  store::TrialRow row;
  std::optional<store::AllocationRow> allocation;  // of the current run
  std::vector<store::ResourceRow> resources;
  RunFacts facts;
  int pods = 1;                   // of the gang
  std::optional<GangWait> waits;  // why its gang has no pods
  nlohmann::json pod_spec;        // of the pods that were to be made, for people; null: none were
  store::RunLimits limits;        // of the experiment
  std::string accepted_pool;      // of the experiment; empty: a default one
  std::string moved_to;           // the pool that the experiment was moved to; empty: it is where it was accepted

  [[nodiscard]] WorkloadKey workload() const { return workload_of_trial(object.key); }
  [[nodiscard]] k8s::EventSubject subject() const { return subject_of(workload(), object.uid); }
};

}  // namespace det::op
