#include "model/pod/pod_policy_check.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <set>
#include <string_view>
#include <utility>

#include "base/json_get.h"
#include "model/pod/pod_field_uses.h"
#include "model/pod/pod_spec_check.h"
#include "model/pod/pod_uses.h"

namespace det::model {
namespace {

using nlohmann::json;

// Which touch only what the pod has of its own; Pod Security's level "baseline" knows the same.
constexpr std::array<std::string_view, 12> kSafeSysctls = {
    "kernel.shm_rmid_forced",           "net.ipv4.ip_local_port_range",
    "net.ipv4.ip_local_reserved_ports", "net.ipv4.ip_unprivileged_port_start",
    "net.ipv4.ping_group_range",        "net.ipv4.tcp_fin_timeout",
    "net.ipv4.tcp_keepalive_intvl",     "net.ipv4.tcp_keepalive_probes",
    "net.ipv4.tcp_keepalive_time",      "net.ipv4.tcp_rmem",
    "net.ipv4.tcp_syncookies",          "net.ipv4.tcp_wmem"};

constexpr std::string_view kNodesMemory = "/dev/shm";

bool is_below(const std::string& path, std::string folder) {
  if (path.find("..") != std::string::npos) return false;
  while (folder.size() > 1 && folder.ends_with('/')) folder.pop_back();
  if (folder == "/" || path == folder) return true;
  // Every pod that has it can put symbolic links there, which lead whoever mounts them anywhere on the node.
  if (folder == kNodesMemory) return false;
  return path.starts_with(folder + "/");
}

// "spec.securityContext.seLinuxOptions" is that field with all that is in it.
bool is_field_named(const std::vector<std::string>& fields, const std::string& path) {
  return is_named(fields, path) ||
         std::ranges::any_of(fields, [&](const std::string& field) { return path.starts_with(field + "."); });
}

// "cap_sys_admin", which container runtimes take too, is SYS_ADMIN.
std::string capability_name(std::string text) {
  std::ranges::transform(text, text.begin(), [](unsigned char c) { return static_cast<char>(std::toupper(c)); });
  return text.starts_with("CAP_") ? text.substr(4) : text;
}

// Of det-operator's own release; whatever the lists say.
bool is_of_release(const PodUse& use, const Release& release) {
  if (use.kind == UseKind::kSecret) return is_named(release.secrets, use.value);
  if (use.kind == UseKind::kClaim) return is_named(release.claims, use.value);
  return use.kind == UseKind::kConfigMap && is_named(release.config_maps, use.value);
}

bool is_allowed(const PodUse& use, const PodPolicy& policy) {
  const auto named = [&](const std::vector<std::string>& list) { return is_named(list, use.value); };
  if (is_of_release(use, policy.release)) return false;
  switch (use.kind) {
    case UseKind::kHostPath:
      return std::ranges::any_of(policy.host_paths, [&](const auto& folder) { return is_below(use.value, folder); });
    case UseKind::kPrivileged:
      return policy.privileged;
    case UseKind::kCapability:
      return std::ranges::any_of(policy.capabilities, [&](const std::string& allowed) {
        return allowed == "*" || capability_name(allowed) == capability_name(use.value);
      });
    case UseKind::kHostNamespace:
      return std::ranges::find(policy.host_namespaces, use.value) != policy.host_namespaces.end();
    case UseKind::kHostPort:
      return policy.host_ports;
    case UseKind::kServiceAccount:
    case UseKind::kAccountToken:
      return named(policy.service_accounts);
    case UseKind::kSecret:
      return named(policy.secrets);
    case UseKind::kPullSecret:
      return named(policy.image_pull_secrets);
    case UseKind::kClaim:
    case UseKind::kConfigMap:
      return true;
    case UseKind::kField:
    case UseKind::kUnknownField:
      return is_field_named(policy.fields, use.value);
    case UseKind::kLabel:
      // In the namespace of the release a Service of it would take the pod for one of its own.
      return named(policy.labels) || (is_harmless_label(use.value) && policy.release.ns.empty());
    case UseKind::kAnnotation:
      return named(policy.annotations) || is_harmless_annotation(use.value);
    case UseKind::kPriorityClass:
      return named(policy.priority_classes);
    case UseKind::kSysctl:
      return named(policy.sysctls) || std::ranges::find(kSafeSysctls, use.value) != kSafeSysctls.end();
  }
  return false;
}

std::string listed(const std::vector<std::string>& list) {
  std::string text;
  for (const std::string& entry : list) text += (text.empty() ? "\"" : ", \"") + entry + "\"";
  return text.empty() ? "none" : text;
}

// What is allowed beside the rest.
std::string and_listed(const std::vector<std::string>& list) {
  return list.empty() ? "" : ", and " + listed(list);
}

std::string ask_for(std::string_view key) {
  return "an administrator can allow it with pod_policy." + std::string(key) + " of master.yaml";
}

std::string of_release(std::string_view what, const std::string& quoted) {
  return "the " + std::string(what) + " " + quoted +
         " may not be used: it belongs to the release of det-operator in this namespace";
}

std::string refusal_of_unknown(const PodUse& use) {
  const std::string meant = use.detail.empty() ? "; if" : "; did you mean \"" + use.detail + "\"? If";
  return "unknown field \"" + use.value + "\" of a pod" + meant + " the cluster knows it, " + ask_for("fields");
}

std::string refusal_of_part(const std::string& path, const std::string& folder) {
  return "the host path \"" + path + "\" may not be mounted by itself: pods write to \"" + folder +
         "\", and it may be a link to anywhere on the node; mount \"" + folder + "\", or " + ask_for("host_paths");
}

std::string refusal(const PodUse& use, const PodPolicy& policy) {
  const std::string quoted = "\"" + use.value + "\"";
  const bool is_ours = is_of_release(use, policy.release);
  switch (use.kind) {
    case UseKind::kHostPath:
      if (use.value.starts_with(std::string(kNodesMemory) + "/") &&
          is_named(policy.host_paths, std::string(kNodesMemory)))
        return refusal_of_part(use.value, std::string(kNodesMemory));
      return "the host path " + quoted +
             " may not be used here; allowed, with what is below: " + listed(policy.host_paths) +
             ". Use a persistentVolumeClaim, or " + ask_for("host_paths");
    case UseKind::kPrivileged:
      return quoted + " may not be used here; ask for single capabilities (allowed: " + listed(policy.capabilities) +
             "), or " + ask_for("privileged");
    case UseKind::kCapability:
      return "the capability " + quoted + " may not be used here; allowed: " + listed(policy.capabilities) + "; " +
             ask_for("capabilities");
    case UseKind::kHostNamespace:
      return "the host's " + use.value + " namespace may not be used here; leave this out, or " +
             ask_for("host_namespaces");
    case UseKind::kHostPort:
      return "the host port " + use.value + " may not be used here; pods reach each other without, or " +
             ask_for("host_ports");
    case UseKind::kServiceAccount:
      return "the service account " + quoted + " may not be used here; allowed: " + listed(policy.service_accounts) +
             "; leave this out for a pod without rights, or " + ask_for("service_accounts");
    case UseKind::kAccountToken:
      return "a token of the service account " + quoted +
             " may not be in a pod here; allowed: " + listed(policy.service_accounts) + "; leave this out, or " +
             ask_for("service_accounts");
    case UseKind::kSecret:
      if (is_ours) return of_release("secret", quoted);
      return "the secret " + quoted + " may not be used here; allowed: " + listed(policy.secrets) + "; " +
             ask_for("secrets");
    case UseKind::kPullSecret:
      return "the image pull secret " + quoted +
             " may not be used here; allowed: " + listed(policy.image_pull_secrets) + "; " +
             ask_for("image_pull_secrets");
    case UseKind::kClaim:
      return of_release("PersistentVolumeClaim", quoted);
    case UseKind::kConfigMap:
      return of_release("ConfigMap", quoted);
    case UseKind::kField:
      return quoted + " may not be used here: " + use.why + "; leave this out, or " + ask_for("fields");
    case UseKind::kUnknownField:
      return refusal_of_unknown(use);
    case UseKind::kLabel:
      return "the label " + quoted + " may not be set here: Kubernetes or the operator finds pods by it; leave this " +
             "out, or " + ask_for("labels");
    case UseKind::kAnnotation:
      return "the annotation " + quoted + " may not be set here: the cluster acts on it; leave this out, or " +
             ask_for("annotations");
    case UseKind::kPriorityClass:
      return "the priority class " + quoted +
             " may not be used here: it is for what the cluster itself needs; allowed: all that do not begin with "
             "\"system-\"" +
             and_listed(policy.priority_classes) + "; " + ask_for("priority_classes");
    case UseKind::kSysctl:
      return "the sysctl " + quoted + " may not be set here; allowed: those that Kubernetes calls safe" +
             and_listed(policy.sysctls) + "; " + ask_for("sysctls");
  }
  return {};
}

// Who may mount a folder reaches what is below anyway. What the cluster only reads nobody else writes.
bool is_folder_of_cluster(const PodUse& use, const PodUse& theirs) {
  return is_below(use.value, theirs.value) && (theirs.detail != kReadOnly || use.detail == kReadOnly);
}

bool is_of_cluster(const PodUse& use, const std::vector<PodUse>& own) {
  return std::ranges::any_of(own, [&](const PodUse& theirs) {
    if (theirs.kind != use.kind) return false;
    if (use.kind == UseKind::kHostPath) return is_folder_of_cluster(use, theirs);
    return theirs.value == use.value && theirs.container == use.container && theirs.detail == use.detail;
  });
}

constexpr std::array kContainers = {"containers", "initContainers"};

// Layers of one container unite by its name: under the cluster's own sidecar's name somebody's image would inherit its
// rights. And of volumes of one name the upper counts: in place of the sidecar's scripts it would run somebody's.
void protect_sidecars(const json& config, const json& cluster, const std::vector<PodUse>& own, const PodPolicy& policy,
                      FieldErrors& errors) {
  std::set<std::string> sidecars;
  for (const PodUse& use : own) {
    const bool is_sidecars = !use.container.empty() && use.container != kMainContainer;
    if (is_sidecars && !is_allowed(use, policy)) sidecars.insert(use.container);
  }
  std::set<std::string> volumes;
  for (const char* list : kContainers) {
    for (const json& container : get_array(spec_of_pod(cluster), list)) {
      if (!sidecars.contains(get_string(container, "name"))) continue;
      for (const char* mounts : {"volumeMounts", "volumeDevices"}) {
        for (const json& mount : get_array(container, mounts)) volumes.insert(get_string(mount, "name"));
      }
    }
  }
  const auto refuse_names = [&](const char* list, const std::set<std::string>& names, const std::string& what,
                                const std::string& whose) {
    const json& entries = get_array(spec_of_pod(config), list);
    for (std::size_t i = 0; i < entries.size(); ++i) {
      const std::string name = get_string(entries[i], "name");
      if (!names.contains(name)) continue;
      add_field_error(errors, child_path(item_path("environment.pod_spec.spec." + std::string(list), i), "name"),
                      what + " \"" + name + "\" is " + whose +
                          " with rights that pod_policy gives to nobody else; give yours another name");
    }
  };
  for (const char* list : kContainers) refuse_names(list, sidecars, "container", "one of the cluster's own,");
  refuse_names("volumes", volumes, "volume", "mounted by one of the cluster's own containers,");
}

// The builder makes them of bind_mounts, read-only where these are: a mount of its own would not be.
void protect_bind_mounts(const json& config, FieldErrors& errors) {
  for (const char* list : kContainers) {
    const json& containers = get_array(spec_of_pod(config), list);
    for (std::size_t i = 0; i < containers.size(); ++i) {
      const json& mounts = get_array(containers[i], "volumeMounts");
      for (std::size_t k = 0; k < mounts.size(); ++k) {
        if (!get_string(mounts[k], "name").starts_with(kBindMountVolume)) continue;
        const std::string container = item_path("environment.pod_spec.spec." + std::string(list), i);
        add_field_error(errors, child_path(item_path(child_path(container, "volumeMounts"), k), "name"),
                        "volumes whose names begin with \"" + std::string(kBindMountVolume) +
                            "\" are those of bind_mounts, which mount them; give the folder a volume of its own");
      }
    }
  }
}

// Where the cluster has the path, and not like this.
std::string refusal_beside(const PodUse& use, const std::vector<PodUse>& own, const PodPolicy& policy) {
  const bool is_read =
      use.kind == UseKind::kHostPath && std::ranges::any_of(own, [&](const PodUse& theirs) {
        return theirs.kind == use.kind && theirs.detail == kReadOnly && is_below(use.value, theirs.value);
      });
  if (!is_read) return refusal(use, policy);
  return "the host path \"" + use.value +
         "\" may only be read here, as the cluster's own mount of it; set read_only: true (readOnly: true of a "
         "volumeMount), or " +
         ask_for("host_paths");
}

FieldErrors refuse(const std::vector<PodUse>& uses, const std::vector<PodUse>& own, const PodPolicy& policy) {
  FieldErrors errors;
  for (const PodUse& use : uses) {
    if (is_allowed(use, policy) || is_of_cluster(use, own)) continue;
    add_field_error(errors, use.field, refusal_beside(use, own, policy));
  }
  return errors;
}

// The administrator's defaults show people a part of it, at most.
std::vector<PodUse> without_release(std::vector<PodUse> own, const Release& release) {
  std::erase_if(own, [&](const PodUse& use) { return is_of_release(use, release); });
  return own;
}

std::string text_at(const json& object, const char* section, const char* key) {
  const auto found = object.is_object() ? object.find(section) : object.end();
  if (found == object.end() || !found->is_object()) return "";
  const auto text = found->find(key);
  return text == found->end() || !text->is_string() ? "" : text->get<std::string>();
}

}  // namespace

FieldErrors check_pod_policy(const json& config, const json& cluster, const PodPolicy& policy) {
  const std::vector<PodUse> own = pod_uses(cluster, json());
  FieldErrors errors = refuse(pod_uses(config, cluster), without_release(own, policy.release), policy);
  protect_sidecars(config, cluster, own, policy, errors);
  protect_bind_mounts(config, errors);
  return errors;
}

FieldErrors check_stored_pod(const json& config, const json& cluster, const PodPolicy& policy) {
  return refuse(pod_uses(config, cluster), pod_uses(cluster, json()), policy);
}

FieldErrors check_code_source(const json& context, const json& cluster, const PodPolicy& policy) {
  struct Named {
    UseKind kind;
    const char* section;
    const char* key;
  };
  static constexpr std::array kNames = {Named{UseKind::kSecret, "git", "secretName"},
                                        Named{UseKind::kClaim, "pvc", "claimName"},
                                        Named{UseKind::kConfigMap, "configMap", "name"}};
  std::vector<PodUse> uses;
  for (const Named& named : kNames) {
    std::string name = text_at(context, named.section, named.key);
    if (name.empty()) continue;
    PodUse use;
    use.kind = named.kind;
    use.value = std::move(name);
    use.field = child_path(named.section, named.key);
    uses.push_back(std::move(use));
  }
  return refuse(uses, without_release(pod_uses(cluster, json()), policy.release), policy);
}

}  // namespace det::model
