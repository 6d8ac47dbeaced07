#include "operator/gang/run_pods.h"

#include <utility>
#include <vector>

#include "base/encoding.h"
#include "base/json_get.h"
#include "operator/cluster/harness_bundle.h"
#include "operator/gang/gang_backend.h"
#include "pods/names.h"
#include "pods/pull_secret.h"

namespace det::op {
namespace {

using nlohmann::json;

// What upstream gives a killed task, too.
constexpr int kKillGraceSeconds = 15;
constexpr std::chrono::seconds kBundleTrusted{10};
constexpr std::chrono::minutes kSecretsTrusted{5};  // somebody may have deleted one

// It was random when the Secret was first made, and the database holds its hash only.
Result<std::string> secret_value(const json& secret, const char* name) {
  auto decoded = base64_decode(get_string(get_any(secret, "data"), name));
  if (!decoded || decoded->empty()) {
    return fail(ErrorCode::kDataLoss, "the run's Secret has no " + std::string(name) + "; delete the Secret to go on");
  }
  return decoded;
}

}  // namespace

Task<Result<RunPods::Tokens>> RunPods::ensure_secret(pods::TaskRequest request) {
  if (request.run > 1) {
    pods::TaskRequest before = request;
    --before.run;
    co_await remove_secrets(std::move(before));
  }
  request.token = random_token(32);
  request.user_token = random_token(32);
  json wanted = pods::build_secret(settings_, request);
  auto secret = co_await create_owned(client_, k8s::secrets(), request.object.ns, std::move(wanted));
  if (!secret) co_return std::unexpected(with_context(std::move(secret).error(), "create the run's Secret"));
  auto session = secret_value(*secret, "DET_SESSION_TOKEN");
  DET_CO_TRY(session);
  auto user = secret_value(*secret, "DET_USER_TOKEN");
  DET_CO_TRY(user);
  co_return Tokens{.session = std::move(*session), .user = std::move(*user)};
}

// As far as it can be done: no run waits for that, and what is left goes with the Trial or Task. A Role of before lets
// nobody.
Task<void> RunPods::remove_secrets(pods::TaskRequest request) {
  // A gang of several has files, its keys for ssh, that are added later.
  std::vector<std::string> names = {pods::allocation_secret_name(request.base_name, request.run),
                                    pods::files_secret_name(request.base_name, request.run)};
  if (auto pull = pods::pull_secret_name(request)) names.push_back(std::move(*pull));
  for (const std::string& name : names) {
    const Status removed = co_await client_.remove(k8s::secrets(), {.ns = request.object.ns, .name = name}, {});
    if (removed) continue;
    const Logger log("operator");
    log.debug("a Secret of the run before stays", {{"secret", name}, {"error", removed.error().message}});
  }
}

Task<Status> RunPods::ensure_more_secrets(const pods::TaskRequest& request) {
  const SteadyTime now = clock_.steady_now();
  const SteadyTime* const seen = more_secrets_.find(request.allocation_id);
  if (seen != nullptr && now - *seen < kSecretsTrusted) co_return Status{};
  for (json& secret : pods::build_more_secrets(settings_, request)) {
    const std::string what = "create Secret " + get_string(get_any(secret, "metadata"), "name");
    auto kept = co_await create_owned(client_, k8s::secrets(), request.object.ns, std::move(secret));
    if (!kept) co_return std::unexpected(with_context(std::move(kept).error(), what));
  }
  more_secrets_.put(request.allocation_id, now);
  co_return Status{};
}

// Every look fetches all of it, and a search makes hundreds of gangs one after another.
Task<Status> RunPods::ensure_bundle(std::string ns) {
  const SteadyTime now = clock_.steady_now();
  const auto seen = bundles_.find(ns);
  if (seen != bundles_.end() && now - seen->second < kBundleTrusted) co_return Status{};
  auto ensured = co_await ensure_harness_bundle(client_, ns, settings_.harness_config_map);
  if (ensured) bundles_.insert_or_assign(ns, now);
  co_return ensured;
}

Task<Status> RunPods::remove(const GangState& gang, std::string reason, Logger log) {
  for (const PodFacts& pod : gang.pods) {
    if (pod.deleting || !is_alive(pod, clock_.wall_now())) continue;
    k8s::DeleteOptions options;
    options.uid = pod.uid;
    options.grace_period_seconds = kKillGraceSeconds;
    auto removed = co_await client_.remove(k8s::pods(), pod.key, options);
    if (!removed) co_return std::unexpected(with_context(std::move(removed).error(), "delete pod " + pod.key.name));
    log.info("pod deleted", {{"pod", to_string(pod.key)}, {"reason", reason}});
  }
  co_return Status{};
}

Task<Status> RunPods::remove_old(WorkloadKey owner, int run, bool run_is_open) {
  struct Old {
    k8s::ObjectKey key;
    std::string uid;
    bool is_lost;
  };
  std::vector<Old> old;
  const WallTime now = clock_.wall_now();
  for (const auto& [key, pod] : pods_.by_index(kByWorkload, to_string(owner))) {
    const bool is_over = pod->run != run || !run_is_open;
    const bool lost = is_over && is_lost(*pod, now);
    if (lost || (pod->run != run && !pod->deleting)) old.push_back({key, pod->uid, lost});
  }
  for (const auto& [key, uid, lost] : old) {
    k8s::DeleteOptions options;
    options.uid = uid;
    // Its token is dead: should the node come back, the program can report nothing any more.
    if (lost) options.grace_period_seconds = 0;
    DET_CO_TRY(co_await client_.remove(k8s::pods(), key, options));
  }
  co_return Status{};
}

void note_tokens(AuditLog* audit, const pods::TaskRequest& request) {
  if (audit == nullptr) return;
  audit->record({.at = {},
                 .action = "token.create",
                 .user = request.owner,
                 .token = {},
                 .object = "allocations/" + request.allocation_id,
                 .from = {},
                 .forwarded = {},
                 .status = 0,
                 .reason = {}});
}

}  // namespace det::op
