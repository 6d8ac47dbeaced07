#include "model/expconf/secret_fields.h"

#include <algorithm>
#include <array>
#include <functional>

namespace det::model {

namespace {

using nlohmann::json;

constexpr std::array<std::string_view, 4> kOfRegistry = {"password", "auth", "identitytoken", "registrytoken"};
constexpr std::array<std::string_view, 4> kOfStorage = {"access_key", "secret_key", "connection_string", "credential"};

// The mapping below `path`, or nothing.
json* find(json& config, std::initializer_list<const char*> path) {
  json* at = &config;
  for (const char* key : path) {
    if (!at->is_object() || !at->contains(key)) return nullptr;
    at = &(*at)[key];
  }
  return at->is_object() ? at : nullptr;
}

template <typename Names>
void each_in(json* mapping, const Names& names, const std::function<void(json&, const std::string&)>& change) {
  if (mapping == nullptr) return;
  for (const std::string_view name : names) {
    const std::string key(name);
    if (mapping->contains(key) && (*mapping)[key].is_string()) change(*mapping, key);
  }
}

json with_each(json config, const std::function<void(json&, const std::string&)>& change) {
  each_in(find(config, {"environment", "registry_auth"}), kOfRegistry, change);
  each_in(find(config, {"checkpoint_storage"}), kOfStorage, change);
  each_in(find(config, {"tensorboard_storage"}), kOfStorage, change);
  return config;
}

}  // namespace

json hide_secrets(json config) {
  return with_each(std::move(config), [](json& mapping, const std::string& key) { mapping[key] = kHidden; });
}

json drop_secrets(json config) {
  return with_each(std::move(config), [](json& mapping, const std::string& key) { mapping.erase(key); });
}

json drop_masks(json config) {
  return with_each(std::move(config), [](json& mapping, const std::string& key) {
    if (mapping[key] == kHidden) mapping.erase(key);
  });
}

bool may_hold_secrets(std::string_view text) {
  const auto has = [text](std::string_view name) { return text.find(name) != std::string_view::npos; };
  return has("registry_auth") || std::ranges::any_of(kOfStorage, has);
}

}  // namespace det::model
