#pragma once

// What one user may do: everywhere, or in some workspaces. Pure.

#include <bitset>
#include <map>
#include <optional>
#include <vector>

#include "model/access/roles.h"

namespace det::model {

class Grants {
 public:
  // All that the role permits, in that workspace; nothing: everywhere. An unknown role permits nothing.
  void add(RoleId role, std::optional<WorkspaceId> workspace);

  [[nodiscard]] bool everywhere(Permission permission) const;
  // Everywhere or there.
  [[nodiscard]] bool in(Permission permission, WorkspaceId workspace) const;
  // Everywhere or in some workspace.
  [[nodiscard]] bool somewhere(Permission permission) const;
  // The workspaces where it is permitted, by id; nothing: in all.
  [[nodiscard]] std::optional<std::vector<WorkspaceId>> workspaces(Permission permission) const;

 private:
  using Set = std::bitset<kPermissions>;

  Set everywhere_;
  std::map<WorkspaceId, Set> in_;
};

}  // namespace det::model
