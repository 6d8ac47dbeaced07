#include "searcher/replay.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "searcher/event_json.h"
#include "searcher/make_search.h"

namespace det::searcher {
namespace {

using nlohmann::json;
using testing::HasSubstr;

const json kConfig = {{"searcher",
                       {{"name", "random"},
                        {"metric", "loss"},
                        {"smaller_is_better", true},
                        {"max_trials", 3},
                        {"max_concurrent_trials", 2}}},
                      {"hyperparameters", {{"lr", {{"type", "double"}, {"minval", 0.1}, {"maxval", 0.9}}}}},
                      {"checkpoint_storage", {{"type", "directory"}, {"container_path", "/checkpoints"}}},
                      {"reproducibility", {{"experiment_seed", 7}}}};

Search fresh() {
  return search_of(kConfig).value();
}

// What a leader would have written while its trials end one after the other.
std::vector<LogEntry> whole_log() {
  Search search = fresh();
  std::vector<LogEntry> log;
  std::vector<std::string> live;
  const auto take = [&](const Event& event) {
    const Decisions decisions = search.take(event).value();
    log.push_back({.seq = std::ssize(log) + 1, .event = to_json(event), .decisions = to_json(decisions)});
    return decisions;
  };
  std::vector<Event> waiting = {Started{}};
  while (!waiting.empty()) {
    const Event event = waiting.front();
    waiting.erase(waiting.begin());
    for (const Decision& decision : take(event)) {
      const auto* create = std::get_if<Create>(&decision.action);
      if (create == nullptr) continue;
      take(TrialCreated{create->request_id});
      waiting.push_back(Exited{create->request_id});
    }
  }
  return log;
}

// The first error of taking in `log`; empty when there is none.
std::string problem_of(const std::vector<LogEntry>& log) {
  Search search = fresh();
  Replay replay(search);
  for (const LogEntry& entry : log) {
    if (const auto taken = replay.take(entry); !taken) return taken.error().message;
  }
  return search.is_over() ? "" : "not over";
}

TEST(Replay, DerivesWhatWasDecidedWithItsReasons) {
  const std::vector<LogEntry> log = whole_log();
  Search search = fresh();
  Replay replay(search);
  Decisions all;
  for (const LogEntry& entry : log) {
    auto taken = replay.take(entry);
    ASSERT_TRUE(taken) << taken.error().message;
    EXPECT_EQ(to_json(taken->decisions), entry.decisions);
    std::ranges::move(taken->decisions, std::back_inserter(all));
  }
  EXPECT_EQ(replay.seq(), 7);
  ASSERT_EQ(all.size(), 4U) << "three trials and the end";
  EXPECT_NE(all[2].reason.text(), "");
  EXPECT_TRUE(search.is_over());
}

TEST(Replay, TakesReasonsInOtherWords) {
  std::vector<LogEntry> log = whole_log();
  log[0].decisions[0]["why"] = "as an older version said it";
  EXPECT_EQ(problem_of(log), "");
}

// Such a range is refused now; experiments of before go on.
TEST(Replay, TakesANumberThatJsonHasNoWordForAsTheNullThatWasWritten) {
  json config = kConfig;
  config["hyperparameters"]["lr"] = {{"type", "log"}, {"base", 10}, {"minval", 900}, {"maxval", 1000}};
  Search before = search_of(config).value();
  const json written = json::parse(to_json(before.take(Started{}).value()).dump());
  ASSERT_TRUE(written.at(0).at("hp").at("lr").is_null());
  Search search = search_of(config).value();
  const auto taken = Replay(search).take({.seq = 1, .event = to_json(Event(Started{})), .decisions = written});
  EXPECT_TRUE(taken) << taken.error().message;
}

TEST(Replay, NamesTheFirstEventWhoseDecisionsDiffer) {
  std::vector<LogEntry> log = whole_log();
  log[3].decisions[0]["seed"] = 1;
  log[4].decisions = json::array({"nonsense"});
  EXPECT_THAT(problem_of(log), HasSubstr("event 4 (exited " + log[3].event.at("id").get<std::string>() + ")"));
  EXPECT_THAT(problem_of(log), HasSubstr("the log holds other decisions"));
}

TEST(Replay, NamesAMissingEventAndOneThatIsNone) {
  std::vector<LogEntry> log = whole_log();
  log.erase(log.begin() + 2);
  EXPECT_THAT(problem_of(log), HasSubstr("event 3 is missing: the log goes on with event 4 (exited"));
  log = whole_log();
  log[1].event = {{"in", "wish"}};
  EXPECT_THAT(problem_of(log), HasSubstr("event 2 (wish)"));
  log = whole_log();
  log[3].event["id"] = "00000000-0000-4000-8000-000000000000";
  EXPECT_THAT(problem_of(log), HasSubstr("the search does not take it"));
}

TEST(Replay, PassesOverWhatWasSetAside) {
  std::vector<LogEntry> log = whole_log();
  for (LogEntry& entry : log) entry.seq += entry.seq > 3 ? 1 : 0;
  log.insert(log.begin() + 3, {.seq = 4, .event = set_aside("x", "the trial was stopped"), .decisions = json::array()});
  EXPECT_EQ(problem_of(log), "");
  Search search = fresh();
  Replay from_there(search, 3);
  EXPECT_FALSE(from_there.take(log[3]).value().event);
}

}  // namespace
}  // namespace det::searcher
