#include "cli/login.h"

#include <algorithm>
#include <cctype>
#include <fstream>
#include <sstream>

#include "base/encoding.h"
#include "base/lower_case.h"
#include "cli/cert_store.h"
#include "cli/confirm.h"
#include "cli/peer_certificate.h"
#include "cli/token_store.h"

namespace det::cli {
namespace {

constexpr const char* kDefaultUser = "determined";

struct Wanted {
  std::string user;
  std::optional<std::string> password;
  bool is_fallback = false;  // nobody named a user
};

Result<Wanted> find_user(const Invocation& in, const TokenStore& store) {
  if (!in.globals.user.empty()) return Wanted{.user = in.globals.user, .password = {}};
  const auto user = in.world.variable("DET_USER");
  const auto password = in.world.variable("DET_PASS");
  // DET_USER alone is set inside tasks and says nothing about who types here.
  if (user && password) return Wanted{.user = *user, .password = password};
  const auto active = store.active_user();
  DET_TRY(active);
  if (*active) return Wanted{.user = **active, .password = {}};
  return Wanted{.user = kDefaultUser, .password = "", .is_fallback = true};
}

std::optional<std::string> read_file(const std::string& file) {
  std::ifstream in(file);
  if (!in) return std::nullopt;
  std::ostringstream text;
  text << in.rdbuf();
  return text.str();
}

// DET_MASTER_CERT_FILE, else the certificates that this command line or the Python one was told to trust.
Result<std::shared_ptr<const TlsConfig>> find_trust(const World& world, const std::string& url) {
  TlsConfig tls;
  tls.server_name = world.variable_or("DET_MASTER_CERT_NAME", "");
  const std::string file = world.variable_or("DET_MASTER_CERT_FILE", "");
  std::error_code ignored;
  if (is_noverify(file)) {
    tls.verify = false;
  } else if (!file.empty() && !std::filesystem::exists(file, ignored)) {
    world.err << "Warning: DET_MASTER_CERT_FILE: there is no file '" << file
              << "'; going on without it. Give a PEM file, or noverify to trust anyone\n";
  } else if (!file.empty()) {
    auto pem = read_file(file);
    if (!pem) {
      return fail(ErrorCode::kInvalidArgument,
                  "DET_MASTER_CERT_FILE: cannot read '" + file + "'; give a PEM file, or noverify to trust anyone");
    }
    tls.ca_pem = std::move(*pem);
  } else {
    tls.ca_pem = trusted_certificates(world, url);
  }
  return std::make_shared<const TlsConfig>(std::move(tls));
}

// What the client trusts from now on; null where the question makes no sense. Asks only who can read it and answer.
Task<Result<std::shared_ptr<const TlsConfig>>> ask_whom_to_trust(World& world, MasterAddress master, TlsConfig tls) {
  if (!world.in_is_terminal || !world.out_is_terminal || !world.fetch_certificates) co_return nullptr;
  auto sent = co_await world.fetch_certificates(master.url);
  // Another name in it, say: trusting it again would not help.
  if (!sent || fingerprint(*sent).empty() || *sent == tls.ca_pem) co_return nullptr;
  const bool is_another = !tls.ca_pem.empty();
  const auto answer = confirmed(
      world,
      "The master sent an untrusted certificate chain with this SHA256 fingerprint:\n" + fingerprint(*sent) +
          (is_another ? "\nIt is not the one that you trusted before: somebody may be between you and the master."
                      : "") +
          "\nDo you want to trust this certificate from now on?");
  DET_CO_TRY(answer);
  if (!*answer) co_return fail(ErrorCode::kPermissionDenied, "Unable to verify master certificate of " + master.url);
  DET_CO_TRY(trust_certificates(world, master.url, *sent));
  tls.ca_pem = std::move(*sent);
  co_return std::make_shared<const TlsConfig>(std::move(tls));
}

// To a question that every master understands. Other programs have answers of a master's form, too.
bool knows_no_route(const Error& error) {
  return error.code == ErrorCode::kNotFound || error.code == ErrorCode::kUnimplemented;
}

Task<Result<std::string>> log_in_as(Invocation in, MasterClient client, Wanted wanted) {
  if (!wanted.password) wanted.password = in.world.ask("Password for user '" + wanted.user + "': ", true);
  if (!wanted.password)
    co_return fail(ErrorCode::kUnauthenticated, "no password was given for user '" + wanted.user + "'");
  auto token = co_await log_in(client, wanted.user, *wanted.password);
  if (!token && wanted.is_fallback && token.error().code == ErrorCode::kUnauthenticated) {
    co_return fail(
        ErrorCode::kUnauthenticated,
        "Unauthenticated: Please use 'det user login <username>' for password login: nobody is logged in, and "
        "user 'determined' has a password");
  }
  if (token) warn_if_weak(in.world, *wanted.password);
  co_return token;
}

}  // namespace

bool is_noverify(const std::string& cert_file) {
  return lower_case(cert_file) == "noverify";
}

std::string salted_hash(const std::string& password) {
  return password.empty() ? password : sha512_hex("GubPEmmotfiK9TMD6Zdw" + password);
}

Result<MasterClient> open_client(const Invocation& in) {
  auto master = find_master(in);
  DET_TRY(master);
  std::shared_ptr<const TlsConfig> tls;
  if (master->url.starts_with("https:")) {
    auto trust = find_trust(in.world, master->url);
    DET_TRY(trust);
    tls = std::move(*trust);
  }
  MasterClient client(in.world, *master, tls);
  if (tls != nullptr && in.world.variable_or("DET_MASTER_CERT_FILE", "").empty()) {
    client.ask_for_trust(
        [&world = in.world, address = *master, trust = *tls] { return ask_whom_to_trust(world, address, trust); });
  }
  client.set_retries(0);
  return client;
}

Task<Result<std::string>> log_in(MasterClient client, std::string username, std::string password) {
  const Json body = {{"username", username}, {"password", salted_hash(password)}, {"isHashed", true}};
  const auto answer = co_await client.send("POST", "/api/v1/auth/login", body);
  if (!answer && answer.error().code == ErrorCode::kUnauthenticated) {
    co_return fail(ErrorCode::kUnauthenticated, "Invalid username/password combination. Please try again.");
  }
  if (!answer && knows_no_route(answer.error())) {
    co_return std::unexpected(client.not_a_master("that it knows no login"));
  }
  DET_CO_TRY(answer);
  std::string token = text_field(*answer, "token");
  if (token.empty()) co_return std::unexpected(client.not_a_master("a login without a token"));
  co_return token;
}

Task<Result<Session>> open_session(Invocation in) {
  auto opened = open_client(in);
  DET_CO_TRY(opened);
  Session session{.client = std::move(*opened), .username = {}};
  TokenStore store(in.world, session.client.master().url);
  auto wanted = find_user(in, store);
  DET_CO_TRY(wanted);
  session.username = wanted->user;
  const auto stored = store.token(wanted->user);
  DET_CO_TRY(stored);
  if (*stored) {
    session.client.use_token(**stored);
    const auto me = co_await session.client.get("/api/v1/me");
    session.client.set_retries(5);
    if (me) co_return std::move(session);
    if (knows_no_route(me.error())) {
      co_return std::unexpected(session.client.not_a_master("that it knows no users"));
    }
    // A disabled user's token is no use either, but the server's reason is better than a password prompt.
    if (me.error().code != ErrorCode::kUnauthenticated) co_return std::unexpected(me.error());
    session.client.use_token("");
    DET_CO_TRY(store.drop(wanted->user));
  }
  const auto task_user = in.world.variable("DET_USER");
  const auto task_token = in.world.variable("DET_USER_TOKEN");
  if (task_user && task_token && (in.globals.user.empty() || in.globals.user == *task_user)) {
    session.username = *task_user;
    session.client.use_token(*task_token);
    session.client.set_retries(5);
    co_return std::move(session);
  }
  auto token = co_await log_in_as(in, session.client, std::move(*wanted));
  DET_CO_TRY(token);
  DET_CO_TRY(store.set_token(session.username, *token));
  session.client.use_token(std::move(*token));
  session.client.set_retries(5);
  co_return std::move(session);
}

std::string password_weakness(const std::string& password) {
  struct Rule {
    const char* text;
    bool is_met;
  };
  const auto any = [&password](int (*is)(int)) {
    return std::ranges::any_of(password, [is](unsigned char c) { return is(c) != 0; });
  };
  const Rule rules[] = {
      {"password cannot be blank", !password.empty()},
      {"password must have at least 8 characters", password.size() >= 8},
      {"password must include an uppercase letter", any(&::isupper)},
      {"password must include a lowercase letter", any(&::islower)},
      {"password must include a number", any(&::isdigit)},
  };
  if (std::ranges::all_of(rules, &Rule::is_met)) return "";
  std::string text;
  for (const Rule& rule : rules) {
    text += std::string(text.empty() ? "" : "\n") + (rule.is_met ? "\u2713 " : "\u2717 ") + rule.text;
  }
  return text;
}

void warn_if_weak(World& world, const std::string& password) {
  const std::string weakness = password_weakness(password);
  if (weakness.empty()) return;
  world.err << "Warning: your password does not appear to satisfy recommended complexity requirements:\n"
            << weakness << "\nPlease change your password as soon as possible.\n";
}

}  // namespace det::cli
