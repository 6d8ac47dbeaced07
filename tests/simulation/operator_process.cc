#include "tests/simulation/operator_process.h"

#include <utility>

#include "operator/cluster/harness_bundle.h"
#include "pods/names.h"
#include "store/channels.h"

namespace det::simulation {
namespace {

constexpr const char* kHome = "default";

pods::PodSettings settings_of(const model::MasterConfig& master) {
  return {.task_url = "http://det-operator.default.svc:8080",
          .cluster_id = "simulation",
          .harness_config_map = op::harness_config_map_name(),
          .controller_class = std::string(pods::kDefaultControllerClass),
          .master = master};
}

op::OperatorOptions options_of() {
  op::OperatorOptions options;
  options.controller_class = pods::kDefaultControllerClass;
  options.home_ns = kHome;
  options.default_ns = kHome;
  return options;
}

}  // namespace

Task<Status> Lines::write(std::string, std::vector<store::LogLine> lines, std::chrono::nanoseconds) {
  for (store::LogLine& line : lines) {
    if (kept_ != nullptr) kept_->push_back(std::move(line.text));
  }
  co_return Status();
}

OperatorProcess::OperatorProcess(asio::any_io_executor executor, test::FakeApiServer& server, test::FakeClock& clock,
                                 Draw& draw, FaultPlan& plan, ProcessOptions options)
    : identity_(options.identity),
      turns_(&plan, std::move(options.outage), options.consequences.killed, options.consequences.usurped),
      pool_(turns_.pool_options(*options.database)),
      lines_(options.lines),
      calls_(executor, server, clock, draw, plan, std::move(options.consequences)),
      client_(calls_, calls_, server.config(), clock, std::string(pods::kFieldManager)),
      gate_(client_, clock,
            accept::GateStores{.templates = templates_,
                               .workspaces = workspaces_,
                               .config_policies = config_policies_,
                               .pool_bindings = pool_bindings_,
                               .checkpoints = checkpoints_,
                               .contexts = contexts_,
                               .experiments = experiments_,
                               .trials = trials_,
                               .webhooks = webhooks_},
            nullptr),
      operator_(executor, client_, clock,
                op::OperatorStores{.cluster = cluster_,
                                   .users = users_,
                                   .contexts = contexts_,
                                   .experiments = experiments_,
                                   .trials = trials_,
                                   .allocations = allocations_,
                                   .checkpoints = checkpoints_,
                                   .searcher = searcher_,
                                   .logs = lines_,
                                   .templates = templates_,
                                   .config_policies = config_policies_,
                                   .workspaces = workspaces_,
                                   .tasks = tasks_,
                                   .services = services_,
                                   .removals = removals_,
                                   .log_retention = log_retention_,
                                   .unmanaged = unmanaged_,
                                   .queue_places = queue_places_},
                gate_, settings_of(options.master), options_of()),
      elector_(client_, clock, executor,
               k8s::LeaderElectionOptions{.lease = {.ns = kHome, .name = std::string(pods::kDefaultControllerClass)},
                                          .identity = options.identity}),
      group_(executor) {
  calls_.write_each(options.write_each);
}

void OperatorProcess::start() {
  group_.spawn("operator " + identity_, elector_.run([this]() -> Task<void> { return operator_.lead(); }));
}

void OperatorProcess::on_notify(const std::string& channel, const std::string& payload) {
  if (channel == store::kSearcherChannel) operator_.on_searcher_input(payload);
  if (channel == store::kTaskChannel) operator_.on_task_changed(payload);
  if (channel == store::kRemovalChannel) operator_.on_removals_changed();
}

void OperatorProcess::kill() {
  if (is_dead_) return;
  is_dead_ = true;
  turns_.end();
  turns_.hold(false);
  calls_.cut_off(true);
  group_.cancel();
}

void OperatorProcess::cut_off(bool is_cut_off) {
  if (is_dead_) return;
  calls_.cut_off(is_cut_off);
  turns_.hold(is_cut_off);
}

}  // namespace det::simulation
