#include "accept/pod_trial.h"

#include <chrono>
#include <utility>

#include "base/encoding.h"
#include "k8sclient/resource.h"

namespace det::accept {
namespace {

// Quotas and policies change; a run's own pods are refused by them all the same.
constexpr std::chrono::seconds kHolds{60};

}  // namespace

Task<Result<std::optional<Objection>>> PodTrial::run(std::string ns, nlohmann::json pod) {
  const std::string key = sha256_hex(ns + "/" + pod.dump());
  const SteadyTime now = clock_.steady_now();
  if (const SteadyTime* until = taken_.find(key); until != nullptr && *until > now) {
    co_return std::optional<Objection>();
  }
  k8s::WriteOptions options;
  options.dry_run = true;
  options.strict_fields = true;
  auto tried = co_await kubernetes_.create(k8s::pods(), ns, std::move(pod), options);
  if (tried || tried.error().code == ErrorCode::kAlreadyExists) {
    taken_.put(key, now + kHolds);
    co_return std::optional<Objection>();
  }
  Objection refused{.reason = RefusalReason::kPodRejected,
                    .part = Part::kPod,
                    .errors = {with_context(tried.error(), "the Kubernetes API would refuse the pod")}};
  refused.errors.front().field.clear();
  switch (tried.error().code) {
    case ErrorCode::kInvalidArgument:
      co_return std::optional<Objection>(std::move(refused));
    case ErrorCode::kPermissionDenied:  // a quota or a policy, which can change
      refused.may_pass = true;
      co_return std::optional<Objection>(std::move(refused));
    default:
      co_return std::unexpected(with_context(std::move(tried).error(), "dry run of the pod"));
  }
}

}  // namespace det::accept
