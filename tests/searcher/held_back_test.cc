// A search whose first trials are made in steps.

#include <deque>

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
  acknowledge(search, search.take(Started{.limit = 3, .is_counted = true}).value());
  Search again = search_of_forty(GetParam());
  ASSERT_TRUE(again.restore(search.snapshot()));
  EXPECT_TRUE(again.holds_back());
  EXPECT_EQ(to_json(again.take(Released{.limit = 4}).value()), to_json(search.take(Released{.limit = 4}).value()));
}

TEST_P(HeldBack, AreInTheLogAsTheyWere) {
  for (const Event& event : {Event(Started{.limit = 3}), Event(Started{.limit = 3, .is_counted = true}),
                             Event(Started{.limit = 3, .is_counted = true, .is_counted_for_promotion = true}),
                             Event(Released{.limit = 4})}) {
    EXPECT_EQ(to_json(event_from_json(to_json(event)).value()), to_json(event));
  }
  EXPECT_EQ(to_json(Event(Started{})), json::parse(R"({"in": "initial"})")) << "as logs of before have it";
  EXPECT_EQ(to_json(Event(Started{.limit = 3})), json::parse(R"({"in": "initial", "limit": 3})"));
  EXPECT_FALSE(std::get<Started>(event_from_json(json::parse(R"({"in": "initial", "limit": 3})")).value()).is_counted);
}

// All trials of a search of forty that begins with `event`, whose trials end in their first rung as those before them
// do worse, while the others are held back.
int trials_in_all(Search search, const Event& event, bool by_operations) {
  std::vector<RequestId> ids;
  const auto take = [&](const Event& each) {
    const Decisions decisions = search.take(each).value();
    acknowledge(search, decisions);
    for (const Decision& decision : decisions) {
      const auto* create = std::get_if<Create>(&decision.action);
      if (create != nullptr) ids.push_back(create->request_id);
    }
  };
  take(event);
  for (std::size_t i = 0; i < ids.size(); ++i) {
    const double loss = static_cast<double>(i);
    if (by_operations) {
      take(OperationCompleted{ids[i], 12, loss});
    } else {
      take(Validated{ids[i], {{"loss", loss}, {"batches", 16}}});
    }
  }
  while (search.holds_back()) take(Released{.limit = 5});
  return static_cast<int>(ids.size());
}

TEST(HeldBackHalving, CountsThemAndMakesNoMoreThanMaxTrials) {
  const Kind kind = {"async_halving", Generation::kCurrent};
  EXPECT_EQ(trials_in_all(search_of_forty(kind), Started{.limit = 5, .is_counted = true}, false), 40);
  EXPECT_GT(trials_in_all(search_of_forty(kind), Started{.limit = 5}, false), 40) << "as logs of before have it";
}

TEST(HeldBackHalving, CountsThemByOperations) {
  const auto search = [](bool stops) {
    const model::SearcherConfig config{.name = "async_halving",
                                       .metric = "loss",
                                       .max_trials = 40,
                                       .max_concurrent_trials = 40,
                                       .num_rungs = 2,
                                       .divisor = 4,
                                       .max_length = model::TrainingLength{48, "batches"},
                                       .stop_once = stops};
    return make_search(config, json::object(), 7, Generation::kOperations).value();
  };
  const Started counted{.limit = 5, .is_counted = true};
  const Started all_counted{.limit = 5, .is_counted = true, .is_counted_for_promotion = true};
  EXPECT_EQ(trials_in_all(search(true), counted, true), 40);
  EXPECT_EQ(trials_in_all(search(true), all_counted, true), 40);
  EXPECT_GT(trials_in_all(search(true), Started{.limit = 5}, true), 40);
  EXPECT_EQ(trials_in_all(search(false), all_counted, true), 40);
  EXPECT_GT(trials_in_all(search(false), counted, true), 40) << "as logs of before have it";
}

// Its trials wait in their rungs without an end of their own until all results are there.
TEST(HeldBackHalving, EndsWithPromotion) {
  const model::SearcherConfig config{.name = "async_halving",
                                     .metric = "loss",
                                     .max_trials = 60,
                                     .max_concurrent_trials = 50,
                                     .num_rungs = 2,
                                     .divisor = 4,
                                     .max_length = model::TrainingLength{48, "batches"}};
  Search search = make_search(config, json::object(), 7, Generation::kOperations).value();
  std::deque<Event> events = {Started{.limit = 20, .is_counted = true, .is_counted_for_promotion = true}};
  int created = 0;
  double loss = 0;
  while (!events.empty() || search.holds_back()) {
    if (events.empty()) events.push_back(Released{.limit = 7});
    const Decisions decisions = search.take(events.front()).value();
    events.pop_front();
    acknowledge(search, decisions);
    created += creates_in(decisions);
    for (const Decision& decision : decisions) {
      if (const auto* work = std::get_if<ValidateAfter>(&decision.action)) {
        events.push_back(OperationCompleted{work->request_id, work->length, loss += 1});
      } else if (const auto* close = std::get_if<Close>(&decision.action)) {
        events.push_back(Exited{close->request_id});
      }
    }
  }
  EXPECT_EQ(created, 60);
  EXPECT_TRUE(search.is_over());
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
