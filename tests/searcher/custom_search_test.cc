#include "searcher/custom_search.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "searcher/event_json.h"
#include "searcher/make_search.h"

namespace det::searcher {
namespace {

using nlohmann::json;
using testing::HasSubstr;

const RequestId kOne = parse_request_id("00000000-0000-4000-8000-000000000001").value();
const RequestId kTwo = parse_request_id("00000000-0000-4000-8000-000000000002").value();

Decision wish(auto action) {
  return {.action = std::move(action), .reason = {}};
}

struct Custom : testing::Test {
  static Search fresh() {
    model::SearcherConfig config;
    config.name = "custom";
    config.metric = "loss";
    return make_search(config, json::object(), 7, generation_of(config)).value();
  }
  // As the log has it, so that its form is tested, too.
  Decisions take(const Event& event) {
    auto decisions = search.take(event_from_json(to_json(event)).value());
    if (!decisions) ADD_FAILURE() << decisions.error().message;
    for (const Decision& decision : *decisions) {
      EXPECT_EQ(decision_from_json(to_json(decision)).value(), decision);
      EXPECT_NE(decision.reason.text(), "");
    }
    return *decisions;
  }
  Decisions command(std::int64_t number, std::vector<Decision> wishes, std::optional<double> progress = {}) {
    return take(Commanded{.number = number, .wishes = std::move(wishes), .progress = progress});
  }
  // The one thing that the runner is told: its number and event.
  static std::pair<std::int64_t, json> told(const Decisions& decisions) {
    EXPECT_EQ(decisions.size(), 1U);
    const auto& tell = std::get<Tell>(decisions.at(0).action);
    return {tell.number, tell.event};
  }
  // Started, and one trial that trains to 5.
  void begin() {
    take(Started{});
    command(1, {wish(Create{.request_id = kOne, .hparams = json{{"lr", 0.5}}})});
    take(TrialCreated{kOne});
    command(2, {wish(ValidateAfter{.request_id = kOne, .length = 5})});
  }

