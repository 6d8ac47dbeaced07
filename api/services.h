#pragma once

// What handlers work with: references to things that main wires and that outlive the HTTP server. Belongs to the io
// thread.

#include <chrono>
#include <functional>
#include <string>

#include <boost/asio/thread_pool.hpp>

#include "api/stream_gate.h"
#include "base/audit_log.h"
#include "base/clock.h"
#include "base/turns.h"
#include "http/server_load.h"
#include "k8sclient/client.h"
#include "model/cluster/master_config.h"
#include "store/access/place_of_store.h"
#include "store/access/role_assignment_store.h"
#include "store/access/user_group_store.h"
#include "store/checkpoints/checkpoint_store.h"
#include "store/cluster/cluster_message_store.h"
#include "store/cluster/config_policy_store.h"
#include "store/cluster/job_store.h"
#include "store/cluster/log_level_store.h"
#include "store/cluster/pool_binding_store.h"
#include "store/cluster/project_store.h"
#include "store/cluster/queue_place_store.h"
#include "store/cluster/record_store.h"
#include "store/cluster/template_store.h"
#include "store/cluster/workspace_store.h"
#include "store/experiments/code_pin_store.h"
#include "store/experiments/context_store.h"
#include "store/experiments/experiment_store.h"
#include "store/listing/list_column_store.h"
#include "store/listing/run_list_store.h"
#include "store/logs/log_retention_store.h"
#include "store/logs/log_store.h"
#include "store/logs/log_writer.h"
#include "store/metrics/experiment_metric_store.h"
#include "store/metrics/metric_series_store.h"
#include "store/metrics/metric_store.h"
#include "store/metrics/metric_writer.h"
#include "store/metrics/profiler_store.h"
#include "store/proxy/service_store.h"
#include "store/registry/model_version_store.h"
#include "store/registry/registered_model_store.h"
#include "store/removals/removal_store.h"
#include "store/search/custom_search_store.h"
#include "store/search/searcher_event_store.h"
#include "store/tasks/task_family_store.h"
#include "store/tasks/task_store.h"
#include "store/trials/allocation_store.h"
#include "store/trials/progress_writer.h"
#include "store/trials/run_metadata_store.h"
#include "store/trials/trial_source_store.h"
#include "store/trials/trial_store.h"
#include "store/unmanaged/unmanaged_store.h"
#include "store/usage/usage_store.h"
#include "store/users/access_token_store.h"
#include "store/users/activity_store.h"
#include "store/users/setting_store.h"
#include "store/users/user_store.h"
#include "store/webhooks/delivery_store.h"
#include "store/webhooks/event_store.h"
#include "store/webhooks/webhook_store.h"
#include "wire/cluster.h"

namespace det::accept {
class Gate;
}

namespace det::storage {
struct StorageAccess;
}

