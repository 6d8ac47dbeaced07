#include "operator/trial/trial_facts.h"

#include <algorithm>

#include <nlohmann/json.hpp>

#include "model/slots.h"
#include "pods/names.h"

namespace det::op {
namespace {

// Below the range the kernel takes ports for outgoing connections from, 8 ports a block.
constexpr int kFirstPort = 14'000;
constexpr int kPortsPerBlock = 8;
constexpr int kPortBlocks = 2'000;

}  // namespace

int pods_of(const ObservedTrial& trial, const model::MasterConfig& master) {
  if (trial.pods > 0) return trial.pods;
  const auto shape = model::gang_shape(trial.slots, master.max_slots_per_pod);
  return shape ? shape->pods : 1;
}

std::optional<GangWait> wait_for_pool(const pods::PodSettings& settings, const model::ResourcesConfig& resources) {
  constexpr std::chrono::seconds kLookAgain{30};
  const std::string pool = pods::pool_of(settings, resources);
  const std::vector<std::string> known = model::pool_names(settings.master);
  if (std::ranges::find(known, pool) != known.end()) return std::nullopt;
  GangWait waits;
  waits.reason = "ResourcePoolNotFound";
  waits.message = "resource pool " + pool + " does not exist any more; the trial goes on when it is there again";
  waits.tree = {{"code", waits.reason}, {"message", waits.message}, {"subject", pool}};
  waits.retry_in = kLookAgain;
  return waits;
}

TrialFacts trial_facts(const ObservedTrial& object, const ObservedExperiment* owner, const store::TrialRow& row,
                       const std::optional<store::AllocationRow>& allocation, const model::ExperimentConfig& config) {
  TrialFacts facts;
  facts.state = row.state;
  facts.run = row.run;
  facts.restarts = row.restarts;
  facts.no_retry = row.logs.no_retry;
  facts.max_restarts = static_cast<int>(config.max_restarts);
  facts.stop = object.stop;
  facts.has_invalid_hp =
      row.early_exit == "EXITED_REASON_INVALID_HP" || row.early_exit == "EXITED_REASON_INIT_INVALID_HP";
  facts.stopped_by_searcher = row.state == model::TrialState::kStoppingCompleted;
  facts.asks_for_work = row.work.is_asked_for;
  facts.has_worked = row.work.completed > 0;
  facts.awaits_work = row.work.is_awaited();
  facts.work_is_over = row.work.is_over();
  if (owner != nullptr) {
    facts.suspend = owner->suspend;
    // The harsher of the two requests counts.
    facts.stop = std::max(facts.stop, owner->stop);
  }
  if (config.preemption_timeout.count() > 0) facts.preemption_timeout = config.preemption_timeout;
  if (allocation) {
    facts.run_is_open = !allocation->ended_at;
    facts.is_ready = allocation->ready_at.has_value();
    facts.preempt_requested_at = allocation->preempt_requested_at;
    facts.preempt_acked = allocation->preempt_acked_at.has_value();
    facts.has_verdict = allocation->verdict.has_value();
    facts.last_run_was_good = allocation->ended_at && allocation->exit_code == 0;
  }
  return facts;
}

k8s::EventSubject subject_of(const ObservedTrial& trial) {
  return {.resource = k8s::trials(), .key = trial.key, .uid = trial.uid};
}

store::TrialEnd abandoned(const store::TrialRow& trial, std::string why) {
  store::TrialEnd end{.state = model::TrialState::kCanceled, .reason = std::move(why), .run = {}};
  if (trial.run > 0) end.run = store::TrialExit{.run = trial.run, .reason = end.reason};
  return end;
}

int port_block(const model::MasterConfig& master, model::TrialId trial) {
  if (!master.host_network_ports) return 0;
  return kFirstPort + static_cast<int>(trial.value % kPortBlocks) * kPortsPerBlock;
}

pods::TaskPorts ports_at(int port_base) {
  if (port_base == 0) return {};
  return {.dtrain_ssh = port_base, .trial_comm_1 = port_base + 1, .trial_comm_2 = port_base + 2, .c10d = port_base + 3};
}

std::vector<store::ResourceRow> resource_rows(const std::string& allocation_id, const std::string& trial_object,
                                              int run, int size, int slots_per_pod, const std::vector<PodFacts>& pods) {
  std::vector<store::ResourceRow> rows;
  for (int rank = 0; rank < size; ++rank) {
    store::ResourceRow row;
    row.rank = rank;
    row.resources_id = pods::resources_id(allocation_id, rank);
    row.pod_name = pods::pod_name(trial_object, run, rank);
    row.slots = slots_per_pod;
    for (const PodFacts& pod : pods) {
      if (pod.rank != rank) continue;
      row.node = pod.node;
      row.ip = pod.ip;
    }
    rows.push_back(std::move(row));
  }
  return rows;
}

std::optional<WallTime> bind_deadline(const std::vector<PodFacts>& pods, std::optional<std::chrono::seconds> limit) {
  if (!limit) return std::nullopt;
  std::optional<WallTime> first;
  for (const PodFacts& pod : pods) {
    if (pod.created && (!first || *pod.created < *first)) first = pod.created;
  }
  if (!first) return std::nullopt;
  return *first + *limit;
}

}  // namespace det::op