  Search search = fresh();
};

// The driver starts with a limit and logs a start without one when nothing was held back: both replay to the same.
TEST_F(Custom, ALimitOfFirstTrialsIsNotToldToTheRunner) {
  EXPECT_EQ(told(take(Started{.limit = 500})), std::pair(std::int64_t{1}, json({{"in", "initial"}})));
  EXPECT_FALSE(search.holds_back());
}

TEST_F(Custom, TellsItsRunnerWhatHappensAndDoesWhatItWants) {
  EXPECT_EQ(told(take(Started{})), std::pair(std::int64_t{1}, json({{"in", "initial"}})));
  EXPECT_TRUE(take(Started{}).empty()) << "once";
  const Decisions created = command(1, {wish(Create{.request_id = kOne, .hparams = json{{"lr", 0.5}}}),
                                        wish(Create{.request_id = kTwo, .hparams = json{{"lr", 0.1}}}),
                                        wish(ValidateAfter{.request_id = kTwo, .length = 3})});
  ASSERT_EQ(created.size(), 3U);
  EXPECT_EQ(std::get<Create>(created[0].action),
            (Create{.request_id = kOne, .trial_seed = kCustomTrialSeed, .hparams = json{{"lr", 0.5}}}));
  EXPECT_EQ(told(take(TrialCreated{kOne})).first, 2);
  EXPECT_EQ(told(take(TrialCreated{kTwo})).first, 3);
  EXPECT_EQ(search.work_of(kTwo)->length, 3);
  EXPECT_FALSE(search.work_of(kOne)) << "it waits for its runner";
  EXPECT_EQ(
      told(take(OperationCompleted{.request_id = kTwo, .length = 3, .metric = 0.25, .answer = {{"top", 1}}})).second,
      json({{"in", "validation"}, {"id", kTwo}, {"length", 3}, {"metric", 0.25}, {"answer", {{"top", 1}}}}));
  EXPECT_EQ(told(take(Progressed{kOne, 2.5})).second, json({{"in", "progress"}, {"id", kOne}, {"value", 2.5}}));
  EXPECT_TRUE(command(4, {wish(Close{kTwo})}, 0.75).size() == 1 && search.work_of(kTwo)->is_last);
  EXPECT_EQ(search.progress(), 0.75);
}

TEST_F(Custom, AnswersEachNumberOnceAndOnlyThoseThatWereTold) {
  begin();
  EXPECT_TRUE(command(2, {wish(Create{.request_id = kTwo, .hparams = {}})}).empty()) << "a retry of its answer";
  EXPECT_TRUE(command(1, {wish(Shutdown{})}).empty());
  EXPECT_THAT(search.take(Commanded{.number = 3}).error().message, HasSubstr("told nothing under the number 3"));
  take(Progressed{kOne, 1});
  EXPECT_TRUE(command(3, {wish(Create{.request_id = kOne, .hparams = json{{"lr", 9}}})}).empty())
      << "it is there already";
}

TEST_F(Custom, RefusesTrialsThatItDoesNotHaveAndTakesNothingOfThatAnswer) {
  begin();
  take(Progressed{kOne, 1});
  const json before = search.snapshot();
  const auto refused = search.take(Commanded{
      .number = 3, .wishes = {wish(Close{kOne}), wish(ValidateAfter{.request_id = kTwo, .length = 1})}, .progress = 1});
  EXPECT_THAT(refused.error().message, HasSubstr("its runner has to create it first"));
  EXPECT_EQ(search.snapshot(), before);
}

TEST_F(Custom, EndsAlsoWhereTheLastAnswerNamesATrialThatItDoesNotHave) {
  begin();
  take(Progressed{kOne, 1});
  const Decisions over = command(3, {wish(ValidateAfter{.request_id = kTwo, .length = 1}), wish(Close{kOne}),
                                     wish(Shutdown{.is_canceled = true})});
  ASSERT_EQ(over.size(), 2U) << "nobody is left to give a better answer";
  EXPECT_EQ(std::get<Close>(over[0].action), Close{kOne});
  EXPECT_EQ(std::get<Shutdown>(over[1].action), Shutdown{.is_canceled = true});
  EXPECT_TRUE(search.is_over());
}

TEST_F(Custom, EndsWhenItsRunnerSaysSoAndNotByItself) {
  begin();
  EXPECT_EQ(told(take(ExitedEarly{kOne, ExitReason::kErrored})).second.at("reason"), "ERRORED");
  EXPECT_EQ(told(take(Exited{kOne})).first, 4);
  EXPECT_TRUE(take(Exited{kOne}).empty()) << "once";
  EXPECT_FALSE(search.is_over()) << "all trials are closed, but the runner may want more";
  const Decisions over =
      command(4, {wish(ValidateAfter{.request_id = kOne, .length = 9}), wish(Shutdown{.is_failed = true})});
  ASSERT_EQ(over.size(), 1U) << "a trial that is gone trains no more";
  EXPECT_EQ(std::get<Shutdown>(over[0].action), Shutdown{.is_failed = true});
  EXPECT_TRUE(search.is_over());
  EXPECT_TRUE(take(Progressed{kOne, 3}).empty()) << "nobody is told any more";
}

TEST_F(Custom, GoesOnFromASnapshot) {
  begin();
  command(2, {});
  Search again = fresh();
  ASSERT_TRUE(again.restore(json::parse(search.snapshot().dump())));
  EXPECT_EQ(again.snapshot(), search.snapshot());
  const Event event = OperationCompleted{.request_id = kOne, .length = 5, .metric = 1};
  EXPECT_EQ(to_json(again.take(event).value()), to_json(search.take(event).value()));
  command(3, {wish(Shutdown{})});
  Search over = fresh();
  ASSERT_TRUE(over.restore(search.snapshot()));
  EXPECT_TRUE(over.is_over());
}

TEST(Commands, AreRefusedByAllOtherSearches) {
  model::SearcherConfig config;
  config.name = "single";
  Search search = make_search(config, json::object(), 7).value();
  EXPECT_THAT(search.take(Commanded{.number = 1}).error().message, HasSubstr("only `searcher.name: custom`"));
}

}  // namespace
}  // namespace det::searcher
