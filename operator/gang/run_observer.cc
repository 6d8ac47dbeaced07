#include "operator/gang/run_observer.h"

#include <algorithm>

#include "pods/names.h"

namespace det::op {
namespace {

bool is_of(const PodFacts& pod, const RunObserver::Run& run) {
  return pod.run == run.run && (pod.owner_uid.empty() || pod.owner_uid == run.owner_uid);
}

}  // namespace

void RunObserver::note_gone(const PodFacts& pod) {
  auto& of_owner = gone_[to_string(pod.owner)];
  const auto known = of_owner.find(pod.rank);
  if (known == of_owner.end() || known->second.run <= pod.run) of_owner.insert_or_assign(pod.rank, pod);
}

Task<Result<GangState>> RunObserver::observe(Run run) {
  const std::string owner = to_string(run.owner);
  if (!run.is_open) gone_.erase(owner);
  GangExpectation expected;
  expected.size = run.size;
  expected.now = clock_.wall_now();
  for (const auto& resource : run.resources) {
    if (!resource.pod_name.empty()) expected.created.insert(resource.rank);
    if (resource.daemon) expected.daemons.insert(resource.rank);
  }
  if (const auto gone = gone_.find(owner); gone != gone_.end()) {
    for (const auto& [rank, pod] : gone->second) {
      if (is_of(pod, run)) expected.gone.emplace(rank, pod);
    }
  }
  std::vector<PodFacts> pods;
  for (const auto& [key, pod] : pods_.by_index(kByWorkload, owner)) {
    if (is_of(*pod, run)) pods.push_back(*pod);
  }
  std::optional<WallTime> ask_again_at;
  if (run.is_open && !run.has_verdict) ask_again_at = co_await set_up_.explain(pods);
  GangState state = observe_gang(std::move(pods), expected);
  if (ask_again_at) state.look_again_at = std::min(state.look_again_at.value_or(*ask_again_at), *ask_again_at);
  if (run.has_verdict || !state.exit || state.exit->reason != kPodVanished) co_return state;
  // Our copy may be behind: the pod may be new, not gone. Only the server knows.
  k8s::ListOptions options;
  options.ns = run.owner.key.ns;
  options.label_selector = label_of(run.owner.kind) + "=" + run.owner.key.name + "," + std::string(pods::kLabelRun) +
                           "=" + std::to_string(run.run);
  auto listed = co_await client_.list(k8s::pods(), options);
  DET_CO_TRY(listed);
  std::vector<PodFacts> fresh;
  for (const nlohmann::json& pod : listed->items) {
    PodFacts seen = see_pod(pod, expected.now);
    if (!is_of(seen, run)) continue;
    fresh.push_back(std::move(seen));
    const PodFacts* before = pods_.find(fresh.back().key);
    if (before != nullptr) carry_over(*before, fresh.back());
  }
  co_return observe_gang(std::move(fresh), expected);
}

}  // namespace det::op
