#include "model/cluster/authz_config.h"

#include <string>

namespace det::model {
namespace {

constexpr IntRange kRoleIds{.min = 1, .max = 1'000};

void read_creator(JsonReader& authz, AuthzConfig& config) {
  JsonReader reader = authz.object("workspace_creator_assign_role");
  config.assigns_to_creator = reader.boolean("enabled").value_or(config.assigns_to_creator);
  if (const auto id = reader.integer("role_id", kRoleIds)) {
    const Role* const role = find_role({*id});
    if (role == nullptr) {
      reader.report("role_id", "there is no role with the id " + std::to_string(*id) + ": 2 is WorkspaceAdmin");
    } else if (role->is_global_only()) {
      reader.report("role_id", role->name + " cannot be assigned to one workspace: 2 is WorkspaceAdmin");
    }
    config.creator_role = {*id};
  }
  reader.refuse_unknown_keys();
}

}  // namespace

AuthzConfig read_authz_config(JsonReader& security) {
  JsonReader reader = security.object("authz");
  AuthzConfig config;
  const std::string type = reader.string("type").value_or("basic");
  if (type != "basic" && type != "rbac") {
    reader.report("type", "\"" + type + "\" is neither \"basic\" nor \"rbac\"");
  }
  config.has_roles = type == "rbac";
  config.shows_roles = reader.boolean("rbac_ui_enabled").value_or(config.has_roles);
  config.strict_job_queue = reader.boolean("strict_job_queue_control").value_or(false);
  read_creator(reader, config);
  return config;
}

}  // namespace det::model
