#include "model/access/grants.h"

#include <algorithm>

namespace det::model {

void Grants::add(RoleId role, std::optional<WorkspaceId> workspace) {
  const Role* const known = find_role(role);
  if (known == nullptr) return;
  Set& set = workspace ? in_[*workspace] : everywhere_;
  for (const Permission one : known->permissions) set.set(index_of(one));
}

bool Grants::everywhere(Permission permission) const {
  return everywhere_.test(index_of(permission));
}

bool Grants::in(Permission permission, WorkspaceId workspace) const {
  if (everywhere(permission)) return true;
  const auto found = in_.find(workspace);
  return found != in_.end() && found->second.test(index_of(permission));
}

bool Grants::somewhere(Permission permission) const {
  const auto here = [at = index_of(permission)](const auto& entry) { return entry.second.test(at); };
  return everywhere(permission) || std::ranges::any_of(in_, here);
}

std::optional<std::vector<WorkspaceId>> Grants::workspaces(Permission permission) const {
  if (everywhere(permission)) return std::nullopt;
  std::vector<WorkspaceId> found;
  for (const auto& [workspace, set] : in_) {
    if (set.test(index_of(permission))) found.push_back(workspace);
  }
  return found;
}

}  // namespace det::model
