#pragma once

// What the reconcilers work with: borrowed, wired by main, alive as long as the leadership. Belongs to the io thread.

#include <functional>
#include <string>

#include "accept/gate.h"
#include "base/audit_log.h"
#include "base/clock.h"
#include "k8sclient/client.h"
#include "k8sclient/event_recorder.h"
#include "k8sclient/informer.h"
#include "operator/gang/gang_state.h"
#include "operator/live_experiments.h"
#include "operator/views.h"
#include "pods/pod_builder.h"
#include "store/checkpoints/checkpoint_store.h"
#include "store/cluster/cluster_store.h"
#include "store/cluster/config_policy_store.h"
#include "store/cluster/queue_place_store.h"
#include "store/cluster/template_store.h"
#include "store/cluster/workspace_store.h"
#include "store/experiments/context_store.h"
#include "store/experiments/experiment_store.h"
#include "store/logs/log_retention_store.h"
#include "store/logs/log_writer.h"
#include "store/proxy/service_store.h"
#include "store/removals/removal_store.h"
#include "store/search/searcher_event_store.h"
#include "store/tasks/task_store.h"
#include "store/trials/allocation_store.h"
#include "store/trials/trial_store.h"
#include "store/unmanaged/unmanaged_store.h"
#include "store/users/user_store.h"

namespace det::op {

struct OperatorStores {
  store::ClusterStore& cluster;
  store::UserStore& users;
  store::ContextStore& contexts;
  store::ExperimentStore& experiments;
  store::TrialStore& trials;
  store::AllocationStore& allocations;
  store::CheckpointStore& checkpoints;
  store::SearcherEventStore& searcher;
  store::LogSink& logs;
  store::TemplateStore& templates;
  store::ConfigPolicyStore& config_policies;
  store::WorkspaceStore& workspaces;
  store::TaskStore& tasks;
  store::ServiceStore& services;
  store::RemovalStore& removals;
  store::LogRetentionStore& log_retention;
  store::UnmanagedStore& unmanaged;
  store::QueuePlaceStore& queue_places;
};

struct Informers {
  k8s::Informer<KeptExperiment>& experiments;
  k8s::Informer<KeptTrial>& trials;  // index kByOwner: uid of the Experiment
  k8s::Informer<PodFacts>& pods;     // index kByWorkload: to_string(owner)
};

inline constexpr const char* kByOwner = "owner";

struct OperatorServices {
  k8s::Client& client;
  k8s::EventRecorder& events;
  Clock& clock;
  OperatorStores stores;
  Informers informers;
  accept::Gate& gate;  // that of the REST server, too
  pods::PodSettings settings;
  store::Epoch epoch;
  k8s::EventSubject lease;    // the operator's own: what concerns the installation is told there
  AuditLog* audit = nullptr;  // null: nobody is told
  LiveExperiments live = {};
  // Puts a key into the other controller's queue.
  std::function<void(const std::string&)> wake_experiment;
  std::function<void(const std::string&)> wake_trial;
};

}  // namespace det::op
