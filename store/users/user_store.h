#pragma once

// Users and their sessions. Passwords and tokens arrive hashed: nothing here can be used to log in. Belongs to the io
// thread; Pool outlives the stores.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/clock.h"
#include "model/cluster/agent_account.h"
#include "model/ids.h"
#include "pg/pool.h"
#include "store/page.h"

namespace det::store {

struct UserRow {
  model::UserId id;
  std::string username;
  std::string display_name;
  std::optional<std::string> password_hash;  // bcrypt of the client's hash; nothing: the password is blank
  bool admin = false;
  bool active = true;
  bool remote = false;
  WallTime modified_at;
  std::optional<model::AgentAccount> agent;  // nothing: tasks run as the image or the pod_spec says
  std::optional<WallTime> last_auth_at;      // of the latest login, by password or provider
};

enum class UserSort : std::uint8_t {
  kId,
  kDisplayName,
  kUsername,
  kAdmin,
  kActive,
  kModifiedTime,
  kName,  // the display name, else the username
  kLastAuthTime,
  kRemote
};

struct UserFilter {
  std::string name_part;  // of the username or the display name, whatever its case
  std::optional<bool> active;
  std::optional<bool> admin;
  std::vector<std::int64_t> roles;  // one of them is the user's own, everywhere; empty: all users
  UserSort sort = UserSort::kId;
  Order order = Order::kAscending;
  Page page;
};

// What is not set stays as it is.
struct UserPatch {
  std::optional<std::string> username;
  std::optional<std::string> display_name;
  std::optional<bool> admin;
  std::optional<bool> active;
  std::optional<bool> remote;
  std::optional<std::optional<std::string>> password_hash;  // set to nothing: the password becomes blank
  std::optional<std::optional<model::AgentAccount>> agent;  // set to nothing: taken away
};

// What a login is checked with.
struct LoginRow {
  std::optional<UserRow> user;
  // The user's; when there is no such user or they have none, that of somebody else, always the same for one name: it
  // takes as long to check. Nothing when nobody has a password.
  std::optional<std::string> hash_to_check;
};

struct NewUser {
  std::string username;  // kept in lower case, unique
  std::string display_name;
  std::optional<std::string> password_hash;
  bool admin = false;
  bool active = true;
  bool remote = false;  // logs in elsewhere, never by password
  std::optional<model::AgentAccount> agent;
};

class UserStore {
 public:
  explicit UserStore(pg::Pool& pool) : pool_(pool) {}

  // Nothing when there is no such user. Names are compared in lower case.
  Task<Result<std::optional<UserRow>>> find_by_name(std::string username);
  Task<Result<LoginRow>> find_for_login(std::string username);
  Task<Result<std::optional<UserRow>>> find(model::UserId id);
  Task<Result<Paged<UserRow>>> list(UserFilter filter = {});
  // kAlreadyExists when the name is taken.
  Task<Result<UserRow>> create(NewUser user);
  // Nothing for `hash` makes the password blank. The user's sessions end, but for the one with `kept_session` (hex; may
  // be empty). kNotFound when there is no such user. Notifies kUserChannel.
  Task<Status> set_password_hash(model::UserId id, std::optional<std::string> hash, std::string kept_session = {});
  // Another hash of the same password; nothing happens when `before` is no longer the hash.
  Task<Status> replace_hash(model::UserId id, std::string before, std::string hash);
  // Gives `hash` to those of the users who have a blank password, and says to how many.
  Task<Result<int>> replace_blank_passwords(std::vector<std::string> usernames, std::string hash);
  // All of it or nothing; the agent account is that of runs that start from now on. Who is deactivated loses their
  // sessions and access tokens for good. A new password ends the user's sessions but for `kept_session`, as above.
  // kNotFound when there is no such user, kAlreadyExists for a name that another has, kFailedPrecondition when nobody
  // would be left who is an admin and can log in. Notifies kUserChannel.
  Task<Result<UserRow>> change(model::UserId id, UserPatch patch, std::string kept_session = {});
  // Somebody whose name or display name is this, whatever its case, other than `except`.
  Task<Result<bool>> is_name_taken(std::string name, model::UserId except);
  Task<Status> note_login(model::UserId id);

 private:
  pg::Pool& pool_;
};

// What a login's password was found right by; nothing: it is blank.
struct CheckedPassword {
  std::optional<std::string> hash;
};

// token_hash: lower-case hex of the token's SHA-256.
class SessionStore {
 public:
  explicit SessionStore(pg::Pool& pool) : pool_(pool) {}

  // Of a user who is active, and whose password is still what was checked; nothing: somebody else vouches for the user.
  // kAborted for another.
  Task<Status> insert(std::string token_hash, model::UserId user, WallTime expires_at,
                      std::optional<CheckedPassword> checked = {});
  // The session's user (who may be inactive); nothing when the token is unknown or expired.
  Task<Result<std::optional<UserRow>>> find_user(std::string token_hash);
  // Removing what is not there is success.
  Task<Status> remove(std::string token_hash);
  // Deletes expired sessions and says how many.
  Task<Result<int>> remove_expired();

 private:
  pg::Pool& pool_;
};

}  // namespace det::store
