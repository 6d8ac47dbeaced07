#include "main/operator/control_plane.h"

#include <cstdlib>
#include <optional>

#include "accept/gate.h"
#include "api/access/grant_cache.h"
#include "api/agents/node_list.h"
#include "api/allocations/all_gather.h"
#include "api/authenticator.h"
#include "api/body_turns.h"
#include "api/cluster/cluster_notice.h"
#include "api/cluster/database_look.h"
#include "api/experiments/experiment_object.h"
#include "api/experiments/experiment_texts.h"
#include "api/live/live_feed.h"
#include "api/live/live_hub.h"
#include "api/logs/log_policies.h"
#include "api/oidc/identity_provider.h"
#include "api/pages/upstream_pages.h"
#include "api/pages/web_page.h"
#include "api/route_table.h"
#include "api/shared_answers.h"
#include "api/trials/trial_memory.h"
#include "api/wakeups.h"
#include "api/webhooks/log_triggers.h"
#include "api/webhooks/webhook_sender.h"
#include "base/audit_log.h"
#include "base/curl_transport.h"
#include "base/encoding.h"
#include "base/log_level.h"
#include "base/race.h"
#include "k8sclient/leader_elector.h"
#include "main/operator/checkpoint_storage.h"
#include "main/operator/host_address.h"
#include "main/operator/prepare_database.h"
#include "main/operator/servers.h"
#include "main/operator/stores.h"
#include "operator/cluster/harness_bundle.h"
#include "operator/cluster/pool_watch.h"
#include "operator/operator.h"
#include "pg/listener.h"
#include "pods/names.h"
#include "store/channels.h"
#include "store/cluster/live_store.h"
#include "store/logs/log_store.h"
#include "store/metrics/metric_store.h"
#include "store/metrics/metric_writer.h"
#include "store/proxy/service_store.h"
#include "store/users/audit_store.h"

namespace det::main {
namespace {

constexpr int kDatabaseConnections = 6;
constexpr int kUploadThreads = 2;
constexpr std::chrono::hours kSessionSweep{1};
// An API server without HTTP/2 (local mode's) needs a connection for each watch.
constexpr int kWatchConnections = 32;

}  // namespace

// In the order they depend on each other; destroyed the other way round.
struct ControlPlane::Parts {
  Parts(asio::any_io_executor io, ServeOptions wanted)
      : executor(io),
        options(std::move(wanted)),
        pool({.url = options.database_url, .connections = kDatabaseConnections}),
        calls(io),
        watches(io, kWatchConnections),
        metric_writer(io, {.url = options.database_url}),
        log_writer(io, {.url = options.database_url}),
        progress_writer(io, pool, clock) {}

  asio::any_io_executor executor;
  ServeOptions options;
  Logger log{"control-plane"};
  SystemClock clock;

  pg::Pool pool;
  Stores stores{pool};
  store::AuditStore audit_store{pool, clock};
  AuditLog audit{clock};

  CurlTransport calls;
  CurlTransport watches;
  std::shared_ptr<k8s::Config> kubernetes;
  std::optional<k8s::Client> client;      // of the reconcilers
  std::optional<k8s::Client> api_client;  // of REST: its edits carry a field manager of their own
  std::optional<api::NodeList> nodes;

  store::MetricWriter metric_writer;
  store::LogWriter log_writer;
  store::ProgressWriter progress_writer;

