#pragma once

// Who asks: sessions and access tokens of people, and tokens of tasks. What was found is remembered, so that the
// reports of a running trial cost no query each and are still accepted while PostgreSQL is away. Tokens are known here
// by their SHA-256 only. Belongs to the io thread; the stores and the clock outlive it.

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#include <boost/asio/thread_pool.hpp>

#include "api/call.h"
#include "api/users/login_gate.h"
#include "base/bounded_map.h"
#include "base/clock.h"
#include "base/turns.h"
#include "store/trials/allocation_store.h"
#include "store/users/access_token_store.h"
#include "store/users/user_store.h"

namespace det::api {

struct AuthOptions {
  int bcrypt_cost = 12;  // of new hashes; others are replaced when their password was right
  std::chrono::hours session_lifetime{24 * 7};
  std::chrono::seconds fresh_for{10};   // how long a token is not looked up again
  std::chrono::minutes stale_for{60};   // how long it is believed while the database is away
  std::size_t max_remembered = 20'000;  // tokens
  LoginLimits logins = {};
};

struct LoginAttempt {
  std::string username;
  std::string password;  // the client's hash, or the plain text when not `is_hashed`
  bool is_hashed = false;
  std::string peer;  // "127.0.0.1:40000"
};

struct Login {
  std::string token;
  store::UserRow user;
};

struct NewToken {
  std::string token;  // said once, kept nowhere
  std::int64_t id = 0;
};

class Authenticator {
 public:
  Authenticator(Clock& clock, store::UserStore& users, store::SessionStore& sessions,
                store::AllocationStore& allocations, store::AccessTokenStore& access_tokens, AuthOptions options = {});
  ~Authenticator();
  Authenticator(const Authenticator&) = delete;
  Authenticator& operator=(const Authenticator&) = delete;

  // From "Authorization: Bearer", the cookie `auth`, or the harness' "Grpc-Metadata-x-allocation-token".
  // kUnauthenticated "token missing" or "invalid credentials", kPermissionDenied for a user who is not active.
  Task<Result<SharedIdentity>> identify(const http::Request& request);
  // By the SHA-256 of a token, for those who keep nothing else of it.
  Task<Result<SharedIdentity>> identify_hash(std::string token_hash);

  // Makes a session. kUnauthenticated "invalid credentials", after the same time whether there is such a user or not;
  // kPermissionDenied "user is not active", kInvalidArgument without a name, kResourceExhausted when too many ask.
  Task<Result<Login>> login(LoginAttempt attempt);
  // Makes a session of a user whom somebody else vouches for. kPermissionDenied for one who is not active.
  Task<Result<Login>> start_session(store::UserRow user);
  // Ends the session the request came with; success when there is none.
  Task<Status> logout(const http::Request& request);
  // Makes a token that ends after `lifespan`, and gives it with its id. As store::AccessTokenStore::create.
  Task<Result<NewToken>> make_access_token(model::UserId user, std::string description, std::chrono::seconds lifespan);
  // bcrypt of a password as login takes it; nothing for a blank one. One at a time, so that a thread is left for
  // logins; accounts take turns. kResourceExhausted when too many wait.
  Task<Result<std::optional<std::string>>> hash(std::string account, std::string password, bool is_hashed);
  // Nobody's password.
  Task<Result<std::optional<std::string>>> unknown_hash(std::string account);
  // As store::UserStore::change; with a new password all of the user's sessions end but the one of `request`. What runs
  // goes on.
  Task<Result<store::UserRow>> change(model::UserId user, store::UserPatch patch, const http::Request& request);

  // Tokens of this allocation are looked up again (api/wakeups.h says when).
  void forget_allocation(const std::string& allocation_id);
  // All tokens of a user are looked up again.
  void forget_user(model::UserId user);
  void forget_all();

 private:
  struct Remembered {
    SharedIdentity identity;
    SteadyTime found_at;                 // when the database said so
    SteadyTime asked_at;                 // when it was last asked, with an answer or not
    std::optional<WallTime> expires_at;  // of an access token: it is exact
  };
  struct Found {
    SharedIdentity identity;
    std::optional<WallTime> expires_at;
  };
  Task<Result<Found>> look_up(std::string token_hash);
  void remember(const std::string& token_hash, const Found& found);
  // How the password is kept that was right; nothing: it was wrong.
  Task<Result<std::optional<store::CheckedPassword>>> check(LoginAttempt attempt, std::string address,
                                                            store::LoginRow row);
  Task<Result<Login>> make_session(store::UserRow user, std::optional<store::CheckedPassword> checked);

  Clock& clock_;
  store::UserStore& users_;
  store::SessionStore& sessions_;
  store::AllocationStore& allocations_;
  store::AccessTokenStore& access_tokens_;
  AuthOptions options_;
  BoundedMap<std::string, Remembered> remembered_{options_.max_remembered};  // by token hash
  std::uint64_t forgotten_ = 0;  // how often users were: what was asked before that is not remembered after it
  LoginGate gate_;
  Turns hashing_{1};             // of new passwords
  asio::thread_pool passwords_;  // bcrypt takes a good part of a second of a core
};

// Of the token of a request, the SHA-256 by which it is known. kUnauthenticated as Authenticator::identify. Pure.
[[nodiscard]] Result<std::string> token_hash_of(const http::Request& request);
// The token of a request, or nothing. Pure.
[[nodiscard]] std::optional<std::string> token_of(const http::Request& request);
// The first cookie of this name that is not empty, or nothing. Pure.
[[nodiscard]] std::optional<std::string> cookie_of(const http::Request& request, std::string_view name);

}  // namespace det::api
