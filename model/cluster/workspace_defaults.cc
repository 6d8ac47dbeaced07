#include "model/cluster/workspace_defaults.h"

#include <utility>

#include "model/cluster/cluster_defaults.h"
#include "model/expconf/accept_config.h"
#include "model/expconf/sections.h"
#include "model/pod/pod_policy_check.h"

namespace det::model {

using nlohmann::json;

MasterConfig with_workspace(MasterConfig master, const WorkspaceDefaults& defaults) {
  if (!defaults.compute_pool.empty()) master.default_compute_pool = defaults.compute_pool;
  if (!defaults.aux_pool.empty()) master.default_aux_pool = defaults.aux_pool;
  return master;
}

FieldErrors check_workspace_storage(const json& storage, const MasterConfig& master, const std::string& ns) {
  constexpr std::string_view kSection = "checkpoint_storage";
  json config = {{std::string(kSection), storage}};
  FieldErrors errors = check_partial_config(config);
  if (!errors.empty()) return errors;
  normalise(kExperimentSchema, config);
  const json written = config;
  fill(kExperimentSchema, config, Fill::kDefaults);
  FieldErrors lacking;
  check_complete(kExperimentSchema, config, "", lacking);
  for (Error& error : lacking) {
    if (error.field.starts_with(kSection)) errors.push_back(std::move(error));
  }
  const PodPolicy policy = master.pod_policies.of(ns, master.default_compute_pool);
  for (Error& error : check_pod_policy(written, cluster_layer(cluster_defaults(master), 1, ""), policy)) {
    errors.push_back(std::move(error));
  }
  return errors;
}

}  // namespace det::model