  api::Authenticator authenticator{clock, stores.users, stores.sessions, stores.allocations, stores.access_tokens};
  api::GrantCache grants{clock, stores.role_assignments};
  api::Wakeups wakeups{executor};
  api::TrialMemory trial_memory{stores.trials, stores.experiments};
  asio::thread_pool matching{1};  // of logs with what log policies and webhooks look for
  api::LogPolicies log_policies{stores.trials, stores.experiments, matching};
  api::LogTriggers log_triggers{clock, stores.webhook_events, matching};
  CurlTransport webhook_calls{executor};
  api::WebhookSender webhook_sender{executor, clock, webhook_calls, stores.deliveries, options.master.webhooks};
  Turns webhook_turns{api::kWebhookTests};
  api::ClusterNotice cluster_notice{clock, stores.cluster_messages};
  api::AllGather all_gather{executor};
  std::optional<accept::Gate> gate;
  api::BodyTurns body_turns;
  Turns gate_turns{api::kAtTheGate};
  Turns code_turns{1};
  Turns importance_turns{1};
  asio::thread_pool workers{kUploadThreads};
  CurlTransport sign_in_calls{executor};
  api::IdentityProvider identity_provider{executor, clock, sign_in_calls, workers, options.master.oidc};
  CheckpointStorage checkpoint_storage{executor, clock, options.master};
  api::StreamGate downloads{"downloads"};
  api::StreamGate replays{"replays of searches"};
  api::ExperimentTexts experiment_texts;
  api::DatabaseLook database_look{
      clock, [this]() -> Task<bool> { co_return (co_await stores.users.find(model::UserId{1})).has_value(); }};
  store::LiveStore live_store{pool};
  api::LiveHub live{executor, clock};
  api::SharedAnswers shared_answers{executor, clock};
  std::optional<api::WebPage> page;
  std::optional<api::UpstreamPages> upstream_pages;
  std::optional<api::ApiServices> services;
  std::optional<Servers> servers;
  std::optional<op::Operator> reconcilers;
  std::optional<op::PoolWatch> pools;

  bool is_leaving = false;
  bool is_competing = false;  // has the Lease, or may get it
  Signal changed{executor};   // one of these two

