#pragma once

// Groups, roles and assignments as messages of the wire (rbac.proto, group.proto of Determined). Pure.

#include <vector>

#include "model/access/roles.h"
#include "store/access/role_assignment_store.h"
#include "store/access/user_group_store.h"
#include "wire/request_fields.h"

namespace det::api {

// v1Role with its permissions.
[[nodiscard]] wire::Json role_json(const model::Role& role);
// v1GroupDetails.
[[nodiscard]] wire::Json group_json(const store::UserGroupDetails& group);
// v1RoleWithAssignments; `assignments` are of this role.
[[nodiscard]] wire::Json role_with_json(const model::Role& role, const std::vector<store::RoleAssignment>& assignments);
// Of assignments sorted by role, one v1RoleWithAssignments a role.
[[nodiscard]] wire::Json roles_with_json(const std::vector<store::RoleAssignment>& assignments);
// {"roles", "assignments"}: each role once, and a v1RoleAssignmentSummary of each in the same order.
[[nodiscard]] wire::Json summary_json(const std::vector<store::RoleAssignment>& assignments);

// groupRoleAssignments and userRoleAssignments of a body, at least one. kInvalidArgument for what is not right in
// itself: an unknown role, or one that cannot be assigned to a workspace.
[[nodiscard]] Result<std::vector<store::RoleAssignment>> read_assignments(const wire::Json& body);

}  // namespace det::api
