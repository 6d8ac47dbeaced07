#pragma once

// The cluster's configuration as admins may read it: master.yaml as it was given, completed by the defaults that are in
// force, without secrets. Pure.

#include <nlohmann/json.hpp>

#include "model/cluster/master_config.h"

namespace det::model {

// In the form of master.yaml. What looks like a secret by its name, also in parts of the file that have no effect here,
// in variables and in pod specs, is kHidden.
[[nodiscard]] nlohmann::json printable_config(const MasterConfig& config);

}  // namespace det::model
