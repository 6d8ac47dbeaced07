#include "tests/cli/fixture.h"

namespace det::cli {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

struct Auth : CliTest {
  void answer_providers(const Json& providers) { http.answer(200, {{"version", "x"}, {"sso_providers", providers}}); }
  static Json provider(const std::string& name) { return {{"name", name}, {"sso_url", "https://sso/" + name}}; }
};

TEST_F(Auth, ListsProviders) {
  answer_providers({provider("Okta"), provider("Other")});
  EXPECT_EQ(det({"auth", "list-providers"}).out, "Available providers: Okta, Other.\n");
  answer_providers(nullptr);
  EXPECT_EQ(det({"auth", "list-providers"}).out, "No SSO providers found.\n");
  http.answer(200, {{"version", "x"}});
  const Outcome none = det({"auth", "list-providers"});
  EXPECT_EQ(none.code, 1);
  EXPECT_THAT(none.err, HasSubstr("No SSO providers data"));
  EXPECT_EQ(http.asked().front(), "GET /info");
}

TEST_F(Auth, SignsOnWithTheAddressThatTheBrowserWasSentTo) {
  answer_providers({provider("Okta"), provider("Other")});
  http.answer(200, {{"user", {{"username", "ann"}}}});
  answers = {"http://localhost:49176/", "http://localhost:49176/?x=1&token=v2.public.abc&y=2"};
  const Outcome done = det({"auth", "login", "-p", "okta"});
  EXPECT_EQ(done.code, 0) << done.err;
  EXPECT_THAT(done.out, HasSubstr("'https://sso/Okta?relayState=cli'"));
  EXPECT_THAT(done.out, HasSubstr("Could not extract token"));
  EXPECT_THAT(done.out, HasSubstr("Authenticated as ann.\n"));
  EXPECT_THAT(http.requests().back().headers,
              testing::Contains(testing::Pair("Authorization", "Bearer v2.public.abc")));
  EXPECT_THAT(folder.read(".config/determined/auth.json"), HasSubstr("v2.public.abc"));
}

TEST_F(Auth, NeedsToKnowWhichProvider) {
  answer_providers({provider("Okta"), provider("Other")});
  EXPECT_EQ(det({"auth", "login"}).out, "Provider must be specified when multiple are available.\n");
  answer_providers({provider("Okta"), provider("Other")});
  EXPECT_EQ(det({"auth", "login", "--provider", "x"}).out, "Provider x unsupported. (Providers found: okta, other)\n");
  answer_providers(nullptr);
  const auto none = det({"auth", "login"});
  EXPECT_EQ(none.out, "No SSO providers found.\n");
  EXPECT_EQ(none.code, 1) << "nobody is logged in, and a script would go on as somebody else";
  answer_providers(Json::array({provider("Okta")}));
  EXPECT_THAT(det({"auth", "login", "--headless"}).err, HasSubstr("no URL was given"));
}

struct Oauth : CliTest {
  Oauth() { variables = {{"DET_USER", "ann"}, {"DET_USER_TOKEN", "T"}}; }  // no login in the way
};

TEST_F(Oauth, ClientsAreListedMadeAndRemoved) {
  http.answer(200, {{{"name", "wiki"}, {"id", "c1"}, {"domain", "https://wiki"}}});
  EXPECT_EQ(det({"oauth", "client"}).out,
            " Name   | Client ID   | Domain\n"
            "--------+-------------+--------------\n"
            " wiki   | c1          | https://wiki\n");
  http.answer(200, {{"id", "c2"}, {"secret", "s"}});
  EXPECT_EQ(det({"oauth", "client", "add", "w", "https://w"}).out, "Client ID:     c2\nClient secret: s\n");
  http.answer(200, Json::object());
  EXPECT_EQ(det({"oauth", "client", "remove", "c2"}).code, 0);
  EXPECT_THAT(http.asked(), ElementsAre("GET /oauth2/clients", "POST /oauth2/clients", "DELETE /oauth2/clients/c2"));
  EXPECT_EQ(sent(1), (Json{{"domain", "https://w"}, {"name", "w"}}));
}

TEST_F(Oauth, IsNotThereOnMastersWithoutIt) {
  http.answer(404, {{"message", "Not Found"}});
  const Outcome done = det({"oauth", "client", "ls"});
  EXPECT_EQ(done.code, 1);
  EXPECT_THAT(done.err, HasSubstr("API not found: oauth2/clients); give a program an access token: det token create"));
}

}  // namespace
}  // namespace det::cli
