#pragma once

// What of an experiment decides whether its trials' pods may still be made. Pure.

#include <optional>

#include <nlohmann/json_fwd.hpp>

#include "operator/gang/policy_wait.h"
#include "store/experiments/experiment_rows.h"

namespace det::op {

// Nothing when the pods may be made. `source`: as accept/model_code.h loads it. With a template, what people wrote
// is not known apart. `pool`: where they are to be made.
[[nodiscard]] std::optional<GangWait> wait_for_policy(const pods::PodSettings& settings,
                                                      const store::ExperimentRow& row, const std::string& pool,
                                                      const nlohmann::json& source, bool has_template);

}  // namespace det::op
