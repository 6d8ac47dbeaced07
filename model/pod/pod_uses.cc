#include "model/pod/pod_uses.h"

#include <algorithm>
#include <array>
#include <filesystem>
#include <string_view>

#include <nlohmann/json.hpp>

#include "base/json_reader.h"
#include "model/pod/pod_field_uses.h"

namespace det::model {
namespace {

using nlohmann::json;

constexpr std::string_view kPodPath = "environment.pod_spec";
constexpr std::string_view kSpecPath = "environment.pod_spec.spec";
constexpr std::array<std::string_view, 3> kContainerLists = {"containers", "initContainers", "ephemeralContainers"};

// The member, or null for everything that is not there.
const json& at(const json& object, std::string_view key) {
  static const json kNull;
  if (!object.is_object()) return kNull;
  const auto found = object.find(key);
  return found == object.end() ? kNull : *found;
}

const json& list_at(const json& object, std::string_view key) {
  static const json kEmpty = json::array();
  const json& value = at(object, key);
  return value.is_array() ? value : kEmpty;
}

std::string text_at(const json& object, std::string_view key) {
  const json& value = at(object, key);
  return value.is_string() ? value.get<std::string>() : std::string();
}

const json& pod_of(const json& config) {
  return at(at(config, "environment"), "pod_spec");
}

// Kubernetes takes both "net.core.somaxconn" and "net/core/somaxconn".
std::string with_dots(std::string name) {
  std::ranges::replace(name, '/', '.');
  return name;
}

// "//data/./x/" is "/data/x".
std::string tidy_path(const std::string& path) {
  std::string tidy = std::filesystem::path(path).lexically_normal().string();
  while (tidy.size() > 1 && tidy.ends_with('/')) tidy.pop_back();
  if (tidy.starts_with("//")) tidy.erase(0, 1);
  return tidy;
}

// The entry of the list that has this name, or null.
const json& named_in(const json& object, std::string_view list, const std::string& name) {
  static const json kNull;
  const json& entries = list_at(object, list);
  const auto found = std::ranges::find_if(entries, [&](const json& entry) { return text_at(entry, "name") == name; });
  return found == entries.end() ? kNull : *found;
}

// By all containers of both layers that mount it, at least one.
bool is_mounted_read_only(const json& spec, const json& below, const std::string& volume) {
  bool is_mounted = false;
  for (const json* layer : {&spec, &below}) {
    for (const std::string_view list : kContainerLists) {
      for (const json& container : list_at(*layer, list)) {
        for (const json& mount : list_at(container, "volumeMounts")) {
          if (text_at(mount, "name") != volume) continue;
          if (at(mount, "readOnly") != true) return false;
          is_mounted = true;
        }
      }
    }
  }
  return is_mounted;
}

struct Collector {
  std::vector<PodUse> uses;

  void add(UseKind kind, std::string value, std::string field, std::string container = {}) {
    uses.push_back(
        {.kind = kind, .value = std::move(value), .container = std::move(container), .field = std::move(field)});
  }

  void named(UseKind kind, const json& reference, std::string_view key, const std::string& path,
             const std::string& container = {}) {
    const std::string name = text_at(reference, key);
    if (!name.empty()) add(kind, name, child_path(path, key), container);
  }

  void secret(const json& reference, std::string_view key, const std::string& path, const std::string& container = {}) {
    named(UseKind::kSecret, reference, key, path, container);
  }

  void host_path(const std::string& path, const std::string& field, bool is_read_only) {
    if (path.empty()) return;
    // A path that climbs stays as it is: no list can allow it.
    add(UseKind::kHostPath, path.find("..") == std::string::npos ? tidy_path(path) : path, field);
    if (is_read_only) uses.back().detail = kReadOnly;
  }

