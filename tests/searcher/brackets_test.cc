#include <gtest/gtest.h>

#include "model/expconf/hyperparameters.h"
#include "searcher/bracket_plan.h"
#include "searcher/make_search.h"
#include "searcher/simulate.h"
#include "tests/searcher/data.h"

namespace det::searcher {
namespace {

using nlohmann::json;

TEST(Rungs, TrainAsLongAsRecorded) {
  for (const json& record : read_lines("rungs.jsonl")) {
    EXPECT_EQ(json(rung_units(record.at("num_rungs").get<std::int64_t>(), record.at("divisor").get<double>(),
                              record.at("max_time").get<std::int64_t>())),
              record.at("units"));
  }
}

TEST(Brackets, AreThoseRecorded) {
  std::size_t compared = 0;
  for (const json& record : read_lines("brackets.jsonl")) {
    if (!record.contains("brackets")) continue;
    const auto config = model::read_searcher_config(record.at("searcher")).value();
    json got = json::array();
    for (const Bracket& bracket : brackets_of(config, *config.max_time)) {
      got.push_back({{"num_rungs", bracket.num_rungs},
                     {"max_trials", bracket.max_trials},
                     {"max_concurrent_trials", bracket.max_concurrent},
                     {"rung_units", rung_units(bracket.num_rungs, config.divisor, *config.max_time)},
                     {"initial_trials", 0}});
    }
    EXPECT_EQ(got, record.at("brackets")) << record.at("searcher");
    ++compared;
  }
  EXPECT_GT(compared, 100U);
}

TEST(Simulate, GivesTheRecordedPreviews) {
  for (const json& record : read_lines("brackets.jsonl")) {
    const auto config = model::read_searcher_config(record.at("searcher")).value();
    json got = json::array();
    for (const TrialGroup& group : simulate(config, json::object(), 1).value()) {
      json each = {{"count", group.count}, {"max_length", group.is_to_completion}};
      if (!group.is_to_completion) each.update({{"unit", group.unit}, {"units", group.units}});
      got.push_back(std::move(each));
    }
    EXPECT_EQ(got, record.at("preview_trials")) << record.at("searcher");
  }
}

TEST(Simulate, CountsGridsAndSpeaksTheProtocol) {
  json space = json::parse(R"({"a": {"type": "int", "minval": 1, "maxval": 3, "count": 3}, "b": 5})");
  model::normalise_hyperparameters(space);
  EXPECT_EQ(to_json(simulate({.name = "grid", .metric = "loss"}, space, 1).value()),
            json::parse(R"([{"count": 3, "unit": {"name": null, "value": null, "maxLength": true}}])"));
  const model::SearcherConfig adaptive{
      .name = "adaptive_asha", .metric = "loss", .max_trials = 4, .time_metric = "batches", .max_time = 416};
  EXPECT_EQ(to_json(simulate(adaptive, space, 1).value()).at(0).at("unit"),
            json::parse(R"({"name": "batches", "value": 104, "maxLength": false})"));
  const auto refused = simulate({.name = "async_halving", .metric = "loss"}, space, 1);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().message, "invalid searcher configuration");
}

}  // namespace
}  // namespace det::searcher
