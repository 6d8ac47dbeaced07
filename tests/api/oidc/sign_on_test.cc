#include <gmock/gmock.h>

#include "tests/api/fixture.h"
#include "tests/api/oidc/fake_provider.h"

namespace det::api {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::StartsWith;

struct HasProvider {
  FakeProvider provider;
};

struct SignOnTest : HasProvider, ApiTest {
  explicit SignOnTest(model::OidcConfig config = FakeProvider::config()) : ApiTest(std::move(config), &provider) {
    token.clear();
  }

  static std::string header(const Answer& answer, std::string_view name) {
    return std::string(answer.headers.find(name).value_or(""));
  }
  static std::string cookie(const Answer& answer) {
    const std::string set = header(answer, "Set-Cookie");
    return set.substr(0, set.find(';'));
  }
  void use_cookie(const std::string& text) {
    headers = text.empty() ? http::Headers() : http::Headers{{"Cookie", text}};
  }

  // A browser begins: the address that it is sent to.
  std::string begin(const std::string& relay = {}) {
    const Answer answer = get("/oidc/sso" + (relay.empty() ? "" : "?relayState=" + http::encode_component(relay)));
    EXPECT_EQ(answer.status, 303) << answer.text;
    use_cookie(cookie(answer));
    return header(answer, "Location");
  }
  // The whole of it.
  Answer sign_in(const std::string& relay = {}) { return get(provider.sign_in(begin(relay))); }
  // What is wrong, as the page says it. Nobody was signed in.
  std::string trouble(const Answer& answer, int status) {
    EXPECT_EQ(answer.status, status) << answer.text;
    EXPECT_EQ(header(answer, "Set-Cookie"), "");
    EXPECT_THAT(header(answer, "Content-Type"), StartsWith("text/html"));
    EXPECT_THAT(answer.text, Not(HasSubstr("se:cret")));
    return answer.text;
  }
  std::optional<store::UserRow> user(const std::string& name) { return must(users.find_by_name(name)); }
  std::vector<std::string> groups_of(model::UserId id) {
    std::vector<std::string> names;
    const auto page = must(user_groups.list({.name = {}, .user = id, .viewer = {}, .page = {}}));
    for (const auto& row : page.items) names.push_back(row.name);
    return names;
  }
};

using SignOn = SignOnTest;

struct SignOnProvisioned : SignOnTest {
  SignOnProvisioned() : SignOnTest(config()) {}
  static model::OidcConfig config() {
    model::OidcConfig config = FakeProvider::config();
    config.provisions_users = false;
    return config;
  }
};

struct SignOnWithGroups : SignOnTest {
  SignOnWithGroups() : SignOnTest(config()) {}
  static model::OidcConfig config() {
    model::OidcConfig config = FakeProvider::config();
    config.groups_claim = "groups";
    config.display_name_claim = "name";
    config.agent_uid_claim = "uid";
    config.agent_gid_claim = "gid";
    config.always_redirect = true;
    return config;
  }
};

TEST_F(SignOn, SendsTheBrowserToTheProvider) {
  const Answer answer = get("/oidc/sso?relayState=%2Fdet%2Fx");
  EXPECT_EQ(answer.status, 303);
  const auto target = http::parse_target(header(answer, "Location").substr(23)).value();
  EXPECT_EQ(target.path, "/authorize");
  EXPECT_EQ(target.query.get("response_type"), "code");
  EXPECT_EQ(target.query.get("client_id"), "det");
  EXPECT_EQ(target.query.get("redirect_uri"), "https://det.example.com/oidc/callback");
  EXPECT_EQ(target.query.get("scope"), "openid profile email groups");
  EXPECT_EQ(target.query.get("code_challenge_method"), "S256");
  EXPECT_EQ(target.query.get("code_challenge").size(), 43U);
  EXPECT_THAT(header(answer, "Set-Cookie"), StartsWith("__Host-det_sign_in="));
  EXPECT_THAT(header(answer, "Set-Cookie"), HasSubstr("; Path=/; Max-Age=600; HttpOnly; SameSite=Lax; Secure"));
  EXPECT_EQ(header(answer, "Cache-Control"), "no-store");
}

TEST_F(SignOn, MakesWhoSignsInForTheFirstTimeAndASession) {
  const Answer done = sign_in("/det/wait/x");
  EXPECT_EQ(done.status, 303) << done.text;
  EXPECT_EQ(header(done, "Location"), "/det/wait/x");
  EXPECT_THAT(header(done, "Set-Cookie"), HasSubstr("; Path=/; Max-Age=604800; HttpOnly; SameSite=Lax; Secure"));
  const auto made = user("ada@example.com");
  ASSERT_TRUE(made);
  EXPECT_TRUE(made->remote);
  EXPECT_FALSE(made->admin);
  use_cookie(cookie(done));
  EXPECT_EQ(get("/api/v1/me").body()["user"]["username"], "ada@example.com");
  // Nobody knows a password of hers, not even the blank one.
  use_cookie("");
  EXPECT_EQ(post("/api/v1/auth/login", {{"username", "ada@example.com"}, {"password", ""}}).status, 401);
  // The second time it is the same user.
  EXPECT_EQ(sign_in().status, 303);
  EXPECT_EQ(user("ada@example.com")->id, made->id);
}

TEST_F(SignOn, GivesTheCommandLineItsTokenOnLoopback) {
  const Answer done = sign_in("cli");
  const std::string where = header(done, "Location");
  EXPECT_THAT(where, StartsWith("http://localhost:49176?token="));
  token = where.substr(where.find('=') + 1);
  headers = {};
  EXPECT_EQ(get("/api/v1/me").body()["user"]["username"], "ada@example.com");
}

TEST_F(SignOn, LeadsNowhereElse) {
  for (const char* evil : {"https://evil.example", "//evil.example", "/\\evil.example", "http://localhost:1/"}) {
    EXPECT_EQ(header(sign_in(evil), "Location"), "/") << evil;
  }
}

TEST_F(SignOn, IsOfTheBrowserThatBeganIt) {
  const std::string theirs = provider.sign_in(begin());
  use_cookie("");
  EXPECT_THAT(trouble(get(theirs), 403), HasSubstr("Cookies must be allowed"));
  const std::string mine = begin();
  EXPECT_THAT(trouble(get(theirs), 403), HasSubstr("not begun in this browser"));
  EXPECT_THAT(trouble(get("/oidc/callback?code=code-1"), 403), HasSubstr("not begun in this browser"));
  EXPECT_THAT(provider.asked, Not(Contains("POST /token")));
  EXPECT_EQ(get(provider.sign_in(mine)).status, 303);
}

TEST_F(SignOn, TabsMaySignInAtTheSameTime) {
  const std::string first = begin("/a");
  const std::string second = begin("/b");
  EXPECT_EQ(header(get(provider.sign_in(second)), "Location"), "/b");
  EXPECT_EQ(header(get(provider.sign_in(first)), "Location"), "/a");
}

TEST_F(SignOn, IsGoodOnce) {
  const std::string callback = provider.sign_in(begin());
  EXPECT_EQ(get(callback).status, 303);
  EXPECT_THAT(trouble(get(callback), 403), HasSubstr("it is good once"));
  EXPECT_EQ(std::ranges::count(provider.asked, "POST /token"), 1);
}

TEST_F(SignOn, ACodeOfAnotherSignInIsOfNoUse) {
  const std::string stolen = provider.sign_in(begin());
  const std::string mine = provider.sign_in(begin());
  // The code of one with the state of the other: its verifier does not fit.
  const std::string mixed = stolen.substr(0, stolen.find("&state=")) + mine.substr(mine.find("&state="));
  EXPECT_THAT(trouble(get(mixed), 403), HasSubstr("invalid_grant"));
}

TEST_F(SignOn, ATokenOfAnotherSignInIsOfNoUse) {
  std::string nonce;
  provider.sign = [&nonce](const json& head, json said) {
    if (nonce.empty()) nonce = said["nonce"];
    said["nonce"] = nonce;
    return provider_key().sign(head, said);
  };
  EXPECT_EQ(sign_in().status, 303);
  EXPECT_THAT(trouble(sign_in(), 403), HasSubstr("the token is of another sign-in: nonce"));
}

TEST_F(SignOn, RefusesEachTokenThatIsNotTheProvidersForUs) {
  const auto now = std::chrono::system_clock::to_time_t(std::chrono::system_clock::now());
  for (const auto& [changes, why] :
       {std::pair(json{{"iss", "https://evil.example"}}, "iss"), std::pair(json{{"aud", "other"}}, "aud"),
        std::pair(json{{"aud", {"det", "other"}}}, "azp"), std::pair(json{{"azp", "other"}}, "azp"),
        std::pair(json{{"exp", now - 120}}, "exp"), std::pair(json{{"exp", nullptr}}, "exp"),
        std::pair(json{{"iat", now + 600}}, "iat"), std::pair(json{{"iat", now - 600}}, "iat"),
        std::pair(json{{"nonce", nullptr}}, "nonce"), std::pair(json{{"sub", nullptr}}, "sub"),
        std::pair(json{{"email", " ada@example.com"}}, "is no username"),
        std::pair(json{{"email_verified", false}}, "email_verified")}) {
    provider.claims = {{"sub", "u-1"}, {"email", "ada@example.com"}};
    provider.claims.update(changes);
    EXPECT_THAT(trouble(sign_in(), 403), HasSubstr(why)) << changes;
  }
  EXPECT_FALSE(user("ada@example.com"));
}

TEST_F(SignOn, RefusesEachTokenThatTheProviderHasNotSigned) {
  static const test::SigningKey other = test::SigningKey::ec();
  const std::vector<std::pair<std::function<std::string(const json&, const json&)>, const char*>> forgeries = {
      {[](const json&, const json& said) { return test::compact_token({{"alg", "none"}}, said, ""); },
       "&quot;none&quot;"},
      {[](const json&, const json& said) { return test::compact_token({{"alg", "none"}}, said, "x"); },
       "&quot;none&quot;"},
      {[](const json&, const json& said) {
         const json head = {{"alg", "HS256"}, {"kid", "k1"}};
         const std::string whole = test::compact_token(head, said, "");
         const std::string text = whole.substr(0, whole.size() - 1);
         return text + "." + base64url_encode(hex_decode(hmac_sha256_hex(provider_key().public_pem(), text)).value());
       },
       "&quot;HS256&quot;"},
      {[](const json& head, const json& said) { return other.sign(head, said); }, "signature"},
      {[](const json&, const json& said) {
         return other.sign({{"alg", "ES256"}, {"kid", "../../../../dev/null"}}, said);
       },
       "none of the published keys"},
      {[](const json&, const json& said) {
         return other.sign({{"alg", "ES256"}, {"kid", "k1"}, {"jwk", other.jwk("k1")}}, said);
       },
       "signature"}};
  for (const auto& [forge, why] : forgeries) {
    provider.sign = forge;
    EXPECT_THAT(trouble(sign_in(), 403), HasSubstr(why));
  }
}

TEST_F(SignOn, DoesNotAskForKeysWheneverSomebodyNamesOne) {
  EXPECT_EQ(sign_in().status, 303);
  provider.header["kid"] = "k2";
  provider.keys = {{"keys", {provider_key().jwk("k2")}}};
  const auto before = std::ranges::count(provider.asked, "GET /keys");
  EXPECT_THAT(trouble(sign_in(), 403), HasSubstr("none of the published keys"));
  EXPECT_EQ(std::ranges::count(provider.asked, "GET /keys"), before);
}

TEST_F(SignOn, SaysWhatTheProviderSays) {
  const std::string state = provider.sign_in(begin());
  const std::string rest = state.substr(state.find("&state="));
  const std::string page =
      trouble(get("/oidc/callback?error=access_denied&error_description=%3Cb%3Enot+assigned" + rest), 403);
  EXPECT_THAT(page, HasSubstr("The sign-in provider refused: access_denied (&lt;b&gt;not assigned)"));
  EXPECT_THAT(page, HasSubstr("href=\"https://det.example.com/oidc/sso\""));
  EXPECT_THAT(page, HasSubstr("href=\"/det/login?hard_logout=true\""));
  // Nobody puts words on this page without the state.
  EXPECT_THAT(trouble(get("/oidc/callback?error=call+0900"), 403), Not(HasSubstr("0900")));
}

TEST_F(SignOn, TakesNoAnswerOfAnotherProvider) {
  EXPECT_THAT(trouble(get(provider.sign_in(begin()) + "&iss=https%3A%2F%2Fevil.example"), 403),
              HasSubstr("another sign-in provider"));
  EXPECT_EQ(get(provider.sign_in(begin()) + "&iss=https%3A%2F%2Fsso.example.com").status, 303);
}

TEST_F(SignOn, IsALoginOfTheAuditLog) {
  std::vector<AuditEvent> told;
  ASSERT_TRUE(audit.open("/dev/null"));
  audit.set_listener([&told](const AuditEvent& event) { told.push_back(event); });
  sign_in();
  get("/oidc/callback?code=a&state=b");
  ASSERT_EQ(told.size(), 2U) << "where it begins is nothing";
  EXPECT_EQ(told[0].action, "login");
  EXPECT_EQ(told[0].user, "ada@example.com");
  EXPECT_EQ(told[0].status, 303);
  EXPECT_EQ(told[1].status, 403);
  EXPECT_THAT(told[1].reason, HasSubstr("not begun in this browser"));
  EXPECT_THAT(audit_line(told[0]) + audit_line(told[1]), Not(HasSubstr("code")));
}

TEST_F(SignOn, NamesTheProviderToClients) {
  const json master = get("/api/v1/master").body();
  EXPECT_EQ(master["ssoProviders"], (json{{{"name", "Lab & Co"},
                                           {"ssoUrl", "https://det.example.com/oidc/sso"},
                                           {"type", "OIDC"},
                                           {"alwaysRedirect", false}}}));
  EXPECT_EQ(get("/info").body()["sso_providers"][0]["sso_url"], "https://det.example.com/oidc/sso");
  const std::string page = get("/det/login?redirect=%2Fproxy%2Fa%2F").text;
  EXPECT_THAT(page,
              HasSubstr("<a href=\"https://det.example.com/oidc/sso?relayState=%2Fproxy%2Fa%2F\">Sign in with Lab "
                        "&amp; Co</a>"));
  EXPECT_THAT(get("/det/login?redirect=https%3A%2F%2Fevil.example").text, Not(HasSubstr("evil")));
}

TEST_F(SignOnProvisioned, MakesNobodyUnlessToldTo) {
  EXPECT_THAT(trouble(sign_in(), 404), HasSubstr("user has not been provisioned"));
  must(users.create({.username = "ada@example.com", .display_name = {}, .password_hash = {}, .remote = true}));
  EXPECT_EQ(sign_in().status, 303);
}

TEST_F(SignOnProvisioned, TakesNobodyOverWhoLogsInHere) {
  provider.claims["email"] = "Admin";
  EXPECT_THAT(trouble(sign_in(), 400), HasSubstr("user exists but was not created with the --remote option"));
}

TEST_F(SignOnProvisioned, LetsNobodyInWhoIsSwitchedOff) {
  must(users.create(
      {.username = "ada@example.com", .display_name = {}, .password_hash = {}, .active = false, .remote = true}));
  EXPECT_THAT(trouble(sign_in(), 403), HasSubstr("user is inactive"));
}

TEST_F(SignOnWithGroups, KeepsGroupsNameAndAccountAsTheProviderHasThem) {
  must(user_groups.create("old", {}));
  provider.claims["groups"] = {"old", "new"};
  provider.userinfo = {{"sub", "u-1"}, {"name", "Ada"}, {"uid", 1001}, {"gid", 1002}, {"email", "mallory@example.com"}};
  EXPECT_EQ(sign_in().status, 303);
  const auto ada = user("ada@example.com").value();
  EXPECT_EQ(ada.display_name, "Ada") << "from what the provider says beside the token";
  EXPECT_EQ(ada.agent, (model::AgentAccount{.uid = 1001, .gid = 1002, .user = {}, .group = {}}));
  EXPECT_FALSE(user("mallory@example.com")) << "what is signed counts";
  EXPECT_THAT(groups_of(ada.id), ElementsAre("old", "new"));
  provider.claims["groups"] = {"new"};
  EXPECT_EQ(sign_in().status, 303);
  EXPECT_THAT(groups_of(ada.id), ElementsAre("new"));
  provider.claims.erase("groups");
  provider.userinfo = {{"sub", "u-1"}, {"name", "determined"}};
  EXPECT_EQ(sign_in().status, 303);
  EXPECT_THAT(groups_of(ada.id), IsEmpty()) << "who is in none is in none here";
  EXPECT_EQ(user("ada@example.com")->display_name, "Ada") << "nobody calls herself determined";
}

TEST_F(SignOnWithGroups, RefusesWhatIsSaidOfSomebodyElse) {
  provider.userinfo = {{"sub", "u-2"}, {"groups", {"admins"}}};
  EXPECT_THAT(trouble(sign_in(), 403), HasSubstr("speaks of two people"));
}

TEST_F(SignOnWithGroups, TheLoginLeadsThereByItself) {
  const Answer answer = get("/det/login?redirect=%2Fproxy%2Fa%2F");
  EXPECT_EQ(answer.status, 303);
  EXPECT_EQ(header(answer, "Location"), "https://det.example.com/oidc/sso?relayState=%2Fproxy%2Fa%2F");
  EXPECT_EQ(get("/det/login?hard_logout=true").status, 200);
}

TEST_F(ApiTest, WithoutAProviderThereIsNoSingleSignOn) {
  EXPECT_EQ(get("/oidc/sso").status, 404);
  EXPECT_EQ(get("/oidc/callback?code=a&state=b").status, 404);
  EXPECT_EQ(get("/api/v1/master").body()["ssoProviders"], json::array());
  EXPECT_TRUE(get("/info").body()["sso_providers"].is_null());
  EXPECT_EQ(get("/det/login").text.find("Sign in with"), std::string::npos);
}

}  // namespace
}  // namespace det::api
