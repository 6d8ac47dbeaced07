#pragma once

// What of a running experiment's configuration follows its object, what may not change, and what the live settings
// allow at a time. Pure.

#include <optional>
#include <string>

#include <nlohmann/json_fwd.hpp>

#include "model/cluster/config_policy.h"
#include "model/expconf/experiment_config.h"
#include "operator/experiment/acceptor.h"
#include "store/trials/run_limits.h"

namespace det::op {

// The settings of `now` that differ from `accepted` (both as the user wrote them) and apply to a running experiment:
// {"priority", "weight", "max_slots", "resource_pool", "max_concurrent_trials", "save_experiment_best",
// "save_trial_best", "save_trial_latest"}, each only when it was changed to a number, the pool to a name.
[[nodiscard]] nlohmann::json live_settings(const nlohmann::json& accepted, const nlohmann::json& now);

// What of the wishes of an object (live_settings) is done, and what is not because a config policy forbids it.
struct AllowedSettings {
  nlohmann::json live;
  std::optional<Refusal> objection;
};
// `before`: what was done so far, which stays when a policy comes later.
[[nodiscard]] AllowedSettings allow_settings(const nlohmann::json& wished, const nlohmann::json& before,
                                             const model::ConfigPolicies& policies);

// What of an accepted object was changed although it cannot be. `accepted` and `now`: the configuration as the user
// wrote it; `frozen`: what became of it, with a template or without.
[[nodiscard]] std::optional<Refusal> object_to_changes(const nlohmann::json& accepted, const nlohmann::json& now,
                                                       const nlohmann::json& frozen, bool has_template);
// What may change, and is not named any more: what that should mean nobody can tell.
[[nodiscard]] std::optional<Refusal> objection_to_removed(const nlohmann::json& accepted, const nlohmann::json& now);

// What the experiment allows at a time: `frozen` is its accepted configuration, `live` its live settings. The search
// keeps to the accepted number of trials by itself, unless it `is_widened`.
[[nodiscard]] store::RunLimits run_limits(const model::ExperimentConfig& frozen, const nlohmann::json& live,
                                          bool is_widened);

// The place of the experiment's gangs in the queue, larger first: the live setting, else what was accepted.
[[nodiscard]] int queue_priority(const model::ExperimentConfig& frozen, const nlohmann::json& live);

}  // namespace det::op
