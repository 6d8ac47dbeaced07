#include "api/authenticator.h"

#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <functional>

#include "api/users/password.h"
#include "base/async.h"
#include "base/encoding.h"
#include "base/lower_case.h"
#include "http/connection_book.h"

namespace det::api {

namespace {

constexpr std::size_t kTokenBytes = 32;
constexpr int kLooks = 2;                           // of one login
constexpr std::size_t kMostHashesWaiting = 10'000;  // of all accounts, which take turns
constexpr std::string_view kBearer = "Bearer ";
constexpr std::string_view kLoginCookie = "auth";

std::optional<std::string> bearer(const http::Request& request, std::string_view header) {
  const auto value = request.headers.find(header);
  if (!value || !value->starts_with(kBearer) || value->size() == kBearer.size()) return std::nullopt;
  return std::string(value->substr(kBearer.size()));
}

std::unexpected<Error> bad_credentials() {
  return fail(ErrorCode::kUnauthenticated, "invalid credentials");
}

// Whoever hashes steps back behind whoever answers.
void be_nice() {
  thread_local const bool done = ::setpriority(PRIO_PROCESS, static_cast<id_t>(::gettid()), 10) == 0;
  static_cast<void>(done);
}

struct Looked {
  bool is_right = false;
  std::optional<std::string> better;  // the same password at today's cost
};

// Always one hash, whoever is asked for: `row.hash_to_check` is somebody else's when there is no such user.
Looked look_at(const std::string& sent, const store::LoginRow& row, int cost) {
  be_nice();
  const bool is_theirs = row.user && !row.user->remote && row.user->password_hash.has_value();
  Looked looked;
  if (row.hash_to_check) {
    looked.is_right = matches(sent, row.hash_to_check) && is_theirs;
  } else {
    static_cast<void>(hash_password(sent, cost));
  }
  if (looked.is_right && cost_of(*row.hash_to_check) != cost) {
    if (auto better = hash_password(sent, cost)) looked.better = std::move(*better);
  }
  return looked;
}

// Those that are not empty.
std::vector<std::string> cookies_of(const http::Request& request, std::string_view name) {
  std::vector<std::string> values;
  for (const auto& [field, value] : request.headers.fields()) {
    if (field != "Cookie" && field != "cookie") continue;
    std::string_view left = value;
    while (!left.empty()) {
      const auto end = left.find(';');
      std::string_view pair = left.substr(0, end);
      left = end == std::string_view::npos ? std::string_view() : left.substr(end + 1);
      while (pair.starts_with(' ')) pair.remove_prefix(1);
      const auto equals = pair.find('=');
      if (equals != std::string_view::npos && pair.substr(0, equals) == name && equals + 1 < pair.size()) {
        values.emplace_back(pair.substr(equals + 1));
      }
    }
  }
  return values;
}

// Two different logins: a server on a neighbouring name or port may have set one of them, to have people work as
// somebody else.
bool are_ambiguous(const std::vector<std::string>& logins) {
  return std::ranges::adjacent_find(logins, std::ranges::not_equal_to()) != logins.end();
}

std::unexpected<Error> two_logins() {
  return fail(ErrorCode::kUnauthenticated,
              "two different cookies 'auth' came, one of another server of this host or domain: delete the cookies of "
              "this site, and log in again");
}

}  // namespace

std::optional<std::string> cookie_of(const http::Request& request, std::string_view name) {
  auto values = cookies_of(request, name);
  if (values.empty()) return std::nullopt;
  return std::move(values.front());
}

std::optional<std::string> token_of(const http::Request& request) {
  if (auto token = bearer(request, "Authorization")) return token;
  auto logins = cookies_of(request, kLoginCookie);
  if (are_ambiguous(logins)) return std::nullopt;
  if (!logins.empty()) return std::move(logins.front());
  return bearer(request, "Grpc-Metadata-x-allocation-token");
}

Result<std::string> token_hash_of(const http::Request& request) {
  const auto token = token_of(request);
  if (token) return sha256_hex(*token);
  if (are_ambiguous(cookies_of(request, kLoginCookie))) return two_logins();
  return fail(ErrorCode::kUnauthenticated, "token missing");
}

Authenticator::Authenticator(Clock& clock, store::UserStore& users, store::SessionStore& sessions,
                             store::AllocationStore& allocations, store::AccessTokenStore& access_tokens,
                             AuthOptions options)
    : clock_(clock),
      users_(users),
      sessions_(sessions),
      allocations_(allocations),
      access_tokens_(access_tokens),
      options_(options),
      gate_(clock, options.logins),
      passwords_(options.logins.threads) {}

Authenticator::~Authenticator() = default;

Task<Result<SharedIdentity>> Authenticator::identify(const http::Request& request) {
  auto token_hash = token_hash_of(request);
  DET_CO_TRY(token_hash);
  co_return co_await identify_hash(std::move(*token_hash));
}

Task<Result<SharedIdentity>> Authenticator::identify_hash(std::string token_hash) {
  const SteadyTime now = clock_.steady_now();
  std::optional<Remembered> before;
  if (Remembered* known = remembered_.find(token_hash)) {
    if (known->expires_at && *known->expires_at <= clock_.wall_now()) {
      remembered_.erase(token_hash);
      co_return bad_credentials();
    }
    if (now - known->asked_at < options_.fresh_for) co_return known->identity;
    // One request asks; those that come meanwhile believe what was known.
    before = *known;
    known->asked_at = now;
  }
  const std::uint64_t forgotten = forgotten_;
  auto found = co_await look_up(token_hash);
  if (found) {
    if (forgotten == forgotten_) remember(token_hash, *found);
    co_return std::move(found->identity);
  }
  const ErrorCode code = found.error().code;
  const bool is_away = code == ErrorCode::kUnavailable || code == ErrorCode::kDeadlineExceeded;
  if (is_away && before && now - before->found_at < options_.stale_for) co_return before->identity;
  remembered_.erase(token_hash);
  co_return std::unexpected(std::move(found).error());
}

Task<Result<Authenticator::Found>> Authenticator::look_up(std::string token_hash) {
  Identity identity;
  std::optional<WallTime> expires_at;
  auto session = co_await sessions_.find_user(token_hash);
  DET_CO_TRY(session);
  if (*session) {
    identity = Identity{.user = std::move(**session), .kind = TokenKind::kLogin, .run = std::nullopt};
  } else if (auto task = co_await allocations_.find_by_token(token_hash); !task || *task) {
    DET_CO_TRY(task);
    store::AllocationRow& row = (*task)->allocation;
    identity = Identity{.user = std::move((*task)->owner),
                        .kind = (*task)->is_user_token ? TokenKind::kTaskUser : TokenKind::kTaskSession,
                        .run = OwnRun{.allocation_id = std::move(row.id),
                                      .task_id = std::move(row.task_id),
                                      .trial = row.trial,
                                      .experiment = row.experiment}};
  } else {
    auto owner = co_await access_tokens_.find_user(token_hash);
    DET_CO_TRY(owner);
    if (!*owner) co_return bad_credentials();
    identity = Identity{.user = std::move((*owner)->user),
                        .kind = TokenKind::kLogin,
                        .run = std::nullopt,
                        .access_token = (*owner)->id};
    expires_at = (*owner)->expires_at;
  }
  if (!identity.user.active) co_return fail(ErrorCode::kPermissionDenied, "user does not have permission");
  co_return Found{.identity = std::make_shared<const Identity>(std::move(identity)), .expires_at = expires_at};
}

void Authenticator::remember(const std::string& token_hash, const Found& found) {
  const SteadyTime now = clock_.steady_now();
  remembered_.put(
      token_hash,
      Remembered{.identity = found.identity, .found_at = now, .asked_at = now, .expires_at = found.expires_at});
}

void Authenticator::forget_allocation(const std::string& allocation_id) {
  // Looked up again, not forgotten: while the database is away the token must stay good.
  remembered_.for_each([&](const std::string&, Remembered& entry) {
    const auto& run = entry.identity->run;
    if (run && run->allocation_id == allocation_id) entry.asked_at -= options_.fresh_for;
  });
}

void Authenticator::forget_user(model::UserId user) {
  ++forgotten_;
  remembered_.erase_if([user](const std::string&, const Remembered& one) { return one.identity->user.id == user; });
}

void Authenticator::forget_all() {
  ++forgotten_;
  remembered_.clear();
}

Task<Result<Login>> Authenticator::login(LoginAttempt attempt) {
  if (attempt.username.empty()) co_return fail(ErrorCode::kInvalidArgument, "missing argument: username", "username");
  const std::string address = http::address_group(http::address_of_peer(attempt.peer));
  // A turn may be waited for for a minute. Who has another password by then, or another hash of it, is looked at anew.
  for (int tries = 0; tries < kLooks; ++tries) {
    auto row = co_await users_.find_for_login(attempt.username);
    DET_CO_TRY(row);
    auto checked = co_await check(attempt, address, *row);
    DET_CO_TRY(checked);
    if (!*checked) {
      gate_.note_wrong(address);
      co_return bad_credentials();
    }
    store::UserRow& user = *row->user;
    gate_.note_right(address, user.username);
    if (!user.active) co_return fail(ErrorCode::kPermissionDenied, "user is not active");
    auto login = co_await make_session(std::move(user), std::move(**checked));
    if (login || login.error().code != ErrorCode::kAborted) co_return login;
  }
  co_return bad_credentials();
}

Task<Result<Login>> Authenticator::start_session(store::UserRow user) {
  auto login = co_await make_session(std::move(user), std::nullopt);
  if (login || login.error().code != ErrorCode::kAborted) co_return login;
  co_return fail(ErrorCode::kPermissionDenied, "user is not active");
}

Task<Result<Login>> Authenticator::make_session(store::UserRow user, std::optional<store::CheckedPassword> checked) {
  Login login{.token = random_token(kTokenBytes), .user = std::move(user)};
  const WallTime expires = clock_.wall_now() + options_.session_lifetime;
  DET_CO_TRY(co_await sessions_.insert(sha256_hex(login.token), login.user.id, expires, std::move(checked)));
  DET_CO_TRY(co_await users_.note_login(login.user.id));
  co_return login;
}

// A blank password costs no hash, whoever it is for.
Task<Result<std::optional<store::CheckedPassword>>> Authenticator::check(LoginAttempt attempt, std::string address,
                                                                         store::LoginRow row) {
  using Checked = std::optional<store::CheckedPassword>;
  const std::string sent = attempt.is_hashed ? attempt.password : client_hash(attempt.password);
  if (sent.empty()) {
    const bool is_blank = row.user && !row.user->remote && !row.user->password_hash;
    co_return is_blank ? Checked(std::in_place) : Checked();
  }
  // As it stands there, or would: the gate remembers whom it knows by that.
  std::string name = row.user ? row.user->username : lower_case(std::move(attempt.username));
  auto turn = co_await gate_.wait(std::move(address), std::move(name));
  DET_CO_TRY(turn);
  auto work = [sent, row, cost = options_.bcrypt_cost] { return look_at(sent, row, cost); };
  Looked looked = co_await run_on(passwords_, std::move(work));
  if (!looked.is_right) co_return Checked();
  if (looked.better) {
    // Best effort: the next login does it otherwise.
    const Status replaced = co_await users_.replace_hash(row.user->id, *row.user->password_hash, *looked.better);
    if (replaced) co_return store::CheckedPassword{.hash = std::move(looked.better)};
  }
  co_return store::CheckedPassword{.hash = row.user->password_hash};
}

Task<Status> Authenticator::logout(const http::Request& request) {
  const auto token = token_of(request);
  if (!token) co_return Status();
  const std::string token_hash = sha256_hex(*token);
  const Status removed = co_await sessions_.remove(token_hash);
  ++forgotten_;
  remembered_.erase(token_hash);
  co_return removed;
}

Task<Result<NewToken>> Authenticator::make_access_token(model::UserId user, std::string description,
                                                        std::chrono::seconds lifespan) {
  NewToken made{.token = random_token(kTokenBytes)};
  const auto id = co_await access_tokens_.create({.token_hash = sha256_hex(made.token),
                                                  .user = user,
                                                  .description = std::move(description),
                                                  .expires_at = clock_.wall_now() + lifespan});
  DET_CO_TRY(id);
  made.id = *id;
  co_return made;
}

Task<Result<std::optional<std::string>>> Authenticator::hash(std::string account, std::string password,
                                                             bool is_hashed) {
  if (hashing_.waiting() >= kMostHashesWaiting) {
    co_return fail(ErrorCode::kResourceExhausted, "too many passwords are being set at once; try again later");
  }
  const auto turn = co_await hashing_.wait(std::move(account));
  const std::string sent = is_hashed ? password : client_hash(password);
  auto work = [sent, cost = options_.bcrypt_cost]() {
    be_nice();
    return hash_password(sent, cost);
  };
  co_return co_await run_on(passwords_, std::move(work));
}

Task<Result<std::optional<std::string>>> Authenticator::unknown_hash(std::string account) {
  return hash(std::move(account), random_token(kTokenBytes), true);
}

Task<Result<store::UserRow>> Authenticator::change(model::UserId user, store::UserPatch patch,
                                                   const http::Request& request) {
  const auto token = token_of(request);
  auto changed = co_await users_.change(user, std::move(patch), token ? sha256_hex(*token) : std::string());
  forget_user(user);
  co_return changed;
}

}  // namespace det::api
