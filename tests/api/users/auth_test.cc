#include "api/authenticator.h"

#include <cctype>
#include <vector>

#include <gtest/gtest.h>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>

#include "api/users/password.h"
#include "pg/migrate.h"
#include "pg/raw_connection.h"
#include "store/schema.h"
#include "tests/api/fixture.h"
#include "tests/support/background.h"
#include "tests/support/fake_clock.h"

namespace det::api {
namespace {

using Auth = ApiTest;

TEST(Password, HashesAsDeterminedsClientsDo) {
  EXPECT_EQ(client_hash("Abcdefg1"),
            "5362e4e4a383cf16daeceb4e16ee733d6214ce15ff23ceff9ff36c7bbcd9884dee47b4f0b4c83331c7d91af64ee8da09ab5135a12"
            "378d4d97ebf3e300d0ac3bb");
  EXPECT_EQ(client_hash(""), "");
}

TEST(Password, MatchesItsOwnBcryptOnly) {
  const auto stored = hash_password(client_hash("Abcdefg1"), 4).value();
  ASSERT_TRUE(stored);
  EXPECT_TRUE(stored->starts_with("$2b$04$"));
  EXPECT_TRUE(matches(client_hash("Abcdefg1"), stored));
  EXPECT_FALSE(matches(client_hash("Abcdefg2"), stored));
}

TEST(Password, BlankMatchesBlankOnly) {
  EXPECT_EQ(hash_password("", 4).value(), std::nullopt);
  EXPECT_TRUE(matches("", std::nullopt));
  EXPECT_FALSE(matches("x", std::nullopt));
  EXPECT_FALSE(matches("", "$2b$04$abcdefghijklmnopqrstuuTHgXkXNUWRVrb2iKZG2eKNDXMQT4fyq"));
}

TEST(Token, ComesFromHeaderCookieOrTask) {
  http::Request request;
  EXPECT_EQ(token_of(request), std::nullopt);
  request.headers.add("Grpc-Metadata-x-allocation-token", "Bearer task");
  EXPECT_EQ(token_of(request), "task");
  request.headers.add("Cookie", "theme=dark; auth=browser");
  EXPECT_EQ(token_of(request), "browser");
  request.headers.add("authorization", "Bearer person");
  EXPECT_EQ(token_of(request), "person");
}

TEST(Token, IsNoneOfTwoDifferentCookies) {
  http::Request request;
  request.headers.add("Cookie", "auth=mallory; auth=browser");
  EXPECT_EQ(token_of(request), std::nullopt);
  http::Request twice;
  twice.headers.add("Cookie", "auth=browser");
  twice.headers.add("Cookie", "auth=browser; auth=");
  EXPECT_EQ(token_of(twice), "browser");
}

TEST_F(Auth, LogsInWithABlankPasswordAndOut) {
  token.clear();
  const Answer in = post("/api/v1/auth/login", {{"username", "Determined"}, {"password", ""}, {"isHashed", true}});
  ASSERT_EQ(in.status, 200) << in.text;
  EXPECT_TRUE(in.headers.find("Set-Cookie")->starts_with("auth=" + in.body()["token"].get<std::string>() + "; Path=/"));
  token = in.body()["token"];
  EXPECT_EQ(get("/api/v1/me").body()["user"]["username"], "determined");
  EXPECT_EQ(post("/api/v1/auth/logout").text, "{}");
  EXPECT_EQ(get("/api/v1/me").status, 401);
}

TEST_F(Auth, SetsACookieForTlsAloneWhereTlsEndsInFront) {
  token.clear();
  const json asked = {{"username", "determined"}, {"password", ""}};
  const auto is_secure = [&](const std::string& target) {
    return post(target, asked).headers.find("Set-Cookie").value_or("").ends_with("; Secure");
  };
  EXPECT_FALSE(is_secure("/api/v1/auth/login"));
  EXPECT_FALSE(is_secure("/login?cookie=true"));
  headers = {{"X-Forwarded-Proto", "https"}};
  EXPECT_TRUE(is_secure("/api/v1/auth/login"));
  EXPECT_TRUE(is_secure("/login?cookie=true"));
}

TEST_F(Auth, RefusesWithTheTextsClientsKnow) {
  token.clear();
  EXPECT_EQ(get("/api/v1/me").error(), "token missing");
  token = "nonsense";
  EXPECT_EQ(get("/api/v1/me").error(), "invalid credentials");
  EXPECT_EQ(get("/api/v1/me").body()["error"]["code"], 16);
  EXPECT_EQ(post("/api/v1/auth/login", {{"username", "nobody"}, {"password", ""}}).error(), "invalid credentials");
  EXPECT_EQ(post("/api/v1/auth/login", {{"username", "admin"}, {"password", "x"}}).status, 401);
  const Answer nameless = post("/api/v1/auth/login", {{"password", ""}});
  EXPECT_EQ(nameless.status, 400);
  EXPECT_EQ(nameless.error(), "missing argument: username");
}

TEST_F(Auth, TakesNoneOfTwoDifferentCookies) {
  headers = {{"Cookie", "auth=mallory; auth=" + std::exchange(token, {})}};
  const Answer refused = get("/api/v1/me");
  EXPECT_EQ(refused.status, 401);
  EXPECT_NE(refused.error().find("two different cookies 'auth' came"), std::string::npos) << refused.text;
}

TEST_F(Auth, TellsAnInactiveUserApart) {
  started_trial("task-token");
  must(users.change({2}, {.active = false}));
  authenticator.forget_all();
  EXPECT_EQ(get("/api/v1/me").status, 401) << "its session has ended";
  token = "task-token";
  EXPECT_EQ(get("/api/v1/me").status, 403);
  const Answer in = post("/api/v1/auth/login", {{"username", "determined"}, {"password", ""}});
  EXPECT_EQ(in.status, 403);
  EXPECT_EQ(in.error(), "user is not active");
}

struct Overtaken : ApiTest {
  Task<void> until_a_lock_is_waited_for() {
    while (sql("SELECT count(*) FROM pg_locks WHERE NOT granted") == "0") {
      co_await clock.sleep_for(std::chrono::milliseconds(1));
    }
  }
  // By the password Abcdefg1, which is right when it is looked at; the hash becomes `hash` before there is a session.
  Result<Login> log_in_while_the_hash_becomes(const std::string& hash) {
    must(users.set_password_hash({2}, hash_password(client_hash("Abcdefg1"), 4).value()));
    auto change = pg::RawConnection::open(url, "change");
    DET_CHECK(change.has_value(), "PostgreSQL answers");
    // The login reads what is committed, and then waits for what is not.
    const Status begun = change->execute("BEGIN; UPDATE users SET password_hash = '" + hash + "' WHERE id = 2");
    DET_CHECK(begun.has_value(), "the statement is right");
    const auto commit = [&]() -> Task<void> {
      co_await until_a_lock_is_waited_for();
      EXPECT_TRUE(change->execute("COMMIT"));
    };
    asio::co_spawn(io, commit(), asio::detached);
    return run(authenticator.login({.username = "determined", .password = "Abcdefg1", .is_hashed = false, .peer = ""}));
  }
};

TEST_F(Overtaken, APasswordThatIsNoLongerRightLetsNobodyIn) {
  const auto login = log_in_while_the_hash_becomes("new");
  ASSERT_FALSE(login);
  EXPECT_EQ(login.error().message, "invalid credentials");
  EXPECT_EQ(sql("SELECT count(*) FROM user_sessions WHERE user_id = 2"), "0");
}

TEST_F(Overtaken, AnotherHashOfTheSamePasswordKeepsNobodyOut) {
  EXPECT_TRUE(log_in_while_the_hash_becomes(*hash_password(client_hash("Abcdefg1"), 4).value()));
}

TEST_F(Overtaken, ALookUpThatWasUnderWayBringsNoTokenBack) {
  http::Request request;
  request.headers.add("Authorization", "Bearer " + token);
  authenticator.forget_all();
  auto lock = pg::RawConnection::open(url, "lock");
  DET_CHECK(lock.has_value(), "PostgreSQL answers");
  const Status locked = lock->execute("BEGIN; LOCK TABLE user_sessions IN ACCESS EXCLUSIVE MODE");
  DET_CHECK(locked.has_value(), "the statement is right");
  const auto overtake = [&]() -> Task<void> {
    co_await until_a_lock_is_waited_for();
    authenticator.forget_user({2});
    EXPECT_TRUE(lock->execute("ROLLBACK"));
  };
  asio::co_spawn(io, overtake(), asio::detached);
  EXPECT_TRUE(run(authenticator.identify(request)));
  sql("UPDATE users SET active = false WHERE id = 2 RETURNING id");
  EXPECT_FALSE(run(authenticator.identify(request))) << "what was read before is not remembered";
}

TEST_F(Auth, ANameIsTheSameAtTheGateInAnyCase) {
  for (const char* name : {"determined", "nobody"}) {
    // Nobody's turn ever comes.
    Authenticator busy(clock, users, sessions, allocations, access_tokens,
                       {.bcrypt_cost = 4, .logins = {.threads = 0, .waiting_per_name = 1}});
    std::vector<Result<Login>> answers;
    const auto log_in = [&](std::string as) -> Task<void> {
      answers.push_back(co_await busy.login({.username = as, .password = "x", .is_hashed = true, .peer = ""}));
    };
    std::string shouted = name;
    shouted.front() = static_cast<char>(std::toupper(shouted.front()));
    test::Background waiting(io);
    waiting.start(log_in(name));
    waiting.start(log_in(shouted));
    io.restart();
    while (answers.empty()) io.run_one();
    ASSERT_FALSE(answers.front());
    EXPECT_EQ(answers.front().error().message, "too many logins at once of one user from one address; try again");
  }
}

TEST_F(Auth, PasswordsThatAreSetTakeTurnsByAccount) {
  int mallorys = 0, before = -1;
  const auto hash = [&]() -> Task<void> {
    EXPECT_TRUE(co_await authenticator.hash("user 7", "Abcdefg1", false));
    ++mallorys;
  };
  const auto admins = [&]() -> Task<void> {
    EXPECT_TRUE(co_await authenticator.hash("user 1", "Abcdefg1", false));
    before = mallorys;
  };
  for (int i = 0; i < 100; ++i) asio::co_spawn(io, hash(), asio::detached);
  asio::co_spawn(io, admins(), asio::detached);
  io.restart();
  while (mallorys < 100) io.run_one();
  EXPECT_GE(before, 0);
  EXPECT_LT(before, 50) << "it did not wait for all of another account's";
}

TEST_F(Auth, TakesATasksTokenForItsOwner) {
  const auto trial = started_trial("task-token");
  token.clear();
  headers.add("Grpc-Metadata-x-allocation-token", "Bearer task-token");
  EXPECT_EQ(get("/api/v1/me").body()["user"]["username"], "determined");
  must(allocations.end(trial.task_id + ".1", "exit 0", 0));
  EXPECT_EQ(get("/api/v1/me").status, 200) << "remembered until somebody says that it ended";
  authenticator.forget_allocation(trial.task_id + ".1");
  EXPECT_EQ(get("/api/v1/me").status, 401);
}

TEST(AuthOutage, BelievesKnownTokensWhileTheDatabaseIsAway) {
  test::PostgresServer postgres;
  const std::string url = postgres.create_database();
  ASSERT_TRUE(pg::migrate(url, store::schema_migrations()));
  asio::io_context io;
  test::FakeClock clock(io);
  pg::Pool pool({.url = url, .connections = 1});
  store::UserStore users(pool);
  store::SessionStore sessions(pool);
  store::AllocationStore allocations(pool);
  store::AccessTokenStore access_tokens(pool);
  // PostgreSQL reads the real time, which goes away from the clock's.
  constexpr std::chrono::days kAHundredYears{36'500};
  Authenticator authenticator(clock, users, sessions, allocations, access_tokens,
                              {.bcrypt_cost = 4, .session_lifetime = kAHundredYears});
  const auto login = test::run_task(
      io, authenticator.login({.username = "determined", .password = "", .is_hashed = true, .peer = ""}));
  ASSERT_TRUE(login) << login.error().message;
  http::Request request;
  request.headers.add("Authorization", "Bearer " + login->token);
  ASSERT_TRUE(test::run_task(io, authenticator.identify(request)));
  postgres.stop();
  clock.advance(std::chrono::minutes(5));
  const auto known = test::run_task(io, authenticator.identify(request));
  ASSERT_TRUE(known) << known.error().message;
  EXPECT_EQ((*known)->user.username, "determined");
  clock.advance(std::chrono::hours(2));
  const auto old = test::run_task(io, authenticator.identify(request));
  ASSERT_FALSE(old);
  EXPECT_EQ(old.error().code, ErrorCode::kUnavailable);
}

}  // namespace
}  // namespace det::api
