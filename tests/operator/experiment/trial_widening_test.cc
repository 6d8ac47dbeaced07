#include "operator/experiment/trial_widening.h"

#include <gtest/gtest.h>

#include "searcher/event_json.h"
#include "searcher/make_search.h"
#include "searcher/replay.h"

namespace det::op {
namespace {

using nlohmann::json;
using searcher::Event;
using searcher::Widened;

constexpr std::int64_t kBillion = 1'000'000'000;

// A search with its log and how many of its trials are open, as the driver has them.
struct Widening {
  explicit Widening(std::int64_t max_trials, std::int64_t at_once = 16)
      : accepted(at_once), most(max_trials), search(fresh()) {
    take(searcher::Started{.limit = kTrialsAtOnce});
  }
  [[nodiscard]] searcher::Search fresh() const {
    const model::SearcherConfig config{
        .name = "random", .metric = "loss", .max_trials = most, .max_concurrent_trials = accepted};
    return searcher::make_search(config, json::object(), 7, searcher::Generation::kCurrent).value();
  }
  // How many trials came of it.
  std::int64_t take(const Event& event) {
    const auto decisions = search.take(event);
    EXPECT_TRUE(decisions);
    if (!decisions) return 0;
    log.push_back({.seq = std::ssize(log) + 1, .event = to_json(event), .decisions = to_json(*decisions)});
    std::int64_t created = 0;
    for (const auto& decision : *decisions) {
      const auto* create = std::get_if<searcher::Create>(&decision.action);
      if (create == nullptr) continue;
      ++created;
      take(searcher::TrialCreated{create->request_id});
    }
    open += std::holds_alternative<searcher::TrialCreated>(event) ? 0 : created;
    return created;
  }
  // One step of the driver; how many trials it made.
  std::int64_t step(std::int64_t wanted) {
    const auto part = next_widening(search, accepted, wanted, open);
    if (!part) return 0;
    const std::int64_t created = take(*part);
    const auto rest = rest_of_widening(*part, wanted, created);
    return created + (rest ? take(*rest) : 0);
  }

  std::int64_t accepted;
  std::int64_t most;
  searcher::Search search;
  std::vector<searcher::LogEntry> log;
  std::int64_t open = 0;
};

TEST(TrialWidening, IsOneEventWhereItIsFewTrials) {
  Widening few(100);
  EXPECT_EQ(few.step(20), 4);
  EXPECT_EQ(few.search.width(), 20);
  EXPECT_EQ(few.step(20), 0);
  EXPECT_EQ(few.step(10), 0) << "fewer is not the search's business";
}

TEST(TrialWidening, OfABillionGoesInStepsAndNoFurtherThanThereIsRoom) {
  Widening many(kBillion);
  while (const std::int64_t created = many.step(kBillion)) EXPECT_LE(created, kTrialsAtOnce);
  EXPECT_EQ(many.open, kMostOpen);
  EXPECT_EQ(many.search.width(), kMostOpen) << "the rest waits";
  many.open -= 3;
  EXPECT_EQ(many.step(kBillion), 3);
  EXPECT_EQ(many.search.width(), kMostOpen + 3);
}

TEST(TrialWidening, OfASearchThatWantsNoMoreTrialsIsOverAtOnce) {
  Widening few(100);
  EXPECT_EQ(few.step(kBillion), 84);
  EXPECT_EQ(few.search.width(), kBillion);
  const std::size_t events = few.log.size();
  EXPECT_EQ(few.step(kBillion), 0);
  EXPECT_EQ(few.log.size(), events) << "no event for each step of a way that leads nowhere";
}

TEST(TrialWidening, GoesOnFromItsLogAfterARestart) {
  Widening many(kBillion);
  many.step(kBillion);
  searcher::Search again = many.fresh();
  searcher::Replay replay(again);
  for (const auto& entry : many.log) ASSERT_TRUE(replay.take(entry));
  EXPECT_EQ(again.width(), 516);
  const auto next = next_widening(again, 16, kBillion, many.open);
  ASSERT_TRUE(next);
  EXPECT_EQ(next->from, 516);
  EXPECT_EQ(next->to, 1'016);
}

TEST(TrialWidening, OfALogOfBeforeWasOneEventAndStaysSo) {
  Widening before(2'000);
  before.take(Widened{.from = 16, .to = 1'500});
  searcher::Search again = before.fresh();
  searcher::Replay replay(again);
  for (const auto& entry : before.log) ASSERT_TRUE(replay.take(entry));
  EXPECT_EQ(again.width(), 1'500);
  EXPECT_FALSE(next_widening(again, 16, 1'500, before.open));
}

TEST(TrialWidening, WaitsForTheTrialsThatWereDrawnAtTheStart) {
  Widening held(kBillion, 600);
  ASSERT_TRUE(held.search.holds_back());
  EXPECT_EQ(held.step(700), 0);
  EXPECT_EQ(held.take(searcher::Released{.limit = 500}), 100);
  EXPECT_EQ(held.step(700), 100);
}

TEST(TrialWidening, HasRoomWhereTrialsRestUntilTheSearchHasMoreForThem) {
  store::TrialRow trains, rests, over;
  trains.state = rests.state = model::TrialState::kActive;
  over.state = model::TrialState::kCompleted;
  trains.work = {.length = 8, .settled = 4};
  rests.work = {.length = 4, .settled = 4};
  EXPECT_TRUE(takes_a_place(trains));
  EXPECT_FALSE(takes_a_place(rests));
  EXPECT_FALSE(takes_a_place(over));
}

TEST(TrialWidening, MakesFewerTrialsAtOnceOfManyHyperparameters) {
  const auto with = [](std::size_t bytes) { return json{{"hyperparameters", {{"notes", std::string(bytes, 'x')}}}}; };
  EXPECT_EQ(trials_at_once(json::object()), kTrialsAtOnce);
  EXPECT_EQ(trials_at_once(with(1'000)), kTrialsAtOnce);
  EXPECT_EQ(trials_at_once(with(100'000)), 41);
  EXPECT_EQ(trials_at_once(with(std::size_t{10} << 20)), 1);
}

TEST(TrialWidening, IsNothingWhereTheMethodChoosesTheNumber) {
  Widening all(10, 0);
  EXPECT_EQ(all.step(kBillion), 0);
}

}  // namespace
}  // namespace det::op
