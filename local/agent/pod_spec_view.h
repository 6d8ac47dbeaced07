#pragma once

// What the node agent honours of a Pod, decoded from the API server's JSON. What it cannot run is refused with the
// field's path and a reason, never ignored in silence. Pure; any thread.

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "base/quantity.h"
#include "base/result.h"

namespace det::local {

// A key of a ConfigMap or Secret.
struct KeyRef {
  std::string name;
  std::string key;
  bool optional = false;
  bool operator==(const KeyRef&) const = default;
};

// One `env` entry. Exactly one of value and the references is meant; the value is the default.
struct EnvVar {
  std::string name;
  std::string value;
  std::optional<std::string> field_path;  // downward API: "metadata.name"
  std::optional<std::string> resource;    // "limits.cpu"
  std::string divisor = "1";
  std::optional<KeyRef> config_map_key;
  std::optional<KeyRef> secret_key;
  bool operator==(const EnvVar&) const = default;
};

struct EnvFrom {
  std::string prefix;
  bool is_secret = false;
  std::string name;
  bool optional = false;
  bool operator==(const EnvFrom&) const = default;
};

struct VolumeMount {
  std::string volume;
  std::string mount_path;
  std::string sub_path;  // $(VAR) is expanded when it came from subPathExpr
  bool expand_sub_path = false;
  bool read_only = false;
  bool operator==(const VolumeMount&) const = default;
};

// cpu in thousandths, memory in bytes; nothing when the pod does not say.
struct Quantities {
  std::optional<std::int64_t> milli_cpu;
  std::optional<std::int64_t> memory;
  std::int64_t gpus = 0;
  bool operator==(const Quantities&) const = default;
};

struct ContainerView {
  std::string name;
  std::string image;
  std::vector<std::string> command;
  std::vector<std::string> args;
  std::string working_dir;
  std::vector<EnvVar> env;
  std::vector<EnvFrom> env_from;
  std::vector<VolumeMount> mounts;
  Quantities limits;
  Quantities requests;
  std::string termination_message_path = "/dev/termination-log";
  std::int64_t run_as_user = 0;  // seen inside; files belong to the agent's user
  std::int64_t run_as_group = 0;
};

struct KeyToPath {
  std::string key;
  std::string path;
  std::optional<int> mode;
};

// A file of a downwardAPI source.
struct DownwardItem {
  std::string path;
  std::string field_path;
  std::optional<int> mode;
};

// Files that come from one object: a configMap, secret or downwardAPI volume is one source, a projected volume several.
struct VolumeSource {
  enum class Kind : std::uint8_t { kConfigMap, kSecret, kDownwardApi, kServiceAccountToken };
  Kind kind = Kind::kConfigMap;
  std::string name;              // of the ConfigMap or Secret
  std::vector<KeyToPath> items;  // empty: every key
  std::vector<DownwardItem> fields;
  bool optional = false;
  std::string token_path;
  std::string token_audience;
  std::int64_t token_seconds = 3600;
};

struct VolumeView {
  enum class Kind : std::uint8_t { kEmptyDir, kMemoryDir, kHostPath, kClaim, kFiles };
  std::string name;
  Kind kind = Kind::kEmptyDir;
  std::int64_t size_limit = 0;  // bytes, of kMemoryDir; 0: none
  std::string host_path;
  std::string host_path_type;
  std::string claim;       // of kClaim; its volume is found when the pod starts
  bool read_only = false;  // of kClaim
  std::vector<VolumeSource> sources;
  int default_mode = 0644;
};

enum class RestartPolicy : std::uint8_t { kAlways, kOnFailure, kNever };

// Ten years: what is added to a time has to stay one. Longer grace periods and deadlines, and negative ones, are cut.
inline constexpr std::int64_t kLongestSeconds = std::int64_t{10} * 366 * 24 * 3600;

struct PodView {
  std::string ns;
  std::string name;
  std::string uid;
  std::map<std::string, std::string> labels;
  std::map<std::string, std::string> annotations;
  std::string node_name;
  std::string host_name;
  std::string service_account;
  RestartPolicy restart_policy = RestartPolicy::kAlways;
  std::int64_t grace_seconds = 30;               // from 0 to kLongestSeconds, as deletion_grace_seconds
  std::optional<std::int64_t> deadline_seconds;  // after its start
  std::vector<VolumeView> volumes;
  std::vector<ContainerView> init_containers;
  std::vector<ContainerView> containers;
  // Facts of the object's life, not of its spec.
  std::string phase;
  std::string start_time;  // RFC 3339; empty until a status was reported
  bool is_deleting = false;
  std::int64_t deletion_grace_seconds = 30;
};

// kUnimplemented: one line per thing the agent cannot do, each with the field's path.
[[nodiscard]] Result<PodView> decode_pod(const nlohmann::json& pod);

// Name, uid, phase and deletion only: enough to follow a pod that decode_pod refuses.
[[nodiscard]] PodView decode_pod_identity(const nlohmann::json& pod);

}  // namespace det::local
