#pragma once

// Tokens that people make for scripts. They arrive hashed: nothing here can be used to log in. Belongs to the io
// thread; Pool outlives it.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/clock.h"
#include "model/ids.h"
#include "pg/pool.h"
#include "store/page.h"
#include "store/users/user_store.h"

namespace det::store {

struct AccessTokenRow {
  std::int64_t id = 0;
  model::UserId user;
  std::string description;
  WallTime created_at;
  WallTime expires_at;
  bool revoked = false;
};

struct NewAccessToken {
  std::string token_hash;  // lower-case hex of the token's SHA-256
  model::UserId user;
  std::string description;
  WallTime expires_at;
};

enum class AccessTokenSort : std::uint8_t { kId, kUser, kExpiry, kCreationTime, kRevoked, kDescription };

struct AccessTokenFilter {
  std::vector<std::int64_t> ids;      // empty: all
  std::optional<model::UserId> user;  // nothing: of everybody
  bool with_inactive = false;         // also what has expired or was revoked
  AccessTokenSort sort = AccessTokenSort::kId;
  Order order = Order::kAscending;
  Page page;
};

// Whom a token stands for, and until when.
struct TokenOwner {
  std::int64_t id = 0;  // the token's
  UserRow user;
  WallTime expires_at;
};

class AccessTokenStore {
 public:
  // Of one user: good ones, and as many that are good no more, of which the oldest make room.
  static constexpr int kMost = 1'000;

  explicit AccessTokenStore(pg::Pool& pool) : pool_(pool) {}

  // Gives its id. kNotFound when there is no such user, kFailedPrecondition when they have kMost already.
  Task<Result<std::int64_t>> create(NewAccessToken token);
  Task<Result<std::optional<AccessTokenRow>>> find(std::int64_t id);
  Task<Result<Paged<AccessTokenRow>>> list(AccessTokenFilter filter);
  // What is not set stays as it is. kFailedPrecondition for one that has expired or was revoked, kNotFound when there
  // is none. Notifies kUserChannel.
  Task<Result<AccessTokenRow>> change(std::int64_t id, std::optional<std::string> description, bool revoke);
  // The token's user (who may be inactive); nothing when it is unknown, expired or revoked.
  Task<Result<std::optional<TokenOwner>>> find_user(std::string token_hash);

 private:
  pg::Pool& pool_;
};

}  // namespace det::store
