#include "store/users/user_store.h"

#include "store/channels.h"
#include "store/users/user_rows.h"

namespace det::store {
namespace {

const char* const kFind = "WHERE u.id = $1";
const char* const kFindByName = "WHERE u.username = lower($1)";
const char* const kList = "WHERE $1::boolean IS NULL OR u.active = $1 ORDER BY u.id";
const char* const kInsert =
    "INSERT INTO users AS u (username, display_name, password_hash, admin, active, remote) "
    "VALUES (lower($1), $2, $3, $4, $5, $6) RETURNING ";
const char* const kSetPassword = "UPDATE users SET password_hash = $2, modified_at = now() WHERE id = $1";
const char* const kEndSessions =
    "DELETE FROM user_sessions WHERE user_id = $1 AND encode(token_hash, 'hex') <> $2";  // index user_sessions_user
const char* const kReplaceHash = "UPDATE users SET password_hash = $3 WHERE id = $1 AND password_hash = $2";
// Users are few.
const char* const kSomebodysHash =
    "SELECT password_hash FROM users WHERE password_hash IS NOT NULL ORDER BY md5(username || lower($1)) LIMIT 1";
const char* const kReplaceBlank =
    "UPDATE users SET password_hash = $2, modified_at = now() WHERE username = lower($1) AND password_hash IS NULL";
const char* const kSetActive = "UPDATE users SET active = $2, modified_at = now() WHERE id = $1";
const char* const kSetAgent =
    "UPDATE users SET agent_uid = $2, agent_gid = $3, agent_user = $4, agent_group = $5, modified_at = now() WHERE id "
    "= "
    "$1";

const char* const kInsertSession =
    "INSERT INTO user_sessions (token_hash, user_id, expires_at) VALUES (decode($1, 'hex'), $2, $3) "
    "ON CONFLICT (token_hash) DO NOTHING";
const char* const kFindSession =
    " FROM user_sessions s JOIN users u ON u.id = s.user_id WHERE s.token_hash = decode($1, 'hex') AND s.expires_at > "
    "now()";
const char* const kRemoveSession = "DELETE FROM user_sessions WHERE token_hash = decode($1, 'hex')";
const char* const kRemoveExpired = "DELETE FROM user_sessions WHERE expires_at <= now()";

std::string select(const char* where) {
  return "SELECT " + user_columns("u") + " FROM users u " + where;
}

std::optional<UserRow> first_user(const pqxx::result& result) {
  if (result.empty()) return std::nullopt;
  return read_user(result[0]);
}

}  // namespace

std::string user_columns(const std::string& alias) {
  std::string columns;
  for (const char* name : {"id", "username", "display_name", "password_hash", "admin", "active", "remote",
                           "modified_at", "agent_uid", "agent_gid", "agent_user", "agent_group"}) {
    columns += (columns.empty() ? "" : ", ") + alias + "." + name;
  }
  return columns;
}

UserRow read_user(const pqxx::row& row, int first) {
  UserRow user = {.id = {row[first].as<std::int64_t>()},
                  .username = as_text(row[first + 1]),
                  .display_name = as_text(row[first + 2]),
                  .password_hash = as_optional<std::string>(row[first + 3]),
                  .admin = row[first + 4].as<bool>(),
                  .active = row[first + 5].as<bool>(),
                  .remote = row[first + 6].as<bool>(),
                  .modified_at = as_time(row[first + 7]),
                  .agent = std::nullopt};
  if (row[first + 8].is_null()) return user;
  user.agent = {.uid = row[first + 8].as<int>(),
                .gid = row[first + 9].as<int>(),
                .user = as_text(row[first + 10]),
                .group = as_text(row[first + 11])};
  return user;
}

Task<Result<std::optional<UserRow>>> UserStore::find_by_name(std::string username) {
  auto body = [username](pg::Transaction& tx) -> Result<std::optional<UserRow>> {
    return first_user(run_sql(tx, select(kFindByName), username));
  };
  co_return co_await pool_.read("find user", std::move(body));
}

Task<Result<LoginRow>> UserStore::find_for_login(std::string username) {
  auto body = [username](pg::Transaction& tx) -> Result<LoginRow> {
    LoginRow row{.user = first_user(run_sql(tx, select(kFindByName), username)), .hash_to_check = {}};
    const pqxx::result others = run_sql(tx, kSomebodysHash, username);
    if (row.user && row.user->password_hash) {
      row.hash_to_check = row.user->password_hash;
    } else if (!others.empty()) {
      row.hash_to_check = as_text(others[0][0]);
    }
    return row;
  };
  co_return co_await pool_.read("find user", std::move(body));
}

Task<Result<std::optional<UserRow>>> UserStore::find(model::UserId id) {
  auto body = [id](pg::Transaction& tx) -> Result<std::optional<UserRow>> {
    return first_user(run_sql(tx, select(kFind), id.value));
  };
  co_return co_await pool_.read("find user", std::move(body));
}

Task<Result<std::vector<UserRow>>> UserStore::list(std::optional<bool> active) {
  auto body = [active](pg::Transaction& tx) -> Result<std::vector<UserRow>> {
    std::vector<UserRow> users;
    for (const auto& row : run_sql(tx, select(kList), active)) users.push_back(read_user(row));
    return users;
  };
  co_return co_await pool_.read("list users", std::move(body));
}

Task<Result<UserRow>> UserStore::create(NewUser user) {
  auto body = [user](pg::Transaction& tx) -> Result<UserRow> {
    const pqxx::result taken = run_sql(tx, select(kFindByName), user.username);
    if (!taken.empty())
      return fail(ErrorCode::kAlreadyExists, "user '" + user.username + "' already exists", "username");
    return read_user(run_sql1(tx, kInsert + user_columns("u"), user.username, user.display_name, user.password_hash,
                              user.admin, user.active, user.remote));
  };
  co_return co_await pool_.write_once("create user", std::move(body));
}

Task<Status> UserStore::set_password_hash(model::UserId id, std::optional<std::string> hash, std::string kept_session) {
  auto body = [id, hash, kept_session](pg::Transaction& tx) -> Status {
    const Status set = changed_one(run_sql(tx, kSetPassword, id.value, hash), "user", to_string(id));
    if (!set) return set;
    run_sql(tx, kEndSessions, id.value, kept_session);
    notify(tx, kUserChannel, to_string(id));
    return {};
  };
  co_return co_await pool_.write("set password", std::move(body));
}

Task<Status> UserStore::replace_hash(model::UserId id, std::string before, std::string hash) {
  auto body = [id, before, hash](pg::Transaction& tx) -> Status {
    run_sql(tx, kReplaceHash, id.value, before, hash);
    return {};
  };
  co_return co_await pool_.write("replace password hash", std::move(body));
}

Task<Result<int>> UserStore::replace_blank_passwords(std::vector<std::string> usernames, std::string hash) {
  auto body = [usernames, hash](pg::Transaction& tx) -> Result<int> {
    std::size_t replaced = 0;
    for (const auto& name : usernames) replaced += run_sql(tx, kReplaceBlank, name, hash).affected_rows();
    return static_cast<int>(replaced);
  };
  co_return co_await pool_.write("set initial passwords", std::move(body));
}

Task<Status> UserStore::set_agent(model::UserId id, std::optional<model::AgentAccount> account) {
  auto body = [id, account](pg::Transaction& tx) -> Status {
    std::optional<int> uid, gid;
    std::optional<std::string> user, group;
    if (account) {
      uid = account->uid;
      gid = account->gid;
      user = account->user;
      group = account->group;
    }
    DET_TRY(changed_one(run_sql(tx, kSetAgent, id.value, uid, gid, user, group), "user", to_string(id)));
    notify(tx, kUserChannel, to_string(id));
    return {};
  };
  co_return co_await pool_.write("set a user's agent account", std::move(body));
}

Task<Status> UserStore::set_active(model::UserId id, bool active) {
  auto body = [id, active](pg::Transaction& tx) -> Status {
    notify(tx, kUserChannel, to_string(id));
    return changed_one(run_sql(tx, kSetActive, id.value, active), "user", to_string(id));
  };
  co_return co_await pool_.write("set user active", std::move(body));
}

Task<Status> SessionStore::insert(std::string token_hash, model::UserId user, WallTime expires_at) {
  auto body = [=](pg::Transaction& tx) -> Status {
    run_sql(tx, kInsertSession, token_hash, user.value, format_rfc3339_micros(expires_at));
    return {};
  };
  co_return co_await pool_.write("insert session", std::move(body));
}

Task<Result<std::optional<UserRow>>> SessionStore::find_user(std::string token_hash) {
  auto body = [token_hash](pg::Transaction& tx) -> Result<std::optional<UserRow>> {
    return first_user(run_sql(tx, "SELECT " + user_columns("u") + kFindSession, token_hash));
  };
  co_return co_await pool_.read("find session", std::move(body));
}

Task<Status> SessionStore::remove(std::string token_hash) {
  auto body = [token_hash](pg::Transaction& tx) -> Status {
    run_sql(tx, kRemoveSession, token_hash);
    return {};
  };
  co_return co_await pool_.write("remove session", std::move(body));
}

Task<Result<int>> SessionStore::remove_expired() {
  auto body = [](pg::Transaction& tx) -> Result<int> {
    return static_cast<int>(tx.exec(kRemoveExpired).affected_rows());
  };
  co_return co_await pool_.write("remove expired sessions", std::move(body));
}

}  // namespace det::store
