#include "operator/gang/gang_pods.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "operator/gang/run_log.h"
#include "pods/code_source.h"

namespace det::op {
namespace {

GangRequest request_of(const GangOfRun& gang) {
  return {.owner = gang.owner,
          .owner_uid = gang.owner_uid,
          .name = gang.shape.base_name + "-" + std::to_string(gang.shape.run),
          .size = gang.shape.pods,
          .priority = gang.priority,
          .job = gang.job,
          .order = gang.order,
          .pods = {}};
}

}  // namespace

Task<Result<GangPods::Made>> GangPods::create(GangOfRun gang, pods::TaskRequest request, nlohmann::json source,
                                              GangState seen, std::string shown_wait) {
  DET_CO_TRY(co_await runs_.ensure_bundle(request.object.ns));
  const k8s::EventSubject subject = subject_of(gang.owner, gang.owner_uid);
  Made made;
  GangRequest missing = request_of(gang);
  for (int rank = 0; rank < request.num_pods; ++rank) {
    const auto is_rank = [rank](const PodFacts& pod) { return pod.rank == rank; };
    if (std::ranges::any_of(seen.pods, is_rank)) continue;
    missing.pods.push_back(pods::build_pod(services_.settings, request, rank));
    pods::add_code_source(missing.pods.back(), source);
  }
  if (!missing.pods.empty()) made.pod_spec = pods::shown_pod_spec(missing.pods.front());
  auto created = co_await backend_.create(std::move(missing));
  if (!created && created.error().code == ErrorCode::kInvalidArgument) {
    made.refused = std::move(created).error().message;
    co_return made;
  }
  if (!created) {
    // What is forbidden the reconcilers tell, with what else they need for pods.
    if (created.error().code != ErrorCode::kPermissionDenied) {
      services_.events.publish(subject, k8s::EventType::kWarning, kPodsNotCreated, created.error().message);
    }
    co_return std::unexpected(std::move(created).error());
  }
  if (*created) {
    if (shown_wait != (*created)->reason) {
      services_.events.publish(subject, k8s::EventType::kNormal, "GangWaits", (*created)->message);
      co_await log_wait(request.task_id, request.allocation_id, **created);
    }
    DET_CO_TRY(co_await runs_.remove_old(gang.owner, gang.shape.run, true));
    made.waits = std::move(*created);
    co_return made;
  }
  DET_CO_TRY(co_await services_.stores.allocations.note_pods(request.allocation_id, model::AllocationState::kPending,
                                                             resource_rows(gang.shape, seen.pods)));
  co_return made;
}

Task<void> GangPods::log_wait(std::string task_id, std::string allocation_id, const GangWait& waits) {
  if (!notes_.is_new(allocation_id, waits.reason)) co_return;
  co_await write_run_log(services_.stores.logs, services_.clock, std::move(task_id), std::move(allocation_id),
                         "Waiting to be scheduled: " + waits.message);
}

// Its slots wait with it, for minutes or for ever, and the pod itself tells only who asks for it.
Task<void> GangPods::tell_cannot_start(const GangOfRun& gang, const GangState& seen,
                                       const store::AllocationRow& allocation) {
  if (!notes_.is_new(allocation.id, seen.waiting_reason)) co_return;
  services_.events.publish(subject_of(gang.owner, gang.owner_uid), k8s::EventType::kWarning, "PodCannotStart",
                           seen.waiting_message);
  co_await write_run_log(services_.stores.logs, services_.clock, allocation.task_id, allocation.id,
                         "Waiting to start: " + seen.waiting_message);
}

Task<Status> GangPods::keep(GangOfRun gang) {
  co_return co_await backend_.keep(request_of(gang));
}

Task<Result<bool>> GangPods::follow(GangOfRun gang, GangState seen, store::AllocationRow allocation,
                                    std::vector<store::ResourceRow> known) {
  auto rows = resource_rows(gang.shape, seen.pods);
  const auto differs = [&](const store::ResourceRow& row) {
    return std::ranges::none_of(known, [&](const store::ResourceRow& other) {
      return other.rank == row.rank && other.node == row.node && other.ip == row.ip && other.pod_name == row.pod_name;
    });
  };
  if (seen.cannot_start) co_await tell_cannot_start(gang, seen, allocation);
  const bool moves = model::may_become(allocation.state, seen.reached);
  if (moves || std::ranges::any_of(rows, differs)) {
    const model::AllocationState to = moves ? seen.reached : allocation.state;
    DET_CO_TRY(co_await services_.stores.allocations.note_pods(allocation.id, to, std::move(rows)));
  }
  DET_CO_TRY(co_await runs_.remove_old(gang.owner, gang.shape.run, true));
  co_return moves;
}

std::optional<GangWait> wait_for_pool(const pods::PodSettings& settings, const model::ResourcesConfig& resources) {
  constexpr std::chrono::seconds kLookAgain{30};
  const std::string pool = pods::pool_of(settings, resources);
  const std::vector<std::string> known = model::pool_names(settings.master);
  GangWait waits;
  if (std::ranges::find(known, pool) == known.end()) {
    waits.reason = "ResourcePoolNotFound";
    waits.message = "resource pool " + pool + " does not exist any more; it goes on when that is there again";
  } else if (const model::ResourcePool* found = model::find_pool(pool, settings.master);
             found != nullptr && !found->objection.empty()) {
    // Its defaults and its policy are not known: the cluster's are others.
    waits.reason = "InvalidResourcePool";
    waits.message = "resource pool " + pool + " is invalid; it goes on when that is mended: " + found->objection;
  } else {
    return std::nullopt;
  }
  waits.tree = {{"code", waits.reason}, {"message", waits.message}, {"subject", pool}};
  waits.retry_in = kLookAgain;
  return waits;
}

k8s::EventSubject subject_of(const WorkloadKey& workload, const std::string& uid) {
  return {.resource = resource_of(workload.kind), .key = workload.key, .uid = uid};
}

}  // namespace det::op
