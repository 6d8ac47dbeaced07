#pragma once

// The entrypoint and the log shipper that run in every task: the files of harness/, compiled into the program, as one
// immutable ConfigMap per version and namespace.

#include <string>

#include <nlohmann/json_fwd.hpp>

#include "k8sclient/client.h"

namespace det::op {

// "det-harness-<hash of the files>".
[[nodiscard]] std::string harness_config_map_name();
[[nodiscard]] nlohmann::json build_harness_config_map(const std::string& ns);
// Creates it if it is missing. Cheap to call again.
Task<Status> ensure_harness_bundle(k8s::Client& client, std::string ns, std::string name);

}  // namespace det::op
