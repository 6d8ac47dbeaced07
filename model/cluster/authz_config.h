#pragma once

// `security.authz` of master.yaml: whether roles say who may do what. Pure.

#include "base/json_reader.h"
#include "model/access/roles.h"

namespace det::model {

struct AuthzConfig {
  bool has_roles = false;          // type: rbac; else owners and admins
  bool shows_roles = false;        // whether clients offer commands about roles
  bool assigns_to_creator = true;  // whoever makes a workspace gets a role in it
  RoleId creator_role = kWorkspaceAdmin;
  bool strict_job_queue = false;  // only who has a permission for it changes the queue

  bool operator==(const AuthzConfig&) const = default;
};

// `security`: the reader of that section.
[[nodiscard]] AuthzConfig read_authz_config(JsonReader& security);

}  // namespace det::model
