#include "k8sclient/resource.h"

namespace det::k8s {

std::string Resource::api_version() const {
  return group.empty() ? version : group + "/" + version;
}

std::string Resource::collection_path(std::string_view ns) const {
  std::string path = group.empty() ? "/api/" + version : "/apis/" + group + "/" + version;
  if (namespaced && !ns.empty()) path.append("/namespaces/").append(ns);
  return path + "/" + plural;
}

std::string Resource::object_path(std::string_view ns, std::string_view name) const {
  return collection_path(ns).append("/").append(name);
}

std::string to_string(const ObjectKey& key) {
  return key.ns.empty() ? key.name : key.ns + "/" + key.name;
}

ObjectKey parse_object_key(const std::string& text) {
  const auto slash = text.find('/');
  if (slash == std::string::npos) return {.ns = {}, .name = text};
  return {.ns = text.substr(0, slash), .name = text.substr(slash + 1)};
}

Resource experiments() {
  return {.group = "det-operator.dev", .version = "v1alpha1", .plural = "experiments", .kind = "Experiment"};
}
Resource trials() {
  return {.group = "det-operator.dev", .version = "v1alpha1", .plural = "trials", .kind = "Trial"};
}
Resource tasks() {
  return {.group = "det-operator.dev", .version = "v1alpha1", .plural = "tasks", .kind = "Task"};
}
Resource pods() {
  return {.group = "", .version = "v1", .plural = "pods", .kind = "Pod"};
}
Resource nodes() {
  return {.group = "", .version = "v1", .plural = "nodes", .kind = "Node", .namespaced = false};
}
Resource events() {
  return {.group = "events.k8s.io", .version = "v1", .plural = "events", .kind = "Event"};
}
Resource core_events() {
  return {.group = "", .version = "v1", .plural = "events", .kind = "Event"};
}
Resource config_maps() {
  return {.group = "", .version = "v1", .plural = "configmaps", .kind = "ConfigMap"};
}
Resource secrets() {
  return {.group = "", .version = "v1", .plural = "secrets", .kind = "Secret"};
}
Resource services() {
  return {.group = "", .version = "v1", .plural = "services", .kind = "Service"};
}
Resource namespaces() {
  return {.group = "", .version = "v1", .plural = "namespaces", .kind = "Namespace", .namespaced = false};
}
Resource leases() {
  return {.group = "coordination.k8s.io", .version = "v1", .plural = "leases", .kind = "Lease"};
}
Resource persistent_volumes() {
  return {.group = "", .version = "v1", .plural = "persistentvolumes", .kind = "PersistentVolume", .namespaced = false};
}
Resource persistent_volume_claims() {
  return {.group = "", .version = "v1", .plural = "persistentvolumeclaims", .kind = "PersistentVolumeClaim"};
}
Resource resource_quotas() {
  return {.group = "", .version = "v1", .plural = "resourcequotas", .kind = "ResourceQuota"};
}
Resource custom_resource_definitions() {
  return {.group = "apiextensions.k8s.io",
          .version = "v1",
          .plural = "customresourcedefinitions",
          .kind = "CustomResourceDefinition",
          .namespaced = false};
}

}  // namespace det::k8s
