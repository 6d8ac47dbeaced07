#pragma once

// Pods of what was accepted before: a policy may have become stricter since, by an upgrade or an administrator. What
// runs goes on; the next run waits until the policy allows it. Pure.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include <nlohmann/json.hpp>

#include "operator/gang/gang_backend.h"
#include "pods/pod_builder.h"

namespace det::op {

// The reason of a wait for pod_policy, which needs somebody's attention.
inline constexpr std::string_view kPodPolicyWait = "PodPolicy";

// What decides whether an accepted workload's pods may still be made.
struct StoredPod {
  std::string_view whose;  // for people: "trial", "task"
  std::string ns;
  std::int64_t slots = 0;
  std::string pool;                       // as the configuration names it; empty: a default one
  const nlohmann::json& config;           // accepted: also what the defaults of then gave
  std::optional<nlohmann::json> written;  // what people wrote; nothing where that is not known apart: all of `config`
                                          // counts then that today's defaults do not have, too
  const nlohmann::json& source;           // as accept/model_code.h loads it
};

// Nothing when they may.
[[nodiscard]] std::optional<GangWait> wait_for_policy(const pods::PodSettings& settings, const StoredPod& pod);

}  // namespace det::op
