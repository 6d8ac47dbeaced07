#include "searcher/make_search.h"

#include <limits>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "searcher/event_json.h"
#include "searcher/outline.h"

namespace det::searcher {
namespace {

using model::SearcherConfig;
using nlohmann::json;

const SearcherConfig kAdaptive{
    .name = "adaptive_asha", .metric = "loss", .max_trials = 20, .time_metric = "batches", .max_time = 100};

void expect_refused(const SearcherConfig& config, const char* field, const char* text,
                    Generation generation = Generation::kCurrent) {
  const auto refused = make_search(config, json::object(), 1, generation);
  ASSERT_FALSE(refused) << field;
  EXPECT_EQ(refused.error().code, ErrorCode::kInvalidArgument);
  EXPECT_EQ(refused.error().field, field);
  EXPECT_THAT(refused.error().message, testing::HasSubstr(text));
}

SearcherConfig with(SearcherConfig config, auto change) {
  change(config);
  return config;
}

TEST(MakeSearch, SaysWhatKeepsASearchFromRunning) {
  expect_refused({.name = "pbt"}, "searcher.name",
                 "write single, random, grid, async_halving, adaptive_asha or custom");
  expect_refused({.name = "grid"}, "hyperparameters", "at least one hyperparameter");
  expect_refused({.name = "random", .max_trials = 0}, "searcher.max_trials", "must be >= 1 but found 0");
  expect_refused({.name = "random", .max_trials = 2'000'000, .max_concurrent_trials = 0},
                 "searcher.max_concurrent_trials", "would begin with 2000000 trials at once");
  expect_refused({.name = "adaptive_asha"}, "searcher", "requires `max_time` and `time_metric` to be set");
  expect_refused(with(kAdaptive, [](auto& c) { c.max_time = 0; }), "searcher.max_time", "must be >= 1 but found 0");
  for (const double divisor : {1.0, 0.0, -3.0, std::numeric_limits<double>::quiet_NaN()}) {
    expect_refused(with(kAdaptive, [&](auto& c) { c.divisor = divisor; }), "searcher.divisor", "must be > 1");
  }
  expect_refused(with(kAdaptive, [](auto& c) { c.bracket_rungs = {2, 0}; }), "searcher.bracket_rungs",
                 "must be >= 1 but found 0");
  expect_refused(with(kAdaptive, [](auto& c) { c.bracket_rungs = {900}; }), "searcher.bracket_rungs",
                 "beyond all numbers");
  expect_refused(with(kAdaptive, [](auto& c) { c.max_concurrent_trials = -1; }), "searcher.max_concurrent_trials",
                 "must be >= 0 but found -1");
  expect_refused(with(kAdaptive,
                      [](auto& c) {
                        c.divisor = 1.0000001;
                        c.max_rungs = 5000;
                      }),
                 "searcher.max_rungs", "must be <= 1000 but found 5000");
  expect_refused(with(kAdaptive,
                      [](auto& c) {
                        c.name = "async_halving";
                        c.num_rungs = 2'000'000'000;
                      }),
                 "searcher.num_rungs", "must be <= 1000");
  expect_refused({.name = "random"}, "searcher.max_length", "requires `max_length`", Generation::kOperations);
}

// The first search of its kind with two rungs at 4 and 8 units, two trials at a time.
class TwoRungs : public testing::Test {
 protected:
  TwoRungs() { tell(Started{}); }

  Decisions tell(const Event& event) {
    Decisions decisions = search_.take(event).value();
    for (const Decision& decision : decisions) {
      const auto* create = std::get_if<Create>(&decision.action);
      if (create == nullptr) continue;
      ids_.push_back(create->request_id);
      EXPECT_TRUE(search_.take(TrialCreated{create->request_id}).value().empty());
    }
    return decisions;
  }
  Decisions report(std::size_t trial, double loss, std::int64_t batches) {
    return tell(Validated{ids_.at(trial), {{"loss", loss}, {"batches", batches}}});
  }

  static Search two_rungs(bool smaller_is_better) {
    return make_search({.name = "async_halving",
                        .metric = "loss",
                        .smaller_is_better = smaller_is_better,
                        .max_trials = 4,
                        .max_concurrent_trials = 2,
                        .num_rungs = 2,
                        .divisor = 2,
                        .time_metric = "batches",
                        .max_time = 8},
                       json::object(), 1)
        .value();
  }

