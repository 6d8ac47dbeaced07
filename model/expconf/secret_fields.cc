#include "model/expconf/secret_fields.h"

#include <algorithm>
#include <array>
#include <functional>
#include <span>

namespace det::model {

namespace {

using nlohmann::json;

constexpr std::array<std::string_view, 4> kOfRegistry = {"password", "auth", "identitytoken", "registrytoken"};
constexpr std::string_view kAccountUrl = "account_url";
constexpr std::array<std::string_view, 5> kOfStorage = {"access_key", "secret_key", "connection_string", "credential",
                                                        kAccountUrl};

struct Section {
  std::string_view path;
  std::span<const std::string_view> secrets;
};
constexpr std::array<Section, 3> kSections = {{{"environment.registry_auth", kOfRegistry},
                                               {"checkpoint_storage", kOfStorage},
                                               {"tensorboard_storage", kOfStorage}}};

// The mapping at this path, or nothing. Of a configuration that may be changed, or not.
template <typename Json>
Json* find(Json& config, std::string_view path) {
  Json* at = &config;
  while (!path.empty()) {
    const std::string_view key = path.substr(0, path.find('.'));
    path.remove_prefix(std::min(key.size() + 1, path.size()));
    if (!at->is_object()) return nullptr;
    const auto found = at->find(key);
    if (found == at->end()) return nullptr;
    at = &*found;
  }
  return at->is_object() ? at : nullptr;
}

// Calls `what` with each mapping that holds a secret, the secret's key and the path of the mapping.
template <typename Json, typename What>
void for_each_secret(Json& config, const What& what) {
  for (const Section& section : kSections) {
    Json* const mapping = find(config, section.path);
    if (mapping == nullptr) continue;
    for (const std::string_view name : section.secrets) {
      const auto secret = mapping->find(name);
      if (secret == mapping->end() || !secret->is_string()) continue;
      if (name == kAccountUrl && secret->template get_ref<const std::string&>().find('?') == std::string::npos)
        continue;
      what(*mapping, std::string(name), section.path);
    }
  }
}

// What of it may be shown: of an address with a shared access signature, which stands behind the '?', the rest.
std::string shown_part(const json& mapping, const std::string& key) {
  const std::string& value = mapping[key].get_ref<const std::string&>();
  return key == kAccountUrl ? value.substr(0, value.find('?') + 1) : std::string();
}

std::string masked(const json& mapping, const std::string& key) {
  return shown_part(mapping, key) + std::string(kHidden);
}

bool is_mask(const json& mapping, const std::string& key) {
  return mapping[key] == masked(mapping, key);
}

void drop(json& mapping, const std::string& key) {
  std::string shown = shown_part(mapping, key);
  if (shown.empty()) {
    mapping.erase(key);
    return;
  }
  shown.pop_back();
  mapping[key] = std::move(shown);
}

json with_each(json config, const std::function<void(json&, const std::string&)>& change) {
  for_each_secret(config, [&](json& mapping, const std::string& key, std::string_view) { change(mapping, key); });
  return config;
}

}  // namespace

json hide_secrets(json config) {
  return with_each(std::move(config),
                   [](json& mapping, const std::string& key) { mapping[key] = masked(mapping, key); });
}

json drop_secrets(json config) {
  return with_each(std::move(config), drop);
}

json drop_masks(json config) {
  return with_each(std::move(config), [](json& mapping, const std::string& key) {
    if (is_mask(mapping, key)) drop(mapping, key);
  });
}

json fill_masks(json config, const json& whole) {
  for_each_secret(config, [&whole](json& mapping, const std::string& key, std::string_view path) {
    const json* const filled = find(whole, path);
    if (filled == nullptr || !filled->contains(key) || !(*filled)[key].is_string()) return;
    if (mapping[key] == masked(*filled, key)) mapping[key] = (*filled)[key];
  });
  return config;
}

std::vector<std::string> mask_warnings(const json& config) {
  std::vector<std::string> warnings;
  for_each_secret(config, [&](const json& mapping, const std::string& key, std::string_view path) {
    if (!is_mask(mapping, key)) return;
    warnings.push_back(std::string(path) + "." + key + ": " + std::string(kHidden) +
                       " stands for a secret that is not shown: write the secret itself, or there is none");
  });
  return warnings;
}

bool holds_credentials(const json& storage) {
  bool holds = false;
  const json config = {{"checkpoint_storage", storage}};
  for_each_secret(config, [&](const json& mapping, const std::string& key, std::string_view) {
    if (mapping[key] != "") holds = true;
  });
  return holds;
}

bool may_hold_secrets(std::string_view text) {
  const auto has = [text](std::string_view name) { return text.find(name) != std::string_view::npos; };
  return has("registry_auth") || std::ranges::any_of(kOfStorage, has);
}

}  // namespace det::model