  void security(const json& context, const std::string& path, const std::string& container) {
    if (at(context, "privileged") == true) {
      add(UseKind::kPrivileged, "privileged: true", child_path(path, "privileged"), container);
    }
    if (text_at(context, "procMount") == "Unmasked") {
      add(UseKind::kPrivileged, "procMount: Unmasked", child_path(path, "procMount"), container);
    }
    for (const std::string_view profile : {"seccompProfile", "appArmorProfile"}) {
      if (text_at(at(context, profile), "type") != "Unconfined") continue;
      add(UseKind::kPrivileged, std::string(profile) + ".type: Unconfined",
          child_path(child_path(path, profile), "type"), container);
    }
    if (at(at(context, "windowsOptions"), "hostProcess") == true) {
      add(UseKind::kPrivileged, "windowsOptions.hostProcess: true", child_path(path, "windowsOptions.hostProcess"),
          container);
    }
    const std::string capabilities = child_path(path, "capabilities.add");
    const json& wanted = list_at(at(context, "capabilities"), "add");
    for (std::size_t i = 0; i < wanted.size(); ++i) {
      if (wanted[i].is_string()) {
        add(UseKind::kCapability, wanted[i].get<std::string>(), item_path(capabilities, i), container);
      }
    }
  }

  void one_container(const json& container, const std::string& path) {
    const std::string name = text_at(container, "name");
    security(at(container, "securityContext"), child_path(path, "securityContext"), name);
    const json& env = list_at(container, "env");
    for (std::size_t i = 0; i < env.size(); ++i) {
      const std::string place = child_path(item_path(child_path(path, "env"), i), "valueFrom");
      const json& from = at(env[i], "valueFrom");
      secret(at(from, "secretKeyRef"), "name", child_path(place, "secretKeyRef"), name);
      named(UseKind::kConfigMap, at(from, "configMapKeyRef"), "name", child_path(place, "configMapKeyRef"), name);
    }
    const json& sources = list_at(container, "envFrom");
    for (std::size_t i = 0; i < sources.size(); ++i) {
      const std::string place = item_path(child_path(path, "envFrom"), i);
      secret(at(sources[i], "secretRef"), "name", child_path(place, "secretRef"), name);
      named(UseKind::kConfigMap, at(sources[i], "configMapRef"), "name", child_path(place, "configMapRef"), name);
    }
    const json& ports = list_at(container, "ports");
    for (std::size_t i = 0; i < ports.size(); ++i) {
      const json& port = at(ports[i], "hostPort");
      if (!port.is_number() || port == 0) continue;
      add(UseKind::kHostPort, port.dump(), child_path(item_path(child_path(path, "ports"), i), "hostPort"), name);
    }
  }

  // A mount of a volume that only the layer below has reaches as much of it as this mount may.
  void writable_mounts(const json& container, const std::string& path, const json& spec, const json& below) {
    const json& mounts = list_at(container, "volumeMounts");
    for (std::size_t i = 0; i < mounts.size(); ++i) {
      const std::string name = text_at(mounts[i], "name");
      if (at(mounts[i], "readOnly") == true || !named_in(spec, "volumes", name).is_null()) continue;
      host_path(text_at(at(named_in(below, "volumes", name), "hostPath"), "path"),
                child_path(item_path(child_path(path, "volumeMounts"), i), "name"), false);
    }
  }

  void volume(const json& volume, const std::string& path, const std::string& account, bool is_read_only) {
    host_path(text_at(at(volume, "hostPath"), "path"), child_path(path, "hostPath.path"), is_read_only);
    if (!volume.is_object()) return;
    // Every kind of volume that carries a secret does so under one of these names.
    for (const auto& [kind, source] : volume.items()) {
      const std::string place = child_path(path, kind);
      secret(source, "secretName", place);
      for (const std::string_view reference : {"secretRef", "nodePublishSecretRef"}) {
        secret(at(source, reference), "name", child_path(place, reference));
      }
    }
    named(UseKind::kConfigMap, at(volume, "configMap"), "name", child_path(path, "configMap"));
    named(UseKind::kClaim, at(volume, "persistentVolumeClaim"), "claimName", child_path(path, "persistentVolumeClaim"));
    // A claim made for the pod can be a copy of another one.
    const json& claim = at(at(at(volume, "ephemeral"), "volumeClaimTemplate"), "spec");
    for (const std::string_view source : {"dataSource", "dataSourceRef"}) {
      named(UseKind::kClaim, at(claim, source), "name",
            child_path(path, "ephemeral.volumeClaimTemplate.spec." + std::string(source)));
    }
    // The drivers of secret stores put into the pod what a SecretProviderClass names.
    const json& csi = at(volume, "csi");
    if (text_at(csi, "driver").starts_with("secrets-store")) {
      secret(at(csi, "volumeAttributes"), "secretProviderClass", child_path(path, "csi.volumeAttributes"));
    }
    const json& sources = list_at(at(volume, "projected"), "sources");
    for (std::size_t i = 0; i < sources.size(); ++i) {
      const std::string place = item_path(child_path(path, "projected.sources"), i);
      secret(at(sources[i], "secret"), "name", child_path(place, "secret"));
      named(UseKind::kConfigMap, at(sources[i], "configMap"), "name", child_path(place, "configMap"));
      if (at(sources[i], "serviceAccountToken").is_object()) {
        add(UseKind::kAccountToken, account, child_path(place, "serviceAccountToken"));
      }
    }
  }