  void make_services();
  [[nodiscard]] Status start_servers();
  Task<void> listen_to_database();
  Task<void> remove_expired_sessions();
  Task<void> lead(store::ClusterRow cluster_row);
  Task<void> until_leaving();
  Task<void> until_resigned();
  void use_pools(const std::vector<model::ResourcePool>& objects);
  [[nodiscard]] op::OperatorOptions operator_options();
  [[nodiscard]] std::string home_namespace() const;  // of the Lease and of what is remembered of the database
};

ControlPlane::ControlPlane(asio::any_io_executor executor, ServeOptions options)
    : parts_(std::make_unique<Parts>(executor, std::move(options))) {}

ControlPlane::~ControlPlane() = default;

Status ControlPlane::start() {
  Parts& p = *parts_;
  auto config = p.options.kubeconfig.empty()
                    ? k8s::Config::in_cluster(p.clock)
                    : k8s::Config::from_kubeconfig(p.options.kubeconfig, p.options.context, p.clock);
  DET_TRY(config);
  p.kubernetes = std::move(*config);
  p.client.emplace(p.calls, p.watches, p.kubernetes, p.clock, std::string(pods::kFieldManager));
  p.api_client.emplace(p.calls, p.watches, p.kubernetes, p.clock, std::string(api::kFieldManager));
  p.nodes.emplace(*p.api_client, p.clock);
  if (Status opened = p.audit.open(p.options.master.audit.file); !opened) return opened;
  if (p.options.master.audit.database) {
    p.audit.set_listener([&p](const AuditEvent& event) { p.audit_store.add(event); });
  }
  auto page = api::installed_web_page(p.options.ui_folder);
  if (!page) return std::unexpected(with_context(std::move(page).error(), "--ui-dir"));
  p.page = std::move(*page);
  auto theirs = api::chosen_upstream_pages(p.options.webui_folder);
  if (!theirs) return std::unexpected(with_context(std::move(theirs).error(), "--webui-dir"));
  p.upstream_pages = std::move(*theirs);
  p.make_services();
  p.pools.emplace(
      p.executor, *p.client, p.clock, [&p](const std::vector<model::ResourcePool>& objects) { p.use_pools(objects); },
      [&p] { return p.reconcilers && p.reconcilers->is_leading(); });
  return p.start_servers();
}
Status ControlPlane::Parts::start_servers() {
  servers.emplace(executor, clock, options, stores.proxy_services, *services, kubernetes->server());
  const auto is_prepared = [this] { return !services->settings.cluster.cluster_id.empty(); };
  if (Status started = servers->start(api::make_router(*services), is_prepared); !started) return started;
  const std::uint16_t port = servers->port();
  services->settings.task_url = options.task_url.empty() ? default_task_url(options, port) : options.task_url;
  log.info("listening", {{"address", options.listen_host}, {"port", port}});
  return {};
}

void ControlPlane::Parts::make_services() {
  api::Settings settings;
  const std::string& configured = options.master.default_namespace;
  settings.own_hosts = options.allowed_hosts;
  settings.ns = !configured.empty() ? configured : options.ns.empty() ? kubernetes->default_namespace() : options.ns;
  settings.only_ns = options.ns;
  if (options.controller_class != pods::kDefaultControllerClass) settings.controller_class = options.controller_class;
  // The cluster's id is in the database; run() adds it.
  settings.cluster.cluster_name = options.master.cluster_name;
  settings.cluster.master_id = uuid_v4();
  settings.cluster.shows_roles = options.master.authz.shows_roles;
  settings.cluster.feature_switches = options.master.feature_switches;
  settings.cluster.strict_job_queue = options.master.authz.strict_job_queue;
  settings.cluster.sign_in_providers = api::sign_in_providers(options.master.oidc);
  settings.master = options.master;
  settings.harness_config_map = op::harness_config_map_name();
  gate.emplace(*api_client, clock, stores.for_gate(), &workers);
  services.emplace(
      api::ApiServices{.clock = clock,
                       .stores = stores.for_api(metric_writer, progress_writer, log_writer),
                       .kubernetes = *api_client,
                       .authenticator = authenticator,
                       .grants = grants,
                       .wakeups = wakeups,
                       .trial_memory = trial_memory,
                       .gate = *gate,
                       .all_gather = all_gather,
                       .body_turns = body_turns,
                       .gate_turns = gate_turns,
                       .nodes = *nodes,
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
                       .storage = checkpoint_storage.access(),
                       .downloads = downloads,
                       .replays = replays,
                       .experiment_texts = experiment_texts,
                       .live = live,
                       .shared_answers = shared_answers,
                       .settings = std::move(settings),
                       .page = page ? &*page : nullptr,
                       .upstream_pages = upstream_pages ? &*upstream_pages : nullptr,
                       .load = [this] { return servers ? servers->load() : http::ServerLoad(); },
                       .is_leading = [this] { return reconcilers && reconcilers->is_leading(); },
                       .tasks_missing = [this] { return reconcilers ? reconcilers->tasks_missing() : std::string(); },
                       .has_database = [this] { return database_look.is_there(); },
                       .is_leaving = [this] { return is_leaving; }});
}

// What other processes, and our own stores, did: long polls wake, tokens of ended allocations are looked up again.
Task<void> ControlPlane::Parts::listen_to_database() {
  const auto on_notify = [this](const std::string& channel, const std::string& payload) {
    if (channel == store::kAllocationEndChannel) authenticator.forget_allocation(payload);
    if (channel == store::kUserChannel) authenticator.forget_user({std::strtoll(payload.c_str(), nullptr, 10)});
    if (channel == store::kAccessChannel) grants.forget_all();
    if (channel == store::kStateChannel && payload.starts_with('e')) {
      const model::ExperimentId experiment{std::strtoll(payload.c_str() + 1, nullptr, 10)};
      trial_memory.forget(experiment);
      log_policies.forget(experiment);
    }
    if (channel == store::kSearcherChannel && reconcilers) reconcilers->on_searcher_input(payload);
    if (channel == store::kWebhookChannel) {
      webhook_sender.wake();
      if (payload == "hooks") log_triggers.forget_all();
    }
    if (channel == store::kLogLevelChannel) {
      if (const auto level = store::level_of_payload(payload)) {
        set_log_level(*level);
        log.info("log level changed", {{"level", payload}});
      }
    }
    servers->proxy().on_notify(channel, payload);
    if (channel == store::kTaskChannel && reconcilers) reconcilers->on_task_changed(payload);
    if (channel == store::kRemovalChannel && reconcilers) reconcilers->on_removals_changed();
    if (channel == store::kQueueChannel && reconcilers) reconcilers->on_queue_changed();
    // "<task>.<run>"
    if (channel == store::kAllocationChannel && reconcilers) {
      reconcilers->on_run_changed(payload.substr(0, payload.rfind('.')));
    }
    wakeups.on_notify(channel, payload);
    api::feed_live(live, channel, payload);
  };
  const auto on_connect = [this] {
    authenticator.forget_all();
    grants.forget_all();
    trial_memory.forget_all();
    log_policies.forget_all();
    log_triggers.forget_all();
    webhook_sender.wake();
    servers->proxy().forget_all();
    wakeups.wake_all();
    live.lose();
    if (reconcilers) reconcilers->on_database_back();
  };
  pg::Listener listener(clock, options.database_url, store::all_channels(), on_notify, on_connect);
  co_await listener.run();
}

Task<void> ControlPlane::Parts::remove_expired_sessions() {
  for (;;) {
    const auto removed = co_await stores.sessions.remove_expired();
    if (!removed) log.warn("expired sessions were not removed", {{"error", removed.error().message}});
    if (removed && *removed > 0) log.info("expired sessions were removed", {{"sessions", *removed}});
    co_await clock.sleep_for(kSessionSweep);
  }
}

std::string ControlPlane::Parts::home_namespace() const {
  if (!options.lease_namespace.empty()) return options.lease_namespace;
  return options.ns.empty() ? kubernetes->default_namespace() : options.ns;
}

op::OperatorOptions ControlPlane::Parts::operator_options() {
  op::OperatorOptions wanted;
  wanted.ns = options.ns;
  wanted.controller_class = options.controller_class;
  wanted.is_default_class = options.controller_class == pods::kDefaultControllerClass;
  wanted.default_owner = options.default_owner;
  wanted.home_ns = home_namespace();
  wanted.default_ns = services->settings.ns;
  wanted.audit = &audit;
  return wanted;
}

Task<void> ControlPlane::Parts::lead(store::ClusterRow cluster_row) {
  pods::PodSettings settings;
  settings.task_url = services->settings.task_url;
  settings.cluster_id = cluster_row.cluster_id;
  settings.harness_config_map = op::harness_config_map_name();
  settings.controller_class = options.controller_class;
  settings.master = services->settings.master;
  reconcilers.emplace(executor, *client, clock, stores.for_operator(log_writer), *gate, std::move(settings),
                      operator_options());
  // Without its pool's nodes a pod could start anywhere.
  co_await pools->wait_known();

  k8s::LeaderElectionOptions election;
  election.lease = {.ns = home_namespace(), .name = options.controller_class};
  election.identity = options.identity.empty() ? host_name("det-operator") : options.identity;
  k8s::LeaderElector elector(*client, clock, executor, std::move(election));
  if (is_leaving) co_return;
  is_competing = true;
  auto competing = elector.run([this]() -> Task<void> { return reconcilers->lead(); });
  auto leaving = until_leaving();
  co_await first_of(std::move(competing), std::move(leaving));
  is_competing = false;
  changed.notify_all();
}

Task<void> ControlPlane::Parts::until_leaving() {
  while (!is_leaving) co_await changed.wait(changed.version(), std::chrono::hours(24));
}

Task<void> ControlPlane::Parts::until_resigned() {
  while (is_competing) co_await changed.wait(changed.version(), std::chrono::hours(24));
}

void ControlPlane::Parts::use_pools(const std::vector<model::ResourcePool>& objects) {
  services->settings.master = model::with_pools(options.master, objects);
  nodes->forget();
  if (reconcilers) reconcilers->set_master(services->settings.master);
}

Task<void> ControlPlane::run() {
  Parts& p = *parts_;
  auto row = co_await wait_for_database(p.clock, p.stores, p.workers, p.options);
  p.services->settings.cluster.cluster_id = row.cluster_id;
  std::vector<Task<void>> parts;
  parts.push_back(p.listen_to_database());
  parts.push_back(p.database_look.run());
  parts.push_back(p.remove_expired_sessions());
  parts.push_back(p.webhook_sender.run());
  parts.push_back(
      p.live.run([&p](std::vector<std::string> payloads) { return p.live_store.tell(std::move(payloads)); }));
  if (p.options.master.audit.database) parts.push_back(p.audit_store.run(p.options.master.audit.retention_days));
  parts.push_back(p.pools->run());
  parts.push_back(p.servers->proxy().run());
  parts.push_back(p.lead(std::move(row)));
  co_await all_of(std::move(parts));
}

bool ControlPlane::has_page() const {
  return parts_->page.has_value();
}

Task<void> ControlPlane::leave(std::chrono::milliseconds linger) {
  Parts& p = *parts_;
  p.is_leaving = true;
  p.changed.notify_all();
  std::vector<Task<void>> parts;
  parts.push_back(p.until_resigned());
  if (linger.count() > 0) parts.push_back(p.clock.sleep_for(linger));
  co_await all_of(std::move(parts));
}

Task<void> ControlPlane::stop() {
  if (parts_->servers) co_await parts_->servers->stop();
}

}  // namespace det::main
