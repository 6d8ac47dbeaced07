#include "cli/token_store.h"
#include "tests/cli/fixture.h"

namespace det::cli {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

struct Tokens : CliTest {
  Tokens() { variables = {{"DET_USER", "ann"}, {"DET_USER_TOKEN", "T"}}; }  // no login in the way
  static Json one() {
    return {{"id", 5},
            {"userId", 2},
            {"description", "nightly"},
            {"createdAt", "2026-11-24T10:00:00Z"},
            {"expiry", "2026-12-24T10:00:00Z"},
            {"revoked", false},
            {"tokenType", "TOKEN_TYPE_ACCESS_TOKEN"}};
  }
  void answer_list() {
    http.answer(200, {{"tokenInfo", Json::array({one()})}, {"pagination", {{"endIndex", 1}, {"total", 1}}}});
  }
};

TEST_F(Tokens, AreListed) {
  answer_list();
  EXPECT_EQ(det({"token", "list", "bob", "--show-inactive"}).out,
            "   ID |   User ID | Description   | Created At           | Expires At           | Revoked   | Token Type\n"
            "------+-----------+---------------+----------------------+----------------------+-----------+"
            "--------------\n"
            "    5 |         2 | nightly       | 2026-11-24T10:00:00Z | 2026-12-24T10:00:00Z | False     | "
            "ACCESS_TOKEN\n");
  EXPECT_THAT(http.asked(), ElementsAre("GET /api/v1/tokens?showInactive=true&username=bob&offset=0"));
}

TEST_F(Tokens, AreDescribedAsJson) {
  answer_list();
  EXPECT_EQ(Json::parse(det({"token", "describe", "5", "6", "--json"}).out), Json::array({one()}));
  EXPECT_THAT(http.asked(), ElementsAre("GET /api/v1/tokens?tokenIds=5&tokenIds=6&offset=0"));
}

TEST_F(Tokens, AreMadeForDays) {
  http.answer(200, {{"user", {{"id", 2}}}});
  http.answer(200, {{"token", "abc"}, {"tokenId", 5}});
  EXPECT_EQ(det({"token", "create", "bob", "-e", "2", "-d", "x"}).out, "TokenID: 5\nAccess-Token: abc\n");
  EXPECT_EQ(sent(1), (Json{{"userId", 2}, {"lifespan", "48h"}, {"description", "x"}}));
}

TEST_F(Tokens, AreRevoked) {
  http.answer(200, {{"tokenInfo", one()}});
  EXPECT_THAT(det({"token", "revoke", "5"}).out, HasSubstr("Successfully revoked token 5."));
  http.answer(404, {{"error", {{"error", "no"}}}});
  EXPECT_THAT(det({"token", "revoke", "5"}).err, HasSubstr("Token not found"));
}

TEST_F(Tokens, AreEdited) {
  http.answer(200, {{"tokenInfo", one()}});
  EXPECT_THAT(det({"token", "edit", "5", "-d", "x"}).out, HasSubstr("Successfully updated token with ID: 5.\n"));
  http.answer(200, {{"tokenInfo", one()}});
  const Outcome for_programs = det({"token", "edit", "5", "-d", "x", "--json"});
  EXPECT_FALSE(Json::parse(for_programs.out, nullptr, false).is_discarded()) << "nothing but JSON";
  EXPECT_THAT(for_programs.err, HasSubstr("Successfully updated"));
  http.answer(200, {{"tokenInfo", one()}});
  EXPECT_THAT(det({"token", "edit", "5", "-d", "x", "--yaml"}).out, testing::StartsWith("tokenInfo:\n"));
}

TEST_F(Tokens, LogIn) {
  http.answer(200, {{"user", {{"username", "bob"}}}});
  EXPECT_EQ(det({"token", "login", "abc"}).out, "Authenticated as bob.\n");
  EXPECT_EQ(*TokenStore(folder.path() / ".config" / "determined", "http://localhost:8080").token("bob").value(), "abc");
}

}  // namespace
}  // namespace det::cli
