#include "operator/gang/half_gangs.h"

#include <algorithm>
#include <utility>

#include "base/json_get.h"

namespace det::op {
namespace {

using nlohmann::json;
using std::chrono::seconds;

constexpr seconds kRetry{10};

bool is_of(const json& pod, const GangRequest& gang) {
  const json& owners = get_array(get_any(pod, "metadata"), "ownerReferences");
  const std::string name = get_string(get_any(pod, "metadata"), "name");
  const auto is_owner = [&](const json& owner) { return get_string(owner, "uid") == gang.owner_uid; };
  if (!std::ranges::any_of(owners, is_owner)) return false;
  for (int rank = 0; rank < gang.size; ++rank) {
    if (name == gang.name + "-" + std::to_string(rank)) return true;
  }
  return false;
}

}  // namespace

std::optional<GangWait> HalfGangs::back_off_of(const WorkloadKey& owner) const {
  const std::string key = to_string(owner);
  const BackOff* const state = back_offs_.find(key);
  const auto found = waits_.find(key);
  const SteadyTime now = clock_.steady_now();
  if (state == nullptr || found == waits_.end() || now >= state->until) return std::nullopt;
  GangWait wait = found->second;
  wait.retry_in = std::chrono::ceil<seconds>(state->until - now);
  return wait;
}

Task<Result<std::optional<GangWait>>> HalfGangs::forbidden(GangRequest gang, GangWait wait) {
  auto found = co_await find(gang);
  DET_CO_TRY(found);
  // Our copy was behind: what a pod takes of a quota forbids it a second time before it is found to be there.
  if (found->pods.size() == static_cast<std::size_t>(gang.size)) co_return std::nullopt;
  wait.retry_in = kRetry;
  // What a task has begun it does not begin again.
  const bool may_go = gang.owner.kind == WorkloadKind::kTrial || !found->has_begun;
  if (found->pods.empty() || !may_go) co_return wait;
  co_return co_await withdraw(gang, std::move(*found), std::move(wait));
}

Task<Result<std::optional<GangWait>>> HalfGangs::withdraw(GangRequest gang, GangWait wait) {
  auto found = co_await find(gang);
  DET_CO_TRY(found);
  co_return co_await withdraw(gang, std::move(*found), std::move(wait));
}

// Its programs wait for each other, and have done nothing yet.
Task<GangWait> HalfGangs::withdraw(const GangRequest& gang, Found found, GangWait wait) {
  auto removed = co_await remove_pods(client_, gang.owner.key.ns, std::move(found.pods));
  if (!removed) log_.warn("pods of a withdrawn gang stay", {{"error", removed.error().message}});
  const SteadyTime now = clock_.steady_now();
  back_offs_.forget_old(now);
  const BackOff& state = back_offs_.add(to_string(gang.owner), wait.message, now);
  wait.retry_in = std::chrono::ceil<seconds>(state.until - now);
  waits_.insert_or_assign(to_string(gang.owner), wait);
  co_return wait;
}

Task<Result<HalfGangs::Found>> HalfGangs::find(const GangRequest& gang) {
  k8s::ListOptions options;
  options.ns = gang.owner.key.ns;
  options.label_selector = label_of(gang.owner.kind) + "=" + gang.owner.key.name;
  const auto listed = co_await client_.list(k8s::pods(), options);
  DET_CO_TRY(listed);
  Found found;
  for (const json& pod : listed->items) {
    const bool is_going = get_any(get_any(pod, "metadata"), "deletionTimestamp").is_string();
    if (is_going || !is_of(pod, gang)) continue;
    const std::string phase = get_string(get_any(pod, "status"), "phase");
    found.has_begun = found.has_begun || !(phase.empty() || phase == "Pending");
    found.pods.push_back(made_pod(pod));
  }
  co_return found;
}

}  // namespace det::op
