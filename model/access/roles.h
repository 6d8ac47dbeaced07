#pragma once

// The roles that can be assigned: those of Determined, which cannot be changed. Ids, names and permissions are the rows
// that its migrations leave behind (master/static/migrations). Pure.

#include <string>
#include <vector>

#include "model/access/permissions.h"
#include "model/ids.h"

namespace det::model {

struct Role {
  RoleId id;
  std::string name;
  std::vector<Permission> permissions;  // by number

  // Whether it cannot be assigned to one workspace, because something in it makes sense for the whole cluster only.
  [[nodiscard]] bool is_global_only() const;
};

inline constexpr RoleId kClusterAdmin{1};
inline constexpr RoleId kWorkspaceAdmin{2};

// By id.
[[nodiscard]] const std::vector<Role>& all_roles();
// nullptr for an id that no role has.
[[nodiscard]] const Role* find_role(RoleId id);

}  // namespace det::model
