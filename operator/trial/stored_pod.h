#pragma once

// Pods of experiments that were accepted before: a policy may have become stricter since, by an upgrade or an
// administrator. What runs goes on; the next run waits until the policy allows it. Pure.

#include <optional>
#include <string>
#include <string_view>

#include <nlohmann/json_fwd.hpp>

#include "operator/gang/gang_backend.h"
#include "pods/pod_builder.h"
#include "store/experiments/experiment_rows.h"

namespace det::op {

// The reason of a wait for pod_policy, which needs somebody's attention.
inline constexpr std::string_view kPodPolicyWait = "PodPolicy";

// Nothing when the pods may be made. `source`: as accept/model_code.h loads it. With a template, what people wrote
// is not known apart: all of the accepted configuration counts then that today's defaults do not have, too.
[[nodiscard]] std::optional<GangWait> wait_for_policy(const pods::PodSettings& settings,
                                                      const store::ExperimentRow& row, const nlohmann::json& source,
                                                      bool has_template);

}  // namespace det::op
