#pragma once

// What decisions about a trial rest on, from rows and objects, and the rows that its steps write. Pure.

#include <optional>
#include <string>
#include <vector>

#include "k8sclient/event_recorder.h"
#include "model/expconf/experiment_config.h"
#include "operator/gang/gang_backend.h"
#include "operator/trial/trial_decision.h"
#include "pods/pod_builder.h"
#include "store/trials/allocation_store.h"
#include "store/trials/trial_rows.h"

namespace det::op {

// A trial whose pool is gone waits for it rather than run on other nodes; nothing otherwise.
[[nodiscard]] std::optional<GangWait> wait_for_pool(const pods::PodSettings& settings,
                                                    const model::ResourcesConfig& resources);
// Pods of the trial's gang: as its object says, else as the cluster's slots per pod say.
[[nodiscard]] int pods_of(const ObservedTrial& trial, const model::MasterConfig& master);

// Without the gang, which the caller observes.
[[nodiscard]] TrialFacts trial_facts(const ObservedTrial& object, const ObservedExperiment* owner,
                                     const store::TrialRow& row, const std::optional<store::AllocationRow>& allocation,
                                     const model::ExperimentConfig& config);

// What events about the trial are attached to.
[[nodiscard]] k8s::EventSubject subject_of(const ObservedTrial& trial);
// The end of a trial that has lost its object, or whose experiment has.
[[nodiscard]] store::TrialEnd abandoned(const store::TrialRow& trial, std::string why);

// First port of the block of a trial's allocations where pods share one network; 0 where each pod has its own.
[[nodiscard]] int port_block(const model::MasterConfig& master, model::TrialId trial);
[[nodiscard]] pods::TaskPorts ports_at(int port_base);

// The rows for all ranks: what was there, with what the pods show now.
[[nodiscard]] std::vector<store::ResourceRow> resource_rows(const std::string& allocation_id,
                                                            const std::string& trial_object, int run, int size,
                                                            int slots_per_pod, const std::vector<PodFacts>& pods);

// When a gang of these pods has to be bound, if there is a limit and it has pods.
[[nodiscard]] std::optional<WallTime> bind_deadline(const std::vector<PodFacts>& pods,
                                                    std::optional<std::chrono::seconds> limit);

}  // namespace det::op
