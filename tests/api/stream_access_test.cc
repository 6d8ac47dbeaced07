#include "api/stream_access.h"

#include <algorithm>
#include <functional>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "api/access_check.h"
#include "base/encoding.h"
#include "tests/api/fixture.h"

namespace det::api {
namespace {

using namespace std::chrono_literals;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::Not;

// A stream of a route that says "first", and "second" after something has happened.
struct StreamAccess : ApiTest {
  Task<void> say(http::Writer& writer) {
    EXPECT_TRUE(co_await writer.write("first\n"));
    if (happens) co_await happens();
    wants_more = co_await writer.write("second\n") && co_await writer.write("third\n");
  }

  std::string read_as(const std::string& pattern, std::chrono::seconds between = 0s) {
    const auto entries = route_entries();
    const auto entry = std::ranges::find_if(entries, [&](const RouteEntry& one) { return one.pattern == pattern; });
    if (entry == entries.end()) return "no such route";
    http::Request request;
    request.headers.add("Authorization", "Bearer " + token);
    const auto stream = while_permitted(
        services, entry->policy, request, [this](http::Writer& writer) { return say(writer); }, between);
    TextWriter writer;
    run(written(stream, writer));
    return writer.seen;
  }

  static Task<bool> written(http::StreamBody stream, http::Writer& writer) {
    co_await stream(writer);
    co_return true;
  }

  Task<void> end_session() {
    EXPECT_TRUE((co_await sessions.remove(sha256_hex(token))).has_value());
    authenticator.forget_all();
  }

  std::function<Task<void>()> happens;
  bool wants_more = false;
};

TEST_F(StreamAccess, GoesOnForWhoMayRead) {
  EXPECT_EQ(read_as("/api/v1/master/logs"), "first\nsecond\nthird\n");
  EXPECT_TRUE(wants_more);
}

TEST_F(StreamAccess, EndsWithTheSessionAndSaysSo) {
  happens = [this] { return end_session(); };
  const std::string told = read_as("/api/v1/master/logs");
  EXPECT_THAT(told, HasSubstr("first\n{\"error\":"));
  EXPECT_THAT(told, HasSubstr("invalid credentials"));
  EXPECT_THAT(told, EndsWith("}\n"));
  EXPECT_THAT(told, Not(HasSubstr("second")));
  EXPECT_FALSE(wants_more);
}

TEST_F(StreamAccess, AsksOnlyNowAndThen) {
  happens = [this] { return end_session(); };
  EXPECT_EQ(read_as("/api/v1/master/logs", 1h), "first\nsecond\nthird\n");
}

TEST_F(StreamAccess, EndsForWhoIsNoAdministratorAnyMore) {
  token = must(authenticator.login({.username = "admin", .password = "", .is_hashed = true, .peer = ""})).token;
  EXPECT_EQ(read_as("/api/v1/master/config"), "first\nsecond\nthird\n");
  happens = [this]() -> Task<void> {
    sql("UPDATE users SET admin = false WHERE username = 'admin'");
    authenticator.forget_all();
    co_return;
  };
  EXPECT_THAT(read_as("/api/v1/master/config"), HasSubstr("does not have permission"));
}

// Where the table of routes does not know what the stream is about, its handler asks again.
TEST_F(StreamAccess, EndsWithARoleThatTheHandlerAsksFor) {
  const std::vector<std::int64_t> ids = {create()};
  services.settings.master.authz.has_roles = true;
  sql("INSERT INTO role_assignments (role_id, user_id, workspace_id) VALUES (4, 2, 1)");
  http::Request request;
  request.headers.add("Authorization", "Bearer " + token);
  const Permit permit = [&](const SharedIdentity& caller) {
    return require_experiments(services, *caller, ids, model::Permission::kViewExperimentArtifacts);
  };
  const auto read = [&] {
    TextWriter writer;
    const auto body = [this](http::Writer& to) { return say(to); };
    run(written(while_permitted(services, request, permit, body, 0s), writer));
    return writer.seen;
  };
  EXPECT_EQ(read(), "first\nsecond\nthird\n");
  happens = [this]() -> Task<void> {
    sql("DELETE FROM role_assignments");
    grants.forget_all();
    co_return;
  };
  const std::string told = read();
  EXPECT_THAT(told, HasSubstr("first\n{\"error\":"));
  EXPECT_THAT(told, HasSubstr("not found"));
  EXPECT_THAT(told, Not(HasSubstr("second")));
}

}  // namespace
}  // namespace det::api
