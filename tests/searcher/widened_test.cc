// A search that is let run more trials at once than it was made for.

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "model/expconf/hyperparameters.h"
#include "searcher/event_json.h"
#include "searcher/make_search.h"

namespace det::searcher {
namespace {

using nlohmann::json;

// A search of at most 12 trials, 3 at a time.
struct Case {
  const char* name;
  Generation generation;
};

Search search_of_three(const Case& which) {
  model::SearcherConfig config{.name = which.name,
                               .metric = "loss",
                               .max_trials = 12,
                               .max_concurrent_trials = 3,
                               .num_rungs = 2,
                               .divisor = 4,
                               .max_rungs = 2,
                               .time_metric = "batches",
                               .max_time = 64,
                               .max_length = model::TrainingLength{64, "batches"}};
  json space = json::parse(R"({"a": {"type": "int", "minval": 0, "maxval": 12, "count": 12}})");
  model::normalise_hyperparameters(space);
  return make_search(config, space, 7, which.generation).value();
}

// Takes the event and answers each Create; the request ids of the trials that came of it.
std::vector<RequestId> created_by(Search& search, const Event& event) {
  std::vector<RequestId> ids;
  const auto decisions = search.take(event);
  EXPECT_TRUE(decisions) << decisions.error().message;
  if (!decisions) return ids;
  for (const Decision& decision : *decisions) {
    const auto* create = std::get_if<Create>(&decision.action);
    if (create == nullptr) continue;
    ids.push_back(create->request_id);
    EXPECT_TRUE(search.take(TrialCreated{create->request_id}));
  }
  return ids;
}

class Widened3 : public testing::TestWithParam<Case> {};

TEST_P(Widened3, CreatesTheDifferenceOnceAndNeverMoreThanIsWanted) {
  Search search = search_of_three(GetParam());
  EXPECT_EQ(created_by(search, Started{}).size(), 3U);
  EXPECT_EQ(search.width(), 0);
  EXPECT_EQ(created_by(search, Widened{.from = 3, .to = 8}).size(), 5U);
  EXPECT_EQ(search.width(), 8);
  EXPECT_EQ(created_by(search, Widened{.from = 3, .to = 8}).size(), 0U) << "told twice";
  EXPECT_EQ(created_by(search, Widened{.from = 3, .to = 5}).size(), 0U) << "less than before";

  Search again = search_of_three(GetParam());
  ASSERT_TRUE(again.restore(search.snapshot()));
  EXPECT_EQ(again.width(), 8);
  EXPECT_EQ(created_by(again, Widened{.from = 8, .to = 100}).size(), 4U) << "twelve in all";
  EXPECT_EQ(created_by(search, Widened{.from = 8, .to = 100}).size(), 4U);
  EXPECT_EQ(search.snapshot(), again.snapshot());
}

INSTANTIATE_TEST_SUITE_P(
    Methods, Widened3,
    testing::Values(Case{"random", Generation::kCurrent}, Case{"grid", Generation::kCurrent},
                    Case{"async_halving", Generation::kCurrent}, Case{"adaptive_asha", Generation::kCurrent},
                    Case{"random", Generation::kOperations}, Case{"grid", Generation::kOperations},
                    Case{"async_halving", Generation::kOperations}, Case{"adaptive_asha", Generation::kOperations}),
    [](const auto& info) {
      return std::string(info.param.name) + (info.param.generation == Generation::kCurrent ? "" : "_by_operations");
    });

TEST(Widened, ASearchThatIsOverOrHasOneTrialStaysAsItIs) {
  Search single = search_of_three({"single", Generation::kCurrent});
  const auto ids = created_by(single, Started{});
  ASSERT_EQ(ids.size(), 1U);
  EXPECT_EQ(created_by(single, Widened{.from = 3, .to = 8}).size(), 0U);
  ASSERT_TRUE(single.take(Exited{ids.front()}));
  ASSERT_TRUE(single.is_over());
  EXPECT_EQ(created_by(single, Widened{.from = 8, .to = 9}).size(), 0U);
  EXPECT_EQ(single.width(), 8);
}

TEST(Widened, IsReadBack) {
  const json event = {{"in", "widened"}, {"from", 3}, {"to", 8}};
  const auto read = event_from_json(event);
  ASSERT_TRUE(read);
  EXPECT_EQ(to_json(*read), event);
  EXPECT_FALSE(event_from_json({{"in", "widened"}, {"from", 3}}));
}

}  // namespace
}  // namespace det::searcher
