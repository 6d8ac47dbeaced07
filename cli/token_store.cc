#include "cli/token_store.h"

#include <cerrno>
#include <cstring>
#include <fstream>
#include <sstream>

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>
#include <nlohmann/json.hpp>

#include "cli/master_address.h"

namespace det::cli {
namespace {

using nlohmann::json;

std::unexpected<Error> cannot(const std::string& what, const std::filesystem::path& file) {
  return fail(ErrorCode::kInternal, "cannot " + what + " " + file.string() + ": " + std::strerror(errno));
}

// An flock, as the Python command line takes it.
class FileLock {
 public:
  explicit FileLock(const std::filesystem::path& file) : fd_(::open(file.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600)) {
    if (fd_ >= 0) ::flock(fd_, LOCK_EX);
  }
  ~FileLock() {
    if (fd_ >= 0) ::close(fd_);
  }
  FileLock(const FileLock&) = delete;
  FileLock& operator=(const FileLock&) = delete;
  [[nodiscard]] bool is_held() const { return fd_ >= 0; }

 private:
  int fd_;
};

std::filesystem::path beside(const std::filesystem::path& file, const char* ending) {
  return file.string() + ending;
}

// Forms 0 (one master) and 1 (addresses as people wrote them) are those of releases before 0.20.
json to_form_2(json store, const std::string& master) {
  const int form = store.value("version", 0);
  if (form >= 2) return store;
  json masters = json::object();
  if (form < 1) {
    store.erase("version");
    masters[master] = std::move(store);
  } else if (store.contains("masters")) {
    for (auto& [address, entries] : store["masters"].items()) {
      masters[canonical_master_url(address).value_or(address)] = std::move(entries);
    }
  }
  return {{"version", 2}, {"masters", std::move(masters)}};
}

bool is_well_formed(const json& store) {
  if (!store.is_object() || !store.value("version", json(0)).is_number_integer()) return false;
  if (store["version"].get<int>() > 2) return false;
  if (!store.contains("masters")) return true;
  if (!store["masters"].is_object()) return false;
  for (const auto& [address, entries] : store["masters"].items()) {
    if (!entries.is_object()) return false;
    if (entries.contains("active_user") && !entries["active_user"].is_string() && !entries["active_user"].is_null()) {
      return false;
    }
    if (!entries.contains("tokens")) continue;
    if (!entries["tokens"].is_object()) return false;
    for (const auto& [user, token] : entries["tokens"].items()) {
      if (!token.is_string()) return false;
    }
  }
  return true;
}

}  // namespace

std::filesystem::path config_folder(const std::function<std::optional<std::string>(const std::string& name)>& variable,
                                    const std::filesystem::path& home) {
  if (const auto folder = variable("DET_DEBUG_CONFIG_PATH"); folder && !folder->empty()) return *folder;
  if (const auto folder = variable("XDG_CONFIG_HOME")) return std::filesystem::path(*folder) / "determined";
  return home / ".config" / "determined";
}

std::filesystem::path config_folder(const World& world) {
  return config_folder(world.variable, world.home);
}

TokenStore::TokenStore(const World& world, std::string master_url)
    : TokenStore(config_folder(world), std::move(master_url)) {}

TokenStore::TokenStore(const std::filesystem::path& folder, std::string master_url)
    : file_(folder / "auth.json"), master_(std::move(master_url)) {}

Result<json> TokenStore::read() const {
  std::ifstream in(file_);
  if (!in) return json{{"version", 2}, {"masters", json::object()}};
  std::ostringstream text;
  text << in.rdbuf();
  json store = json::parse(text.str(), nullptr, false);
  if (store.is_object() && !store.contains("version")) store["version"] = 0;
  if (store.is_object() && store["version"].is_number_integer()) store = to_form_2(std::move(store), master_);
  if (!is_well_formed(store)) {
    return fail(ErrorCode::kDataLoss,
                "the token file " + file_.string() + " cannot be understood; remove it and run 'det user login' again");
  }
  return store;
}

Result<json> TokenStore::entries() const {
  auto store = read();
  DET_TRY(store);
  const json masters = store->value("masters", json::object());
  return masters.value(master_, json::object());
}

Result<std::optional<std::string>> TokenStore::active_user() const {
  const auto mine = entries();
  DET_TRY(mine);
  const json user = mine->value("active_user", json());
  if (!user.is_string()) return std::nullopt;
  return user.get<std::string>();
}

Result<std::optional<std::string>> TokenStore::token(const std::string& user) const {
  const auto mine = entries();
  DET_TRY(mine);
  const json tokens = mine->value("tokens", json::object());
  if (!tokens.contains(user)) return std::nullopt;
  return tokens[user].get<std::string>();
}

Result<std::vector<std::string>> TokenStore::users() const {
  const auto mine = entries();
  DET_TRY(mine);
  std::vector<std::string> names;
  const json tokens = mine->value("tokens", json::object());
  for (const auto& [user, token] : tokens.items()) names.push_back(user);
  return names;
}

template <typename Change>
Status TokenStore::change(Change apply) {
  std::error_code failed;
  const bool is_new = std::filesystem::create_directories(file_.parent_path(), failed);
  if (failed) {
    return fail(ErrorCode::kInternal,
                "cannot make the folder " + file_.parent_path().string() + ": " + failed.message());
  }
  if (is_new) ::chmod(file_.parent_path().c_str(), 0700);
  const FileLock lock(beside(file_, ".lock"));
  if (!lock.is_held()) return cannot("lock", beside(file_, ".lock"));
  auto store = read();
  DET_TRY(store);
  apply((*store)["masters"][master_]);
  const auto temporary = beside(file_, ".temp");
  // Tokens are as good as passwords: nobody else may read them.
  const int fd = ::open(temporary.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
  if (fd < 0) return cannot("write", temporary);
  const std::string text = store->dump(4);
  const bool is_written = ::write(fd, text.data(), text.size()) == static_cast<ssize_t>(text.size());
  ::fchmod(fd, 0600);
  ::close(fd);
  if (!is_written || std::rename(temporary.c_str(), file_.c_str()) != 0) return cannot("write", file_);
  return {};
}

Status TokenStore::set_token(const std::string& user, const std::string& token) {
  return change([&](json& mine) { mine["tokens"][user] = token; });
}

Status TokenStore::set_active(const std::string& user) {
  return change([&](json& mine) { mine["active_user"] = user; });
}

Status TokenStore::clear_active() {
  return change([](json& mine) {
    if (mine.is_object()) mine.erase("active_user");
  });
}

Status TokenStore::drop(const std::string& user) {
  return change([&](json& mine) {
    if (mine.contains("tokens")) mine["tokens"].erase(user);
  });
}

}  // namespace det::cli
