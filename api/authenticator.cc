#include "api/authenticator.h"

#include "api/password.h"
#include "base/async.h"
#include "base/encoding.h"

namespace det::api {

namespace {

constexpr std::size_t kTokenBytes = 32;
constexpr std::string_view kBearer = "Bearer ";

std::optional<std::string> bearer(const http::Request& request, std::string_view header) {
  const auto value = request.headers.find(header);
  if (!value || !value->starts_with(kBearer) || value->size() == kBearer.size()) return std::nullopt;
  return std::string(value->substr(kBearer.size()));
}

std::optional<std::string> cookie(const http::Request& request, std::string_view name) {
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
        return std::string(pair.substr(equals + 1));
      }
    }
  }
  return std::nullopt;
}

std::unexpected<Error> bad_credentials() {
  return fail(ErrorCode::kUnauthenticated, "invalid credentials");
}

}  // namespace

std::optional<std::string> token_of(const http::Request& request) {
  if (auto token = bearer(request, "Authorization")) return token;
  if (auto token = cookie(request, "auth")) return token;
  return bearer(request, "Grpc-Metadata-x-allocation-token");
}

Authenticator::Authenticator(Clock& clock, store::UserStore& users, store::SessionStore& sessions,
                             store::AllocationStore& allocations, AuthOptions options)
    : clock_(clock), users_(users), sessions_(sessions), allocations_(allocations), options_(options), passwords_(1) {}

Authenticator::~Authenticator() = default;

Task<Result<Identity>> Authenticator::identify(const http::Request& request) {
  const auto token = token_of(request);
  if (!token) co_return fail(ErrorCode::kUnauthenticated, "token missing");
  const std::string token_hash = sha256_hex(*token);
  const SteadyTime now = clock_.steady_now();
  std::optional<Remembered> before;
  if (const auto known = remembered_.find(token_hash); known != remembered_.end()) {
    if (now - known->second.asked_at < options_.fresh_for) co_return known->second.identity;
    // One request asks; those that come meanwhile believe what was known.
    before = known->second;
    known->second.asked_at = now;
  }
  auto found = co_await look_up(token_hash);
  if (found) {
    remember(token_hash, *found);
    co_return found;
  }
  const ErrorCode code = found.error().code;
  const bool is_away = code == ErrorCode::kUnavailable || code == ErrorCode::kDeadlineExceeded;
  if (is_away && before && now - before->found_at < options_.stale_for) co_return before->identity;
  remembered_.erase(token_hash);
  co_return found;
}

Task<Result<Identity>> Authenticator::look_up(std::string token_hash) {
  std::optional<Identity> identity;
  auto session = co_await sessions_.find_user(token_hash);
  if (!session) co_return std::unexpected(session.error());
  if (*session) {
    identity = Identity{.user = std::move(**session), .allocation_id = std::nullopt};
  } else {
    auto task = co_await allocations_.find_by_token(token_hash);
    if (!task) co_return std::unexpected(task.error());
    if (!*task) co_return bad_credentials();
    identity = Identity{.user = std::move((*task)->owner), .allocation_id = std::move((*task)->allocation.id)};
  }
  if (!identity->user.active) co_return fail(ErrorCode::kPermissionDenied, "user does not have permission");
  co_return std::move(*identity);
}

void Authenticator::remember(const std::string& token_hash, const Identity& identity) {
  if (remembered_.size() >= options_.max_remembered) {
    const SteadyTime now = clock_.steady_now();
    std::erase_if(remembered_, [&](const auto& entry) { return now - entry.second.asked_at >= options_.fresh_for; });
    if (remembered_.size() >= options_.max_remembered) remembered_.clear();
  }
  const SteadyTime now = clock_.steady_now();
  remembered_.insert_or_assign(token_hash, Remembered{.identity = identity, .found_at = now, .asked_at = now});
}

void Authenticator::forget_allocation(const std::string& allocation_id) {
  // Looked up again, not forgotten: while the database is away the token must stay good.
  for (auto& [hash, entry] : remembered_) {
    if (entry.identity.allocation_id == allocation_id) entry.asked_at -= options_.fresh_for;
  }
}

Task<Result<Login>> Authenticator::login(std::string username, std::string password, bool is_hashed) {
  if (username.empty()) co_return fail(ErrorCode::kInvalidArgument, "missing argument: username", "username");
  auto user = co_await users_.find_by_name(username);
  if (!user) co_return std::unexpected(user.error());
  if (!*user || (*user)->remote) co_return bad_credentials();
  if (waiting_passwords_ >= options_.max_waiting_passwords) {
    co_return fail(ErrorCode::kResourceExhausted, "too many logins at once; try again");
  }
  const std::string sent = is_hashed ? password : client_hash(password);
  const std::optional<std::string> stored = (*user)->password_hash;
  auto work = [sent, stored]() -> Result<bool> { return matches(sent, stored); };
  ++waiting_passwords_;
  const auto is_match = co_await run_on(passwords_, std::move(work));
  --waiting_passwords_;
  if (!is_match || !*is_match) co_return bad_credentials();
  if (!(*user)->active) co_return fail(ErrorCode::kPermissionDenied, "user is not active");

  Login login{.token = random_token(kTokenBytes), .user = std::move(**user)};
  const WallTime expires = clock_.wall_now() + options_.session_lifetime;
  const Status kept = co_await sessions_.insert(sha256_hex(login.token), login.user.id, expires);
  if (!kept) co_return std::unexpected(kept.error());
  co_return login;
}

Task<Status> Authenticator::logout(const http::Request& request) {
  const auto token = token_of(request);
  if (!token) co_return Status();
  const std::string token_hash = sha256_hex(*token);
  remembered_.erase(token_hash);
  co_return co_await sessions_.remove(token_hash);
}

Task<Result<std::optional<std::string>>> Authenticator::hash(std::string password, bool is_hashed) {
  const std::string sent = is_hashed ? password : client_hash(password);
  auto work = [sent, cost = options_.bcrypt_cost]() { return hash_password(sent, cost); };
  co_return co_await run_on(passwords_, std::move(work));
}

}  // namespace det::api
