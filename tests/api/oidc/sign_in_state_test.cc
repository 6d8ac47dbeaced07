#include "api/oidc/sign_in_state.h"

#include <gtest/gtest.h>

#include "base/encoding.h"

namespace det::api {
namespace {

const WallTime kNow{std::chrono::seconds(1'800'000'000)};
const std::string kBrowser(43, 'a');

TEST(SignInState, BringsBackWhatWasSealed) {
  const SignInSeal seal("secret");
  const std::string state = seal.seal(kBrowser, "/det/wait/x?y=1", kNow);
  const SignIn sign_in = SignInSeal("secret").open(state, kBrowser, kNow + std::chrono::minutes(9)).value();
  EXPECT_EQ(sign_in.relay, "/det/wait/x?y=1");
  EXPECT_EQ(sign_in.begun_at, kNow);
  EXPECT_EQ(sign_in.nonce.size(), 64U);
  EXPECT_EQ(sign_in.verifier.size(), 64U) << "RFC 7636 has 43 to 128";
  EXPECT_EQ(state.find(sign_in.nonce), std::string::npos);
  EXPECT_EQ(state.find(sign_in.verifier), std::string::npos);
}

TEST(SignInState, NobodySealsWithoutASecret) {
  EXPECT_FALSE(SignInSeal("").open(SignInSeal("").seal(kBrowser, "", kNow), kBrowser, kNow));
}

TEST(SignInState, IsOfOneBrowserOneServerAndOneSignIn) {
  const SignInSeal seal("secret");
  const std::string state = seal.seal(kBrowser, "", kNow);
  const std::string other(43, 'b');
  EXPECT_FALSE(seal.open(state, other, kNow)) << "another browser's cookie";
  EXPECT_FALSE(seal.open(state, "", kNow)) << "no cookie";
  EXPECT_FALSE(SignInSeal("other").open(state, kBrowser, kNow)) << "another server's key";
  EXPECT_FALSE(seal.open(state, kBrowser, kNow + std::chrono::minutes(11))) << "too late";
  const auto first = seal.open(state, kBrowser, kNow).value();
  const auto second = seal.open(seal.seal(kBrowser, "", kNow), kBrowser, kNow).value();
  EXPECT_NE(first.id, second.id);
  EXPECT_NE(first.nonce, second.nonce);
  EXPECT_NE(first.verifier, second.verifier);
}

TEST(SignInState, IsNotWhatSomebodyChanged) {
  const SignInSeal seal("secret");
  const std::string state = seal.seal(kBrowser, "/", kNow);
  const auto dot = state.find('.');
  const std::string payload = base64url_encode(R"({"id":"x","at":1800000000,"to":"https://evil.example"})");
  for (const std::string& bad : {std::string(), std::string("."), state + "0", state.substr(0, state.size() - 1),
                                 payload + state.substr(dot), state.substr(0, dot), std::string(5000, 'a') + ".b"}) {
    EXPECT_FALSE(seal.open(bad, kBrowser, kNow)) << bad;
  }
}

TEST(SignInState, KnowsItsCookie) {
  EXPECT_TRUE(SignInSeal::is_browser(SignInSeal::new_browser()));
  EXPECT_NE(SignInSeal::new_browser(), SignInSeal::new_browser());
  for (const std::string& bad : {std::string(), std::string(42, 'a'), std::string(44, 'a'), std::string(43, '.')}) {
    EXPECT_FALSE(SignInSeal::is_browser(bad));
  }
}

TEST(CodeChallenge, IsThatOfTheRfc) {
  // RFC 7636, appendix B.
  EXPECT_EQ(code_challenge("dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk"),
            "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM");
}

TEST(Relay, LeadsToPathsOfThisServerAndToTheCommandLine) {
  EXPECT_EQ(relay_of("cli"), "cli");
  EXPECT_EQ(relay_of("cli=true"), "cli");
  EXPECT_EQ(relay_of("/proxy/a/?b=c#d"), "/proxy/a/?b=c#d");
  EXPECT_EQ(relay_of("redirect=%2Fdet%2Fexperiments&x=1"), "/det/experiments") << "the query of upstream's pages";
}

TEST(Relay, NeverLeadsElsewhere) {
  for (const std::string& evil :
       {"https://evil.example", "//evil.example", "/\\evil.example", "\\\\evil.example", "/\t/evil.example",
        "/\n/evil.example", " //evil.example", "javascript:alert(1)", "redirect=https://evil.example",
        "redirect=%2F%2Fevil.example", "redirect=%2F%5Cevil.example", "http://localhost:1234", "CLI", "%", "cli&x=1"}) {
    EXPECT_EQ(relay_of(evil), "") << evil;
  }
  EXPECT_EQ(relay_of("/" + std::string(1024, 'a')), "");
  EXPECT_EQ(relay_of(std::string("/a\0b", 4)), "");
}

}  // namespace
}  // namespace det::api
