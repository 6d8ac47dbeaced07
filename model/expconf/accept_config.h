#pragma once

// The one gate for experiment configurations: from what a person wrote to the complete, frozen document that a search
// runs on, or to the list of everything that is wrong with it. REST, kubectl and tests all come through here. Pure:
// randomness and time are arguments.

#include <cstdint>
#include <expected>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json.hpp>

#include "base/json_reader.h"
#include "model/cluster/config_policy.h"
#include "model/cluster/master_config.h"
#include "model/expconf/experiment_config.h"

namespace det::model {

// The field of the error that names a pool which is not there (yet).
inline constexpr std::string_view kPoolField = "resources.resource_pool";

struct AcceptContext {
  std::uint64_t name_seed = 0;     // random; makes the name of an experiment that has none
  std::uint32_t default_seed = 0;  // experiment_seed where the config has none; upstream takes the time in seconds
  int default_priority = 50;       // of the resource pool
  std::optional<int> max_per_pod;  // slots a pod may have; without it and `master` slots_per_trial is not checked
  // The cluster: its pools, the slots of their pods, what pods may use. Borrowed for the call; without it these are not
  // checked. `ns` is where the pods will be.
  const MasterConfig* master = nullptr;
  std::string ns;
  std::string template_name;       // for errors
  nlohmann::json template_config;  // what the user's configuration lies on, or null
  // checkpoint_storage of the workspace, under both of them and over the cluster's, or null.
  nlohmann::json workspace_storage;
  // What lies over everything: the workspace's invariant configuration, and the cluster's over that. Borrowed; nullptr:
  // none. Constraints are another question (check_constraints).
  const ConfigPolicies* policies = nullptr;
  bool is_unmanaged = false;  // its programs run elsewhere: no entrypoint, and storage that pods need not reach
  bool has_files = false;     // of tasks other than trials: files come along, which lie in the work folder

  // The priority of who asks for none: not above what an administrator allows.
  [[nodiscard]] std::int64_t allowed_default_priority() const;
};

struct AcceptedConfig {
  ExperimentConfig config;
  nlohmann::json document;            // complete and normalised: the form to store and to hand to the harness
  std::string hash;                   // config_hash(document)
  std::vector<std::string> warnings;  // of model/expconf/config_warnings.h
};

// `user`: the configuration as given. `cluster_defaults`: an object with task_container_defaults and
// checkpoint_storage, both optional. Precedence: config policies, user, template, workspace, cluster defaults,
// built-in defaults.
// The errors' fields are paths within the configuration, the texts those of Determined; join_errors() prints them.
[[nodiscard]] std::expected<AcceptedConfig, FieldErrors> accept_config(const nlohmann::json& user,
                                                                       const nlohmann::json& cluster_defaults,
                                                                       const AcceptContext& context);

// Where the experiment shall be, by name.
struct ProjectName {
  std::string workspace;
  std::string project;
};
// The place that the configuration or what it lies on names; nothing when neither names both a workspace and a project.
// (accept_config refuses one without the other.) Decides which config policies count, so it comes before acceptance.
[[nodiscard]] std::optional<ProjectName> named_project(const nlohmann::json& user,
                                                       const nlohmann::json& template_config);

// A configuration over what it lies on: its template, or the experiment that it continues. Maps are merged, variables
// and bind mounts come in addition, most other lists are replaced; nulls say nothing. Both are normalised, and right by
// check_partial_config.
[[nodiscard]] nlohmann::json lay_over(nlohmann::json above, nlohmann::json below);

// Everything wrong with a configuration that is only a part, such as a template's: whatever would be wrong in every
// experiment that uses it.
[[nodiscard]] FieldErrors check_partial_config(const nlohmann::json& config);

}  // namespace det::model
