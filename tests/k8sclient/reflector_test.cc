// Scenarios: a scripted API server and a clock that the test advances.

#include "k8sclient/reflector.h"

#include <gtest/gtest.h>

#include "tests/support/scripted_client.h"

namespace det::k8s {
namespace {

using nlohmann::json;
using std::chrono::milliseconds;
using std::chrono::seconds;
using test::ScriptedClient;
using test::StreamEnd;

json object(const std::string& name, int version) {
  return {{"metadata", {{"name", name}, {"namespace", "ns"}, {"resourceVersion", std::to_string(version)}}}};
}
std::string line(const char* type, const json& value) {
  return json{{"type", type}, {"object", value}}.dump() + "\n";
}
json list_of(int version, const std::vector<json>& items) {
  return {{"metadata", {{"resourceVersion", std::to_string(version)}}}, {"items", items}};
}
json status(int code, const char* reason) {
  return {{"kind", "Status"}, {"code", code}, {"reason", reason}, {"message", "refused"}};
}

class ReflectorTest : public testing::Test, protected ScriptedClient {
 protected:
  void run() {
    ReflectorSink sink;
    sink.begin_list = [this] { listed = 0; };
    sink.take_page = [this](const std::vector<json>& objects) { listed += objects.size(); };
    sink.end_list = [this] { note("replace " + std::to_string(listed)); };
    sink.upsert = [this](const json& o) { note("upsert " + o["metadata"]["name"].get<std::string>()); };
    sink.remove = [this](const json& o) { note("remove " + o["metadata"]["name"].get<std::string>()); };
    background.start(reflector.run(std::move(sink)));
    clock.settle();
  }
  void note(std::string what) { seen.push_back(std::move(what)); }
  [[nodiscard]] std::size_t lists() const { return calls.requests().size(); }
  // The position at which the n-th watch began.
  [[nodiscard]] std::string watched_from(std::size_t n) const {
    if (n >= watches.asked().size()) return "no such watch";
    const std::string asked = watches.asked()[n];
    const auto at = asked.find("resourceVersion=");
    return asked.substr(at + 16, asked.find('&', at) - at - 16);
  }
  void advance(milliseconds time) {
    clock.advance(time);
    clock.settle();
  }

