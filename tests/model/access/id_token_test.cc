#include "model/access/id_token.h"

#include <cmath>

#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

namespace det::model {
namespace {

using nlohmann::json;
using testing::ElementsAre;
using testing::HasSubstr;

const WallTime kNow{std::chrono::seconds(1'800'000'000)};
const IdTokenRules kRules{.issuer = "https://sso.example.com",
                          .client_id = "det",
                          .nonce = "n-1",
                          .begun_at = kNow - std::chrono::seconds(30),
                          .now = kNow};

std::int64_t from_now(std::int64_t seconds) {
  return 1'800'000'000 + seconds;
}

json good() {
  return {{"iss", "https://sso.example.com"},
          {"sub", "u-1"},
          {"aud", "det"},
          {"exp", from_now(300)},
          {"iat", from_now(-1)},
          {"nonce", "n-1"},
          {"email", "ada@example.com"}};
}

// The claim that is wrong of `good` with `changes`; empty when nothing is. null takes a claim away.
std::string wrong_claim(const json& changes) {
  json claims = good();
  claims.merge_patch(changes);
  const Status status = check_id_token(claims, kRules);
  if (status) return "";
  EXPECT_EQ(status.error().code, ErrorCode::kPermissionDenied);
  return status.error().message.substr(status.error().message.rfind(": ") + 2);
}

TEST(IdToken, IsGoodForTheSignInThatItWasMadeFor) {
  EXPECT_EQ(wrong_claim(json::object()), "");
  EXPECT_EQ(wrong_claim({{"aud", {"det"}}}), "");
  EXPECT_EQ(wrong_claim({{"aud", {"other", "det"}}, {"azp", "det"}}), "");
  EXPECT_EQ(wrong_claim({{"nbf", from_now(0)}, {"exp", 1'800'000'300.5}}), "");
}

TEST(IdToken, IsRefusedForEachClaimThatIsWrong) {
  for (const json& issuer : {json("https://sso.example.com/"), json("https://evil.example"), json(), json(1)}) {
    EXPECT_EQ(wrong_claim({{"iss", issuer}}), "iss") << issuer;
  }
  for (const json& subject : {json(), json(""), json(7), json(std::string(256, 'x'))}) {
    EXPECT_EQ(wrong_claim({{"sub", subject}}), "sub");
  }
  for (const json& audience :
       {json(), json("other"), json("det2"), json::array(), json{"other"}, json{{"det", true}}, json(1)}) {
    EXPECT_EQ(wrong_claim({{"aud", audience}}), "aud") << audience;
  }
  EXPECT_EQ(wrong_claim({{"aud", {"det", "other"}}}), "azp") << "nobody says for whom";
  EXPECT_EQ(wrong_claim({{"azp", "other"}}), "azp");
  EXPECT_EQ(wrong_claim({{"aud", {"det", "other"}}, {"azp", "other"}}), "azp");
  for (const json& nonce : {json(), json(""), json("n-2"), json("n-1 "), json(1)}) {
    EXPECT_EQ(wrong_claim({{"nonce", nonce}}), "nonce") << nonce;
  }
}

TEST(IdToken, IsGoodForAWhileAndTheClocksMayDifferByAMinute) {
  EXPECT_EQ(wrong_claim({{"exp", from_now(-59)}}), "");
  EXPECT_EQ(wrong_claim({{"iat", from_now(60)}}), "");
  EXPECT_EQ(wrong_claim({{"iat", from_now(-90)}}), "") << "it began thirty seconds ago";
  for (const json& expires :
       {json(from_now(-60)), json(0), json(-1), json(), json("1800000300"), json(1e300), json(NAN)}) {
    EXPECT_EQ(wrong_claim({{"exp", expires}}), "exp") << expires;
  }
  for (const json& issued : {json(from_now(61)), json(from_now(-91)), json(), json("now"), json(1e300)}) {
    EXPECT_EQ(wrong_claim({{"iat", issued}}), "iat") << issued;
  }
  for (const json& begins : {json(from_now(61)), json("soon"), json(1e300)}) {
    EXPECT_EQ(wrong_claim({{"nbf", begins}}), "nbf") << begins;
  }
}

TEST(IdToken, IsRefusedWithoutANonceOfOurs) {
  IdTokenRules none = kRules;
  none.nonce.clear();
  json claims = good();
  claims["nonce"] = "";
  EXPECT_FALSE(check_id_token(claims, none));
  EXPECT_FALSE(check_id_token(json::array(), kRules));
  EXPECT_FALSE(check_id_token(json(), kRules));
}

OidcConfig with_all() {
  OidcConfig config;
  config.enabled = true;
  config.groups_claim = "groups";
  config.display_name_claim = "name";
  config.agent_uid_claim = "uid";
  config.agent_gid_claim = "gid";
  config.agent_user_claim = "unix_name";
  config.agent_group_claim = "unix_group";
  return config;
}

TEST(RemotePerson, IsWhatTheClaimsSay) {
  json claims = good();
  claims.update({{"groups", {"b", "a", "b"}},
                 {"name", "Ada"},
                 {"uid", 1001},
                 {"gid", 1002.0},
                 {"unix_name", "ada"},
                 {"unix_group", "research"}});
  const RemotePerson person = read_remote_person(claims, with_all()).value();
  EXPECT_EQ(person.username, "ada@example.com");
  EXPECT_EQ(person.display_name, "Ada");
  EXPECT_THAT(person.groups, ElementsAre("a", "b"));
  EXPECT_EQ(person.account(std::nullopt), (AgentAccount{.uid = 1001, .gid = 1002, .user = "ada", .group = "research"}));
  EXPECT_FALSE(lacks_claims(claims, with_all()));
  EXPECT_TRUE(lacks_claims(good(), with_all()));
  EXPECT_FALSE(lacks_claims(good(), OidcConfig()));
}

TEST(RemotePerson, KeepsWhatTheProviderDoesNotSay) {
  const AgentAccount before{.uid = 5, .gid = 6, .user = "x", .group = "y"};
  EXPECT_EQ(RemotePerson{}.account(before), before);
  EXPECT_EQ(RemotePerson{.agent_gid = 9}.account(before),
            (AgentAccount{.uid = 5, .gid = 9, .user = "x", .group = "y"}));
  EXPECT_EQ(RemotePerson{.agent_uid = 9}.account(std::nullopt), std::nullopt) << "the group would be root's";
}

TEST(RemotePerson, HasAName) {
  const auto name_of = [](const json& claims) { return read_remote_person(claims, OidcConfig()); };
  for (const json& email : {json(), json(7), json(""), json(" ada"), json("ada "), json("a\nda"), json("\u212Aim"),
                            json(std::string(129, 'a'))}) {
    json claims = good();
    claims["email"] = email;
    EXPECT_FALSE(name_of(claims)) << email << " would be somebody";
  }
  json claims = good();
  claims["email_verified"] = false;
  EXPECT_THAT(name_of(claims).error().message, HasSubstr("email_verified"));
  claims["email_verified"] = true;
  EXPECT_TRUE(name_of(claims));
  OidcConfig by_login;
  by_login.authentication_claim = "login";
  claims["email_verified"] = false;
  claims["login"] = "ada";
  EXPECT_EQ(read_remote_person(claims, by_login).value().username, "ada") << "of no address, nothing to verify";
}

TEST(RemotePerson, RefusesClaimsOfAnotherKindByTheirName) {
  for (const auto& [name, value] :
       {std::pair("groups", json("admins")), std::pair("groups", json{1}), std::pair("groups", json{""}),
        std::pair("groups", json{std::string(256, 'x')}), std::pair("groups", json{std::string("a\0b", 3)}),
        std::pair("groups", json{"7DeterminedPersonalGroup"}), std::pair("name", json{"Ada"}),
        std::pair("uid", json("0")), std::pair("uid", json(-1)), std::pair("gid", json(2147483648)),
        std::pair("gid", json(1.5)), std::pair("unix_name", json(true)),
        std::pair("unix_group", json(std::string(256, 'x'))), std::pair("name", json(std::string("a\0b", 3)))}) {
    json claims = good();
    claims[name] = value;
    const auto person = read_remote_person(claims, with_all());
    ASSERT_FALSE(person) << name << " " << value;
    EXPECT_THAT(person.error().message, HasSubstr(std::string("\"") + name + "\""));
  }
  json claims = good();
  claims["groups"] = json::array();
  for (int i = 0; i <= 1000; ++i) claims["groups"].push_back(std::to_string(i));
  EXPECT_THAT(read_remote_person(claims, with_all()).error().message, HasSubstr("up to 1000"));
}

}  // namespace
}  // namespace det::model
