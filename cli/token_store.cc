#include "cli/token_store.h"

#include <fstream>
#include <sstream>

#include <nlohmann/json.hpp>

#include "cli/locked_file.h"
#include "cli/master_address.h"

namespace det::cli {
namespace {

using nlohmann::json;

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

// The Python client knows no such addresses, takes a file that has one for corrupted and deletes it.
bool is_of_ipv6(const std::string& address) {
  return address.contains("://[");
}

// What earlier versions of this program wrote and the Python client deletes a file for: entries of masters that are
// null, and in its own file those of IPv6 addresses.
void heal(json& store, bool is_of_ipv6_masters) {
  const auto masters = store.find("masters");
  if (masters == store.end() || !masters->is_object()) return;
  for (auto entry = masters->begin(); entry != masters->end();) {
    const bool is_foreign = !is_of_ipv6_masters && is_of_ipv6(entry.key());
    entry = entry->is_null() || is_foreign ? masters->erase(entry) : std::next(entry);
  }
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
    : file_(folder / (is_of_ipv6(master_url) ? "auth-ipv6.json" : "auth.json")), master_(std::move(master_url)) {}

Result<json> TokenStore::read() const {
  std::ifstream in(file_);
  if (!in) return json{{"version", 2}, {"masters", json::object()}};
  std::ostringstream text;
  text << in.rdbuf();
  json store = json::parse(text.str(), nullptr, false);
  if (store.is_object() && !store.contains("version")) store["version"] = 0;
  if (store.is_object() && store["version"].is_number_integer()) store = to_form_2(std::move(store), master_);
  if (store.is_object()) heal(store, is_of_ipv6(master_));
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

// Leaves no entry of a master that has none: the Python client deletes a file with one that is no object.
template <typename Change>
Status TokenStore::change(Change apply) {
  return replace_locked(file_, [&]() -> Result<std::string> {
    auto store = read();
    DET_TRY(store);
    json& masters = (*store)["masters"];
    if (masters.is_null()) masters = json::object();
    json mine = masters.value(master_, json::object());
    apply(mine);
    if (mine.empty()) {
      masters.erase(master_);
    } else {
      masters[master_] = std::move(mine);
    }
    return store->dump(4);
  });
}

Status TokenStore::set_token(const std::string& user, const std::string& token) {
  return change([&](json& mine) { mine["tokens"][user] = token; });
}

Status TokenStore::set_active(const std::string& user) {
  return change([&](json& mine) { mine["active_user"] = user; });
}

Status TokenStore::clear_active() {
  return change([](json& mine) { mine.erase("active_user"); });
}

Status TokenStore::drop(const std::string& user) {
  return change([&](json& mine) {
    if (mine.contains("tokens")) mine["tokens"].erase(user);
  });
}

}  // namespace det::cli