namespace det::api {

class AllGather;
class Authenticator;
class BodyTurns;
class ClusterNotice;
class GrantCache;
class ExperimentTexts;
class IdentityProvider;
class LiveHub;
class LogPolicies;
class LogTriggers;
class NodeList;
class SharedAnswers;
class TrialMemory;
class UpstreamPages;
class Wakeups;
class WebPage;
class WebhookSender;

struct ApiStores {
  store::UserStore& users;
  store::ContextStore& contexts;
  store::ExperimentStore& experiments;
  store::TrialStore& trials;
  store::AllocationStore& allocations;
  store::CheckpointStore& checkpoints;
  store::MetricStore& metrics;
  store::MetricSeriesStore& metric_series;
  store::ExperimentMetricStore& experiment_metrics;
  store::ProfilerStore& profiler;
  store::MetricWriter& metric_writer;
  store::ProgressWriter& progress_writer;
  store::LogStore& logs;
  store::LogWriter& log_writer;
  store::SearcherEventStore& searcher;
  store::CustomSearchStore& custom_searches;
  store::TemplateStore& templates;
  store::WorkspaceStore& workspaces;
  store::ProjectStore& projects;
  store::JobStore& jobs;
  store::QueuePlaceStore& queue_places;
  store::PoolBindingStore& pool_bindings;
  store::CodePinStore& code_pins;
  store::ConfigPolicyStore& config_policies;
  store::TaskStore& tasks;
  store::ServiceStore& services;
  store::RemovalStore& removals;
  store::TaskFamilyStore& task_families;
  store::TrialSourceStore& trial_sources;
  store::RegisteredModelStore& models;
  store::ModelVersionStore& model_versions;
  store::SettingStore& user_settings;
  store::RunMetadataStore& run_metadata;
  store::RunSumStore& run_sums;
  store::RunListStore& run_lists;
  store::ListColumnStore& list_columns;
  store::LogRetentionStore& log_retention;
  store::AccessTokenStore& access_tokens;
  store::WebhookStore& webhooks;
  store::WebhookEventStore& webhook_events;
  store::DeliveryStore& deliveries;
  store::ClusterMessageStore& cluster_messages;
  store::UnmanagedStore& unmanaged;
  store::UserGroupStore& user_groups;
  store::RoleAssignmentStore& role_assignments;
  store::PlaceOfStore& place_of;
  store::UsageStore& usage;
  store::ActivityStore& activity;
  store::LogLevelStore& log_level;
  store::RecordStore& records;
};

struct Settings {
  std::string ns;                // where REST creates objects, unless their workspace is bound to another namespace
  std::string only_ns;           // where the operator looks at all; empty: everywhere
  std::string controller_class;  // put on those objects; empty: none
  std::string task_url;          // where pods dial this API
  std::string harness_config_map;
  std::vector<std::string> own_hosts;  // names of its pages' hosts, besides those that requests ask for
  wire::MasterInfo cluster;
  model::MasterConfig master;
  std::chrono::milliseconds verb_patience{1'000};      // how long a verb waits until readers see its effect
  std::chrono::milliseconds removal_patience{60'000};  // how long a removal that clients wait for may take
};

// Of configurations. Each asks the API server twice whether it would take something, from the account that the
// reconcilers' calls come from: nobody who sends ever other ones may have more of it than this.
inline constexpr std::size_t kAtTheGate = 4;

// Webhooks that are tried at once: each may take as long as its receiver likes.
inline constexpr std::size_t kWebhookTests = 4;

struct ApiServices {
  Clock& clock;
  ApiStores stores;
  k8s::Client& kubernetes;  // field manager: kFieldManager of api/experiments/experiment_object.h
  Authenticator& authenticator;
  GrantCache& grants;
  Wakeups& wakeups;
  TrialMemory& trial_memory;
  accept::Gate& gate;
  AllGather& all_gather;
  BodyTurns& body_turns;
  Turns& gate_turns;  // kAtTheGate at once
  NodeList& nodes;
  LogPolicies& log_policies;
  LogTriggers& log_triggers;
  IdentityProvider& identity_provider;
  WebhookSender& webhook_sender;
  Turns& code_turns;        // one at once: model code that is unpacked to show a file of it
  Turns& importance_turns;  // one at once: it takes a processor for up to a second
  Turns& webhook_turns;     // kWebhookTests at once
  ClusterNotice& cluster_notice;
  AuditLog& audit;
  asio::thread_pool& workers;  // packing and parsing of uploads
  storage::StorageAccess& storage;
  StreamGate& downloads;  // of checkpoints and of large files of model code
  StreamGate& replays;    // of searches
  ExperimentTexts& experiment_texts;
  LiveHub& live;
  SharedAnswers& shared_answers;
  Settings settings;
  const WebPage* page = nullptr;                  // the web page as it was built; null: it is not there
  const UpstreamPages* upstream_pages = nullptr;  // Determined's own pages, under /det; null: they are not served
  std::function<http::ServerLoad()> load = {};    // of the server that these routes are on; empty: not known
  std::function<bool()> is_leading = {};          // whether this replica reconciles; empty: it does not
  // What is missing in the cluster for tasks to be run; empty: nothing that this replica knows of.
  std::function<std::string()> tasks_missing = {};
  // Whether the database answered lately, without asking it; empty: not known.
  std::function<bool()> has_database = {};
  // Whether this replica ends, and requests should go to another one; empty: it does not.
  std::function<bool()> is_leaving = {};
};

}  // namespace det::api
