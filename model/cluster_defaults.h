#pragma once

// The cluster's part of every experiment configuration: what master.yaml's task_container_defaults and
// checkpoint_storage put under the user's own. Pure.

#include <cstdint>

#include <nlohmann/json_fwd.hpp>

#include "base/json_reader.h"

namespace det::model {

// Everything wrong with `defaults`, an object with the keys task_container_defaults and checkpoint_storage (both
// optional). For the start of the operator: with errors in there no experiment can be accepted.
[[nodiscard]] FieldErrors check_cluster_defaults(const nlohmann::json& defaults);

// The partial, normalised experiment configuration that `defaults` (checked) mean for a trial of `slots` slots:
// gpu_pod_spec for one or more, cpu_pod_spec for none.
[[nodiscard]] nlohmann::json cluster_layer(const nlohmann::json& defaults, std::int64_t slots);

}  // namespace det::model
