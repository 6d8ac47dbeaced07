#include "model/cluster/oidc_config.h"

#include <gmock/gmock.h>

#include "base/yaml.h"
#include "model/cluster/master_config.h"
#include "model/cluster/printable_config.h"

namespace det::model {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

const std::string kWhole =
    "oidc:\n"
    "  enabled: true\n"
    "  provider: Okta\n"
    "  client_id: det\n"
    "  client_secret: hunter2\n"
    "  idp_recipient_url: https://det.example.com/\n"
    "  idp_sso_url: https://sso.example.com\n";

Result<MasterConfigResult> read(const std::string& text) {
  return read_master_config(parse_yaml(text).value(), text);
}
std::string error_of(const std::string& text) {
  const auto config = read(text);
  return config ? "" : config.error().message;
}

TEST(OidcConfig, IsOffUnlessAskedFor) {
  const auto config = read("");
  EXPECT_FALSE(config->config.oidc.enabled);
  EXPECT_THAT(read("oidc: {enabled: false, idp_sso_url: 'https://sso.example.com'}")->warnings(), IsEmpty());
}

TEST(OidcConfig, HasUpstreamsFieldsAndDefaults) {
  const OidcConfig plain = read(kWhole)->config.oidc;
  EXPECT_EQ(plain.callback_url(), "https://det.example.com/oidc/callback");
  EXPECT_EQ(plain.sign_in_url(), "https://det.example.com/oidc/sso");
  EXPECT_EQ(plain.authentication_claim, "email");
  EXPECT_TRUE(plain.asks_for_groups);
  EXPECT_FALSE(plain.provisions_users);
  const auto all = read(kWhole +
                        "  authentication_claim: login\n  scim_authentication_attribute: userName\n"
                        "  auto_provision_users: true\n  groups_attribute_name: g\n  display_name_attribute_name: d\n"
                        "  agent_uid_attribute_name: u\n  agent_gid_attribute_name: v\n"
                        "  agent_user_name_attribute_name: w\n  agent_group_name_attribute_name: x\n"
                        "  always_redirect: true\n  exclude_groups_scope: true\n  ca_file: /ca.pem\n"
                        "security: {authz: {type: rbac}}\n");
  ASSERT_TRUE(all) << all.error().message;
  OidcConfig wanted = plain;
  wanted.authentication_claim = "login";
  wanted.provisions_users = wanted.always_redirect = true;
  wanted.asks_for_groups = false;
  wanted.groups_claim = "g";
  wanted.display_name_claim = "d";
  wanted.agent_uid_claim = "u";
  wanted.agent_gid_claim = "v";
  wanted.agent_user_claim = "w";
  wanted.agent_group_claim = "x";
  wanted.ca_file = "/ca.pem";
  EXPECT_EQ(all->config.oidc, wanted);
  EXPECT_THAT(all->warnings(), IsEmpty());
}

TEST(OidcConfig, SaysWhatIsMissingAndHowItIsGiven) {
  const std::string error = error_of("oidc: {enabled: true}");
  EXPECT_THAT(error, HasSubstr("oidc.client_id: is needed"));
  EXPECT_THAT(error, HasSubstr("oidc.client_secret: is needed: as a file oidc.client_secret in the folder of "
                               "--config-secrets, in the variable DET_OIDC_CLIENT_SECRET, or here"));
  EXPECT_THAT(error, HasSubstr("oidc.idp_recipient_url: is needed"));
  EXPECT_THAT(error, HasSubstr("oidc.idp_sso_url: is needed"));
}

TEST(OidcConfig, SaysWhichLineIsWrong) {
  EXPECT_THAT(error_of(kWhole + "  always_redirect: maybe\n"), HasSubstr("oidc.always_redirect: expected boolean"));
  EXPECT_THAT(error_of(kWhole + "  always_redirect: maybe\n"), HasSubstr("(line 8)"));
  EXPECT_THAT(error_of(kWhole + "  auto_provison_users: true\n"), HasSubstr("auto_provision_users"));
  EXPECT_THAT(error_of(kWhole + "  ca_file: ca.pem\n"), HasSubstr("\"ca.pem\" is not an absolute path (line 8)"));
}

TEST(OidcConfig, TrustsAProviderByTlsOrOnThisMachineOnly) {
  const auto with = [](const std::string& url) {
    std::string text = kWhole;
    text.replace(text.find("https://sso.example.com"), 23, url);
    return error_of(text);
  };
  for (const char* good : {"https://sso.example.com/realms/a", "http://127.0.0.1:9000", "http://localhost:9000/x",
                           "'http://[::1]:9000'"}) {
    EXPECT_EQ(with(good), "") << good;
  }
  for (const char* bad : {"http://sso.example.com", "http://127.0.0.1.evil.example", "http://localhost@evil.example",
                          "http://10.0.0.1"}) {
    EXPECT_THAT(with(bad), HasSubstr("oidc.idp_sso_url: ")) << bad;
    EXPECT_THAT(with(bad), HasSubstr("(line 7)")) << bad;
  }
  for (const char* bad : {"sso.example.com", "ftp://sso.example.com", "https://", "'https://sso.example.com?a=b'",
                          "'https://sso.example.com/#x'", "'https://a b'"}) {
    EXPECT_THAT(with(bad), HasSubstr("is no URL such as")) << bad;
  }
}

TEST(OidcConfig, TellsWhatHasNoEffect) {
  const auto groups = read(kWhole + "  groups_attribute_name: groups\n");
  EXPECT_THAT(groups->warnings(), ElementsAre(HasSubstr("\"oidc.groups_attribute_name\" has no effect")));
  EXPECT_EQ(groups->config.oidc.groups_claim, "");
  EXPECT_THAT(read(kWhole + "  scim_authentication_attribute: externalId\n")->warnings(),
              ElementsAre(HasSubstr("\"oidc.scim_authentication_attribute\" has no effect in this version: there is no "
                                    "SCIM")));
}

TEST(OidcConfig, ShowsNobodyTheSecret) {
  const auto shown = printable_config(read(kWhole)->config);
  EXPECT_EQ(shown["oidc"]["client_id"], "det");
  EXPECT_THAT(shown.dump(), testing::Not(HasSubstr("hunter2")));
  EXPECT_THAT(error_of(kWhole + "  nonsense: 1\n"), testing::Not(HasSubstr("hunter2")));
}

}  // namespace
}  // namespace det::model
