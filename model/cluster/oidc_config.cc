#include "model/cluster/oidc_config.h"

#include <algorithm>
#include <string_view>

namespace det::model {
namespace {

constexpr std::string_view kTls = "https://";
constexpr std::string_view kPlain = "http://";

// The host of a URL with one of the two schemes, without its port; empty when it has none, or something before it.
std::string_view host_of(std::string_view url) {
  for (const std::string_view scheme : {kTls, kPlain}) {
    if (!url.starts_with(scheme)) continue;
    std::string_view host = url.substr(scheme.size());
    host = host.substr(0, host.find_first_of("/?#"));
    if (host.contains('@')) return {};
    if (host.starts_with('[')) return host.contains(']') ? host.substr(0, host.find(']') + 1) : std::string_view();
    return host.substr(0, host.find(':'));
  }
  return {};
}

// A URL that paths can be put behind.
bool is_base_url(std::string_view url) {
  const auto fits = [](char c) { return c > 0x20 && c < 0x7f && c != '?' && c != '#' && c != '"' && c != '\\'; };
  return !host_of(url).empty() && std::ranges::all_of(url, fits);
}

std::string read_url(JsonReader& reader, std::string_view key, bool must_be_safe) {
  std::string url = reader.string(key).value_or("");
  if (url.empty()) return url;
  if (!is_base_url(url)) {
    reader.report(key, "\"" + url + "\" is no URL such as \"https://sso.example.com\"");
  } else if (must_be_safe && !is_safe_url(url)) {
    reader.report(key, "\"" + url +
                           "\" does not begin with https://: who is between could say who signs in (http:// is for a "
                           "provider on this machine)");
  }
  return url;
}

// What signing in cannot do without.
void check_complete(JsonReader& reader, const OidcConfig& config) {
  if (config.client_id.empty()) {
    reader.report("client_id", "is needed: the provider gives it where this server is registered as an application");
  }
  if (config.client_secret.empty()) {
    reader.report("client_secret",
                  "is needed: as a file oidc.client_secret in the folder of --config-secrets, in the variable "
                  "DET_OIDC_CLIENT_SECRET, or here");
  }
  if (config.recipient_url.empty()) {
    reader.report("idp_recipient_url",
                  "is needed: this server's URL as browsers have it, such as \"https://det.example.com\"; the "
                  "provider sends them back to /oidc/callback below it");
  }
  if (config.issuer.empty()) {
    reader.report("idp_sso_url",
                  "is needed: the provider's URL, below which it has /.well-known/openid-configuration, such as "
                  "\"https://example.okta.com\"");
  }
}

}  // namespace

bool is_safe_url(std::string_view url) {
  const std::string_view host = host_of(url);
  if (url.starts_with(kTls)) return !host.empty();
  return host == "localhost" || host == "127.0.0.1" || host == "[::1]";
}

OidcConfig read_oidc_config(JsonReader& root, bool has_roles, std::vector<std::string>& notes) {
  JsonReader reader = root.object("oidc");
  OidcConfig config;
  config.enabled = reader.boolean("enabled").value_or(false);
  if (auto name = reader.string("provider"); name && !name->empty()) config.provider = *std::move(name);
  config.client_id = reader.string("client_id").value_or("");
  config.client_secret = reader.string("client_secret").value_or("");
  config.recipient_url = read_url(reader, "idp_recipient_url", false);
  while (config.recipient_url.ends_with('/')) config.recipient_url.pop_back();
  config.issuer = read_url(reader, "idp_sso_url", true);
  if (auto claim = reader.string("authentication_claim"); claim && !claim->empty()) {
    config.authentication_claim = *std::move(claim);
  }
  static_cast<void>(reader.string("scim_authentication_attribute"));  // model/cluster/master_fields.cc tells about it
  config.provisions_users = reader.boolean("auto_provision_users").value_or(false);
  config.groups_claim = reader.string("groups_attribute_name").value_or("");
  config.display_name_claim = reader.string("display_name_attribute_name").value_or("");
  config.agent_uid_claim = reader.string("agent_uid_attribute_name").value_or("");
  config.agent_gid_claim = reader.string("agent_gid_attribute_name").value_or("");
  config.agent_user_claim = reader.string("agent_user_name_attribute_name").value_or("");
  config.agent_group_claim = reader.string("agent_group_name_attribute_name").value_or("");
  config.always_redirect = reader.boolean("always_redirect").value_or(false);
  config.asks_for_groups = !reader.boolean("exclude_groups_scope").value_or(false);
  config.ca_file = reader.string("ca_file").value_or("");
  if (!config.ca_file.empty() && !config.ca_file.starts_with('/')) {
    reader.report("ca_file", "\"" + config.ca_file + "\" is not an absolute path");
  }
  if (!config.enabled) return config;
  check_complete(reader, config);
  reader.refuse_unknown_keys();
  if (!config.groups_claim.empty() && !has_roles) {
    notes.emplace_back(
        "\"oidc.groups_attribute_name\" has no effect: groups mean something where roles do, with "
        "security.authz.type: rbac");
    config.groups_claim.clear();
  }
  return config;
}

}  // namespace det::model
