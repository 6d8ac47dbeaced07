#pragma once

// The cluster's part of every experiment configuration: what master.yaml's task_container_defaults and
// checkpoint_storage put under the user's own. Pure.

#include <cstdint>
#include <string>
#include <string_view>

#include <nlohmann/json_fwd.hpp>

#include "base/json_reader.h"

namespace det::model {

// Everything wrong with `defaults`, an object with the optional keys task_container_defaults, checkpoint_storage,
// resource_pools (from pool name to that pool's task_container_defaults), default_compute_pool, default_aux_pool. For
// the start of the operator: with errors in there no experiment can be accepted.
[[nodiscard]] FieldErrors check_cluster_defaults(const nlohmann::json& defaults);
// What its checkpoint_storage lacks until an experiment's own adds it; empty where that storage can be used as it is.
[[nodiscard]] FieldErrors what_storage_lacks(const nlohmann::json& defaults);

// Whether `defaults` may have a value for the field at `path` of an experiment's or another task's configuration, or
// for something around it.
[[nodiscard]] bool cluster_may_set(std::string_view path);

// The partial, normalised experiment configuration that `defaults` (checked) mean for a trial of `slots` slots in
// `pool`, where empty means the default one: gpu_pod_spec for one slot or more, cpu_pod_spec for none. What the pool
// sets lies on what the cluster sets: pod specs and single values replace, images and variables do so one by one,
// capabilities unite, devices and mounts by their path in the container. Beside it `work_dir`, which only tasks that
// people start by themselves have.
[[nodiscard]] nlohmann::json cluster_layer(const nlohmann::json& defaults, std::int64_t slots, const std::string& pool);

}  // namespace det::model
