#pragma once

// Every store of the control plane on one pool, and each part's choice of them. Belongs to the io thread; the pool and
// the writers outlive it.

#include "accept/gate.h"
#include "api/services.h"
#include "operator/services.h"
#include "store/cluster/cluster_store.h"

namespace det::main {

struct Stores {
  explicit Stores(pg::Pool& on) : pool(on) {}

  pg::Pool& pool;
  store::ClusterStore cluster{pool};
  store::UserStore users{pool};
  store::SessionStore sessions{pool};
  store::ContextStore contexts{pool};
  store::ExperimentStore experiments{pool};
  store::TrialStore trials{pool};
  store::AllocationStore allocations{pool};
  store::CheckpointStore checkpoints{pool};
  store::SeriesKeeper series_keeper{pool};
  store::MetricStore metrics{pool, series_keeper};
  store::MetricSeriesStore metric_series{pool, series_keeper};
  store::ExperimentMetricStore experiment_metrics{pool};
  store::ProfilerStore profiler{pool};
  store::LogStore logs{pool};
  store::LogRetentionStore log_retention{pool};
  store::SearcherEventStore searcher{pool};
  store::CustomSearchStore custom_searches{pool};
  store::TemplateStore templates{pool};
  store::WorkspaceStore workspaces{pool};
  store::ProjectStore projects{pool};
  store::JobStore jobs{pool};
  store::QueuePlaceStore queue_places{pool};
  store::PoolBindingStore pool_bindings{pool};
  store::CodePinStore code_pins{pool};
  store::ConfigPolicyStore config_policies{pool};
  store::TaskStore tasks{pool};
  store::TaskFamilyStore task_families{pool};
  store::TrialSourceStore trial_sources{pool};
  store::RegisteredModelStore models{pool};
  store::ModelVersionStore model_versions{pool};
  store::SettingStore user_settings{pool};
  store::RunMetadataStore run_metadata{pool};
  store::RunSumStore run_sums{pool, metrics};
  store::RunListStore run_lists{pool, run_sums};
  store::ListColumnStore list_columns{pool, run_sums};
  store::AccessTokenStore access_tokens{pool};
  store::WebhookStore webhooks{pool};
  store::WebhookEventStore webhook_events{pool};
  store::DeliveryStore deliveries{pool};
  store::ClusterMessageStore cluster_messages{pool};
  store::UnmanagedStore unmanaged{pool};
  store::UserGroupStore user_groups{pool};
  store::RoleAssignmentStore role_assignments{pool};
  store::PlaceOfStore place_of{pool};
  store::UsageStore usage{pool};
  store::ActivityStore activity{pool};
  store::LogLevelStore log_level{pool};
  store::RecordStore records{pool};
  store::ServiceStore proxy_services{pool};
  store::RemovalStore removals{pool};

  [[nodiscard]] accept::GateStores for_gate() {
    return {.templates = templates,
            .workspaces = workspaces,
            .config_policies = config_policies,
            .pool_bindings = pool_bindings,
            .checkpoints = checkpoints,
            .contexts = contexts,
            .experiments = experiments,
            .trials = trials,
            .webhooks = webhooks};
  }
  [[nodiscard]] op::OperatorStores for_operator(store::LogWriter& log_writer) {
    return {.cluster = cluster,
            .users = users,
            .contexts = contexts,
            .experiments = experiments,
            .trials = trials,
            .allocations = allocations,
            .checkpoints = checkpoints,
            .searcher = searcher,
            .logs = log_writer,
            .templates = templates,
            .config_policies = config_policies,
            .workspaces = workspaces,
            .tasks = tasks,
            .services = proxy_services,
            .removals = removals,
            .log_retention = log_retention,
            .unmanaged = unmanaged,
            .queue_places = queue_places};
  }
  [[nodiscard]] api::ApiStores for_api(store::MetricWriter& metric_writer, store::ProgressWriter& progress_writer,
                                       store::LogWriter& log_writer) {
    return {.users = users,
            .contexts = contexts,
            .experiments = experiments,
            .trials = trials,
            .allocations = allocations,
            .checkpoints = checkpoints,
            .metrics = metrics,
            .metric_series = metric_series,
            .experiment_metrics = experiment_metrics,
            .profiler = profiler,
            .metric_writer = metric_writer,
            .progress_writer = progress_writer,
            .logs = logs,
            .log_writer = log_writer,
            .searcher = searcher,
            .custom_searches = custom_searches,
            .templates = templates,
            .workspaces = workspaces,
            .projects = projects,
            .jobs = jobs,
            .queue_places = queue_places,
            .pool_bindings = pool_bindings,
            .code_pins = code_pins,
            .config_policies = config_policies,
            .tasks = tasks,
            .services = proxy_services,
            .removals = removals,
            .task_families = task_families,
            .trial_sources = trial_sources,
            .models = models,
            .model_versions = model_versions,
            .user_settings = user_settings,
            .run_metadata = run_metadata,
            .run_sums = run_sums,
            .run_lists = run_lists,
            .list_columns = list_columns,
            .log_retention = log_retention,
            .access_tokens = access_tokens,
            .webhooks = webhooks,
            .webhook_events = webhook_events,
            .deliveries = deliveries,
            .cluster_messages = cluster_messages,
            .unmanaged = unmanaged,
            .user_groups = user_groups,
            .role_assignments = role_assignments,
            .place_of = place_of,
            .usage = usage,
            .activity = activity,
            .log_level = log_level,
            .records = records};
  }
};

}  // namespace det::main
