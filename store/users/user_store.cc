#include "store/users/user_store.h"

#include "store/channels.h"
#include "store/users/user_rows.h"

namespace det::store {
namespace {

const char* const kFind = "WHERE u.id = $1";
const char* const kFindByName = "WHERE u.username = lower($1)";
const char* const kMatching =
    "WHERE (strpos(lower(u.username), lower($1)) > 0 OR strpos(lower(u.display_name), lower($1)) > 0) AND "
    "($2::boolean IS NULL OR u.active = $2) AND ($3::boolean IS NULL OR u.admin = $3) AND ($4::bigint[] = '{}' OR "
    "EXISTS "
    "(SELECT FROM role_assignments a WHERE a.user_id = u.id AND a.workspace_id IS NULL AND a.role_id = ANY($4))) ";
const char* const kInsert =
    "INSERT INTO users AS u (username, display_name, password_hash, admin, active, remote) "
    "VALUES (lower($1), $2, $3, $4, $5, $6) RETURNING ";
const char* const kSetPassword = "UPDATE users SET password_hash = $2, modified_at = now() WHERE id = $1";
const char* const kEndSessions =
    "DELETE FROM user_sessions WHERE user_id = $1 AND encode(token_hash, 'hex') <> $2";  // index user_sessions_user
const char* const kRevokeTokens =
    "UPDATE access_tokens SET revoked_at = now() WHERE user_id = $1 AND revoked_at IS NULL";
const char* const kReplaceHash = "UPDATE users SET password_hash = $3 WHERE id = $1 AND password_hash = $2";
// Users are few.
const char* const kSomebodysHash =
    "SELECT password_hash FROM users WHERE password_hash IS NOT NULL ORDER BY md5(username || lower($1)) LIMIT 1";
const char* const kReplaceBlank =
    "UPDATE users SET password_hash = $2, modified_at = now() WHERE username = lower($1) AND password_hash IS NULL "
    "RETURNING id";
// Changes of who is an admin and who can log in wait for each other: the last two could let go at the same time.
const char* const kLockAdmins = "SELECT id FROM users WHERE admin ORDER BY id FOR UPDATE";
const char* const kChange =
    "UPDATE users u SET username = lower(coalesce($2, username)), display_name = coalesce($3, display_name), admin = "
    "coalesce($4, admin), active = coalesce($5, active), remote = coalesce($6, remote), modified_at = now() WHERE id = "
    "$1 RETURNING ";
const char* const kHasAdmin = "SELECT 1 FROM users WHERE admin AND active AND NOT remote LIMIT 1";
const char* const kSetAgent =
    "UPDATE users SET agent_uid = $2, agent_gid = $3, agent_user = $4, agent_group = $5 WHERE id = $1";
const char* const kIsTaken = "SELECT 1 FROM users WHERE username = lower($1) AND id <> $2";
const char* const kIsNameTaken =
    "SELECT 1 FROM users WHERE (username = lower($1) OR lower(display_name) = lower($1)) AND id <> $2";
const char* const kNoteLogin = "UPDATE users SET last_auth_at = now() WHERE id = $1";

// The lock waits for a change of the user that is under way, which then counts; one that comes later ends the session.
const char* const kInsertSession =
    "INSERT INTO user_sessions (token_hash, user_id, expires_at) SELECT decode($1, 'hex'), u.id, $3 FROM users u WHERE "
    "u.id = $2 AND u.active AND ($4 OR u.password_hash IS NOT DISTINCT FROM $5) FOR SHARE "
    "ON CONFLICT (token_hash) DO UPDATE SET expires_at = excluded.expires_at";
const char* const kFindSession =
    " FROM user_sessions s JOIN users u ON u.id = s.user_id WHERE s.token_hash = decode($1, 'hex') AND s.expires_at > "
    "now()";
const char* const kRemoveSession = "DELETE FROM user_sessions WHERE token_hash = decode($1, 'hex') RETURNING user_id";
const char* const kRemoveExpired = "DELETE FROM user_sessions WHERE expires_at <= now()";

std::string select(const char* where) {
  return "SELECT " + user_columns("u") + " FROM users u " + where;
}

std::string order_by(UserSort sort, Order order) {
  const auto column = [sort] {
    switch (sort) {
      case UserSort::kId:
        return "u.id";
      case UserSort::kDisplayName:
        return "nullif(lower(u.display_name), '')";
      case UserSort::kUsername:
        return "u.username";
      case UserSort::kAdmin:
        return "u.admin";
      case UserSort::kActive:
        return "u.active";
      case UserSort::kModifiedTime:
        return "u.modified_at";
      case UserSort::kName:
        return "lower(coalesce(nullif(u.display_name, ''), u.username))";
      case UserSort::kLastAuthTime:
        return "u.last_auth_at";
      case UserSort::kRemote:
        return "u.remote";
    }
    return "u.id";
  };
  // Who has no display name comes last, or first in descending order, as with Determined.
  const auto way = sort == UserSort::kDisplayName ? plain_direction(order) : direction(order);
  return std::string("ORDER BY ") + column() + std::string(way) + ", u.id";
}

void set_agent(pg::Transaction& tx, model::UserId id, const std::optional<model::AgentAccount>& account) {
  std::optional<int> uid, gid;
  std::optional<std::string> user, group;
  if (account) {
    uid = account->uid;
    gid = account->gid;
    user = account->user;
    group = account->group;
  }
  run_sql(tx, kSetAgent, id.value, uid, gid, user, group);
}

std::optional<UserRow> first_user(const pqxx::result& result) {
  if (result.empty()) return std::nullopt;
  return read_user(result[0]);
}

}  // namespace

std::string user_columns(const std::string& alias) {
  std::string columns;
  for (const char* name : {"id", "username", "display_name", "password_hash", "admin", "active", "remote",
                           "modified_at", "agent_uid", "agent_gid", "agent_user", "agent_group", "last_auth_at"}) {
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
                  .agent = std::nullopt,
                  .last_auth_at = as_optional_time(row[first + 12])};
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

Task<Result<Paged<UserRow>>> UserStore::list(UserFilter filter) {
  auto body = [f = std::move(filter)](pg::Transaction& tx) -> Result<Paged<UserRow>> {
    Paged<UserRow> page;
    const std::string roles = int_array(f.roles);
    page.total =
        run_sql1(tx, std::string("SELECT count(*) FROM users u ") + kMatching, f.name_part, f.active, f.admin, roles)[0]
            .as<std::int64_t>();
    const auto offset = page_offset(f.page, page.total);
    DET_TRY(offset);
    page.offset = *offset;
    const std::string sql = select(kMatching) + order_by(f.sort, f.order) + " LIMIT $5 OFFSET $6";
    for (const auto& row : run_sql(tx, sql, f.name_part, f.active, f.admin, roles, page_limit(f.page), page.offset)) {
      page.items.push_back(read_user(row));
    }
    return page;
  };
  co_return co_await pool_.read("list users", std::move(body));
}

Task<Result<UserRow>> UserStore::create(NewUser user) {
  auto body = [user](pg::Transaction& tx) -> Result<UserRow> {
    const pqxx::result taken = run_sql(tx, select(kFindByName), user.username);
    if (!taken.empty())
      return fail(ErrorCode::kAlreadyExists, "user '" + user.username + "' already exists", "username");
    UserRow made = read_user(run_sql1(tx, kInsert + user_columns("u"), user.username, user.display_name,
                                      user.password_hash, user.admin, user.active, user.remote));
    if (user.agent) set_agent(tx, made.id, user.agent);
    made.agent = user.agent;
    return made;
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
    int replaced = 0;
    for (const auto& name : usernames) {
      for (const auto& row : run_sql(tx, kReplaceBlank, name, hash)) {
        run_sql(tx, kEndSessions, row[0].as<std::int64_t>(), "");  // somebody may have come in before
        ++replaced;
      }
    }
    return replaced;
  };
  co_return co_await pool_.write("set initial passwords", std::move(body));
}

Task<Result<UserRow>> UserStore::change(model::UserId id, UserPatch patch, std::string kept_session) {
  auto body = [id, p = std::move(patch), kept_session](pg::Transaction& tx) -> Result<UserRow> {
    const bool may_lose_admin = p.admin == false || p.active == false || p.remote == true;
    if (may_lose_admin) run_sql(tx, kLockAdmins);
    if (p.username && !run_sql(tx, kIsTaken, *p.username, id.value).empty()) {
      return fail(ErrorCode::kAlreadyExists, "user '" + *p.username + "' already exists", "username");
    }
    const pqxx::result changed =
        run_sql(tx, kChange + user_columns("u"), id.value, p.username, p.display_name, p.admin, p.active, p.remote);
    if (changed.empty()) return not_found("user", to_string(id));
    if (may_lose_admin && run_sql(tx, kHasAdmin).empty()) {
      return fail(ErrorCode::kFailedPrecondition,
                  "nobody would be left who is an admin and can log in: make another user an admin first");
    }
    if (p.password_hash) {
      run_sql(tx, kSetPassword, id.value, *p.password_hash);
      run_sql(tx, kEndSessions, id.value, kept_session);
    }
    if (p.active == false) {
      run_sql(tx, kRevokeTokens, id.value);
      run_sql(tx, kEndSessions, id.value, "");  // they would be good again when the user is
    }
    if (p.agent) set_agent(tx, id, *p.agent);
    notify(tx, kUserChannel, to_string(id));
    return read_user(run_sql1(tx, select(kFind), id.value));
  };
  co_return co_await pool_.write("change user", std::move(body));
}

Task<Result<bool>> UserStore::is_name_taken(std::string name, model::UserId except) {
  auto body = [name, except](pg::Transaction& tx) -> Result<bool> {
    return !run_sql(tx, kIsNameTaken, name, except.value).empty();
  };
  co_return co_await pool_.read("find a display name", std::move(body));
}

Task<Status> UserStore::note_login(model::UserId id) {
  auto body = [id](pg::Transaction& tx) -> Status {
    run_sql(tx, kNoteLogin, id.value);
    return {};
  };
  co_return co_await pool_.write("note a login", std::move(body));
}

Task<Status> SessionStore::insert(std::string token_hash, model::UserId user, WallTime expires_at,
                                  std::optional<CheckedPassword> checked) {
  auto body = [=](pg::Transaction& tx) -> Status {
    const bool is_vouched_for = !checked.has_value();
    const std::optional<std::string> hash = checked ? checked->hash : std::nullopt;
    const auto inserted =
        run_sql(tx, kInsertSession, token_hash, user.value, format_rfc3339_micros(expires_at), is_vouched_for, hash);
    if (inserted.affected_rows() == 1) return {};
    return fail(ErrorCode::kAborted, "user " + to_string(user) + " is not active, or has another password by now");
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
    for (const auto& row : run_sql(tx, kRemoveSession, token_hash)) notify(tx, kUserChannel, as_text(row[0]));
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
