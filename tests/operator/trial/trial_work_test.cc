#include "operator/trial/trial_work.h"

#include <cmath>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "searcher/make_search.h"

namespace det::op {
namespace {

using nlohmann::json;
using searcher::OperationCompleted;

const json kSpace = {{"lr", {{"type", "const"}, {"val", 1}}}};

model::SearcherConfig halving(std::int64_t max_trials = 2) {
  model::SearcherConfig config;
  config.name = "async_halving";
  config.metric = "loss";
  config.num_rungs = 2;
  config.divisor = 2;
  config.max_trials = max_trials;
  config.max_concurrent_trials = 1;
  config.max_length = model::TrainingLength{8, "batches"};
  return config;
}

// A search of `config` with its trials' rows, as the driver has them.
struct Driven {
  explicit Driven(const model::SearcherConfig& config)
      : plan(work_plan(config)), search(searcher::make_search(config, kSpace, 1, plan.generation).value()) {
    take(searcher::Started{});
  }
  void take(const searcher::Event& event) {
    for (const auto& decision : search.take(event).value()) {
      const auto* create = std::get_if<searcher::Create>(&decision.action);
      if (create == nullptr) continue;
      store::TrialRow row;
      row.id = {static_cast<std::int64_t>(rows.size()) + 1};
      row.request_id = to_string(create->request_id);
      rows.push_back(row);
      take(searcher::TrialCreated{create->request_id});
    }
  }
  searcher::RequestId id(std::size_t trial) const { return searcher::parse_request_id(rows[trial].request_id).value(); }
  // Takes all events of one input; how many there were.
  int hear(const json& input) {
    int events = 0;
    for (;; ++events) {
      const auto event = event_of_input(plan, search, rows.data(), input);
      EXPECT_TRUE(event.has_value());
      if (!event || !*event || events > 5) return events;
      take(**event);
    }
  }
  json validation(double trained, const json& loss) const {
    return {{"kind", "validation"},
            {"request_id", rows[0].request_id},
            {"trained", trained},
            {"metrics", {{"loss", loss}}}};
  }
  // Writes the order into the row, as the store does.
  store::TrialWork order(std::size_t index = 0) {
    store::TrialWork& work = rows[index].work;
    if (const auto order = work_order(plan, search, rows[index])) {
      work.length = order->length;
      work.is_last = order->is_last;
      work.settled = order->settled;
      work.completed = std::max(work.completed, order->settled);
    }
    return work;
  }

