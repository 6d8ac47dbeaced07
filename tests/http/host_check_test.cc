#include "http/host_check.h"

#include <gtest/gtest.h>

namespace det::http {
namespace {

int status(const HostCheck& check, Headers headers) {
  Request request;
  request.headers = std::move(headers);
  const auto refused = check.refusal(request);
  return refused ? refused->status : 200;
}

TEST(HostCheck, KnowsTheLoopbackInterfaceByAllItsNames) {
  const HostCheck check({}, false);
  for (const char* host : {"localhost", "LOCALHOST:8080", "localhost.", "127.0.0.1:1", "127.9.9.9", "[::1]:8080"}) {
    EXPECT_TRUE(check.knows(host)) << host;
  }
  for (const char* host : {"evil.example", "localhost.evil.example", "127.0.0.1.nip.io", "10.0.0.1", "", "[", "::1"}) {
    EXPECT_FALSE(check.knows(host)) << host;
  }
}

TEST(HostCheck, KnowsWhatItWasTold) {
  const HostCheck check({"Det.Example.org", "10.0.0.7", "fd00::7"}, false);
  EXPECT_TRUE(check.knows("det.example.org:443"));
  EXPECT_TRUE(check.knows("10.0.0.7:8080"));
  EXPECT_TRUE(check.knows("[fd00::7]:8080"));
  EXPECT_FALSE(check.knows("10.0.0.8"));
  EXPECT_TRUE(HostCheck({}, true).knows("10.0.0.8"));
  EXPECT_FALSE(HostCheck({}, true).knows("evil.example"));
}

TEST(HostCheck, RefusesRequestsThatAnotherSiteSent) {
  const HostCheck check({}, false);
  EXPECT_EQ(status(check, {{"Host", "localhost"}}), 200);
  EXPECT_EQ(status(check, {}), 200);
  EXPECT_EQ(status(check, {{"Host", "evil.example"}}), 421);
  EXPECT_EQ(status(check, {{"Host", "localhost"}, {"host", "evil.example"}}), 400);
  EXPECT_EQ(status(check, {{"Host", "localhost:8080"}, {"Origin", "http://localhost:3000"}}), 200);
  EXPECT_EQ(status(check, {{"Host", "localhost"}, {"Origin", "https://evil.example"}}), 403);
  EXPECT_EQ(status(check, {{"Host", "localhost"}, {"Origin", "null"}}), 403);
}

bool is_own(Headers headers) {
  Request request;
  request.headers = std::move(headers);
  return is_from_own_page(request, std::vector<std::string>{"Det.example.org", "fd00::7"});
}

TEST(OwnPage, IsOfTheHostAndThePortThatAreAsked) {
  EXPECT_TRUE(is_own({{"Host", "localhost:8080"}, {"Origin", "http://localhost:8080"}}));
  EXPECT_TRUE(is_own({{"Host", "[::1]:8080"}, {"Origin", "http://[::1]:8080"}}));
  EXPECT_TRUE(is_own({{"Host", "DET.example.com."}, {"Origin", "http://det.example.com"}}));
  EXPECT_FALSE(is_own({{"Host", "localhost:8080"}, {"Origin", "http://localhost:3000"}}));
  EXPECT_FALSE(is_own({{"Host", "localhost:8080"}, {"Origin", "http://localhost"}}));
  EXPECT_FALSE(is_own({{"Host", "[::1]:8080"}, {"Origin", "http://[::2]:8080"}}));
  EXPECT_FALSE(is_own({{"Host", "det.example.com"}, {"Origin", "http://wiki.example.com"}}));
  EXPECT_FALSE(is_own({{"Host", "det.example.com"}, {"Origin", "null"}}));
  EXPECT_FALSE(is_own({{"Host", ""}, {"Origin", "http://"}}));
  EXPECT_FALSE(is_own({{"Origin", "http://det.example.com"}}));
}

TEST(OwnPage, IsKnownBehindAFrontThatSpeaksTls) {
  EXPECT_TRUE(is_own({{"Host", "det.example.com"}, {"Origin", "https://det.example.com"}}));
  EXPECT_TRUE(is_own({{"Host", "det.example.com:443"}, {"Origin", "https://det.example.com"}}));
  EXPECT_TRUE(is_own({{"Host", "det.example.com:8443"}, {"Origin", "https://det.example.com:8443"}}));
  EXPECT_FALSE(is_own({{"Host", "det.example.com"}, {"Origin", "https://det.example.com:8443"}}));
}

TEST(OwnPage, IsKnownBehindAFrontThatChangesHost) {
  EXPECT_FALSE(is_own({{"Host", "10.0.0.5:8080"}, {"Origin", "https://det.example.com"}}));
  EXPECT_TRUE(is_own({{"Host", "10.0.0.5:8080"},
                      {"Origin", "https://det.example.com"},
                      {"X-Forwarded-Host", "front, det.example.com"}}));
  EXPECT_TRUE(
      is_own({{"Host", "10.0.0.5:8080"}, {"Origin", "https://det.example.com"}, {"Sec-Fetch-Site", "same-origin"}}));
  EXPECT_TRUE(is_own({{"Host", "10.0.0.5:8080"}, {"Origin", "https://det.example.org:8443"}}));
  EXPECT_TRUE(is_own({{"Host", "10.0.0.5:8080"}, {"Origin", "https://[fd00::7]"}}));
}

TEST(OwnPage, IsNoneOfAProgram) {
  EXPECT_TRUE(is_own({{"Host", "localhost"}}));
  EXPECT_TRUE(is_own({}));
  EXPECT_TRUE(is_own({{"Host", "localhost"}, {"Sec-Fetch-Site", "none"}}));
  EXPECT_FALSE(is_own({{"Host", "localhost"}, {"Sec-Fetch-Site", "same-site"}}));
}

bool is_seen_by_tls_with(Headers headers) {
  Request request;
  request.headers = std::move(headers);
  return is_seen_by_tls(request);
}

TEST(Tls, IsSeenAlsoWhereItEndsInFront) {
  Request direct;
  direct.is_tls = true;
  EXPECT_TRUE(is_seen_by_tls(direct));
  EXPECT_FALSE(is_seen_by_tls_with({{"Host", "localhost:8080"}, {"Origin", "http://localhost:8080"}}));
  EXPECT_TRUE(is_seen_by_tls_with({{"X-Forwarded-Proto", "HTTPS"}}));
  EXPECT_TRUE(is_seen_by_tls_with({{"X-Forwarded-Proto", "https, http"}}));
  EXPECT_FALSE(is_seen_by_tls_with({{"X-Forwarded-Proto", "http,https"}})) << "the browser's front comes first";
  EXPECT_FALSE(is_seen_by_tls_with({{"X-Forwarded-Proto", ""}}));
  EXPECT_TRUE(is_seen_by_tls_with({{"Origin", "https://det.example.com"}}));
  EXPECT_TRUE(is_seen_by_tls_with({{"Origin", "https://det.example.com"}, {"X-Forwarded-Proto", "http"}}))
      << "a second front that got plain HTTP";
}

int status_of_page(const std::string& method, Headers headers) {
  Request request;
  request.method = method;
  request.headers = std::move(headers);
  const auto refused = refusal_of_foreign_page(request);
  return refused ? refused->status : 200;
}

TEST(ForeignPage, ChangesNothing) {
  for (const char* origin : {"https://wiki.example.com", "http://det.example.com:8081", "null"}) {
    const Headers headers = {{"Host", "det.example.com"}, {"Cookie", "auth=x"}, {"Origin", origin}};
    for (const char* method : {"POST", "PUT", "PATCH", "DELETE"}) EXPECT_EQ(status_of_page(method, headers), 403);
    EXPECT_EQ(status_of_page("GET", headers), 200) << "the page does not see the answer";
    EXPECT_EQ(status_of_page("HEAD", headers), 200);
  }
  EXPECT_EQ(status_of_page("POST", {{"Host", "det.example.com"}, {"Origin", "https://det.example.com"}}), 200);
  EXPECT_EQ(status_of_page("POST", {{"Host", "det.example.com"}, {"Cookie", "auth=x"}}), 200) << "a program";
}

TEST(ForeignPage, LogsNobodyIn) {
  EXPECT_EQ(status_of_page("POST", {{"Host", "det.example.com"}, {"Origin", "https://evil.example"}}), 403);
  EXPECT_EQ(
      status_of_page(
          "POST", {{"Host", "det.example.com"}, {"Origin", "https://evil.example"}, {"Authorization", "Basic eDp5"}}),
      403)
      << "a browser may know it";
}

TEST(ForeignPage, SaysWhatTheServersOwnPageNeeds) {
  Request request;
  request.method = "POST";
  request.headers = {{"Host", "10.0.0.5:8080"}, {"Origin", "http://det.example.com"}};
  const std::string said = refusal_of_foreign_page(request).value().body;
  EXPECT_NE(said.find("a page of http://det.example.com may not send requests to 10.0.0.5:8080"), std::string::npos);
  EXPECT_NE(said.find("let the proxy in front keep Host"), std::string::npos) << said;
}

// No browser adds one; a page has it of whoever uses it there.
TEST(ForeignPage, MayUseATokenOfItsOwn) {
  EXPECT_EQ(status_of_page(
                "POST",
                {{"Host", "det.example.com"}, {"Origin", "https://tools.example.com"}, {"Authorization", "Bearer x"}}),
            200);
}

}  // namespace
}  // namespace det::http
