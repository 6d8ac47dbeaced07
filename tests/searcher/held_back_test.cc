// A search whose first trials are made in steps.

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "model/expconf/hyperparameters.h"
#include "searcher/event_json.h"
#include "searcher/make_search.h"

namespace det::searcher {
namespace {

using nlohmann::json;

struct Kind {
  const char* name;
  Generation generation;
};

Search search_of_forty(const Kind& kind) {
  model::SearcherConfig config{.name = kind.name,
                               .metric = "loss",
                               .max_trials = 40,
                               .max_concurrent_trials = 40,
                               .num_rungs = 2,
                               .divisor = 4,
                               .max_rungs = 2,
                               .time_metric = "batches",
                               .max_time = 64,
                               .max_length = model::TrainingLength{64, "batches"}};
  json space = json::parse(R"({"a": {"type": "int", "minval": 0, "maxval": 40, "count": 40}})");
  model::normalise_hyperparameters(space);
  return make_search(config, space, 7, kind.generation).value();
}

int creates_in(const Decisions& decisions) {
  int creates = 0;
  for (const Decision& decision : decisions) creates += std::holds_alternative<Create>(decision.action) ? 1 : 0;
  return creates;
}

void acknowledge(Search& search, const Decisions& decisions) {
  for (const Decision& decision : decisions) {
    const auto* create = std::get_if<Create>(&decision.action);
    if (create != nullptr) EXPECT_TRUE(search.take(TrialCreated{create->request_id}));
  }
}

class HeldBack : public testing::TestWithParam<Kind> {};

TEST_P(HeldBack, AreTheSameDecisionsInTheSameOrder) {
  const Decisions at_once = search_of_forty(GetParam()).take(Started{}).value();
  ASSERT_GT(creates_in(at_once), 12);
  Search search = search_of_forty(GetParam());
  Decisions in_steps;
  Event event = Started{.limit = 5};
  do {
    const Decisions some = search.take(event).value();
    EXPECT_LE(creates_in(some), 5);
    acknowledge(search, some);
    in_steps.insert(in_steps.end(), some.begin(), some.end());
    event = Released{.limit = 5};
  } while (search.holds_back());
  EXPECT_EQ(in_steps, at_once);
  EXPECT_TRUE(search.take(Released{.limit = 5}).value().empty());
}

TEST_P(HeldBack, ComeAfterTrialsThatHaveEndedAndTheSearchIsNotOverBefore) {
  Search search = search_of_forty(GetParam());
  Decisions all = search.take(Started{.limit = 3}).value();
  acknowledge(search, all);
  const Decisions first = all;
  for (const Decision& decision : first) {
    const auto* create = std::get_if<Create>(&decision.action);
    if (create == nullptr) continue;
    const Decisions more = search.take(Exited{create->request_id}).value();
    acknowledge(search, more);
    EXPECT_FALSE(search.is_over());
  }
  EXPECT_EQ(creates_in(search.take(Released{.limit = 4}).value()), 4);
}

TEST_P(HeldBack, AreInTheSnapshot) {
  Search search = search_of_forty(GetParam());
  acknowledge(search, search.take(Started{.limit = 3}).value());
  Search again = search_of_forty(GetParam());
  ASSERT_TRUE(again.restore(search.snapshot()));
  EXPECT_TRUE(again.holds_back());
  EXPECT_EQ(to_json(again.take(Released{.limit = 4}).value()), to_json(search.take(Released{.limit = 4}).value()));
}

TEST_P(HeldBack, AreInTheLogAsTheyWere) {
  for (const Event& event : {Event(Started{.limit = 3}), Event(Released{.limit = 4})}) {
    EXPECT_EQ(to_json(event_from_json(to_json(event)).value()), to_json(event));
  }
  EXPECT_EQ(to_json(Event(Started{})), json::parse(R"({"in": "initial"})")) << "as logs of before have it";
}

INSTANTIATE_TEST_SUITE_P(Methods, HeldBack,
                         testing::Values(Kind{"random", Generation::kCurrent}, Kind{"random", Generation::kOperations},
                                         Kind{"grid", Generation::kCurrent}, Kind{"grid", Generation::kOperations},
                                         Kind{"async_halving", Generation::kCurrent},
                                         Kind{"adaptive_asha", Generation::kOperations}),
                         [](const auto& info) {
                           return std::string(info.param.name) +
                                  (info.param.generation == Generation::kCurrent ? "" : "_operations");
                         });

}  // namespace
}  // namespace det::searcher
