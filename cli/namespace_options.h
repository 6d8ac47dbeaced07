#pragma once

// Which namespace of Kubernetes a workspace is bound to: options of `workspace create` and `workspace bindings set`,
// and what they are for the server. Belongs to one thread.

#include <string>

#include <CLI/App.hpp>

#include "cli/text.h"

namespace det::cli {

struct NamespaceOptions {
  std::string cluster;  // empty: the only one
  std::string name;     // empty: none was named
  bool make_one = false;
  bool make_everywhere = false;

  [[nodiscard]] bool is_given() const { return !name.empty() || make_one || make_everywhere; }
};

// `names`: how the namespace is named, such as "-n,--namespace".
void add_namespace_options(CLI::App* leaf, NamespaceOptions& options, const std::string& names);
// clusterNamespaceMeta: one v1WorkspaceNamespaceMeta under the cluster's name.
[[nodiscard]] Json namespace_meta(const NamespaceOptions& options);

}  // namespace det::cli
