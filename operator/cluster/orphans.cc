#include "operator/cluster/orphans.h"

#include <string>
#include <utility>
#include <vector>

#include "model/cluster/task_namespaces.h"
#include "operator/gang/pod_exit.h"
#include "operator/trial/trial_retirement.h"
#include "pods/names.h"
#include "pods/pull_secret.h"

namespace det::op {
namespace {

std::string base_name(const WorkloadKey& owner) {
  return owner.kind == WorkloadKind::kTask ? pods::task_base_name(owner.key.name) : owner.key.name;
}

}  // namespace

Task<Status> Orphans::remove() {
  DET_CO_TRY(co_await remove_trials());
  co_return co_await remove_pods();
}

Task<Status> Orphans::remove_trials() {
  std::vector<std::pair<k8s::ObjectKey, std::string>> found;
  services_.informers.trials.each([&](const k8s::ObjectKey& key, const KeptTrial& trial) {
    const bool is_orphan = trial.head.owner_uid.empty() && !trial.head.deleting && !is_finished(trial);
    if (is_orphan && is_ours_to_remove(key)) found.emplace_back(key, trial.head.uid);
  });
  for (auto& [key, uid] : found) {
    k8s::DeleteOptions options;
    options.uid = std::move(uid);
    DET_CO_TRY(co_await services_.client.remove(k8s::trials(), key, std::move(options)));
    log_.info("trial deleted that no experiment owns any more", {{"object", to_string(key)}});
  }
  co_return Status{};
}

Task<Status> Orphans::remove_pods() {
  const WallTime now = services_.clock.wall_now();
  std::vector<PodFacts> found;
  services_.informers.pods.each([&](const k8s::ObjectKey& key, const PodFacts& pod) {
    const bool is_orphan = pod.owner_uid.empty() && !pod.owner.key.name.empty() && !pod.deleting;
    if (is_orphan && is_alive(pod, now) && is_ours_to_remove(key)) found.push_back(pod);
  });
  for (const PodFacts& pod : found) {
    const auto owned = co_await has_owner(pod);
    DET_CO_TRY(owned);
    if (*owned) continue;
    // The Secrets first: without the pod nothing would name them any more.
    const std::string base = base_name(pod.owner);
    for (std::string name : {pods::allocation_secret_name(base, pod.run), pods::pull_secret_name(base, pod.run),
                             pods::files_secret_name(base, pod.run)}) {
      DET_CO_TRY(co_await services_.client.remove(k8s::secrets(), {.ns = pod.key.ns, .name = std::move(name)}, {}));
    }
    k8s::DeleteOptions options;
    options.uid = pod.uid;
    DET_CO_TRY(co_await services_.client.remove(k8s::pods(), pod.key, std::move(options)));
    log_.info("pod deleted whose trial or task is gone", {{"pod", to_string(pod.key)}});
  }
  co_return Status{};
}

// Our copies may be behind: the server knows.
Task<Result<bool>> Orphans::has_owner(const PodFacts& pod) {
  const auto found = co_await services_.client.get(resource_of(pod.owner.kind), pod.owner.key);
  if (!found && found.error().code != ErrorCode::kNotFound) co_return std::unexpected(found.error());
  co_return found.has_value();
}

bool Orphans::is_ours_to_remove(const k8s::ObjectKey& key) const {
  return model::is_task_namespace(services_.settings.master.task_namespaces, key.ns);
}

}  // namespace det::op
