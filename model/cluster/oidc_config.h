#pragma once

// `oidc` of master.yaml: signing in with an OpenID Connect provider. Names and meanings are upstream's
// (master/internal/config/oidc_config.go); ca_file is ours. Pure.

#include <string>
#include <vector>

#include "base/json_reader.h"

namespace det::model {

struct OidcConfig {
  bool enabled = false;
  std::string provider = "SSO";  // what people see on the button
  std::string client_id;
  std::string client_secret;  // secret
  std::string recipient_url;  // of this server, as browsers reach it; without a slash at its end
  std::string issuer;         // idp_sso_url
  std::string authentication_claim = "email";
  bool provisions_users = false;
  // Names of claims; empty: nothing is taken over.
  std::string groups_claim;
  std::string display_name_claim;
  std::string agent_uid_claim;
  std::string agent_gid_claim;
  std::string agent_user_claim;
  std::string agent_group_claim;
  bool always_redirect = false;  // the page to log in leads to the provider by itself
  bool asks_for_groups = true;   // the scope "groups"; not every provider knows it
  std::string ca_file;           // PEM, absolute; empty: the system's authorities
  std::string ca_pem;            // its text: main/ reads it

  // Where the provider sends browsers back to: what is registered there.
  [[nodiscard]] std::string callback_url() const { return recipient_url + "/oidc/callback"; }
  // Where signing in begins.
  [[nodiscard]] std::string sign_in_url() const { return recipient_url + "/oidc/sso"; }
  [[nodiscard]] bool is_reached_by_tls() const { return recipient_url.starts_with("https://"); }
  bool operator==(const OidcConfig&) const = default;
};

// Whether what `url` says cannot be changed on the way: https, or http to this machine itself.
[[nodiscard]] bool is_safe_url(std::string_view url);

// `has_roles`: whether groups mean anything; where they do not, groups_attribute_name is told about in `notes`.
[[nodiscard]] OidcConfig read_oidc_config(JsonReader& root, bool has_roles, std::vector<std::string>& notes);

}  // namespace det::model
