#pragma once

// A database of its own with the schema, the stores on it, and one experiment with one trial for those who need them.

#include <chrono>
#include <string>
#include <utility>

#include <gtest/gtest.h>

#include "base/check.h"
#include "base/encoding.h"
#include "pg/raw_connection.h"
#include "store/access/place_of_store.h"
#include "store/access/role_assignment_store.h"
#include "store/access/user_group_store.h"
#include "store/checkpoints/checkpoint_store.h"
#include "store/cluster/cluster_message_store.h"
#include "store/cluster/cluster_store.h"
#include "store/cluster/project_store.h"
#include "store/cluster/template_store.h"
#include "store/cluster/workspace_store.h"
#include "store/experiments/context_store.h"
#include "store/experiments/experiment_store.h"
#include "store/listing/list_column_store.h"
#include "store/listing/run_list_store.h"
#include "store/metrics/experiment_metric_store.h"
#include "store/metrics/metric_series_store.h"
#include "store/metrics/metric_store.h"
#include "store/metrics/metric_writer.h"
#include "store/metrics/profiler_store.h"
#include "store/proxy/service_store.h"
#include "store/registry/model_version_store.h"
#include "store/registry/registered_model_store.h"
#include "store/removals/removal_store.h"
#include "store/search/searcher_event_store.h"
#include "store/tasks/task_family_store.h"
#include "store/tasks/task_store.h"
#include "store/trials/allocation_store.h"
#include "store/trials/run_metadata_store.h"
#include "store/trials/trial_source_store.h"
#include "store/trials/trial_store.h"
#include "store/unmanaged/unmanaged_store.h"
#include "store/users/access_token_store.h"
#include "store/users/setting_store.h"
#include "store/users/user_store.h"
#include "store/webhooks/delivery_store.h"
#include "store/webhooks/event_store.h"
#include "store/webhooks/webhook_store.h"
#include "tests/support/postgres.h"
#include "tests/support/run_task.h"

namespace det::store {

inline constexpr std::chrono::seconds kPatience{60};

struct StoreTest : ::testing::Test {
  StoreTest();
  ~StoreTest() override;

  template <typename T>
  T run(Task<T> task) {
    return test::run_task(io, std::move(task));
  }
  // The value of a call that must succeed.
  template <typename T>
  T must(Task<Result<T>> task) {
    auto result = run(std::move(task));
    if (!result) ADD_FAILURE() << result.error().message;
    DET_CHECK(result.has_value(), "the call under test succeeds");
    return std::move(*result);
  }
  void must(Task<Status> task) {
    const Status status = run(std::move(task));
    ASSERT_TRUE(status) << status.error().message;
  }
  // The first field of a statement, as text.
  std::string sql(const std::string& statement);

  static NewExperiment experiment();
  // An experiment with a trial in its first run.
  TrialRow started_trial(const std::string& token = "01");
  TrialRow started_trial_of(model::ExperimentId id, const std::string& token);
  static NewTrial new_trial(model::ExperimentId id);
  static NewRun new_run(int run, const std::string& token, std::int64_t restore_steps = 0);
  static MetricReport report(const TrialRow& trial, const std::string& group, std::int32_t steps,
                             const nlohmann::json& metrics);
  // A report of validation metrics that the searcher hears of.
  static MetricReport validation(const TrialRow& trial, std::int32_t steps, double loss, bool smaller_is_better = true);

  asio::io_context io;
  std::string url;
  pg::Pool pool;
  ClusterStore cluster{pool};
  UserStore users{pool};
  SessionStore sessions{pool};
  ContextStore contexts{pool};
  ExperimentStore experiments{pool};
  TrialStore trials{pool};
  AllocationStore allocations{pool};
  CheckpointStore checkpoints{pool};
  SeriesKeeper series_keeper{pool};
  MetricStore metrics{pool, series_keeper};
  MetricSeriesStore metric_series{pool, series_keeper};
  ExperimentMetricStore experiment_metrics{pool};
  ProfilerStore profiler{pool};
  SearcherEventStore searcher{pool};
  TemplateStore templates{pool};
  WorkspaceStore workspaces{pool};
  ProjectStore projects{pool};
  TaskStore tasks{pool};
  TaskFamilyStore task_families{pool};
  TrialSourceStore trial_sources{pool};
  RegisteredModelStore models{pool};
  ModelVersionStore model_versions{pool};
  SettingStore user_settings{pool};
  RunMetadataStore run_metadata{pool};
  RunSumStore run_sums{pool, metrics, std::chrono::milliseconds(0)};
  RunListStore run_lists{pool, run_sums};
  ListColumnStore list_columns{pool, run_sums};
  AccessTokenStore access_tokens{pool};
  WebhookStore webhooks{pool};
  WebhookEventStore webhook_events{pool};
  DeliveryStore deliveries{pool};
  ClusterMessageStore cluster_messages{pool};
  UnmanagedStore unmanaged{pool};
  UserGroupStore user_groups{pool};
  RoleAssignmentStore role_assignments{pool};
  PlaceOfStore place_of{pool};
  ServiceStore services{pool};
  RemovalStore removals{pool};
};

}  // namespace det::store
