#pragma once

// What the parts of the operator work with, for tests of one of them: stores of a database of their own, a Kubernetes
// API in memory, and copies of its objects that know of none.

#include "operator/services.h"
#include "store/logs/log_writer.h"
#include "tests/store/fixture.h"
#include "tests/support/fake_api_server.h"
#include "tests/support/fake_clock.h"
#include "tests/support/faulty_transport.h"

namespace det::op {

struct OperatorServicesTest : store::StoreTest {
  static pods::PodSettings settings() {
    pods::PodSettings made;
    made.task_url = "http://det:8080";
    made.harness_config_map = "det-harness";
    return made;
  }

  test::FakeClock clock{io};
  test::FakeApiServer api{io.get_executor(), clock};
  test::FaultyTransport calls{api, io.get_executor(), clock};
  k8s::Client client{calls, api, api.config(), clock, "test"};
  k8s::EventRecorder events{client, clock, io.get_executor(), "test"};
  k8s::Informer<KeptExperiment> experiment_copies{
      client, clock, io.get_executor(), {.resource = k8s::experiments()}, keep_experiment};
  k8s::Informer<KeptTrial> trial_copies{client, clock, io.get_executor(), {}, keep_trial};
  k8s::Informer<PodFacts> pod_copies{client, clock, io.get_executor(), {}, view_pod};
  store::ConfigPolicyStore config_policies{pool};
  store::LogRetentionStore log_retention{pool};
  store::QueuePlaceStore queue_places{pool};
  store::PoolBindingStore pool_bindings{pool};
  store::LogWriter log_writer{io.get_executor(), {.url = url}};
  accept::Gate gate{client, clock,
                    accept::GateStores{.templates = templates,
                                       .workspaces = workspaces,
                                       .config_policies = config_policies,
                                       .pool_bindings = pool_bindings,
                                       .checkpoints = checkpoints,
                                       .contexts = contexts,
                                       .experiments = experiments,
                                       .trials = trials,
                                       .webhooks = webhooks},
                    nullptr};
  OperatorServices operator_services{.client = client,
                                     .events = events,
                                     .clock = clock,
                                     .stores = {.cluster = cluster,
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
                                                .services = services,
                                                .removals = removals,
                                                .log_retention = log_retention,
                                                .unmanaged = unmanaged,
                                                .queue_places = queue_places},
                                     .informers = {experiment_copies, trial_copies, pod_copies},
                                     .gate = gate,
                                     .settings = settings(),
                                     .epoch = must(cluster.load_or_create()).epoch,
                                     .lease = {},
                                     .wake_experiment = {},
                                     .wake_trial = {}};
};

}  // namespace det::op
