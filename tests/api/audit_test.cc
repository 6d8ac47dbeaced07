// Which requests become events of the audit log, and what they say.
#include "api/audit.h"

#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "api/route_table.h"
#include "tests/api/fixture.h"

namespace det::api {
namespace {

using testing::HasSubstr;
using testing::Not;

TEST(AuditObject, IsWhatThePathNames) {
  http::Params params;
  params.add("id", "5");
  params.add("type", "EXPERIMENT");
  EXPECT_EQ(audit_object("/api/v1/experiments/{id}/kill", params), "experiments/5");
  EXPECT_EQ(audit_object("/api/v1/config-policies/workspaces/{id}/{type}", params),
            "config-policies/workspaces/5/EXPERIMENT");
  EXPECT_EQ(audit_object("/api/v1/auth/login", params), "");
}

struct Audited : ApiTest {
  std::vector<AuditEvent> told;

  void SetUp() override {
    ApiTest::SetUp();
    ASSERT_TRUE(audit.open("/dev/null"));
    audit.set_listener([this](const AuditEvent& event) { told.push_back(event); });
  }
  // Of the one event since the last call.
  AuditEvent the_event() {
    EXPECT_EQ(told.size(), 1U);
    const AuditEvent event = told.empty() ? AuditEvent() : told.front();
    told.clear();
    return event;
  }
};

TEST_F(Audited, LoginsSayWhoTriedAndNeverAPassword) {
  post("/api/v1/auth/login", {{"username", "admin"}, {"password", "secret-Passw0rd"}});
  const AuditEvent event = the_event();
  EXPECT_EQ(event.action, "login");
  EXPECT_EQ(event.user, "admin");
  EXPECT_EQ(event.status, 401);
  EXPECT_THAT(audit_line(event), Not(HasSubstr("Passw0rd")));
}

TEST_F(Audited, AChangeNamesUserObjectAndResult) {
  const auto mine = started_trial("mine");
  told.clear();
  post("/api/v1/trials/" + to_string(mine.id) + "/kill", wire::Json::object());
  const AuditEvent event = the_event();
  EXPECT_EQ(event.action, "trial.kill");
  EXPECT_EQ(event.object, "trials/" + to_string(mine.id));
  EXPECT_EQ(event.token, "login");
  EXPECT_NE(event.user, "");
}

// Who finds a stolen one in the log knows which to revoke.
TEST_F(Audited, AnAccessTokenIsNamedByItsNumber) {
  const wire::Json made = post("/api/v1/tokens", {{"userId", 2}}).body();
  told.clear();
  token = made["token"];
  post("/api/v1/models", {{"name", "lenet"}});
  EXPECT_EQ(the_event().token, "access token " + made["tokenId"].dump());
}

TEST_F(Audited, ReadsAreToldOfOnlyWhenTheyAreRefused) {
  get("/api/v1/experiments");
  EXPECT_TRUE(told.empty());
  token = "stolen";
  get("/api/v1/experiments");
  const AuditEvent event = the_event();
  EXPECT_EQ(event.action, "denied");
  EXPECT_EQ(event.object, "GET /api/v1/experiments");
  EXPECT_EQ(event.status, 401);
  EXPECT_EQ(event.user, "");
  EXPECT_THAT(audit_line(event), Not(HasSubstr("stolen")));
}

TEST_F(Audited, ARefusedTaskIsNamedWithItsToken) {
  started_trial("mine");
  told.clear();
  token = "mine";
  post("/api/v1/users", {{"user", {{"username", "evil"}}}});
  const AuditEvent event = the_event();
  EXPECT_EQ(event.action, "user.create");
  EXPECT_EQ(event.token, "task session");
  EXPECT_EQ(event.status, 403);
}

// Routes that only read, though what they are asked stands in a body.
bool only_reads(std::string_view pattern) {
  return pattern == "/api/v1/preview-hp-search" || pattern == "/searcher/preview" || pattern == "/api/v1/runs" ||
         pattern == "/api/v1/experiments-search" || pattern == "/api/v1/groups/search" ||
         pattern == "/api/v1/experiments/{id}/file" || pattern.starts_with("/api/v1/roles/search");
}

// Whoever adds a route that changes something for people names it.
TEST(AuditedRoutes, AllThatPeopleChangeHaveAName) {
  for (const RouteEntry& entry : route_entries()) {
    const std::string pattern = entry.pattern;
    // A browser brings the end of a login from elsewhere by GET.
    const bool is_read = std::string_view(entry.method) == "GET" && pattern != "/oidc/callback";
    if (is_read) {
      EXPECT_STREQ(entry.policy.action, kNoEvent) << pattern;
      continue;
    }
    const bool is_of_task = entry.policy.who == Who::kItsTask || entry.policy.manner == Manner::kHarness;
    if (is_of_task || only_reads(pattern)) continue;
    EXPECT_STRNE(entry.policy.action, kNoEvent) << entry.method << " " << pattern;
  }
}

}  // namespace
}  // namespace det::api
