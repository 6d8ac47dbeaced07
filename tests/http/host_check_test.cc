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

}  // namespace
}  // namespace det::http
