#include "api/oidc/identity_provider.h"

#include <gmock/gmock.h>

#include "base/json_get.h"
#include "tests/api/oidc/fake_provider.h"
#include "tests/support/fake_clock.h"
#include "tests/support/run_task.h"

namespace det::api {
namespace {

using testing::HasSubstr;

ProviderEndpoints read(const json& changes) {
  json document = FakeProvider().document;
  document.merge_patch(changes);
  return read_endpoints(document.dump(), FakeProvider::config()).value();
}
std::string error_of(const std::string& text) {
  const auto endpoints = read_endpoints(text, FakeProvider::config());
  return endpoints ? "" : endpoints.error().message;
}
std::string error_of(const json& changes) {
  json document = FakeProvider().document;
  document.merge_patch(changes);
  return error_of(document.dump());
}

TEST(ProviderEndpoints, AreThoseOfTheDocument) {
  EXPECT_TRUE(read(json::object()).takes_header);
  EXPECT_FALSE(read({{"token_endpoint_auth_methods_supported", {"client_secret_post"}}}).takes_header);
  EXPECT_EQ(read({{"issuer", "https://sso.example.com/"}}).issuer, "https://sso.example.com/")
      << "as its tokens have it";
  EXPECT_EQ(read({{"userinfo_endpoint", "http://sso.example.com/u"}}).userinfo, "") << "never without TLS";
}

TEST(ProviderEndpoints, AreRefusedWhereTheyCouldBeSomebodyElses) {
  EXPECT_THAT(error_of(json{{"issuer", "https://evil.example"}}), HasSubstr("write idp_sso_url as it has its issuer"));
  for (const char* name : {"authorization_endpoint", "token_endpoint", "jwks_uri"}) {
    for (const json& bad :
         {json(), json("http://sso.example.com/x"), json("javascript:alert(1)"), json("/x"), json(7),
          json("https://sso.example.com/\r\nSet-Cookie: a=b"), json("https://a/" + std::string(3000, 'x'))}) {
      EXPECT_THAT(error_of(json{{name, bad}}), HasSubstr(name)) << bad;
    }
  }
  EXPECT_THAT(error_of(json{{"token_endpoint_auth_methods_supported", {"private_key_jwt"}}}),
              HasSubstr("client_secret_post"));
  for (const std::string& bad : {std::string(), std::string("[]"), std::string("<html>"), std::string(100'000, '[')}) {
    EXPECT_THAT(error_of(bad), HasSubstr("no JSON object"));
  }
}

struct Provider : testing::Test {
  ~Provider() override { workers.join(); }
  Result<std::shared_ptr<const ProviderEndpoints>> endpoints() { return test::run_task(io, provider.endpoints()); }
  Result<model::RemotePerson> person() {
    return test::run_task(io,
                          provider.person_of({.code = "code-9", .verifier = "v", .nonce = "n", .begun_at = {}}, "a"));
  }

  asio::io_context io;
  SystemClock clock;
  FakeProvider server;
  asio::thread_pool workers{1};
  IdentityProvider provider{io.get_executor(), clock, server, workers, FakeProvider::config()};
};

TEST_F(Provider, IsAskedOnceForWhatItIs) {
  EXPECT_TRUE(endpoints());
  EXPECT_TRUE(endpoints());
  EXPECT_EQ(server.asked, std::vector<std::string>{"GET /.well-known/openid-configuration"});
  EXPECT_EQ(server.limits.front(), 262'144U) << "whoever sends more is not read to the end";
}

TEST_F(Provider, ThatIsDownIsNotAskedByEverybody) {
  server.down = Error{.code = ErrorCode::kUnavailable, .message = "refused", .field = {}, .retry_after = {}};
  for (int i = 0; i < 3; ++i) {
    const auto answer = endpoints();
    ASSERT_FALSE(answer);
    EXPECT_EQ(answer.error().code, ErrorCode::kUnavailable);
    EXPECT_THAT(answer.error().message, HasSubstr("the sign-in provider does not give its description: refused"));
  }
  EXPECT_EQ(server.asked.size(), 1U);
}

TEST_F(Provider, WhatItDoesNotDoIsSaid) {
  server.answers["/token"] = {.status = 500, .headers = {}, .body = "<html>"};
  EXPECT_THAT(person().error().message, HasSubstr("answers 500 for tokens"));
  server.answers["/token"] = {.status = 401, .headers = {}, .body = R"({"error":"invalid_client"})"};
  EXPECT_THAT(person().error().message, HasSubstr("answers 401 for tokens (invalid_client)"));
  server.answers["/token"] = {.status = 400, .headers = {}, .body = R"({"error":"<script>"})"};
  EXPECT_EQ(person().error().message, "the sign-in provider answers 400 for tokens");
  server.answers["/token"] = {.status = 200, .headers = {}, .body = R"({"access_token":"x"})"};
  EXPECT_THAT(person().error().message, HasSubstr("gives no id_token"));
  server.answers["/token"] = {.status = 302, .headers = {{"location", "https://evil.example"}}, .body = {}};
  EXPECT_THAT(person().error().message, HasSubstr("answers 302 for tokens")) << "nobody is followed with a secret";
}

TEST_F(Provider, TakesASignInOnce) {
  EXPECT_TRUE(provider.use_once("a"));
  EXPECT_FALSE(provider.use_once("a"));
  EXPECT_TRUE(provider.use_once("b"));
}

struct SharedReads : testing::Test {
  asio::io_context io;
  test::FakeClock clock{io};
  SharedRead<int> shared{io.get_executor(), clock};
  int reads = 0;
  bool fails = false;

  Task<Result<int>> read() {
    ++reads;
    co_await clock.sleep_for(std::chrono::seconds(1));
    if (fails) co_return fail(ErrorCode::kUnavailable, "away");
    co_return reads;
  }
  void ask(std::vector<int>& answers, std::chrono::seconds max_age = std::chrono::hours(1)) {
    asio::co_spawn(
        io,
        [this, &answers, max_age]() -> Task<void> {
          const auto value = co_await shared.get([this] { return read(); }, max_age);
          answers.push_back(value ? **value : -1);
        },
        asio::detached);
  }
};

TEST_F(SharedReads, OneReadsAndTheOthersWaitForIt) {
  std::vector<int> answers;
  for (int i = 0; i < 5; ++i) ask(answers);
  clock.advance(std::chrono::seconds(2));
  EXPECT_EQ(answers, std::vector<int>(5, 1));
  EXPECT_EQ(reads, 1);
}

TEST_F(SharedReads, IsReadAgainWhenItIsOldAndBelievedWhenThatFails) {
  std::vector<int> answers;
  ask(answers);
  clock.advance(std::chrono::minutes(61));
  fails = true;
  ask(answers);
  clock.advance(std::chrono::seconds(2));
  EXPECT_EQ(answers, (std::vector{1, 1}));
  EXPECT_EQ(reads, 2);
  ask(answers);
  clock.settle();
  EXPECT_EQ(reads, 2) << "nobody asks again for a moment";
  clock.advance(std::chrono::hours(25));
  ask(answers);
  clock.advance(std::chrono::seconds(2));
  EXPECT_EQ(answers.back(), -1) << "a day old";
}

TEST_F(SharedReads, SomethingNewerIsReadOnceInSoLong) {
  std::vector<int> answers;
  ask(answers);
  clock.advance(std::chrono::seconds(20));
  ask(answers, std::chrono::seconds(30));
  clock.settle();
  EXPECT_EQ(reads, 1);
  clock.advance(std::chrono::seconds(20));
  ask(answers, std::chrono::seconds(30));
  clock.advance(std::chrono::seconds(2));
  EXPECT_EQ(reads, 2);
}

}  // namespace
}  // namespace det::api
