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
  kClaim,  // a PersistentVolumeClaim
  kConfigMap,
  kField,         // that needs leave; value: its path without indices
  kUnknownField,  // the same; detail: the name that was probably meant
  kLabel,         // with a key of Kubernetes or of ours; also of a claim that is made for the pod
  kAnnotation,
  kPriorityClass,  // one that Kubernetes keeps for itself
  kSysctl,         // with dots
};

// Of a host path that no container of the pod can write to.
inline constexpr const char* kReadOnly = "read-only";

struct PodUse {
  UseKind kind = UseKind::kHostPath;
  std::string value;        // the path, capability, name; for kPrivileged the setting: "privileged: true"
  std::string container;    // whose right or variable it is; empty: the whole pod's
  std::string field;        // path within the configuration
  std::string detail = {};  // kField, kLabel, kAnnotation: what it is set to, as JSON; kHostPath: kReadOnly, or nothing
  std::string why = {};     // kField: why it needs leave
};

// environment.pod_spec.spec of `config`; null where there is none.
[[nodiscard]] const nlohmann::json& spec_of_pod(const nlohmann::json& config);

// Of environment.pod_spec, bind_mounts and checkpoint_storage of `config`, an experiment configuration or a part of
// one. `below`: the layer under it, whose service account a pod has that names none, and whose volumes its containers
// may mount. Null and wrong types are no use.
[[nodiscard]] std::vector<PodUse> pod_uses(const nlohmann::json& config, const nlohmann::json& below);

}  // namespace det::model