  Reflector reflector{client, clock, {.resource = pods(), .ns = "ns", .label_selector = "a=b", .field_selector = {}}};
  std::vector<std::string> seen;
  std::size_t listed = 0;
};

TEST_F(ReflectorTest, ListsAndThenWatchesFromThere) {
  calls.answer(200, list_of(10, {object("a", 5), object("b", 9)}));
  watches.stream_chunks(
      {line("ADDED", object("c", 11)), line("MODIFIED", object("a", 12)), line("DELETED", object("b", 13))},
      StreamEnd::kIdles);
  run();
  EXPECT_EQ(seen, (std::vector<std::string>{"replace 2", "upsert c", "upsert a", "remove b"}));
  EXPECT_EQ(reflector.state(), Reflector::State::kWatching);
  EXPECT_EQ(reflector.resource_version(), "13");
  EXPECT_EQ(watches.asked()[0],
            "GET /api/v1/namespaces/ns/pods?watch=1&allowWatchBookmarks=true&resourceVersion=10&labelSelector=a%3Db&"
            "timeoutSeconds=300");
}

TEST_F(ReflectorTest, BeginsAListAnewThatExpiredBetweenTwoPages) {
  json half = list_of(10, {object("a", 5), object("b", 6)});
  half["metadata"]["continue"] = "more";
  calls.answer(200, half);
  calls.answer(410, status(410, "Expired"));
  calls.answer(200, list_of(20, {object("b", 6)}));
  watches.stream_chunks({}, StreamEnd::kIdles);
  run();
  EXPECT_EQ(seen, (std::vector<std::string>{"replace 1"})) << "what only the first attempt saw is not in the list";
  EXPECT_EQ(watched_from(0), "20");
}

TEST_F(ReflectorTest, ResumesFromABookmarkAfterACut) {
  calls.answer(200, list_of(10, {}));
  watches.stream_chunks({line("ADDED", object("a", 11)), line("BOOKMARK", object("", 90))}, StreamEnd::kBreaks);
  watches.stream_chunks({line("ADDED", object("b", 91))}, StreamEnd::kIdles);
  run();
  EXPECT_EQ(watches.requests().size(), 1U);
  advance(milliseconds(200));
  EXPECT_EQ(watched_from(1), "90");
  EXPECT_EQ(seen, (std::vector<std::string>{"replace 0", "upsert a", "upsert b"}));
  EXPECT_EQ(lists(), 1U);
  EXPECT_EQ(reflector.relists(), 0U);
}

TEST_F(ReflectorTest, GoesOnAtOnceWhenTheServerEndsAWatchInTheNormalCourse) {
  calls.answer(200, list_of(10, {}));
  watches.stream_chunks({line("BOOKMARK", object("", 20))}, StreamEnd::kEnds);
  watches.stream_chunks({}, StreamEnd::kIdles);
  run();
  EXPECT_EQ(watched_from(1), "20");
}

TEST_F(ReflectorTest, BacksOffFromAServerThatEndsEveryWatchAtOnce) {
  calls.answer(200, list_of(10, {}));
  for (int i = 0; i < 50; ++i) watches.stream_chunks({}, StreamEnd::kEnds);
  run();
  EXPECT_EQ(watches.requests().size(), 1U);
  advance(seconds(10));
  EXPECT_LT(watches.requests().size(), 9U);
  EXPECT_GT(watches.requests().size(), 3U);
}

TEST_F(ReflectorTest, ListsAgainWhenAnErrorLineSaysThatThePositionExpired) {
  calls.answer(200, list_of(10, {object("a", 5)}));
  calls.answer(200, list_of(50, {object("b", 40)}));
  watches.stream_chunks({line("ERROR", status(410, "Expired"))}, StreamEnd::kEnds);
  run();
  EXPECT_EQ(seen, (std::vector<std::string>{"replace 1", "replace 1"}));
  EXPECT_EQ(reflector.relists(), 1U);
  EXPECT_EQ(watched_from(1), "50");
}

TEST_F(ReflectorTest, ListsAgainWhenTheWatchIsRefusedWith410) {
  calls.answer(200, list_of(10, {}));
  calls.answer(200, list_of(50, {}));
  watches.answer(410, status(410, "Gone"));
  run();
  EXPECT_EQ(reflector.relists(), 1U);
  EXPECT_EQ(watched_from(1), "50");
}

TEST_F(ReflectorTest, BacksOffWhenEveryPositionExpiresAtOnce) {
  for (int i = 0; i < 60; ++i) {
    calls.answer(200, list_of(10 + i, {}));
    watches.answer(410, status(410, "Gone"));
  }
  run();
  EXPECT_LE(lists(), 2U);
  advance(seconds(10));
  EXPECT_LT(lists(), 10U);
  EXPECT_GT(lists(), 3U);
}

TEST_F(ReflectorTest, WaitsAsLongAsA429Asks) {
  calls.answer(200, list_of(10, {}));
  watches.answer(
      {.status = 429, .headers = {{"retry-after", "7"}}, .body = "Too many requests, please try again later."});
  watches.stream_chunks({line("ADDED", object("a", 11))}, StreamEnd::kIdles);
  run();
  advance(milliseconds(6999));
  EXPECT_EQ(watches.requests().size(), 1U);
  advance(milliseconds(1));
  EXPECT_EQ(watched_from(1), "10");
  EXPECT_EQ(lists(), 1U);
  EXPECT_EQ(seen.back(), "upsert a");
}

TEST_F(ReflectorTest, KeepsItsPositionThroughRefusalsOfEveryOtherKind) {
  calls.answer(200, list_of(10, {}));
  watches.answer(409, status(409, "Conflict"));
  watches.answer(500, status(500, "InternalError"));
  watches.answer(403, status(403, "Forbidden"));
  watches.fail_with(ErrorCode::kUnavailable, "connection refused");
  watches.stream_chunks({}, StreamEnd::kIdles);
  run();
  advance(milliseconds(200 + 400 + 800 + 1600));
  EXPECT_EQ(watched_from(4), "10");
  EXPECT_EQ(lists(), 1U);
}

TEST_F(ReflectorTest, CutsAWatchThatStoppedTalkingAndResumes) {
  calls.answer(200, list_of(10, {}));
  watches.stream_chunks({line("ADDED", object("a", 11))}, StreamEnd::kIdles);
  watches.stream_chunks({line("ADDED", object("b", 12))}, StreamEnd::kIdles);
  run();
  EXPECT_EQ(watches.requests()[0].idle_timeout, seconds(90));
  EXPECT_EQ(watches.requests()[0].timeout, milliseconds(0));
  advance(seconds(89));
  EXPECT_EQ(watches.requests().size(), 1U);
  advance(seconds(1) + milliseconds(200));
  EXPECT_EQ(watched_from(1), "11");
  EXPECT_EQ(seen, (std::vector<std::string>{"replace 0", "upsert a", "upsert b"}));
}

TEST_F(ReflectorTest, ReadsEventsHoweverSlowlyAndInWhateverPiecesTheyCome) {
  calls.answer(200, list_of(10, {}));
  std::vector<std::string> pieces;
  for (const char c : line("ADDED", object("a", 11)) + line("ADDED", object("b", 12))) pieces.emplace_back(1, c);
  watches.stream_chunks(pieces, StreamEnd::kIdles, seconds(1));
  run();
  EXPECT_EQ(seen.size(), 1U);
  advance(seconds(pieces.size()));
  EXPECT_EQ(seen, (std::vector<std::string>{"replace 0", "upsert a", "upsert b"}));
}

TEST_F(ReflectorTest, ForgetsHalfALineThatWasCut) {
  calls.answer(200, list_of(10, {}));
  const std::string whole = line("ADDED", object("a", 11));
  watches.stream_chunks({whole.substr(0, whole.size() / 2)}, StreamEnd::kBreaks);
  watches.stream_chunks({whole}, StreamEnd::kIdles);
  run();
  advance(milliseconds(200));
  EXPECT_EQ(watched_from(1), "10");
  EXPECT_EQ(seen, (std::vector<std::string>{"replace 0", "upsert a"}));
}

TEST_F(ReflectorTest, ListsAgainAfterALineThatIsTooLong) {
  calls.answer(200, list_of(10, {}));
  calls.answer(200, list_of(20, {object("huge", 15)}));
  const std::vector<std::string> endless(17, std::string(1U << 20U, 'x'));
  watches.stream_chunks(endless, StreamEnd::kIdles);
  run();
  advance(milliseconds(200));
  EXPECT_EQ(seen, (std::vector<std::string>{"replace 0", "replace 1"}));
  EXPECT_EQ(watched_from(1), "20");
}

TEST_F(ReflectorTest, ListsAgainAfterALineThatIsNotAnEvent) {
  for (const char* garbage : {"<html>\n", "{\"type\":\"ADDED\"}\n", "[]\n", "{\"type\":\"NEWS\",\"object\":{}}\n",
                              "{\"type\":\"ADDED\",\"object\":7}\n"}) {
    calls.answer(200, list_of(10, {}));
    watches.stream_chunks({line("ADDED", object("a", 11)), garbage}, StreamEnd::kIdles);
  }
  calls.answer(200, list_of(10, {}));
  run();
  advance(seconds(60));
  EXPECT_EQ(lists(), 6U);
  EXPECT_EQ(reflector.relists(), 5U);
}

TEST_F(ReflectorTest, KeepsTryingWhileTheCollectionDoesNotExist) {
  calls.answer(404, status(404, "NotFound"));
  calls.answer(404, status(404, "NotFound"));
  calls.answer(200, list_of(10, {object("a", 1)}));
  run();
  EXPECT_EQ(reflector.state(), Reflector::State::kListing);
  advance(milliseconds(200 + 400));
  EXPECT_EQ(seen, (std::vector<std::string>{"replace 1"}));
}

TEST_F(ReflectorTest, StartsItsBackoffAnewAfterEvents) {
  calls.answer(200, list_of(10, {}));
  for (int i = 0; i < 4; ++i) watches.fail_with(ErrorCode::kUnavailable, "refused");
  watches.stream_chunks({line("ADDED", object("a", 11))}, StreamEnd::kBreaks);
  watches.stream_chunks({}, StreamEnd::kIdles);
  run();
  advance(milliseconds(200 + 400 + 800 + 1600));
  EXPECT_EQ(watches.requests().size(), 5U);
  advance(milliseconds(200));
  EXPECT_EQ(watched_from(5), "11");
}

TEST_F(ReflectorTest, ResumesAtOnceWhatIsCutForBeingQuiet) {
  calls.answer(200, list_of(10, {}));
  for (int i = 0; i < 6; ++i) watches.stream_chunks({}, StreamEnd::kIdles);
  run();
  for (std::size_t i = 1; i < 6; ++i) {
    advance(seconds(90) + milliseconds(200));
    EXPECT_EQ(watches.requests().size(), i + 1) << "as if it had never been cut before";
  }
}

TEST_F(ReflectorTest, EndsByCancellationFromEveryState) {
  calls.answer(200, list_of(10, {}));
  watches.fail_with(ErrorCode::kUnavailable, "refused");
  run();
  background.stop();
  EXPECT_EQ(clock.sleepers(), 0U);
}

}  // namespace
}  // namespace det::k8s
