#pragma once

// Names of things in a Kubernetes API: which collection (Resource) and which object (ObjectKey). Plain values.

#include <compare>
#include <functional>
#include <string>
#include <string_view>

namespace det::k8s {

// A collection: group/version/resource. Core resources have an empty group.
struct Resource {
  std::string group;
  std::string version;
  std::string plural;
  std::string kind;
  bool namespaced = true;

  bool operator==(const Resource&) const = default;
  // "v1" or "group/version".
  [[nodiscard]] std::string api_version() const;
  // "/api/v1/namespaces/NS/pods" or "/apis/G/V/namespaces/NS/plural"; an empty namespace means all of them.
  [[nodiscard]] std::string collection_path(std::string_view ns) const;
  [[nodiscard]] std::string object_path(std::string_view ns, std::string_view name) const;
};

struct ObjectKey {
  std::string ns;  // empty for cluster-scoped objects
  std::string name;

  auto operator<=>(const ObjectKey&) const = default;
};
[[nodiscard]] std::string to_string(const ObjectKey& key);  // "ns/name" or "name"
// The other way round.
[[nodiscard]] ObjectKey parse_object_key(const std::string& text);

// The resources this product talks to. Functions, not globals: no static initialisation.
[[nodiscard]] Resource experiments();
[[nodiscard]] Resource trials();
[[nodiscard]] Resource tasks();
[[nodiscard]] Resource pods();
[[nodiscard]] Resource nodes();
[[nodiscard]] Resource events();       // events.k8s.io/v1
[[nodiscard]] Resource core_events();  // v1, what describe and old clients read
[[nodiscard]] Resource config_maps();
[[nodiscard]] Resource secrets();
[[nodiscard]] Resource services();
[[nodiscard]] Resource namespaces();
[[nodiscard]] Resource leases();
[[nodiscard]] Resource persistent_volumes();
[[nodiscard]] Resource persistent_volume_claims();
[[nodiscard]] Resource resource_quotas();
[[nodiscard]] Resource custom_resource_definitions();

}  // namespace det::k8s

template <>
struct std::hash<det::k8s::ObjectKey> {
  std::size_t operator()(const det::k8s::ObjectKey& key) const noexcept {
    return std::hash<std::string>()(key.ns) * 31 + std::hash<std::string>()(key.name);
  }
};
