#pragma once

// What a configuration's pod uses of the cluster beyond its own: the list that a policy is held against. Pure.

#include <cstdint>
#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

namespace det::model {

enum class UseKind : std::uint8_t {
  kHostPath,
  kPrivileged,
  kCapability,
  kHostNamespace,
  kHostPort,
  kServiceAccount,
  kAccountToken,  // of that account, in the pod
  kSecret,
  kPullSecret,
};

struct PodUse {
  UseKind kind = UseKind::kHostPath;
  std::string value;      // the path, capability, name; for kPrivileged the setting: "privileged: true"
  std::string container;  // whose right or variable it is; empty: the whole pod's
  std::string field;      // path within the configuration
};

// Of environment.pod_spec, bind_mounts and checkpoint_storage of `config`, an experiment configuration or a part of
// one. `below`: the layer under it, whose service account a pod has that names none. Null and wrong types are no use.
[[nodiscard]] std::vector<PodUse> pod_uses(const nlohmann::json& config, const nlohmann::json& below);

}  // namespace det::model
