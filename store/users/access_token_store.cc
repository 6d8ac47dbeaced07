#include "store/users/access_token_store.h"

#include "store/channels.h"
#include "store/sql.h"
#include "store/users/user_rows.h"

namespace det::store {
namespace {

const char* const kSelect =
    "SELECT t.id, t.user_id, t.description, t.created_at, t.expires_at, t.revoked_at IS NOT NULL FROM access_tokens t ";
const char* const kMatching =
    "WHERE ($1::bigint[] = '{}' OR t.id = ANY($1::bigint[])) AND ($2::bigint IS NULL OR t.user_id = $2) AND "
    "($3::boolean OR (t.revoked_at IS NULL AND t.expires_at > now())) ";
// Who makes two at once waits for the first: both would find room. Who is switched off meanwhile gets none.
const char* const kLockUser = "SELECT 1 FROM users WHERE id = $1 AND active FOR UPDATE";
const char* const kCountActive =
    "SELECT count(*) FROM access_tokens WHERE user_id = $1 AND revoked_at IS NULL AND expires_at > now()";
const char* const kForgetOldest =
    "DELETE FROM access_tokens WHERE id IN (SELECT id FROM access_tokens WHERE user_id = $1 AND (revoked_at IS NOT "
    "NULL OR expires_at <= now()) ORDER BY id DESC OFFSET $2)";
const char* const kInsert =
    "INSERT INTO access_tokens (token_hash, user_id, description, expires_at) VALUES (decode($1, 'hex'), $2, $3, $4) "
    "RETURNING id";
const char* const kLock =
    "SELECT revoked_at IS NULL AND expires_at > now() FROM access_tokens WHERE id = $1 FOR UPDATE";
const char* const kChange =
    "UPDATE access_tokens SET description = coalesce($2, description), revoked_at = CASE WHEN $3::boolean THEN now() "
    "ELSE revoked_at END WHERE id = $1 RETURNING user_id";
const char* const kFindUser =
    ", t.id, t.expires_at FROM access_tokens t JOIN users u ON u.id = t.user_id WHERE t.token_hash = decode($1, "
    "'hex') AND t.revoked_at IS NULL AND t.expires_at > now()";

AccessTokenRow read_token(const pqxx::row& row) {
  return {.id = row[0].as<std::int64_t>(),
          .user = {row[1].as<std::int64_t>()},
          .description = as_text(row[2]),
          .created_at = as_time(row[3]),
          .expires_at = as_time(row[4]),
          .revoked = row[5].as<bool>()};
}

std::optional<AccessTokenRow> find_token(pg::Transaction& tx, std::int64_t id) {
  const pqxx::result found = run_sql(tx, std::string(kSelect) + "WHERE t.id = $1", id);
  return found.empty() ? std::nullopt : std::optional(read_token(found[0]));
}

std::string order_by(AccessTokenSort sort, Order order) {
  const auto column = [sort] {
    switch (sort) {
      case AccessTokenSort::kId:
        return "t.id";
      case AccessTokenSort::kUser:
        return "t.user_id";
      case AccessTokenSort::kExpiry:
        return "t.expires_at";
      case AccessTokenSort::kCreationTime:
        return "t.created_at";
      case AccessTokenSort::kRevoked:
        return "t.revoked_at";
      case AccessTokenSort::kDescription:
        return "t.description";
    }
    return "t.id";
  };
  return std::string("ORDER BY ") + column() + std::string(direction(order)) + ", t.id";
}

}  // namespace

Task<Result<std::int64_t>> AccessTokenStore::create(NewAccessToken token) {
  auto body = [t = std::move(token)](pg::Transaction& tx) -> Result<std::int64_t> {
    const std::int64_t user = t.user.value;
    if (run_sql(tx, kLockUser, user).empty()) return not_found("user", to_string(t.user));
    if (run_sql1(tx, kCountActive, user)[0].as<int>() >= kMost) {
      return fail(ErrorCode::kFailedPrecondition, "user '" + to_string(t.user) + "' has " + std::to_string(kMost) +
                                                      " access tokens, and more there cannot be: revoke some first");
    }
    run_sql(tx, kForgetOldest, user, kMost);
    return run_sql1(tx, kInsert, t.token_hash, user, t.description, format_rfc3339_micros(t.expires_at))[0]
        .as<std::int64_t>();
  };
  co_return co_await pool_.write_once("create access token", std::move(body));
}

Task<Result<std::optional<AccessTokenRow>>> AccessTokenStore::find(std::int64_t id) {
  auto body = [id](pg::Transaction& tx) -> Result<std::optional<AccessTokenRow>> { return find_token(tx, id); };
  co_return co_await pool_.read("find access token", std::move(body));
}

Task<Result<Paged<AccessTokenRow>>> AccessTokenStore::list(AccessTokenFilter filter) {
  auto body = [f = std::move(filter)](pg::Transaction& tx) -> Result<Paged<AccessTokenRow>> {
    const std::string ids = int_array(f.ids);
    const auto user = f.user ? std::optional(f.user->value) : std::nullopt;
    Paged<AccessTokenRow> page;
    page.total =
        run_sql1(tx, std::string("SELECT count(*) FROM access_tokens t ") + kMatching, ids, user, f.with_inactive)[0]
            .as<std::int64_t>();
    const auto offset = page_offset(f.page, page.total);
    DET_TRY(offset);
    page.offset = *offset;
    const std::string sql = std::string(kSelect) + kMatching + order_by(f.sort, f.order) + " LIMIT $4 OFFSET $5";
    for (const auto& row : run_sql(tx, sql, ids, user, f.with_inactive, page_limit(f.page), page.offset)) {
      page.items.push_back(read_token(row));
    }
    return page;
  };
  co_return co_await pool_.read("list access tokens", std::move(body));
}

Task<Result<AccessTokenRow>> AccessTokenStore::change(std::int64_t id, std::optional<std::string> description,
                                                      bool revoke) {
  auto body = [=](pg::Transaction& tx) -> Result<AccessTokenRow> {
    const pqxx::result locked = run_sql(tx, kLock, id);
    if (locked.empty()) return not_found("access token", std::to_string(id));
    if (!locked[0][0].as<bool>()) {
      return fail(ErrorCode::kFailedPrecondition, "unable to update inactive token with ID " + std::to_string(id));
    }
    const pqxx::row changed = run_sql1(tx, kChange, id, description, revoke);
    if (revoke) notify(tx, kUserChannel, as_text(changed[0]));
    return *find_token(tx, id);
  };
  co_return co_await pool_.write_once("change access token", std::move(body));
}

Task<Result<std::optional<TokenOwner>>> AccessTokenStore::find_user(std::string token_hash) {
  auto body = [token_hash](pg::Transaction& tx) -> Result<std::optional<TokenOwner>> {
    const pqxx::result found = run_sql(tx, "SELECT " + user_columns("u") + kFindUser, token_hash);
    if (found.empty()) return std::nullopt;
    return TokenOwner{.id = found[0][kUserColumns].as<std::int64_t>(),
                      .user = read_user(found[0]),
                      .expires_at = as_time(found[0][kUserColumns + 1])};
  };
  co_return co_await pool_.read("find access token", std::move(body));
}

}  // namespace det::store
