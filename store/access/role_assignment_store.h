#pragma once

// Who has which role where. Belongs to the io thread; Pool outlives it. Changes notify kAccessChannel.

#include <optional>
#include <vector>

#include "model/access/grants.h"
#include "model/ids.h"
#include "pg/pool.h"

namespace det::store {

// To a user or to a group.
struct RoleAssignment {
  model::RoleId role;
  std::optional<model::UserId> user;
  std::optional<model::UserGroupId> group;
  std::optional<model::WorkspaceId> workspace;  // nothing: everywhere

  bool operator==(const RoleAssignment&) const = default;
};

// Either filters; none gives all.
struct RoleAssignmentFilter {
  std::vector<model::RoleId> roles;
  std::optional<model::WorkspaceId> workspace;  // assigned to this one, not everywhere
  std::optional<model::UserGroupId> group;
  std::optional<model::UserId> holder;  // this user's, and those of the groups that the user is in
};

// As RoleAssignmentStore::add, in a transaction that does more.
[[nodiscard]] Status assign_roles(pg::Transaction& tx, const std::vector<RoleAssignment>& assignments);

class RoleAssignmentStore {
 public:
  // Of one request, so that no body keeps a transaction long.
  static constexpr std::size_t kMostAtOnce = 1'000;

  explicit RoleAssignmentStore(pg::Pool& pool) : pool_(pool) {}

  // What a user may by all roles of the user and the user's groups.
  Task<Result<model::Grants>> grants_of(model::UserId user);
  // By role, then by the time of assignment.
  Task<Result<std::vector<RoleAssignment>>> list(RoleAssignmentFilter filter);
  // All or nothing. kNotFound for an unknown user, group or workspace, kAlreadyExists for what is assigned already.
  Task<Status> add(std::vector<RoleAssignment> assignments);
  // All or nothing. kNotFound for what is not assigned.
  Task<Status> remove(std::vector<RoleAssignment> assignments);
  // Where nobody has ClusterAdmin everywhere who can log in: the user "admin" of a new database gets it, or, where that
  // one is switched off, everybody who has the flag of administrators. How many did.
  Task<Result<int>> ensure_cluster_admin();

 private:
  pg::Pool& pool_;
};

}  // namespace det::store