  void pod(const json& spec, const std::string& account, const json& below) {
    const std::string root(kSpecPath);
    for (const auto& [key, name] : {std::pair{"hostNetwork", "network"}, {"hostPID", "pid"}, {"hostIPC", "ipc"}}) {
      if (at(spec, key) == true) add(UseKind::kHostNamespace, name, child_path(root, key));
    }
    for (const std::string_view key : {"serviceAccountName", "serviceAccount"}) {
      const std::string name = text_at(spec, key);
      if (!name.empty()) add(UseKind::kServiceAccount, name, child_path(root, key));
    }
    if (at(spec, "automountServiceAccountToken") == true) {
      add(UseKind::kAccountToken, account, child_path(root, "automountServiceAccountToken"));
    }
    if (text_at(spec, "priorityClassName").starts_with("system-")) {
      named(UseKind::kPriorityClass, spec, "priorityClassName", root);
    }
    security(at(spec, "securityContext"), child_path(root, "securityContext"), "");
    const json& sysctls = list_at(at(spec, "securityContext"), "sysctls");
    for (std::size_t i = 0; i < sysctls.size(); ++i) {
      const std::string name = with_dots(text_at(sysctls[i], "name"));
      const std::string place = item_path(child_path(root, "securityContext.sysctls"), i);
      if (!name.empty()) add(UseKind::kSysctl, name, child_path(place, "name"));
    }
    for (const std::string_view list : kContainerLists) {
      const json& containers = list_at(spec, list);
      for (std::size_t i = 0; i < containers.size(); ++i) {
        const std::string path = item_path(child_path(root, list), i);
        one_container(containers[i], path);
        writable_mounts(containers[i], path, spec, below);
      }
    }
    const json& volumes = list_at(spec, "volumes");
    for (std::size_t i = 0; i < volumes.size(); ++i) {
      volume(volumes[i], item_path(child_path(root, "volumes"), i), account,
             is_mounted_read_only(spec, below, text_at(volumes[i], "name")));
    }
    const json& pulls = list_at(spec, "imagePullSecrets");
    for (std::size_t i = 0; i < pulls.size(); ++i) {
      const std::string name = text_at(pulls[i], "name");
      if (name.empty()) continue;
      add(UseKind::kPullSecret, name, child_path(item_path(child_path(root, "imagePullSecrets"), i), "name"));
    }
  }
};

// The account of a pod made of these layers.
std::string account_of(const json& spec, const json& below) {
  for (const json* layer : {&spec, &below}) {
    for (const std::string_view key : {"serviceAccountName", "serviceAccount"}) {
      if (std::string name = text_at(*layer, key); !name.empty()) return name;
    }
  }
  return "default";
}

}  // namespace

const json& spec_of_pod(const json& config) {
  return at(pod_of(config), "spec");
}

std::vector<PodUse> pod_uses(const json& config, const json& below) {
  Collector found;
  const json& spec = spec_of_pod(config);
  found.pod(spec, account_of(spec, spec_of_pod(below)), spec_of_pod(below));
  for (PodUse& use : pod_field_uses(pod_of(config), kPodPath)) found.uses.push_back(std::move(use));
  const json& binds = list_at(config, "bind_mounts");
  for (std::size_t i = 0; i < binds.size(); ++i) {
    found.host_path(text_at(binds[i], "host_path"), child_path(item_path("bind_mounts", i), "host_path"),
                    at(binds[i], "read_only") == true);
  }
  found.host_path(text_at(at(config, "checkpoint_storage"), "host_path"), "checkpoint_storage.host_path", false);
  return std::move(found.uses);
}

}  // namespace det::model
