#include "model/pod_policy.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <set>
#include <string_view>
#include <utility>

#include "model/pod_spec_check.h"
#include "model/pod_uses.h"

namespace det::model {
namespace {

using nlohmann::json;

constexpr std::array<std::string_view, 3> kNamespaces = {"network", "pid", "ipc"};
constexpr std::array<std::string_view, 6> kLists = {"host_paths",       "capabilities", "host_namespaces",
                                                    "service_accounts", "secrets",      "image_pull_secrets"};

// Shared memory of the node; the capabilities that containers have anyway (Kubernetes' Pod Security level "baseline"),
// and the one that RDMA needs; image pulls, which show a secret to nobody.
json built_in_policy() {
  return {{"host_paths", {"/dev/shm"}},
          {"capabilities",
           {"AUDIT_WRITE", "CHOWN", "DAC_OVERRIDE", "FOWNER", "FSETID", "IPC_LOCK", "KILL", "MKNOD", "NET_BIND_SERVICE",
            "SETFCAP", "SETGID", "SETPCAP", "SETUID", "SYS_CHROOT"}},
          {"host_namespaces", json::array()},
          {"service_accounts", json::array()},
          {"secrets", json::array()},
          {"image_pull_secrets", {"*"}},
          {"privileged", false},
          {"host_ports", false}};
}

json read_lists(JsonReader& reader) {
  json policy = json::object();
  for (const std::string_view key : kLists) {
    const auto list = reader.strings(key);
    if (!list) continue;
    policy[std::string(key)] = *list;
    for (const std::string& entry : *list) {
      if (key == "host_paths" && (!entry.starts_with('/') || entry.find("..") != std::string::npos)) {
        reader.report(key, "\"" + entry + "\" is not an absolute path; \"/\" allows all");
      }
      if (key == "host_namespaces" && std::ranges::find(kNamespaces, entry) == kNamespaces.end()) {
        reader.report(key, "\"" + entry + "\" is none of \"network\", \"pid\", \"ipc\"");
      }
    }
  }
  for (const char* key : {"privileged", "host_ports"}) {
    if (const auto flag = reader.boolean(key)) policy[key] = *flag;
  }
  return policy;
}

bool is_below(const std::string& path, std::string folder) {
  if (path.find("..") != std::string::npos) return false;
  while (folder.size() > 1 && folder.ends_with('/')) folder.pop_back();
  if (folder == "/" || path == folder) return true;
  return path.starts_with(folder + "/");
}

bool matches(const std::string& name, const std::string& pattern) {
  if (!pattern.ends_with('*')) return name == pattern;
  return name.starts_with(pattern.substr(0, pattern.size() - 1));
}

// "cap_sys_admin", which container runtimes take too, is SYS_ADMIN.
std::string capability_name(std::string text) {
  std::ranges::transform(text, text.begin(), [](unsigned char c) { return static_cast<char>(std::toupper(c)); });
  return text.starts_with("CAP_") ? text.substr(4) : text;
}

bool is_allowed(const PodUse& use, const PodPolicy& policy) {
  const auto named = [&](const std::vector<std::string>& list) {
    return std::ranges::any_of(list, [&](const std::string& pattern) { return matches(use.value, pattern); });
  };
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
  }
  return false;
}

std::string listed(const std::vector<std::string>& list) {
  std::string text;
  for (const std::string& entry : list) text += (text.empty() ? "\"" : ", \"") + entry + "\"";
  return text.empty() ? "none" : text;
}

std::string ask_for(std::string_view key) {
  return "an administrator can allow it with pod_policy." + std::string(key) + " of master.yaml";
}

std::string refusal(const PodUse& use, const PodPolicy& policy) {
  const std::string quoted = "\"" + use.value + "\"";
  switch (use.kind) {
    case UseKind::kHostPath:
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
      return "the secret " + quoted + " may not be used here; allowed: " + listed(policy.secrets) + "; " +
             ask_for("secrets");
    case UseKind::kPullSecret:
      return "the image pull secret " + quoted +
             " may not be used here; allowed: " + listed(policy.image_pull_secrets) + "; " +
             ask_for("image_pull_secrets");
  }
  return {};
}

bool is_of_cluster(const PodUse& use, const std::vector<PodUse>& own) {
  return std::ranges::any_of(own, [&](const PodUse& theirs) {
    if (theirs.kind != use.kind) return false;
    // Who may mount a folder reaches what is below anyway.
    if (use.kind == UseKind::kHostPath) return is_below(use.value, theirs.value);
    return theirs.value == use.value && theirs.container == use.container;
  });
}

// Layers of one container unite by its name: under the cluster's own sidecar's name somebody's image would inherit its
// rights.
void protect_sidecars(const json& config, const std::vector<PodUse>& own, const PodPolicy& policy,
                      FieldErrors& errors) {
  std::set<std::string> protected_names;
  for (const PodUse& use : own) {
    const bool is_sidecars = !use.container.empty() && use.container != kMainContainer;
    if (is_sidecars && !is_allowed(use, policy)) protected_names.insert(use.container);
  }
  const json spec = config.value("/environment/pod_spec/spec"_json_pointer, json());
  for (const std::string list : {"containers", "initContainers"}) {
    if (!spec.is_object() || !spec.contains(list) || !spec.at(list).is_array()) continue;
    for (std::size_t i = 0; i < spec.at(list).size(); ++i) {
      const json& container = spec.at(list)[i];
      const json named = container.is_object() ? container.value("name", json()) : json();
      const std::string name = named.is_string() ? named.get<std::string>() : "";
      if (!protected_names.contains(name)) continue;
      add_field_error(errors, child_path(item_path("environment.pod_spec.spec." + list, i), "name"),
                      "container \"" + name +
                          "\" is one of the cluster's own, with rights that pod_policy gives to nobody else; give "
                          "yours another name");
    }
  }
}

}  // namespace

PodPolicy PodPolicies::of(const std::string& ns, const std::string& pool) const {
  json all = built_in_policy();
  all.update(cluster);
  if (const auto found = namespaces.find(ns); found != namespaces.end()) all.update(found->second);
  if (const auto found = pools.find(pool); found != pools.end()) all.update(found->second);
  const auto list = [&](const char* key) { return all.at(key).get<std::vector<std::string>>(); };
  return {.host_paths = list("host_paths"),
          .capabilities = list("capabilities"),
          .host_namespaces = list("host_namespaces"),
          .service_accounts = list("service_accounts"),
          .secrets = list("secrets"),
          .image_pull_secrets = list("image_pull_secrets"),
          .privileged = all.at("privileged").get<bool>(),
          .host_ports = all.at("host_ports").get<bool>()};
}

json read_pod_policy(JsonReader& parent, PodPolicies* policies) {
  JsonReader reader = parent.object("pod_policy");
  json policy = read_lists(reader);
  if (policies != nullptr) {
    for (auto& [name, ns] : reader.members("namespaces")) {
      policies->namespaces[name] = read_lists(ns);
      ns.refuse_unknown_keys();
    }
  }
  reader.refuse_unknown_keys();
  return policy;
}

FieldErrors check_pod_policy(const json& config, const json& cluster, const PodPolicy& policy) {
  FieldErrors errors;
  const std::vector<PodUse> own = pod_uses(cluster, json());
  for (const PodUse& use : pod_uses(config, cluster)) {
    if (is_allowed(use, policy) || is_of_cluster(use, own)) continue;
    add_field_error(errors, use.field, refusal(use, policy));
  }
  protect_sidecars(config, own, policy, errors);
  return errors;
}

}  // namespace det::model
