#pragma once

// Whether priorities mean something: only to the operator's own scheduler. Pure.

#include "base/result.h"
#include "model/cluster/master_config.h"

namespace det::api {

// What there is instead, to be put behind a sentence that tells what is refused.
inline constexpr const char* kPriorityClasses =
    "; there kube-scheduler goes by the priority class of a pod, which it keeps: set priorityClassName in "
    "environment.pod_spec of what is created next";

// kInvalidArgument where another scheduler places the pods. What `auto` comes to is known to the operator only.
[[nodiscard]] Status check_has_priorities(const model::MasterConfig& master);

}  // namespace det::api
