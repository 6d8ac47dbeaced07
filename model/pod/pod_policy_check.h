#pragma once

// Holds what a pod uses (model/pod/pod_uses.h) against a policy (model/pod/pod_policy.h). Pure.

#include <nlohmann/json_fwd.hpp>

#include "base/json_reader.h"
#include "model/pod/pod_policy.h"

namespace det::model {

// One error for everything in `config` that neither the policy nor the cluster's own defaults allow. `config`: what
// people wrote, normalised, without the cluster's defaults; `cluster`: those defaults for the same experiment. Fields
// are paths within the configuration.
[[nodiscard]] FieldErrors check_pod_policy(const nlohmann::json& config, const nlohmann::json& cluster,
                                           const PodPolicy& policy);

// The same for a configuration that was accepted before, perhaps under another policy: of what people wrote, or of the
// whole, where the defaults of then may be in it.
[[nodiscard]] FieldErrors check_stored_pod(const nlohmann::json& config, const nlohmann::json& cluster,
                                           const PodPolicy& policy);

// The same for spec.context of an Experiment: the Secret, the claim or the ConfigMap that the code is fetched with.
// Fields are paths within `context`.
[[nodiscard]] FieldErrors check_code_source(const nlohmann::json& context, const nlohmann::json& cluster,
                                            const PodPolicy& policy);

}  // namespace det::model