  WorkPlan plan;
  searcher::Search search;
  std::vector<store::TrialRow> rows;
};

TEST(TrialWork, AHalvingByLengthOrdersRungByRung) {
  Driven driven(halving());
  EXPECT_EQ(driven.order(), (store::TrialWork{.length = 4}));
  driven.rows[0].work.is_asked_for = true;
  driven.take(OperationCompleted{driven.id(0), 4, 1.0});
  EXPECT_TRUE(driven.order().is_awaited()) << "the only result of its rung: nobody is promoted yet";
  ASSERT_EQ(driven.rows.size(), 2U) << "another trial trains meanwhile";
  driven.take(OperationCompleted{driven.id(1), 4, 2.0});
  EXPECT_EQ(driven.order().length, 8);
  EXPECT_FALSE(driven.order().is_awaited());
  driven.take(OperationCompleted{driven.id(0), 8, 0.5});
  EXPECT_TRUE(driven.order(0).is_over());
}

TEST(TrialWork, AnOrderThatStandsInTheRowIsNotGivenAgain) {
  Driven driven(halving());
  driven.order();
  EXPECT_FALSE(work_order(driven.plan, driven.search, driven.rows[0]));
  driven.rows[0].work = {};
  EXPECT_TRUE(work_order(driven.plan, driven.search, driven.rows[0])) << "a row that lost it gets it again";
  driven.rows[0].state = model::TrialState::kCompleted;
  EXPECT_FALSE(work_order(driven.plan, driven.search, driven.rows[0]));
}

TEST(TrialWork, ASingleSearchOrdersAllAtOnceForWhoAsks) {
  model::SearcherConfig config;
  config.name = "single";
  config.metric = "loss";
  EXPECT_FALSE(work_order(Driven(config).plan, Driven(config).search, Driven(config).rows[0]));
  config.max_length = model::TrainingLength{20, "epochs"};
  Driven driven(config);
  EXPECT_EQ(driven.order(), (store::TrialWork{.length = 20, .is_last = true}));
  const json result = {{"kind", "operation"}, {"request_id", driven.rows[0].request_id}, {"length", 20}, {"metric", 1}};
  EXPECT_EQ(driven.hear(result), 0) << "the search decides nothing by it";
}

TEST(TrialWork, AValidationOfATrialThatDoesNotAskAnswersEveryOperationItCovers) {
  Driven driven(halving(1));
  EXPECT_EQ(driven.hear(driven.validation(3, 1.0)), 0) << "not at the rung yet";
  EXPECT_EQ(driven.hear(driven.validation(9, 1.0)), 1) << "alone in its rung it is not promoted";
  EXPECT_TRUE(driven.order().is_over()) << "and nobody comes who could let it train on";

  model::SearcherConfig once = halving(1);
  once.stop_once = true;
  Driven passing(once);
  EXPECT_EQ(passing.hear(passing.validation(8, 1.0)), 2) << "decided at once: both rungs";
  EXPECT_TRUE(passing.order().is_over());
}

TEST(TrialWork, AValidationOfATrialThatAsksSaysNothing) {
  Driven driven(halving());
  driven.rows[0].work.is_asked_for = true;
  EXPECT_EQ(driven.hear(driven.validation(100, 1.0)), 0);
}

TEST(TrialWork, AResultThatIsNoNumberIsTheWorst) {
  for (const bool smaller_is_better : {true, false}) {
    model::SearcherConfig config = halving();
    config.smaller_is_better = smaller_is_better;
    Driven driven(config);
    const json input = {
        {"kind", "operation"}, {"request_id", driven.rows[0].request_id}, {"length", 4}, {"metric", "NaN"}};
    const auto event = event_of_input(driven.plan, driven.search, driven.rows.data(), input);
    ASSERT_TRUE(event && *event);
    const double metric = std::get<OperationCompleted>(**event).metric;
    EXPECT_TRUE(std::isfinite(metric));
    EXPECT_EQ(metric > 0, smaller_is_better);
  }
}

TEST(TrialWork, NewsOfAnUnknownKindIsAnError) {
  Driven driven(halving());
  EXPECT_FALSE(event_of_input(driven.plan, driven.search, nullptr, {{"kind", "gossip"}}));
}

TEST(TrialWork, NewsOfATrialWhoseNameIsNoRequestIdSaysWhich) {
  Driven driven(halving());
  for (const char* kind : {"validation", "operation", "progress"}) {
    const auto event = event_of_input(driven.plan, driven.search, nullptr, {{"kind", kind}, {"request_id", "nobody"}});
    ASSERT_FALSE(event) << kind;
    EXPECT_EQ(event.error().message, "the trial nobody is not one of this search");
  }
  store::TrialRow row;
  row.request_id = "nobody";
  EXPECT_FALSE(work_order(driven.plan, driven.search, row));
}

TEST(TrialWork, OfACustomSearchIsWhatItsRunnerOrders) {
  model::SearcherConfig config;
  config.name = "custom";
  config.metric = "loss";
  Driven driven(config);
  const std::string id = "00000000-0000-4000-8000-000000000001";
  const auto command = [&](std::int64_t number, const json& wishes) {
    const json commands = {{"in", "commands"}, {"number", number}, {"wishes", wishes}};
    return driven.hear({{"kind", "commands"}, {"commands", commands}});
  };
  EXPECT_EQ(command(1, {{{"t", "create"}, {"id", id}, {"hp", {{"lr", 1}}}}}), 6)
      << "input that is never used up: hear() stops";
  ASSERT_EQ(driven.rows.size(), 1U) << "however often it is heard";
  EXPECT_FALSE(driven.order().length) << "its runner has not said how far";
  command(2, {{{"t", "validate_after"}, {"id", id}, {"length", 4}}});
  EXPECT_EQ(driven.order().length, 4);
  const auto answered =
      event_of_input(driven.plan, driven.search, driven.rows.data(),
                     {{"kind", "operation"}, {"request_id", id}, {"length", 4}, {"metric", {{"a", 1}}}});
  EXPECT_EQ(std::get<OperationCompleted>(**answered).answer, (json{{"a", 1}})) << "any JSON is its runner's business";
  driven.take(**answered);
  EXPECT_TRUE(driven.order().is_awaited());
  command(3, {{{"t", "close"}, {"id", id}}});
  EXPECT_TRUE(driven.order().is_over());
}

}  // namespace
}  // namespace det::op
