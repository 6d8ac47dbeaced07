#include "main/operator/local_access.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>
#include <utility>

#include "api/users/password.h"
#include "base/async.h"
#include "base/encoding.h"
#include "cli/login.h"
#include "cli/token_store.h"

namespace det::main {
namespace {

constexpr const char* kFile = "passwords";
constexpr const char* kTokens = "tokens";
constexpr const char* kHead =
    "# Made for users who had no password. Whoever started det-operator is logged in without them.\n"
    "# To choose another: det user change-password NAME\n";
constexpr const char* kHeadOfTokens = "# Of whoever starts det-operator, for as long as it runs.\n";
constexpr std::array kStarter{"determined", "admin"};
constexpr std::size_t kPasswordBytes = 18;
constexpr std::size_t kTokenBytes = 32;
// They are random: nobody guesses them, however fast guessing is.
constexpr int kHashCost = 8;
// The file with the password beside it is good for ever.
constexpr std::chrono::hours kLoginLifetime{24 * 365};

// Passwords, or tokens, by user.
using Secrets = std::map<std::string, std::string>;

Secrets read_secrets(const std::string& path) {
  Secrets secrets;
  std::ifstream file(path);
  for (std::string line; std::getline(file, line);) {
    std::istringstream words(line);
    std::string user;
    std::string secret;
    if (!line.starts_with('#') && words >> user >> secret) secrets[user] = secret;
  }
  return secrets;
}

std::string text_of(const char* head, const Secrets& secrets) {
  std::string text = head;
  for (const auto& [user, secret] : secrets) text.append(user).append(" ").append(secret).append("\n");
  return text;
}

std::string make_password() {
  std::string password;
  do {
    password = random_token(kPasswordBytes);
  } while (!cli::password_weakness(password).empty());
  return password;
}

std::optional<std::string> variable(const std::string& name) {
  const char* value = std::getenv(name.c_str());
  return value == nullptr ? std::nullopt : std::optional<std::string>(value);
}

}  // namespace

std::string token_folder() {
  const auto home = variable("HOME");
  if (!home && !variable("XDG_CONFIG_HOME") && !variable("DET_DEBUG_CONFIG_PATH")) return {};
  return cli::config_folder(variable, home.value_or("/")).string();
}

Task<Status> LocalAccess::prepare(store::UserStore& users, store::SessionStore& sessions) {
  Status done;
  if (options_.blank_passwords) {
    done = co_await take_passwords_back(users);
    log_.warn(
        "passwords may be blank (--blank-passwords): everybody who can open a connection to this port, and every "
        "task, can log in as admin");
  } else {
    auto all = co_await users.list();
    DET_CO_TRY(all);
    std::erase_if(all->items, [](const store::UserRow& user) { return user.password_hash.has_value() || user.remote; });
    if (!all->items.empty()) done = co_await make_passwords(users, all->items);
  }
  if (done) done = co_await log_in(users, sessions);
  co_return done;
}

Task<Status> LocalAccess::make_passwords(store::UserStore& users, const std::vector<store::UserRow>& blank) {
  Secrets passwords = read_secrets(folder_.path(kFile));
  std::string names;
  for (const store::UserRow& user : blank) {
    if (!passwords.contains(user.username)) passwords[user.username] = make_password();
    names += (names.empty() ? "" : ",") + user.username;
  }
  DET_CO_TRY(folder_.write(kFile, text_of(kHead, passwords)));
  for (const store::UserRow& user : blank) {
    auto work = [password = passwords[user.username]] {
      return api::hash_password(api::client_hash(password), kHashCost);
    };
    auto hash = co_await run_on(hashing_, std::move(work));
    DET_CO_TRY(hash);
    std::vector<std::string> name = {user.username};
    auto replaced = co_await users.replace_blank_passwords(std::move(name), hash->value_or(""));
    DET_CO_TRY(replaced);
  }
  log_.warn("users without a password were given one; read it in the file",
            {{"users", names}, {"file", folder_.path(kFile)}});
  co_return Status();
}

// Whoever has chosen a password keeps it.
Task<Status> LocalAccess::take_passwords_back(store::UserStore& users) {
  for (const auto& [name, password] : read_secrets(folder_.path(kFile))) {
    auto user = co_await users.find_by_name(name);
    DET_CO_TRY(user);
    if (!*user || !(*user)->password_hash) continue;
    auto work = [secret = password, hash = (*user)->password_hash] {
      return api::matches(api::client_hash(secret), hash);
    };
    const bool is_ours = co_await run_on(hashing_, std::move(work));
    if (!is_ours) continue;
    Status blank = co_await users.set_password_hash((*user)->id, std::nullopt);
    if (!blank) co_return blank;
  }
  std::error_code ignored;
  std::filesystem::remove(folder_.path(kFile), ignored);
  co_return Status();
}

Task<Status> LocalAccess::log_in(store::UserStore& users, store::SessionStore& sessions) {
  if (options_.token_folder.empty()) co_return Status();
  tokens_ = read_secrets(folder_.path(kTokens));
  std::erase_if(tokens_, [](const auto& entry) { return std::ranges::find(kStarter, entry.first) == kStarter.end(); });
  for (const char* name : kStarter) {
    auto user = co_await users.find_by_name(name);
    DET_CO_TRY(user);
    if (!*user || !(*user)->active) {
      tokens_.erase(name);
      continue;
    }
    std::string& token = tokens_[name];
    const auto holder = co_await sessions.find_user(sha256_hex(token));
    DET_CO_TRY(holder);
    // The same as before the last end, so that whoever waited through it goes on.
    if (!*holder || (**holder).id != (**user).id) {
      token = random_token(kTokenBytes);
      DET_CO_TRY(co_await sessions.insert(sha256_hex(token), (*user)->id, clock_.wall_now() + kLoginLifetime));
    }
    for (const std::string& url : options_.urls) {
      cli::TokenStore store(options_.token_folder, url);
      const auto old = store.token(name);
      if (old && *old && **old != token) DET_CO_TRY(co_await sessions.remove(sha256_hex(**old)));
      Status kept = store.set_token(name, token);
      const auto active = store.active_user();
      if (kept && active && !*active) kept = store.set_active(kStarter.front());
      if (!kept) log_.warn("whoever started this is not logged in", {{"error", kept.error().message}});
    }
  }
  if (read_secrets(folder_.path(kTokens)) == tokens_) co_return Status();
  co_return folder_.write(kTokens, text_of(kHeadOfTokens, tokens_));
}

void LocalAccess::leave() {
  for (const std::string& url : options_.urls) {
    cli::TokenStore store(options_.token_folder, url);
    for (const auto& [user, token] : tokens_) {
      const auto kept = store.token(user);
      if (kept && *kept == token) (void)store.drop(user);
    }
  }
}

}  // namespace det::main
