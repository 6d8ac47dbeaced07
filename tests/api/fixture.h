#pragma once

// The whole REST API over a database of its own and a Kubernetes API in memory. Requests go through the routes without
// sockets; tests/api/harness_flow_test.cc does the same over HTTP.

#include <string>
#include <utility>

#include <nlohmann/json.hpp>

#include "accept/gate.h"
#include "api/access/grant_cache.h"
#include "api/agents/node_list.h"
#include "api/allocations/all_gather.h"
#include "api/authenticator.h"
#include "api/body_turns.h"
#include "api/cluster/cluster_notice.h"
#include "api/experiments/experiment_object.h"
#include "api/experiments/experiment_texts.h"
#include "api/live/live_hub.h"
#include "api/logs/log_policies.h"
#include "api/oidc/identity_provider.h"
#include "api/route_table.h"
#include "api/shared_answers.h"
#include "api/trials/trial_memory.h"
#include "api/wakeups.h"
#include "api/webhooks/log_triggers.h"
#include "api/webhooks/webhook_sender.h"
#include "http/router.h"
#include "http/target.h"
#include "k8sclient/client.h"
#include "storage/open_checkpoint.h"
#include "store/logs/log_store.h"
#include "store/logs/log_writer.h"
#include "tests/api/described.h"
#include "tests/store/fixture.h"
#include "tests/support/fake_api_server.h"
#include "tests/support/fake_transport.h"

namespace det::api {

using nlohmann::json;

struct Answer {
  int status = 0;
  std::string text;
  http::Headers headers;
  bool dropped = false;
  bool is_cut = false;  // its stream threw: the connection ends in the middle

  [[nodiscard]] json body() const { return json::parse(text, nullptr, false); }
  // Of an API error.
  [[nodiscard]] std::string error() const { return body().value("/error/error"_json_pointer, text); }
};

class TextWriter final : public http::Writer {
 public:
  Task<bool> write(std::string text) override {
    seen += text;
    co_return true;
  }
  std::string seen;
};

struct ApiTest : store::StoreTest {
  ApiTest();
  // With a provider that people sign in with. It outlives the test; null: there is none.
  ApiTest(model::OidcConfig oidc_config, HttpTransport* provider);
  ~ApiTest() override;

  // A task of the user "determined", whose own token is "the-token".
  store::TaskRow insert_task(const std::string& type, const std::string& description);

  // What a GET is answered with, its stream unread.
  http::Response unread(const std::string& target);

  // The answer of the routes; a stream is read to its end.
  Answer call(const std::string& method, const std::string& target, std::string body = {});
  // Of routes that take the connection over: what they answer where there is nothing to be read from it.
  static Task<http::Response> answer_to(const http::Route& route, http::Request& request);
  Answer get(const std::string& target) { return call("GET", target); }
  Answer post(const std::string& target, const json& body) { return call("POST", target, body.dump()); }
  Answer post(const std::string& target) { return call("POST", target); }

  // Uploads an experiment and returns its id.
  std::int64_t create(const std::string& yaml = kConst, bool activate = true);
  [[nodiscard]] json object(std::int64_t id) const;

  static constexpr const char* kConst =
      "name: const\n"
      "entrypoint: python3 train.py\n"
      "searcher:\n  name: single\n  metric: loss\n"
      "checkpoint_storage:\n  type: shared_fs\n  host_path: /tmp/ckpt\n";

