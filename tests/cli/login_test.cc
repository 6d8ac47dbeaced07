#include "cli/login.h"

#include "cli/master_address.h"
#include "cli/token_store.h"
#include "tests/cli/fixture.h"

namespace det::cli {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

TEST(MasterAddress, TakesTheFormsThatPeopleWrite) {
  EXPECT_EQ(canonical_master_url("host").value(), "http://host:8080");
  EXPECT_EQ(canonical_master_url("HOST:99").value(), "http://host:99");
  EXPECT_EQ(canonical_master_url("http://host").value(), "http://host:80");
  EXPECT_EQ(canonical_master_url("https://host/det/").value(), "https://host:443/det");
  EXPECT_EQ(canonical_master_url("[::1]:80").value(), "http://[::1]:80");
  for (const char* wrong : {"", "http://", "host:x", "host:0", "host:99999", "ftp://host", "host?x=1", "a b"}) {
    EXPECT_FALSE(canonical_master_url(wrong)) << wrong;
  }
}

TEST(MasterAddress, NeverRepeatsAPassword) {
  EXPECT_THAT(canonical_master_url("http://u:secret@host").error().message, Not(HasSubstr("secret")));
}

TEST(Password, TravelsSaltedAndHashed) {
  EXPECT_EQ(salted_hash(""), "");
  EXPECT_EQ(salted_hash("Abcdefg1"),
            "5362e4e4a383cf16daeceb4e16ee733d6214ce15ff23ceff9ff36c7bbcd9884dee47b4f0b4c83331c7d91af64ee8da09ab5135a12"
            "378d4d97ebf3e300d0ac3bb");
  EXPECT_EQ(password_weakness("Abcdefg1"), "");
  EXPECT_THAT(password_weakness("abc"), HasSubstr("\u2717 password must include a number"));
}

struct Login : CliTest {
  Json me = {{"user", {{"username", "ann"}, {"id", 3}}}};
  void store(const Json& masters, int version = 2) {
    folder.write(".config/determined/auth.json", Json{{"version", version}, {"masters", masters}}.dump());
  }
  Json stored() { return Json::parse(folder.read(".config/determined/auth.json"))["masters"]; }
};

TEST_F(Login, OfNobodyIsThatOfTheDefaultUserAndIsKept) {
  log_in();
  http.answer(200, me);
  const Outcome done = det({"user", "whoami"});
  EXPECT_EQ(done.out, "You are logged in as user 'ann'\n");
  EXPECT_THAT(done.err, HasSubstr("password cannot be blank"));
  EXPECT_THAT(http.asked(), ElementsAre("POST /api/v1/auth/login", "GET /api/v1/me"));
  EXPECT_EQ(sent(0), (Json{{"username", "determined"}, {"password", ""}, {"isHashed", true}}));
  EXPECT_EQ(stored(), (Json{{"http://localhost:8080", {{"tokens", {{"determined", "T"}}}}}}));
  const auto rights = std::filesystem::status(folder.path() / ".config/determined/auth.json").permissions();
  EXPECT_EQ(rights, std::filesystem::perms::owner_read | std::filesystem::perms::owner_write);
}

TEST_F(Login, TakesTheStoredTokenThatTheServerTakes) {
  store({{"http://localhost:8080", {{"active_user", "ann"}, {"tokens", {{"ann", "A"}}}}}});
  http.answer(200, me);
  http.answer(200, me);
  EXPECT_EQ(det({"u", "whoami"}).code, 0);
  EXPECT_THAT(http.requests()[0].headers, testing::Contains(testing::Pair("Authorization", "Bearer A")));
}

TEST_F(Login, AsksForThePasswordWhenTheStoredTokenIsOld) {
  store({{"http://localhost:8080", {{"active_user", "ann"}, {"tokens", {{"ann", "old"}, {"bob", "B"}}}}}});
  http.answer(401, {{"error", {{"error", "invalid credentials"}}}});
  log_in();
  http.answer(200, me);
  answers = {"Abcdefg1"};
  EXPECT_EQ(det({"u", "whoami"}).code, 0);
  EXPECT_THAT(prompts, ElementsAre("Password for user 'ann': "));
  EXPECT_EQ(stored()["http://localhost:8080"]["tokens"], (Json{{"ann", "T"}, {"bob", "B"}}));
}

TEST_F(Login, PrefersTheUserOfTheCommandLineAndOfTheEnvironment) {
  variables = {{"DET_USER", "env"}, {"DET_PASS", "Abcdefg1"}, {"DET_MASTER", "m:1"}};
  log_in();
  http.answer(200, me);
  EXPECT_EQ(det({"u", "whoami"}).code, 0);
  EXPECT_EQ(sent(0)["username"], "env");
  EXPECT_THAT(http.requests()[0].url, "http://m:1/api/v1/auth/login");
  answers = {"x"};
  log_in();
  http.answer(200, me);
  EXPECT_EQ(det({"-u", "ann", "u", "whoami"}).code, 0);
  EXPECT_EQ(sent(2)["username"], "ann");
}

TEST_F(Login, UsesTheTokenOfATaskAsItIs) {
  variables = {{"DET_USER", "task"}, {"DET_USER_TOKEN", "task-token"}};
  http.answer(200, me);
  EXPECT_EQ(det({"u", "whoami"}).code, 0);
  EXPECT_THAT(http.requests()[0].headers, testing::Contains(testing::Pair("Authorization", "Bearer task-token")));
}

TEST_F(Login, SaysWhatToDoWhenTheDefaultUserHasAPassword) {
  http.answer(401, {{"error", {{"error", "invalid credentials"}}}});
  const Outcome done = det({"e", "list"});
  EXPECT_EQ(done.code, 1);
  EXPECT_THAT(done.err, HasSubstr("Please use 'det user login <username>'"));
}

TEST_F(Login, CommandStoresTokenAndActiveUserAndLogoutDropsThem) {
  answers = {"Abcdefg1"};
  log_in();
  EXPECT_EQ(det({"user", "login", "ann"}).code, 0);
  EXPECT_EQ(stored()["http://localhost:8080"], (Json{{"active_user", "ann"}, {"tokens", {{"ann", "T"}}}}));
  http.answer(200, Json::object());
  EXPECT_EQ(det({"user", "logout"}).code, 0);
  EXPECT_EQ(stored()["http://localhost:8080"], (Json{{"tokens", Json::object()}}));
  EXPECT_EQ(http.asked().back(), "POST /api/v1/auth/logout");
  EXPECT_EQ(det({"user", "logout"}).code, 0) << "who is not logged in is logged out already";
}

// The Python client deletes a token file with an entry that is no object, or of an address that it does not know.
TEST_F(Login, TheTokenFileStaysOneThatThePythonClientReads) {
  const Json other = {{"http://prod:8080", {{"active_user", "ann"}, {"tokens", {{"ann", "T"}}}}}};
  store(other);
  EXPECT_EQ(det({"user", "logout", "--all"}).code, 0);
  EXPECT_EQ(stored(), other);
  Json damaged = other;
  damaged["http://localhost:8080"] = nullptr;
  damaged["http://[::1]:8080"] = other.front();
  store(damaged);
  answers = {"Abcdefg1", "Abcdefg1"};
  log_in();
  EXPECT_EQ(det({"user", "login", "ann"}).code, 0);
  Json healed = other;
  healed["http://localhost:8080"] = other.front();
  EXPECT_EQ(stored(), healed);
  log_in();
  EXPECT_EQ(det({"-m", "[::1]:8080", "user", "login", "ann"}).code, 0);
  EXPECT_EQ(stored(), healed);
  EXPECT_EQ(*TokenStore(folder.path() / ".config" / "determined", "http://[::1]:8080").token("ann").value(), "T");
}

TEST_F(Login, WithAWrongPasswordIsRefused) {
  answers = {"wrong"};
  http.answer(401, {{"error", {{"error", "invalid credentials"}}}});
  const Outcome done = det({"user", "login", "ann"});
  EXPECT_EQ(done.code, 1);
  EXPECT_EQ(done.err, "Failed to log in user: Invalid username/password combination. Please try again.\n");
}

TEST_F(Login, ReadsFilesOfOlderReleasesAndRefusesOthers) {
  store({{"localhost:8080", {{"active_user", "ann"}, {"tokens", {{"ann", "A"}}}}}}, 1);
  http.answer(200, me);
  http.answer(200, me);
  EXPECT_EQ(det({"u", "whoami"}).code, 0);
  folder.write(".config/determined/auth.json", "{broken");
  const Outcome done = det({"u", "whoami"});
  EXPECT_EQ(done.code, 1);
  EXPECT_THAT(done.err, HasSubstr("auth.json cannot be understood; remove it"));
}

// Port 8080 has many owners.
TEST_F(Login, SaysWhenWhoAnswersIsNoMaster) {
  const auto whoami = [&](HttpResponse answer) {
    http.answer(std::move(answer));
    return det({"user", "whoami"}).err;
  };
  const auto page = [](int status, std::string body) {
    return HttpResponse{.status = status, .headers = {}, .body = std::move(body)};
  };
  EXPECT_THAT(whoami(page(404, "<html>Not Found</html>")),
              testing::EndsWith("is not a master: it answered 404 to a question that every master understands. Another "
                                "program listens there; set DET_MASTER or -m to the master's address\n"));
  EXPECT_THAT(whoami(page(405, R"({"detail":"Method Not Allowed"})")), HasSubstr("is not a master: it answered 405 "));
  EXPECT_THAT(whoami({.status = 301, .headers = {{"Location", "https://host/det"}}, .body = {}}),
              HasSubstr("sends on to https://host/det, and a master's address has to be the one that answers; set "
                        "DET_MASTER or -m to that"));
  EXPECT_THAT(whoami(page(404, R"({"message":"Not Found"})")), HasSubstr("it answered that it knows no login"));
  EXPECT_THAT(whoami(page(200, "<html>hello</html>")), HasSubstr("it answered with a page that is no JSON"));
  EXPECT_THAT(whoami(page(200, R"({"hello":"world"})")), HasSubstr("it answered a login without a token"));
  store({{"http://localhost:8080", {{"active_user", "ann"}, {"tokens", {{"ann", "A"}}}}}});
  EXPECT_THAT(whoami(page(404, R"({"message":"Not Found"})")), HasSubstr("it answered that it knows no users"));
  std::filesystem::remove(folder.path() / ".config/determined/auth.json");
  EXPECT_THAT(whoami(page(404, "x")), HasSubstr("http://localhost:8080"));
  EXPECT_THAT(whoami(page(500, "oops")), HasSubstr("the server answered 500: oops (asked at http://localhost:8080"));
}

TEST_F(Login, SaysWhereItLookedWhenNobodyAnswers) {
  http.fail_with(ErrorCode::kUnavailable, "POST http://localhost:8080/x: Connection refused");
  Outcome done = det({"e", "list"});
  EXPECT_EQ(done.code, 1);
  EXPECT_THAT(done.err,
              HasSubstr("cannot reach a master at http://localhost:8080 (from the default): Connection refused"));
  EXPECT_THAT(done.err, HasSubstr("det deploy local cluster-up"));
  http.fail_with(ErrorCode::kUnavailable, "x");
  done = det({"-m", "h:1", "e", "list"});
  EXPECT_THAT(done.err, HasSubstr("http://h:1 (from -m)"));
}

}  // namespace
}  // namespace det::cli