  Search search_ = two_rungs(true);
  std::vector<RequestId> ids_;
};

TEST_F(TwoRungs, LetTheBestGoOnAndReplaceTheOthers) {
  EXPECT_EQ(ids_.size(), 2U);
  EXPECT_TRUE(report(0, 5, 3).empty());  // not at the first rung yet
  EXPECT_TRUE(report(0, 5, 4).empty());  // the first there is the best there
  const Decisions stopped = report(1, 6, 4);
  ASSERT_EQ(stopped.size(), 2U);
  EXPECT_EQ(std::get<Stop>(stopped[0].action).request_id, ids_[1]);
  EXPECT_EQ(stopped[0].reason.text(), "number 2 of 2 after 4 batches, where the best 1 go on");
  EXPECT_EQ(stopped[1].reason.text(), "trial 3 of 4 takes the place of one that was stopped");
  EXPECT_TRUE(search_.is_stopped(ids_[1]));
  EXPECT_FALSE(search_.is_stopped(ids_[0]));
  const Decisions done = report(0, 5, 8);
  EXPECT_EQ(done.at(0).reason.text(), "trained to the end: 8 batches");
}

TEST_F(TwoRungs, RankTheLaterOfTwoEqualsBetter) {
  EXPECT_TRUE(report(0, 5, 4).empty());
  EXPECT_TRUE(report(1, 5, 4).empty());
}

TEST_F(TwoRungs, PassSeveralWithOneReport) {
  const Decisions decisions = report(0, 5, 100);
  EXPECT_EQ(std::get<Stop>(decisions.at(0).action).request_id, ids_[0]);
  EXPECT_EQ(search_.snapshot()["searcher_state"]["search_method_state"]["rungs"][1]["metrics"].size(), 1U);
}

TEST_F(TwoRungs, TakeAMetricThatIsNoFiniteNumberForTheWorst) {
  const auto diverge = [&](std::size_t trial, const char* loss) {
    return tell(Validated{ids_.at(trial), {{"loss", loss}, {"batches", 4}}});
  };
  EXPECT_TRUE(diverge(0, "-Infinity").empty()) << "alone in its rung";
  const Decisions stopped = diverge(1, "NaN");
  ASSERT_EQ(stopped.size(), 2U) << "no better than the one before it, and replaced";
  EXPECT_EQ(std::get<Stop>(stopped[0].action).request_id, ids_[1]);
  EXPECT_EQ(stopped[0].reason.text(), "number 2 of 2 after 4 batches, where the best 1 go on");
  EXPECT_TRUE(report(2, 1e300, 4).empty()) << "any number is better";
  const Decisions done = tell(Validated{ids_[0], {{"loss", "NaN"}, {"batches", 8}}});
  EXPECT_EQ(done.at(0).reason.text(), "trained to the end: 8 batches");
}

TEST_F(TwoRungs, TakeItForTheWorstAlsoWhereMoreIsBetter) {
  search_ = two_rungs(false);
  ids_.clear();
  tell(Started{});
  EXPECT_TRUE(report(0, -1e300, 4).empty());
  EXPECT_EQ(tell(Validated{ids_[1], {{"loss", "Infinity"}, {"batches", 4}}}).size(), 2U);
}

TEST_F(TwoRungs, SayWhichMetricIsMissingAndStayAsTheyWere) {
  const json before = search_.snapshot();
  const auto no_loss = search_.take(Validated{ids_[0], {{"loss", "low"}, {"batches", 4}}});
  EXPECT_EQ(no_loss.error().message, "error while handling a validation completed event: " + to_string(ids_[0]) +
                                         ": error parsing searcher metric (loss) from validation metrics: "
                                         R"({"batches":4,"loss":"low"})");
  const auto no_time = search_.take(Validated{ids_[0], {{"loss", 1}}});
  EXPECT_EQ(no_time.error().message,
            "error while handling a validation completed event: " + to_string(ids_[0]) +
                ": error parsing searcher time metric (batches) in validation metrics: " + R"({"loss":1})");
  EXPECT_FALSE(search_.take(OperationCompleted{ids_[0], 4, 1}));
  EXPECT_EQ(search_.snapshot(), before);
}

TEST_F(TwoRungs, ForgetTheResultsOfATrialWithInvalidHyperparameters) {
  EXPECT_TRUE(report(0, 5, 4).empty());
  const Decisions decisions = tell(ExitedEarly{ids_[0], ExitReason::kInvalidHp});
  ASSERT_EQ(decisions.size(), 2U);
  EXPECT_EQ(std::get<Stop>(decisions[0].action).request_id, ids_[0]);
  const json rungs = search_.snapshot()["searcher_state"]["search_method_state"]["rungs"];
  EXPECT_TRUE(rungs[0]["metrics"].is_null());
}

TEST(LegacySearch, SaysWhichOperationItExpects) {
  Search search = make_search({.name = "single", .metric = "loss", .max_length = model::TrainingLength{5, "epochs"}},
                              json::object(), 1, Generation::kOperations)
                      .value();
  const Decisions first = search.take(Started{}).value();
  ASSERT_EQ(first.size(), 3U);
  const RequestId id = std::get<Create>(first[0].action).request_id;
  EXPECT_EQ(std::get<ValidateAfter>(first[1].action), (ValidateAfter{id, 5}));
  EXPECT_EQ(std::get<Close>(first[2].action), Close{id});
  EXPECT_TRUE(search.take(TrialCreated{id}));
  EXPECT_EQ(
      search.take(OperationCompleted{id, 4, 1}).error().message,
      "expected op {ValidateAfter " + to_string(id) + ", 5} but received op {ValidateAfter " + to_string(id) + ", 4}");
  EXPECT_TRUE(search.take(OperationCompleted{id, 5, 1}));
  EXPECT_EQ(search.take(OperationCompleted{id, 5, 1}).error().message,
            "received op {ValidateAfter " + to_string(id) + ", 5} which was previously completed");
  EXPECT_EQ(search.snapshot().at("version"), 5);
}

TEST(MakeSearch, ANewSearchHasAtMostSoManyRungs) {
  SearcherConfig config = with(kAdaptive, [](auto& c) {
    c.divisor = 1.01;
    c.bracket_rungs = std::vector<std::int64_t>(20, 500);
  });
  EXPECT_TRUE(check_search(config, json::object(), Generation::kCurrent));
  config.bracket_rungs.push_back(1);
  const Status refused = check_search(config, json::object(), Generation::kCurrent);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().field, "searcher.bracket_rungs");
  EXPECT_THAT(refused.error().message, testing::HasSubstr("10001 rungs in all, more than 10000"));
  EXPECT_TRUE(make_search(config, json::object(), 1)) << "one that was accepted goes on";
}

TEST(Search, ShowsItsRungsWhereItHasSome) {
  const auto rungs = [](const SearcherConfig& config, const json& hyperparameters) {
    return outline_of(make_search(config, hyperparameters, 1).value().rungs(), true, 5);
  };
  EXPECT_FALSE(rungs(kAdaptive, json::object()).empty());
  const json range = {{"type", "int"}, {"minval", 0}, {"maxval", 9}, {"count", 10}};
  EXPECT_TRUE(rungs({.name = "grid"}, {{"a", range}}).empty());
  EXPECT_TRUE(rungs({.name = "random", .max_trials = 5}, json::object()).empty());
}

TEST(MakeSearch, OnlyHalvingByLengthAloneRunsByOperations) {
  model::SearcherConfig config{.name = "adaptive_asha", .metric = "loss", .max_trials = 4};
  EXPECT_EQ(generation_of(config), Generation::kCurrent);
  config.max_length = model::TrainingLength{64, "batches"};
  EXPECT_EQ(generation_of(config), Generation::kOperations);
  config.time_metric = "batches";
  config.max_time = 64;
  EXPECT_EQ(generation_of(config), Generation::kCurrent);
  config = {.name = "random", .metric = "loss", .max_trials = 4, .max_length = model::TrainingLength{64, "batches"}};
  EXPECT_EQ(generation_of(config), Generation::kCurrent);
}

TEST(Search, RemembersTheWorkOfItsTrialsAlsoInASnapshot) {
  const model::SearcherConfig config{.name = "async_halving",
                                     .metric = "loss",
                                     .max_trials = 1,
                                     .num_rungs = 2,
                                     .divisor = 2,
                                     .max_length = model::TrainingLength{8, "batches"}};
  const auto fresh = [&] { return make_search(config, nlohmann::json::object(), 1, Generation::kOperations).value(); };
  Search search = fresh();
  const Decisions first = search.take(Started{}).value();
  const RequestId id = std::get<Create>(first.front().action).request_id;
  ASSERT_TRUE(search.take(TrialCreated{id}));
  EXPECT_EQ(search.work_of(id)->length, 4);
  ASSERT_TRUE(search.take(OperationCompleted{id, 4, 1.0}));
  Search restored = fresh();
  ASSERT_TRUE(restored.restore(search.snapshot()));
  for (const Search* each : {&search, &restored}) {
    EXPECT_TRUE(each->work_of(id)->is_complete);
    EXPECT_TRUE(each->work_of(id)->is_last);
    EXPECT_FALSE(each->work_of(RequestId()));
  }
}

}  // namespace
}  // namespace det::searcher
