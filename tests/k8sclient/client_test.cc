#include "k8sclient/client.h"

#include <gtest/gtest.h>

#include "k8sclient/api_error.h"
#include "tests/support/scripted_client.h"

namespace det::k8s {
namespace {

using nlohmann::json;
using std::chrono::milliseconds;
using std::chrono::seconds;
using test::ScriptedClient;

const std::string* header_of(const HttpRequest& request, std::string_view name) {
  for (const auto& [key, value] : request.headers) {
    if (key == name) return &value;
  }
  return nullptr;
}

class ClientTest : public testing::Test, protected ScriptedClient {
 protected:
  const ObjectKey key{.ns = "ns", .name = "a"};
  const json object = {{"metadata", {{"name", "a"}, {"namespace", "ns"}}}};
};

TEST_F(ClientTest, GetsAnObjectWithItsToken) {
  calls.answer(200, object);
  const auto got = start(client.get(config_maps(), key));
  ASSERT_TRUE(*got && **got);
  EXPECT_EQ(***got, object);
  EXPECT_EQ(calls.asked(), (std::vector<std::string>{"GET /api/v1/namespaces/ns/configmaps/a"}));
  const std::string* token = header_of(calls.requests()[0], "Authorization");
  ASSERT_NE(token, nullptr);
  EXPECT_EQ(*token, "Bearer secret-token");
}

TEST_F(ClientTest, SaysWhatItWasDoingWhenItFails) {
  calls.answer(404, {{"reason", "NotFound"}, {"message", "configmaps \"a\" not found"}});
  const auto got = start(client.get(config_maps(), key));
  ASSERT_TRUE(*got && !**got);
  EXPECT_EQ((*got)->error().code, ErrorCode::kNotFound);
  EXPECT_EQ((*got)->error().message, "get configmaps ns/a: configmaps \"a\" not found");
}

TEST_F(ClientTest, RefusesAnAnswerThatIsNotJson) {
  calls.answer(HttpResponse{.status = 200, .headers = {}, .body = "<html>login</html>"});
  const auto got = start(client.get(config_maps(), key));
  ASSERT_TRUE(*got && !**got);
  EXPECT_EQ((*got)->error().code, ErrorCode::kInternal);
}

TEST_F(ClientTest, WritesCarryTheFieldManagerAndTheirOptions) {
  calls.answer(201, object);
  calls.answer(200, object);
  WriteOptions options;
  options.dry_run = true;
  options.strict_fields = true;
  start(client.create(config_maps(), "ns", object, options));
  PatchOptions patch;
  patch.subresource = "status";
  patch.write.field_manager = "det-api";
  start(client.patch(trials(), key, {{"status", {{"a", 1}}}}, patch));
  EXPECT_EQ(calls.asked(),
            (std::vector<std::string>{
                "POST /api/v1/namespaces/ns/configmaps?fieldManager=det-test&dryRun=All&fieldValidation=Strict",
                "PATCH /apis/det-operator.dev/v1alpha1/namespaces/ns/trials/a/status?fieldManager=det-api"}));
  EXPECT_EQ(*header_of(calls.requests()[1], "Content-Type"), "application/merge-patch+json");
  EXPECT_EQ(calls.requests()[1].body, R"({"status":{"a":1}})");
}

TEST_F(ClientTest, FollowsThePagesOfAList) {
  calls.answer(200, {{"metadata", {{"resourceVersion", "9"}, {"continue", "next/page"}}}, {"items", {object}}});
  calls.answer(200, {{"metadata", {{"resourceVersion", "9"}}}, {"items", {object, object}}});
  ListOptions options;
  options.ns = "ns";
  options.label_selector = "a=b";
  options.limit = 2;
  const auto listed = start(client.list(pods(), options));
  ASSERT_TRUE(*listed && **listed);
  EXPECT_EQ((**listed)->items.size(), 3U);
  EXPECT_EQ((**listed)->resource_version, "9");
  EXPECT_EQ(calls.asked()[1], "GET /api/v1/namespaces/ns/pods?limit=2&labelSelector=a%3Db&continue=next%2Fpage");
}

TEST_F(ClientTest, ListsAgainOnceWhenThePagesExpired) {
  const json first = {{"metadata", {{"resourceVersion", "9"}, {"continue", "c"}}}, {"items", {object}}};
  calls.answer(200, first);
  calls.answer(410, {{"reason", "Expired"}, {"message", "too old"}});
  calls.answer(200, {{"metadata", {{"resourceVersion", "20"}}}, {"items", nullptr}});
  const auto listed = start(client.list(pods(), {}));
  ASSERT_TRUE(*listed && **listed);
  EXPECT_EQ((**listed)->items.size(), 0U);
  EXPECT_EQ((**listed)->resource_version, "20");
}

TEST_F(ClientTest, WaitsAsLongAsABusyServerAsks) {
  calls.answer({.status = 429, .headers = {{"retry-after", "2"}}, .body = "Too many requests"});
  calls.answer(201, object);
  const auto created = start(client.create(config_maps(), "ns", object, {}));
  clock.advance(milliseconds(1999));
  EXPECT_FALSE(*created);
  clock.advance(milliseconds(1));
  clock.settle();
  ASSERT_TRUE(*created);
  EXPECT_TRUE(**created);
}

TEST_F(ClientTest, RepeatsAReadOverALostConnectionWithGrowingPauses) {
  for (int i = 0; i < 3; ++i) calls.fail_with(ErrorCode::kUnavailable, "reset");
  calls.answer(200, object);
  const auto got = start(client.get(pods(), key));
  clock.advance(milliseconds(100 + 200 + 400));
  clock.settle();
  ASSERT_TRUE(*got);
  EXPECT_TRUE(**got);
  EXPECT_EQ(calls.requests().size(), 4U);
}

TEST_F(ClientTest, DoesNotRepeatACreationWhoseAnswerWasLost) {
  calls.fail_with(ErrorCode::kUnavailable, "reset");
  const auto created = start(client.create(config_maps(), "ns", object, {}));
  ASSERT_TRUE(*created && !**created);
  EXPECT_EQ((*created)->error().code, ErrorCode::kUnavailable);
}

TEST_F(ClientTest, GivesUpWhenTheDeadlineIsOver) {
  for (int i = 0; i < 100; ++i) calls.answer(503, {{"message", "starting"}});
  const auto got = start(client.get(pods(), key));
  clock.advance(seconds(30));
  clock.settle();
  ASSERT_TRUE(*got && !**got);
  EXPECT_EQ((*got)->error().code, ErrorCode::kUnavailable);
  EXPECT_LT(calls.requests().size(), 20U);
}

TEST_F(ClientTest, ShortensTheTimeoutOfLaterAttempts) {
  calls.delay_next(seconds(20));
  calls.fail_with(ErrorCode::kUnavailable, "reset");
  calls.answer(200, object);
  start(client.get(pods(), key));
  clock.advance(seconds(21));
  ASSERT_EQ(calls.requests().size(), 2U);
  EXPECT_EQ(calls.requests()[0].timeout, seconds(30));
  EXPECT_EQ(calls.requests()[1].timeout, milliseconds(9900));
}

TEST_F(ClientTest, CancellationEndsTheRetries) {
  calls.answer(503, {{"message", "starting"}});
  const auto got = start(client.get(pods(), key));
  background.stop();
  EXPECT_FALSE(*got);
  EXPECT_EQ(calls.requests().size(), 1U);
  EXPECT_EQ(clock.sleepers(), 0U);
}

TEST(ApiErrors, TellAnotherObjectFromAnotherConflict) {
  Error error{.code = ErrorCode::kAborted, .message = {}, .field = {}, .retry_after = {}};
  error.message = "patch pods a/b: Operation cannot be fulfilled: the object has been modified";
  EXPECT_FALSE(is_of_another_uid(error));
  error.message = "patch pods a/b: Precondition failed: UID in precondition: x, UID in object meta: y";
  EXPECT_TRUE(is_of_another_uid(error));
  error.code = ErrorCode::kInvalidArgument;
  EXPECT_FALSE(is_of_another_uid(error));
}

TEST_F(ClientTest, DeletingWhatIsGoneIsSuccess) {
  calls.answer(404, {{"reason", "NotFound"}, {"message", "not found"}});
  calls.answer(
      409, {{"reason", "Conflict"}, {"message", "Precondition failed: UID in precondition: x, UID in object meta: y"}});
  DeleteOptions options;
  options.uid = "x";
  options.grace_period_seconds = 0;
  const auto missing = start(client.remove(pods(), key, options));
  const auto other = start(client.remove(pods(), key, options));
  ASSERT_TRUE(*missing && *other);
  EXPECT_TRUE(**missing);
  EXPECT_TRUE(**other);
  const json body = json::parse(calls.requests()[0].body);
  EXPECT_EQ(body["preconditions"]["uid"], "x");
  EXPECT_EQ(body["gracePeriodSeconds"], 0);
  EXPECT_EQ(body["propagationPolicy"], "Background");
}

TEST_F(ClientTest, AnotherConflictOfADeletionIsAnError) {
  calls.answer(409, {{"reason", "Conflict"}, {"message", "the object has been modified"}});
  DeleteOptions options;
  options.uid = "x";
  const auto removed = start(client.remove(pods(), key, options));
  ASSERT_TRUE(*removed && !**removed);
  EXPECT_EQ((*removed)->error().code, ErrorCode::kAborted);
}

TEST_F(ClientTest, WritesBytesThatAreNotUtf8WithoutThrowing) {
  calls.answer(200, object);
  const auto patched = start(client.patch(pods(), key, {{"status", "bad \xff byte"}}, {}));
  ASSERT_TRUE(*patched && **patched);
  EXPECT_EQ(calls.requests()[0].body, "{\"status\":\"bad \xEF\xBF\xBD byte\"}");
}

TEST_F(ClientTest, ReadsAnyPathAsText) {
  calls.answer({.status = 200, .headers = {}, .body = "line 1\nline 2\n"});
  const auto log = start(client.get_raw("/api/v1/namespaces/ns/pods/a/log?tailLines=2"));
  ASSERT_TRUE(*log && **log);
  EXPECT_EQ(***log, "line 1\nline 2\n");
}

}  // namespace
}  // namespace det::k8s
