#include <gmock/gmock.h>

#include "tests/api/fixture.h"
#include "tests/support/fake_clock.h"

namespace det::api {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

struct AccessTokens : ApiTest {
  void log_in(const std::string& user) {
    token = must(authenticator.login({.username = user, .password = "", .is_hashed = true, .peer = ""})).token;
  }
  json make(json body) {
    const Answer made = post("/api/v1/tokens", body);
    EXPECT_EQ(made.status, 200) << made.text;
    return made.body();
  }
  Answer patch(const json& id, const json& body) { return call("PATCH", "/api/v1/tokens/" + id.dump(), body.dump()); }
  std::vector<std::int64_t> ids(const std::string& query = {}) {
    std::vector<std::int64_t> found;
    const Answer answer = get("/api/v1/tokens" + query);
    EXPECT_EQ(answer.status, 200) << answer.text;
    for (const json& one : answer.body()["tokenInfo"]) found.push_back(one["id"]);
    return found;
  }
};

TEST_F(AccessTokens, StandForTheirOwnerUntilTheyAreRevoked) {
  const json made = make({{"userId", 2}, {"lifespan", "48h"}, {"description", "nightly"}});
  const std::string login = token;
  const json info = get("/api/v1/tokens").body()["tokenInfo"][0];
  EXPECT_EQ(info["id"], made["tokenId"]);
  EXPECT_EQ(info["userId"], 2);
  EXPECT_EQ(info["description"], "nightly");
  EXPECT_EQ(info["tokenType"], "TOKEN_TYPE_ACCESS_TOKEN");
  EXPECT_EQ(info["revoked"], false);
  EXPECT_EQ(sql("SELECT extract(epoch FROM date_trunc('hour', expires_at - created_at + interval '1 minute'))::int "
                "FROM access_tokens"),
            std::to_string(48 * 3600));
  token = made["token"];
  EXPECT_EQ(get("/api/v1/me").body()["user"]["username"], "determined");
  EXPECT_GT(create(), 0);
  token = login;
  const Answer revoked = patch(made["tokenId"], {{"tokenId", made["tokenId"].dump()}, {"setRevoked", true}});
  EXPECT_EQ(revoked.body()["tokenInfo"]["revoked"], true) << revoked.text;
  EXPECT_THAT(patch(made["tokenId"], {{"description", "x"}}).error(), HasSubstr("unable to update inactive token"));
  EXPECT_THAT(ids(), ElementsAre());
  EXPECT_THAT(ids("?showInactive=true"), ElementsAre(made["tokenId"].get<std::int64_t>()));
  token = made["token"];
  EXPECT_EQ(get("/api/v1/me").status, 401);
}

TEST_F(AccessTokens, OnlyTheirHashIsKept) {
  const std::string secret = make({{"userId", 2}})["token"];
  EXPECT_EQ(sql("SELECT encode(token_hash, 'hex') FROM access_tokens"), sha256_hex(secret));
  EXPECT_EQ(sql("SELECT count(*)::text FROM access_tokens WHERE strpos(access_tokens::text, '" + secret + "') > 0"),
            "0");
}

TEST_F(AccessTokens, EndAtTheirTimeAlsoWhileTheyAreRemembered) {
  test::FakeClock time(io);
  Authenticator remembers(time, users, sessions, allocations, StoreTest::access_tokens, {.bcrypt_cost = 4});
  // PostgreSQL's time goes its own way: this one is good there for an hour, and here until the clock is moved on.
  const auto hour = std::chrono::hours(1);
  const auto lifespan = std::chrono::ceil<std::chrono::seconds>(clock.wall_now() - time.wall_now() + hour);
  const std::string hash = sha256_hex(must(remembers.make_access_token({2}, "", lifespan)).token);
  time.advance(lifespan - std::chrono::seconds(1));
  ASSERT_TRUE(run(remembers.identify_hash(hash)));
  time.advance(std::chrono::seconds(1));
  const auto late = run(remembers.identify_hash(hash));
  ASSERT_FALSE(late);
  EXPECT_EQ(late.error().code, ErrorCode::kUnauthenticated);
}

TEST_F(AccessTokens, ThoseOfWhoIsDeactivatedAreDeadForGood) {
  log_in("admin");
  const json made = make({{"userId", 2}});
  const std::string login = token;
  EXPECT_EQ(call("PATCH", "/api/v1/users/2", R"({"active":false})").status, 200);
  EXPECT_THAT(post("/api/v1/tokens", {{"userId", 2}}).error(), HasSubstr("is not active"));
  EXPECT_EQ(call("PATCH", "/api/v1/users/2", R"({"active":true})").status, 200);
  token = made["token"];
  EXPECT_EQ(get("/api/v1/me").status, 401);
  token = login;
  EXPECT_THAT(ids("?username=determined"), ElementsAre());
}

TEST_F(AccessTokens, OutliveLogoutAndANewPassword) {
  const json made = make({{"userId", 2}});
  const std::string login = token;
  token = made["token"];
  EXPECT_EQ(post("/api/v1/auth/logout").status, 200);
  EXPECT_EQ(get("/api/v1/me").status, 200);
  token = login;
  EXPECT_EQ(call("PATCH", "/api/v1/users/2", R"({"password":"x","isHashed":true})").status, 200);
  token = made["token"];
  EXPECT_EQ(get("/api/v1/me").status, 200);
}

TEST_F(AccessTokens, AreOnesOwnAndEverybodysForAdmins) {
  log_in("admin");
  const json of_admin = make({{"userId", 1}});
  const json for_other = make({{"userId", 2}, {"description", "b"}});
  EXPECT_EQ(ids("?sortBy=SORT_BY_USER_ID&orderBy=ORDER_BY_DESC"),
            (std::vector<std::int64_t>{for_other["tokenId"], of_admin["tokenId"]}));
  EXPECT_EQ(ids("?tokenIds=" + of_admin["tokenId"].dump()), (std::vector<std::int64_t>{of_admin["tokenId"]}));
  EXPECT_EQ(get("/api/v1/tokens?username=nobody").status, 404);
  log_in("determined");
  EXPECT_EQ(ids(), (std::vector<std::int64_t>{for_other["tokenId"]}));
  EXPECT_EQ(get("/api/v1/tokens?username=admin").status, 403);
  EXPECT_EQ(get("/api/v1/tokens?username=nobody").status, 403) << "whether there is one is not told";
  EXPECT_EQ(post("/api/v1/tokens", {{"userId", 1}}).status, 403);
  EXPECT_EQ(patch(of_admin["tokenId"], {{"setRevoked", true}}).error(),
            "Token with id: {" + of_admin["tokenId"].dump() + "} not found");
  EXPECT_EQ(patch(for_other["tokenId"], {{"description", "c"}}).body()["tokenInfo"]["description"], "c");
}

TEST_F(AccessTokens, NoTokenOfATaskMakesOrChangesThem) {
  started_trial("mine");
  const json made = make({{"userId", 2}});
  token = "usermine";
  EXPECT_EQ(post("/api/v1/tokens", {{"userId", 2}}).status, 403);
  EXPECT_EQ(patch(made["tokenId"], {{"setRevoked", true}}).status, 403);
}

TEST_F(AccessTokens, SayWhichLifespansWork) {
  const std::pair<const char*, const char*> kWrong[] = {
      {"soon", "failed to parse lifespan soon"},
      {"-2h", "with a positive value"},
      {"10ms", "of a second at least"},
      {"721h", "must be less than max token lifespan, which is 30 days here"},
  };
  for (const auto& [lifespan, message] : kWrong) {
    const Answer refused = post("/api/v1/tokens", {{"userId", 2}, {"lifespan", lifespan}});
    EXPECT_EQ(refused.status, 400) << lifespan;
    EXPECT_THAT(refused.error(), HasSubstr(message));
  }
  services.settings.master.token_lifespans.standard = std::chrono::days(2);
  make({{"userId", 2}});
  make({{"userId", 2}, {"lifespan", "-1"}});
  EXPECT_EQ(sql("SELECT string_agg(round(extract(epoch FROM expires_at - created_at) / 86400)::text, ',' ORDER BY id) "
                "FROM access_tokens"),
            "2,30");
  EXPECT_EQ(post("/api/v1/tokens", json::object()).error(), "missing argument: userId");
  EXPECT_EQ(post("/api/v1/tokens", {{"userId", 99}}).status, 403);
  EXPECT_THAT(post("/api/v1/tokens", {{"userId", 2}, {"description", std::string(1'001, 'x')}}).error(),
              HasSubstr("at most 1000 bytes"));
  EXPECT_THAT(patch(7, {{"tokenId", 8}}).error(), HasSubstr("the path names 7, the body 8"));
}

TEST_F(AccessTokens, AreBoundedInNumber) {
  sql("WITH made AS (INSERT INTO access_tokens (token_hash, user_id, expires_at) SELECT decode(md5(i::text), 'hex'), "
      "2, "
      "now() + interval '1 day' FROM generate_series(1, 1000) i RETURNING id) SELECT count(*) FROM made");
  EXPECT_THAT(post("/api/v1/tokens", {{"userId", 2}}).error(), HasSubstr("revoke some first"));
  sql("WITH done AS (UPDATE access_tokens SET revoked_at = now() RETURNING 1) SELECT count(*) FROM done");
  sql("WITH made AS (INSERT INTO access_tokens (token_hash, user_id, expires_at) SELECT decode(md5('b' || i::text), "
      "'hex'), 2, now() FROM generate_series(1, 5) i RETURNING id) SELECT count(*) FROM made");
  make({{"userId", 2}});
  EXPECT_EQ(sql("SELECT count(*)::text FROM access_tokens"), "1001");
}

}  // namespace
}  // namespace det::api
