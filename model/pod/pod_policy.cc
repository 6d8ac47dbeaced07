#include "model/pod/pod_policy.h"

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

namespace det::model {
namespace {

using nlohmann::json;

constexpr std::array<std::string_view, 3> kNamespaces = {"network", "pid", "ipc"};
constexpr std::array<std::string_view, 11> kLists = {
    "host_paths", "capabilities", "host_namespaces", "service_accounts", "secrets", "image_pull_secrets",
    "fields",     "labels",       "annotations",     "priority_classes", "sysctls"};

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
          {"fields", json::array()},
          {"labels", json::array()},
          {"annotations", json::array()},
          {"priority_classes", json::array()},
          {"sysctls", json::array()},
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
      if (key == "fields" && !entry.starts_with("spec.") && !entry.starts_with("metadata.")) {
        reader.report(key, "\"" + entry + "\" is not the path of a field, such as \"spec.volumes.gitRepo\"");
      }
    }
  }
  for (const char* key : {"privileged", "host_ports"}) {
    if (const auto flag = reader.boolean(key)) policy[key] = *flag;
  }
  return policy;
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
          .fields = list("fields"),
          .labels = list("labels"),
          .annotations = list("annotations"),
          .priority_classes = list("priority_classes"),
          .sysctls = list("sysctls"),
          .privileged = all.at("privileged").get<bool>(),
          .host_ports = all.at("host_ports").get<bool>(),
          .release = !release.ns.empty() && ns == release.ns ? release : Release()};
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

Release read_release(JsonReader& root) {
  JsonReader reader = root.object("release");
  const auto list = [&](const char* key) { return reader.strings(key).value_or(std::vector<std::string>()); };
  Release release{.ns = reader.string("namespace").value_or(""),
                  .claims = list("persistent_volume_claims"),
                  .secrets = list("secrets"),
                  .config_maps = list("config_maps")};
  reader.refuse_unknown_keys();
  return release;
}

bool is_named(const std::vector<std::string>& list, const std::string& name) {
  return std::ranges::any_of(list, [&](const std::string& pattern) {
    if (!pattern.ends_with('*')) return name == pattern;
    return name.starts_with(pattern.substr(0, pattern.size() - 1));
  });
}

}  // namespace det::model
