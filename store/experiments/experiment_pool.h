#pragma once

// The resource pool of an experiment: the one that it was accepted with, until somebody moves it. A move is a live
// setting beside the frozen configuration, which stays as it is. Pure.

#include <string>

#include "store/experiments/experiment_rows.h"

namespace det::store {

// The name of the setting among ExperimentRow::live.
inline constexpr const char* kPoolSetting = "resource_pool";

// Of experiment `e`, for statements; null where its configuration names none.
inline constexpr const char* kPoolOfExperiment =
    "coalesce(e.live ->> 'resource_pool', e.config #>> '{resources,resource_pool}')";

// As it was accepted; empty: a default one.
[[nodiscard]] std::string accepted_pool(const ExperimentRow& experiment);
// Where `live`, its settings in force, have moved it to; empty: it is where it was accepted.
[[nodiscard]] std::string moved_to(const ExperimentRow& experiment, const nlohmann::json& live);
// Where its next run goes, by the settings of its row.
[[nodiscard]] std::string pool_now(const ExperimentRow& experiment);

}  // namespace det::store