  model::OidcConfig oidc;
  HttpTransport* sign_in_calls;
  SystemClock clock;
  test::FakeApiServer kubernetes{io.get_executor(), clock};
  k8s::Client client{kubernetes, kubernetes, kubernetes.config(), clock, std::string(kFieldManager)};
  store::LogStore logs{pool};
  store::LogRetentionStore log_retention{pool};
  store::MetricWriter metric_writer{io.get_executor(), {.url = url}};
  store::LogWriter log_writer{io.get_executor(), {.url = url}};
  store::ProgressWriter progress_writer{io.get_executor(), pool, clock};
  Authenticator authenticator{clock, users, sessions, allocations, access_tokens, {.bcrypt_cost = 4}};
  GrantCache grants{clock, role_assignments};
  Wakeups wakeups{io.get_executor()};
  TrialMemory trial_memory{trials, experiments};
  AllGather all_gather{io.get_executor()};
  BodyTurns body_turns;
  Turns gate_turns{kAtTheGate};
  Turns code_turns{1};
  Turns importance_turns{1};
  NodeList nodes{client, clock};
  store::JobStore jobs{pool};
  store::QueuePlaceStore queue_places{pool};
  store::PoolBindingStore pool_bindings{pool};
  store::UsageStore usage{pool};
  store::ActivityStore activity{pool};
  store::LogLevelStore log_level{pool};
  store::RecordStore records{pool};
  store::CustomSearchStore custom_searches{pool};
  store::CodePinStore code_pins{pool};
  store::ConfigPolicyStore config_policies{pool};
  AuditLog audit{clock};
  asio::thread_pool workers{1};
  test::FakeTransport storage_calls{io.get_executor(), clock};
  storage::GcsIdentity gcs{storage_calls, clock, workers, {.emulator = "http://gcs:4443"}};
  storage::StorageAccess storage{.transport = storage_calls,
                                 .clock = clock,
                                 .workers = workers,
                                 .gcs = gcs,
                                 .endpoints = {"http://minio:9000", "gs://ours"}};
  StreamGate downloads{"downloads"};
  StreamGate replays{"replays of searches"};
  ExperimentTexts experiment_texts;
  LiveHub live{io.get_executor(), clock};
  SharedAnswers shared_answers{io.get_executor(), clock};
  LogPolicies log_policies{trials, experiments, workers};
  LogTriggers log_triggers{clock, webhook_events, workers};
  test::FakeTransport receivers{io.get_executor(), clock};  // of webhooks
  WebhookSender webhook_sender{io.get_executor(), clock, receivers, deliveries, {.signing_key = "key"}};
  Turns webhook_turns{kWebhookTests};
  IdentityProvider identity_provider{io.get_executor(), clock, sign_in_calls ? *sign_in_calls : receivers, workers,
                                     oidc};
  ClusterNotice cluster_notice{clock, cluster_messages};
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
                    &workers};
  ApiServices services{.clock = clock,
                       .stores = {.users = users,
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
                                  .services = StoreTest::services,
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
                                  .records = records},
                       .kubernetes = client,
                       .authenticator = authenticator,
                       .grants = grants,
                       .wakeups = wakeups,
                       .trial_memory = trial_memory,
                       .gate = gate,
                       .all_gather = all_gather,
                       .body_turns = body_turns,
                       .gate_turns = gate_turns,
                       .nodes = nodes,
                       .log_policies = log_policies,
                       .log_triggers = log_triggers,
                       .identity_provider = identity_provider,
                       .webhook_sender = webhook_sender,
                       .code_turns = code_turns,
                       .importance_turns = importance_turns,
                       .webhook_turns = webhook_turns,
                       .cluster_notice = cluster_notice,
                       .audit = audit,
                       .workers = workers,
                       .storage = storage,
                       .downloads = downloads,
                       .replays = replays,
                       .experiment_texts = experiment_texts,
                       .live = live,
                       .shared_answers = shared_answers,
                       .settings = {.ns = "team",
                                    .controller_class = {},
                                    .task_url = "http://det:8080",
                                    .harness_config_map = "det-harness",
                                    .cluster = {.cluster_id = "c",
                                                .cluster_name = "lab",
                                                .master_id = "m",
                                                .sign_in_providers = sign_in_providers(oidc)},
                                    .master = model::read_master_config(nullptr).value().config,
                                    // Nobody reconciles here.
                                    .verb_patience = std::chrono::milliseconds(50),
                                    .removal_patience = std::chrono::milliseconds(400)}};
  http::Router router = make_router(services);
  http::Headers headers;  // of every call
  std::string token;      // of the user determined
  // False while a test sends on purpose what the API does not have and ignores.
  bool is_as_described = true;

 private:
  void compare_with_description(const std::string& route, const http::Request& request, const Answer& answer) const;
};

}  // namespace det::api
