#include "cli/namespace_options.h"

namespace det::cli {

void add_namespace_options(CLI::App* leaf, NamespaceOptions& options, const std::string& names) {
  leaf->add_option("--cluster-name", options.cluster,
                   "cluster that the namespace is in; needed where there are several");
  CLI::Option* name = leaf->add_option(names, options.name, "existing namespace to which the workspace is bound");
  CLI::Option* make = leaf->add_flag("--auto-create-namespace", options.make_one, "make a namespace for the workspace");
  leaf->add_flag("--auto-create-namespace-all-clusters", options.make_everywhere,
                 "make a namespace for the workspace in every cluster")
      ->excludes(name)
      ->excludes(make);
  make->excludes(name);
}

Json namespace_meta(const NamespaceOptions& options) {
  const Json meta = {{"clusterName", options.cluster},
                     {"namespace", options.name.empty() ? Json() : Json(options.name)},
                     {"autoCreateNamespace", options.make_one},
                     {"autoCreateNamespaceAllClusters", options.make_everywhere}};
  return {{options.cluster, meta}};
}

}  // namespace det::cli
