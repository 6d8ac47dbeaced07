#include "store/access/user_group_store.h"

#include <algorithm>
#include <utility>

#include "store/channels.h"
#include "store/sql.h"
#include "store/users/user_rows.h"

namespace det::store {
namespace {

const char* const kSelect =
    "SELECT g.id, g.name, (SELECT count(*) FROM user_group_members m WHERE m.group_id = g.id) FROM user_groups g ";
const char* const kMatching =
    "WHERE ($1 = '' OR g.name = $1) AND ($2::bigint IS NULL OR EXISTS (SELECT FROM user_group_members m WHERE "
    "m.group_id = g.id AND m.user_id = $2)) AND ($3::bigint IS NULL OR EXISTS (SELECT FROM user_group_members m WHERE "
    "m.group_id = g.id AND m.user_id = $3)) ";
const char* const kMembers =
    " FROM user_group_members m JOIN users u ON u.id = m.user_id WHERE m.group_id = $1 ORDER BY u.id";
const char* const kCount = "SELECT count(*) FROM user_groups";
// Nothing when the name is taken, also by who is just writing it.
const char* const kInsert = "INSERT INTO user_groups (name) VALUES ($1) ON CONFLICT (name) DO NOTHING RETURNING id";
const char* const kLock = "SELECT id FROM user_groups WHERE id = ANY($1::bigint[]) ORDER BY id FOR UPDATE";
const char* const kUnknownUser =
    "SELECT asked FROM unnest($1::bigint[]) AS asked WHERE NOT EXISTS (SELECT FROM users u WHERE u.id = asked) LIMIT 1";
const char* const kIsTaken = "SELECT 1 FROM user_groups WHERE name = $1 AND id <> $2";
const char* const kRename = "UPDATE user_groups SET name = $2 WHERE id = $1";
const char* const kAdd =
    "INSERT INTO user_group_members (group_id, user_id) SELECT g, u FROM unnest($1::bigint[]) AS g, "
    "unnest($2::bigint[]) "
    "AS u ON CONFLICT DO NOTHING";
const char* const kTake =
    "DELETE FROM user_group_members WHERE group_id = ANY($1::bigint[]) AND user_id = ANY($2::bigint[])";
const char* const kTouch = "UPDATE users SET modified_at = now() WHERE id = ANY($1::bigint[])";
const char* const kIsMember = "SELECT 1 FROM user_group_members WHERE group_id = $1 AND user_id = $2";
// In one order, so that two who do this wait for each other instead of for ever.
const char* const kEnsure =
    "INSERT INTO user_groups (name) SELECT DISTINCT n FROM unnest($1::text[]) AS n ORDER BY n ON CONFLICT (name) DO "
    "NOTHING";
const char* const kJoinNamed =
    "INSERT INTO user_group_members (group_id, user_id) SELECT g.id, $2 FROM user_groups g WHERE g.name = "
    "ANY($1::text[]) ORDER BY g.id ON CONFLICT DO NOTHING";
const char* const kLeaveOthers =
    "DELETE FROM user_group_members m USING user_groups g WHERE g.id = m.group_id AND m.user_id = $2 AND NOT (g.name = "
    "ANY($1::text[]))";
const char* const kRemove = "DELETE FROM user_groups WHERE id = $1";

UserGroupRow read_group(const pqxx::row& row) {
  return {.id = {row[0].as<std::int64_t>()}, .name = as_text(row[1]), .members = row[2].as<std::int64_t>()};
}

std::unexpected<Error> no_group(const std::string& id) {
  return not_found("group", id);
}

std::unexpected<Error> name_taken(const std::string& name) {
  return fail(ErrorCode::kAlreadyExists, "there is a group with the name '" + name + "' already", "name");
}

Result<UserGroupDetails> read_one(pg::Transaction& tx, model::UserGroupId id) {
  const pqxx::result found = run_sql(tx, std::string(kSelect) + "WHERE g.id = $1", id.value);
  if (found.empty()) return no_group(to_string(id));
  UserGroupDetails details{.group = read_group(found[0]), .users = {}};
  for (const auto& row : run_sql(tx, "SELECT " + user_columns("u") + kMembers, id.value)) {
    details.users.push_back(read_user(row));
  }
  return details;
}

Status check_users(pg::Transaction& tx, const std::vector<model::UserId>& users) {
  const pqxx::result unknown = run_sql(tx, kUnknownUser, id_array(users));
  if (unknown.empty()) return {};
  return not_found("user", as_text(unknown[0][0]));
}

// So that they stay until the transaction ends.
Status lock_groups(pg::Transaction& tx, const std::vector<model::UserGroupId>& groups) {
  std::vector<model::UserGroupId> there;
  for (const auto& row : run_sql(tx, kLock, id_array(groups))) there.push_back({row[0].as<std::int64_t>()});
  for (const model::UserGroupId id : groups) {
    if (std::ranges::find(there, id) == there.end()) return no_group(to_string(id));
  }
  return {};
}

void touch(pg::Transaction& tx, const std::vector<model::UserId>& users) {
  run_sql(tx, kTouch, id_array(users));
  notify(tx, kAccessChannel, {});
}

Status add_members(pg::Transaction& tx, model::UserGroupId id, const std::vector<model::UserId>& users) {
  if (users.empty()) return {};
  DET_TRY(check_users(tx, users));
  const auto added = run_sql(tx, kAdd, id_array(std::vector{id}), id_array(users)).affected_rows();
  if (added < users.size()) {
    return fail(ErrorCode::kAlreadyExists, "some of the users are in group '" + to_string(id) + "' already",
                "addUsers");
  }
  touch(tx, users);
  return {};
}

Status take_members(pg::Transaction& tx, model::UserGroupId id, const std::vector<model::UserId>& users) {
  if (users.empty()) return {};
  if (run_sql(tx, kTake, id_array(std::vector{id}), id_array(users)).affected_rows() == 0) {
    return fail(ErrorCode::kNotFound, "none of the users is in group '" + to_string(id) + "'", "removeUsers");
  }
  touch(tx, users);
  return {};
}

}  // namespace

Task<Result<UserGroupDetails>> UserGroupStore::create(std::string name, std::vector<model::UserId> users) {
  auto body = [name, users](pg::Transaction& tx) -> Result<UserGroupDetails> {
    if (run_sql1(tx, kCount)[0].as<int>() >= kMost) {
      return fail(ErrorCode::kFailedPrecondition,
                  "there are " + std::to_string(kMost) + " groups, and more there cannot be: delete one first");
    }
    const pqxx::result made = run_sql(tx, kInsert, name);
    if (made.empty()) return name_taken(name);
    const model::UserGroupId id{made[0][0].as<std::int64_t>()};
    DET_TRY(add_members(tx, id, users));
    return read_one(tx, id);
  };
  co_return co_await pool_.write_once("create group", std::move(body));
}

Task<Result<UserGroupDetails>> UserGroupStore::find(model::UserGroupId id) {
  auto body = [id](pg::Transaction& tx) { return read_one(tx, id); };
  co_return co_await pool_.read("find group", std::move(body));
}

Task<Result<std::vector<UserGroupDetails>>> UserGroupStore::find_all(std::vector<model::UserGroupId> ids) {
  auto body = [ids](pg::Transaction& tx) -> Result<std::vector<UserGroupDetails>> {
    std::vector<UserGroupDetails> all;
    for (const model::UserGroupId id : ids) {
      auto one = read_one(tx, id);
      if (one) all.push_back(std::move(*one));
    }
    return all;
  };
  co_return co_await pool_.read("find groups", std::move(body));
}

Task<Result<bool>> UserGroupStore::is_member(model::UserGroupId id, model::UserId user) {
  auto body = [id, user](pg::Transaction& tx) -> Result<bool> {
    return !run_sql(tx, kIsMember, id.value, user.value).empty();
  };
  co_return co_await pool_.read("find group member", std::move(body));
}

Task<Result<Paged<UserGroupRow>>> UserGroupStore::list(UserGroupFilter filter) {
  auto body = [f = std::move(filter)](pg::Transaction& tx) -> Result<Paged<UserGroupRow>> {
    const auto user = f.user ? std::optional(f.user->value) : std::nullopt;
    const auto viewer = f.viewer ? std::optional(f.viewer->value) : std::nullopt;
    Paged<UserGroupRow> page;
    page.total = run_sql1(tx, std::string("SELECT count(*) FROM user_groups g ") + kMatching, f.name, user, viewer)[0]
                     .as<std::int64_t>();
    const auto offset = page_offset(f.page, page.total);
    DET_TRY(offset);
    page.offset = *offset;
    const std::string select = std::string(kSelect) + kMatching + "ORDER BY g.id LIMIT $4 OFFSET $5";
    for (const auto& row : run_sql(tx, select, f.name, user, viewer, page_limit(f.page), page.offset)) {
      page.items.push_back(read_group(row));
    }
    return page;
  };
  co_return co_await pool_.read("list groups", std::move(body));
}

Task<Result<UserGroupDetails>> UserGroupStore::change(model::UserGroupId id, UserGroupChange change) {
  auto body = [id, c = std::move(change)](pg::Transaction& tx) -> Result<UserGroupDetails> {
    DET_TRY(lock_groups(tx, {id}));
    if (c.name) {
      if (!run_sql(tx, kIsTaken, *c.name, id.value).empty()) return name_taken(*c.name);
      run_sql(tx, kRename, id.value, *c.name);
    }
    DET_TRY(add_members(tx, id, c.add));
    DET_TRY(take_members(tx, id, c.remove));
    return read_one(tx, id);
  };
  co_return co_await pool_.write_once("change group", std::move(body));
}

Task<Status> UserGroupStore::assign(std::vector<model::UserId> users, std::vector<model::UserGroupId> add,
                                    std::vector<model::UserGroupId> remove) {
  auto body = [=](pg::Transaction& tx) -> Status {
    std::vector<model::UserGroupId> all = add;
    all.insert(all.end(), remove.begin(), remove.end());
    DET_TRY(lock_groups(tx, all));
    DET_TRY(check_users(tx, users));
    if (users.empty()) return {};
    run_sql(tx, kAdd, id_array(add), id_array(users));
    run_sql(tx, kTake, id_array(remove), id_array(users));
    touch(tx, users);
    return {};
  };
  co_return co_await pool_.write("assign groups", std::move(body));
}

Task<Result<bool>> UserGroupStore::set_groups_of(model::UserId user, std::vector<std::string> names) {
  auto body = [user, names](pg::Transaction& tx) -> Result<bool> {
    const std::string all = text_array(names);
    if (run_sql(tx, kEnsure, all).affected_rows() > 0 && run_sql1(tx, kCount)[0].as<int>() > kMost) {
      return fail(ErrorCode::kFailedPrecondition,
                  "there are " + std::to_string(kMost) + " groups, and more there cannot be: delete one first");
    }
    const auto joined = run_sql(tx, kJoinNamed, all, user.value).affected_rows();
    const auto left = run_sql(tx, kLeaveOthers, all, user.value).affected_rows();
    if (joined + left == 0) return false;
    touch(tx, {user});
    return true;
  };
  co_return co_await pool_.write("set groups of a user", std::move(body));
}

Task<Status> UserGroupStore::remove(model::UserGroupId id) {
  auto body = [id](pg::Transaction& tx) -> Status {
    notify(tx, kAccessChannel, {});
    if (run_sql(tx, kRemove, id.value).affected_rows() == 0) return no_group(to_string(id));
    return {};
  };
  co_return co_await pool_.write_once("delete group", std::move(body));
}

}  // namespace det::store
