#include "operator/trial/trial_end_events.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "searcher/make_search.h"

namespace det::op {
namespace {

using nlohmann::json;
using searcher::Exited;
using searcher::ExitedEarly;
using searcher::ExitReason;
using searcher::OperationCompleted;

const json kSpace = {{"lr", {{"type", "const"}, {"val", 1}}}};

// A halving by operations of four trials, all at once: the best of them goes on from 2 to 8 batches.
struct Halving {
  Halving() {
    model::SearcherConfig config;
    config.name = "async_halving";
    config.metric = "loss";
    config.num_rungs = 2;
    config.divisor = 4;
    config.max_trials = config.max_concurrent_trials = 4;
    config.max_length = model::TrainingLength{8, "batches"};
    plan = work_plan(config);
    search.emplace(searcher::make_search(config, kSpace, 1, plan.generation).value());
    take(searcher::Started{});
  }
  void take(const searcher::Event& event) {
    for (const auto& decision : search->take(event).value()) {
      const auto* create = std::get_if<searcher::Create>(&decision.action);
      if (create == nullptr) continue;
      store::TrialRow row;
      row.request_id = to_string(create->request_id);
      rows.push_back(row);
      take(searcher::TrialCreated{create->request_id});
    }
  }
  searcher::RequestId id(std::size_t trial) const { return searcher::parse_request_id(rows[trial].request_id).value(); }
  void report(std::size_t trial, std::int64_t length, double loss) {
    take(OperationCompleted{id(trial), length, loss});
  }
  std::vector<searcher::Event> events(std::size_t trial, model::TrialState state) {
    rows[trial].state = state;
    return events_of_end(plan, *search, rows[trial]).value();
  }
  void end(std::size_t trial, model::TrialState state = model::TrialState::kCompleted) {
    for (const searcher::Event& event : events(trial, state)) take(event);
  }

  WorkPlan plan;
  std::optional<searcher::Search> search;
  std::vector<store::TrialRow> rows;
};

std::optional<ExitReason> reason_of(const std::vector<searcher::Event>& events) {
  EXPECT_TRUE(std::holds_alternative<Exited>(events.back()));
  if (events.size() == 1) return std::nullopt;
  return std::get<ExitedEarly>(events.front()).reason;
}

TEST(TrialEndEvents, SayWhyATrialDidNotDoWhatItWasGiven) {
  Halving halving;
  ASSERT_EQ(halving.rows.size(), 4U);
  EXPECT_EQ(reason_of(halving.events(0, model::TrialState::kCompleted)), ExitReason::kUserRequestedStop);
  EXPECT_EQ(reason_of(halving.events(0, model::TrialState::kError)), ExitReason::kErrored);
  EXPECT_EQ(reason_of(halving.events(0, model::TrialState::kCanceled)), ExitReason::kUserCanceled);
  halving.report(0, 2, 0.5);
  EXPECT_EQ(reason_of(halving.events(0, model::TrialState::kCompleted)), std::nullopt);
  EXPECT_EQ(reason_of(halving.events(0, model::TrialState::kError)), std::nullopt) << "its result counts";
  halving.rows[0].early_exit = "EXITED_REASON_INVALID_HP";
  EXPECT_EQ(reason_of(halving.events(0, model::TrialState::kCompleted)), ExitReason::kInvalidHp);
}

TEST(TrialEndEvents, AHalvingEndsWhereATrialLeavesBeforeItsRung) {
  Halving halving;
  halving.report(0, 2, 0.4);
  halving.report(1, 2, 0.3);
  halving.report(2, 2, 0.2);
  halving.end(3);
  EXPECT_FALSE(halving.search->work_of(halving.id(2))->is_complete) << "the best of them goes on";
  halving.report(2, 8, 0.1);
  for (const std::size_t trial : {0U, 1U, 2U}) {
    EXPECT_TRUE(halving.search->work_of(halving.id(trial))->is_last);
    halving.end(trial);
  }
  EXPECT_TRUE(halving.search->is_over());
}

TEST(TrialEndEvents, AHalvingEndsWhereATrialIsKilledThatRests) {
  Halving halving;
  halving.report(0, 2, 0.4);
  halving.report(1, 2, 0.3);
  halving.report(2, 2, 0.2);
  halving.end(0, model::TrialState::kCanceled);
  halving.report(3, 2, 0.5);
  halving.report(2, 8, 0.1);
  for (const std::size_t trial : {1U, 2U, 3U}) {
    EXPECT_TRUE(halving.search->work_of(halving.id(trial))->is_last);
    halving.end(trial);
  }
  EXPECT_TRUE(halving.search->is_over());
}

TEST(TrialEndEvents, OfATrialThatASearchOfTodayStoppedAreNoEarlyEnd) {
  model::SearcherConfig config;
  config.name = "single";
  config.metric = "loss";
  const WorkPlan plan = work_plan(config);
  searcher::Search search = searcher::make_search(config, kSpace, 1, plan.generation).value();
  store::TrialRow row;
  row.request_id = "00000000-0000-4000-8000-000000000001";
  row.state = model::TrialState::kCompleted;
  EXPECT_EQ(reason_of(events_of_end(plan, search, row).value()), std::nullopt);
  row.request_id = "nobody";
  EXPECT_FALSE(events_of_end(plan, search, row));
}

}  // namespace
}  // namespace det::op
