#include "tests/cli/fixture.h"

namespace det::cli {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

struct Replay : CliTest {
  Replay() {
    variables = {{"DET_USER", "ann"}, {"DET_USER_TOKEN", "T"}};  // no login in the way
  }
  // The server's lines, and the end of its stream.
  void answer(const std::vector<Json>& items) {
    std::string text;
    for (const Json& item : items) text += Json{{"result", item}}.dump() + "\n";
    http.stream_chunks({text}, test::StreamEnd::kEnds);
  }
  const Json began = {{"seq", 1},
                      {"time", "2026-11-21T02:00:00.000000Z"},
                      {"event", {{"in", "initial"}}},
                      {"decisions",
                       {{{"t", "create"},
                         {"id", "u-1"},
                         {"trial", 7},
                         {"seed", 1},
                         {"hp", {{"lr", 0.5}}},
                         {"why", "one of the first"}}}}};
  const Json stopped = {{"seq", 2},
                        {"time", "2026-11-21T02:00:01.000000Z"},
                        {"event", {{"in", "validation"}, {"id", "u-1"}, {"trial", 7}, {"metrics", {{"loss", 1}}}}},
                        {"decisions", {{{"t", "stop"}, {"id", "u-1"}, {"trial", 7}, {"why", "not among the best"}}}}};
  const Json summary = {{"summary",
                         {{"experiment", 3},
                          {"events", 2},
                          {"setAside", 0},
                          {"decisions", {{"create", 1}, {"stop", 1}}},
                          {"isOver", false}}}};
};

TEST_F(Replay, PrintsEachEventWithDecisionsAndReasons) {
  answer({began, stopped, summary});
  const Outcome shown = det({"e", "replay", "3"});
  EXPECT_EQ(shown.code, kDone) << shown.err;
  EXPECT_EQ(shown.out,
            "1  2026-11-21 02:00:00+0000  the search began\n"
            "    -> create trial 7 with {\"lr\":0.5}: one of the first\n"
            "2  2026-11-21 02:00:01+0000  trial 7 reported {\"loss\":1}\n"
            "    -> stop trial 7: not among the best\n"
            "experiment 3: 2 events replayed, decisions equal to the log (1 create, 1 stop); the search goes on\n");
  EXPECT_THAT(http.asked(), ElementsAre("GET /api/v1/experiments/3/searcher/replay"));
}

TEST_F(Replay, OfAnotherLogIsAnError) {
  answer({began, {{"difference", "event 2 (validation u-1): the log holds other decisions"}}});
  const Outcome shown = det({"e", "replay", "3"});
  EXPECT_EQ(shown.code, kFailed);
  EXPECT_THAT(shown.err, HasSubstr("the log of experiment 3 does not replay: event 2 (validation u-1)"));
}

TEST_F(Replay, WithoutItsEndIsAnError) {
  answer({began});
  const Outcome shown = det({"e", "replay", "3"});
  EXPECT_EQ(shown.code, kFailed);
  EXPECT_THAT(shown.err, HasSubstr("before the end of the log"));
}

TEST_F(Replay, AsJsonIsOneObjectALine) {
  answer({began, summary});
  EXPECT_EQ(det({"e", "replay", "3", "--json"}).out, began.dump() + "\n" + summary.dump() + "\n");
}

}  // namespace
}  // namespace det::cli
