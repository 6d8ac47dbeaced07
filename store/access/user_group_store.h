#pragma once

// Groups of people. Who is in one has its roles. Belongs to the io thread; Pool outlives it. What changes somebody's
// groups notifies kAccessChannel.

#include <optional>
#include <string>
#include <vector>

#include "model/ids.h"
#include "pg/pool.h"
#include "store/page.h"
#include "store/users/user_store.h"

namespace det::store {

struct UserGroupRow {
  model::UserGroupId id;
  std::string name;
  std::int64_t members = 0;

  bool operator==(const UserGroupRow&) const = default;
};

struct UserGroupDetails {
  UserGroupRow group;
  std::vector<UserRow> users;  // by id
};

// Empty fields do not filter.
struct UserGroupFilter {
  std::string name;                     // the whole of it
  std::optional<model::UserId> user;    // who is in it
  std::optional<model::UserId> viewer;  // only those that this user is in, too
  Page page;
};

struct UserGroupChange {
  std::optional<std::string> name;
  std::vector<model::UserId> add;
  std::vector<model::UserId> remove;
};

class UserGroupStore {
 public:
  // There is no reason for more, and the list of them is read as a whole.
  static constexpr int kMost = 10'000;

  explicit UserGroupStore(pg::Pool& pool) : pool_(pool) {}

  // kAlreadyExists for a name that is taken, kNotFound for an unknown user, kFailedPrecondition when there are kMost.
  Task<Result<UserGroupDetails>> create(std::string name, std::vector<model::UserId> users);
  // kNotFound when there is none.
  Task<Result<UserGroupDetails>> find(model::UserGroupId id);
  // Those of `ids` that there are.
  Task<Result<std::vector<UserGroupDetails>>> find_all(std::vector<model::UserGroupId> ids);
  Task<Result<bool>> is_member(model::UserGroupId id, model::UserId user);
  // By id.
  Task<Result<Paged<UserGroupRow>>> list(UserGroupFilter filter);
  // All or nothing. As create; kAlreadyExists for who is in it already, kNotFound when none of those to remove is.
  Task<Result<UserGroupDetails>> change(model::UserGroupId id, UserGroupChange change);
  // All of the users into all of `add` and out of all of `remove`; who is in one already stays there. kNotFound for an
  // unknown user or group.
  Task<Status> assign(std::vector<model::UserId> users, std::vector<model::UserGroupId> add,
                      std::vector<model::UserGroupId> remove);
  // Into all groups of these names, which are made where they are not there, and out of all others. Says whether that
  // changed anything. kFailedPrecondition when there would be more than kMost.
  Task<Result<bool>> set_groups_of(model::UserId user, std::vector<std::string> names);
  // With what roles it has. kNotFound when there is none.
  Task<Status> remove(model::UserGroupId id);

 private:
  pg::Pool& pool_;
};

}  // namespace det::store
