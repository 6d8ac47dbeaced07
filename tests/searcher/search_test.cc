#include "searcher/search.h"

#include <algorithm>
#include <utility>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "model/expconf/experiment_config.h"
#include "model/expconf/hyperparameters.h"
#include "searcher/event_json.h"
#include "searcher/make_search.h"
#include "tests/searcher/data.h"

namespace det::searcher {
namespace {

using nlohmann::json;

json normal(json space) {
  model::normalise_hyperparameters(space);
  return space;
}

// A recorded search and the protocol it speaks.
struct Recorded {
  json record;
  Generation generation = Generation::kCurrent;

  [[nodiscard]] Search fresh() const {
    const auto config = model::read_searcher_config(record.at("searcher"));
    return make_search(config.value(), normal(record.at("hyperparameters")),
                       record.at("experiment_seed").get<std::uint32_t>(), generation)
        .value();
  }
  [[nodiscard]] const json& events() const { return record.at("events"); }
};

std::vector<Recorded> recorded_searches() {
  std::vector<Recorded> all;
  for (json& record : read_lines("searches.jsonl")) all.push_back({.record = std::move(record)});
  for (json& record : read_lines("legacy_searches.jsonl")) {
    all.push_back({.record = std::move(record), .generation = Generation::kOperations});
  }
  return all;
}

json without_reasons(const Decisions& decisions) {
  json list = to_json(decisions);
  for (json& decision : list) {
    EXPECT_NE(decision.at("why").get<std::string>(), "");
    decision.erase("why");
  }
  return list;
}

// Feeds events [from, to) and compares decisions and progress with what was recorded.
void replay(Search& search, const Recorded& recorded, std::size_t from, std::size_t to) {
  for (std::size_t i = from; i < to; ++i) {
    const json& event = recorded.events()[i];
    const auto decisions = search.take(event_from_json(event).value());
    ASSERT_TRUE(decisions) << decisions.error().message;
    EXPECT_EQ(without_reasons(*decisions), event.value("out", json::array()))
        << recorded.record.at("name") << " event " << i;
    if (event.contains("progress")) EXPECT_NEAR(search.progress(), event.at("progress").get<double>(), 1e-12);
  }
}

json state_of(const Search& search) {
  return search.snapshot().at("searcher_state");
}

TEST(Search, DecidesAsRecorded) {
  std::size_t events = 0;
  for (const Recorded& recorded : recorded_searches()) {
    Search search = recorded.fresh();
    replay(search, recorded, 0, recorded.events().size());
    EXPECT_TRUE(search.is_over()) << recorded.record.at("name");
    events += recorded.events().size();
    if (!recorded.record.contains("next_bits32")) continue;
    Prng prng = Prng::from_json(state_of(search).at("rand")).value();
    EXPECT_EQ(prng.bits32(), recorded.record.at("next_bits32")) << recorded.record.at("name");
  }
  EXPECT_GT(events, 10'000U);
}

TEST(Search, WritesTheRecordedSnapshotsAndGoesOnFromThem) {
  std::size_t compared = 0;
  for (const Recorded& recorded : recorded_searches()) {
    for (const json& entry : recorded.record.value("snapshots", json::array())) {
      const auto after = entry.at("after_events").get<std::size_t>();
      Search search = recorded.fresh();
      replay(search, recorded, 0, after);
      EXPECT_EQ(state_of(search), entry.at("snapshot")) << json::diff(entry.at("snapshot"), state_of(search)).dump();
      Search restored = recorded.fresh();
      const int version = snapshot_version(recorded.generation);
      ASSERT_TRUE(restored.restore({{"version", version}, {"searcher_state", entry.at("snapshot")}}));
      replay(restored, recorded, after, recorded.events().size());
      ++compared;
    }
  }
  EXPECT_EQ(compared, 6U);
}

// At every event of the short ones, now and then in the long ones; tests/searcher/property_test.cc has more.
TEST(Search, DecidesTheSameAfterARestore) {
  for (const Recorded& recorded : recorded_searches()) {
    const std::size_t stride = 1 + recorded.events().size() / 12;
    Search search = recorded.fresh();
    for (std::size_t i = 0; i < recorded.events().size(); i += stride) {
      const json snapshot = json::parse(search.snapshot().dump());
      search = recorded.fresh();
      ASSERT_TRUE(search.restore(snapshot));
      replay(search, recorded, i, std::min(i + stride, recorded.events().size()));
    }
  }
}

// Version 5 is that of Determined 0.37.
TEST(Search, ReadsTheOldVersionOfThoseSearchesThatDidNotChange) {
  const model::SearcherConfig config{.name = "random", .metric = "loss", .max_trials = 9, .max_concurrent_trials = 3};
  for (const Recorded& recorded : recorded_searches()) {
    if (recorded.generation != Generation::kOperations || recorded.record.at("name") != "random") continue;
    const json& old = recorded.record.at("snapshots").at(0).at("snapshot");
    Search search = make_search(config, normal(recorded.record.at("hyperparameters")), 0).value();
    ASSERT_TRUE(search.restore({{"version", 5}, {"searcher_state", old}}));
    json now = state_of(search);
    EXPECT_EQ(search.snapshot().at("version"), 6);
    EXPECT_EQ(now.at("rand"), old.at("rand"));
    EXPECT_EQ(now.at("trials_created"), old.at("trials_created"));
    EXPECT_EQ(now.at("search_method_state"), old.at("search_method_state"));
    EXPECT_FALSE(now.contains("completed_operations"));
  }
  Search asha = make_search({.name = "async_halving",
                             .metric = "loss",
                             .max_trials = 4,
                             .num_rungs = 2,
                             .time_metric = "batches",
                             .max_time = 9},
                            json::object(), 1)
                    .value();
  json old = asha.snapshot();
  old["version"] = 5;
  EXPECT_THAT(asha.restore(old).error().message, testing::HasSubstr("unsupported search_method_type"));
}

TEST(Search, RefusesEventsOfTrialsItNeverMadeAndKeepsItsState) {
  auto search = make_search({.name = "single", .metric = "loss"}, json::object(), 5).value();
  ASSERT_TRUE(search.take(Started{}));
  const json before = search.snapshot();
  const RequestId other = parse_request_id("00000000-0000-4000-8000-000000000001").value();
  for (const Event& event : {Event(Validated{other, {}}), Event(Exited{other}),
                             Event(ExitedEarly{other, ExitReason::kErrored}), Event(Progressed{other, 0.5})}) {
    const auto refused = search.take(event);
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().message, "the trial 00000000-0000-4000-8000-000000000001 is not one of this search");
  }
  EXPECT_EQ(search.snapshot(), before);
}

TEST(Search, RefusesSnapshotsThatAreNotItsOwn) {
  const auto fresh = [] { return make_search({.name = "single", .metric = "loss"}, json::object(), 5).value(); };
  const json good = fresh().snapshot();
  json newer = good;
  newer["version"] = 7;
  EXPECT_THAT(fresh().restore(newer).error().message, testing::HasSubstr("cannot shim from 7 to 6"));
  json other = good;
  other["searcher_state"]["search_method_state"]["search_method_type"] = "random";
  json no_generator = good;
  no_generator["searcher_state"].erase("rand");
  json bad_marks = good;
  bad_marks["searcher_state"]["exits"] = {{"a", 1}};
  for (const json& snapshot : {json(), json::object(), other, no_generator, bad_marks}) {
    EXPECT_FALSE(fresh().restore(snapshot)) << snapshot.dump().substr(0, 80);
  }
  EXPECT_TRUE(fresh().restore(good));
}

TEST(Search, DecidesNothingMoreWhenItIsOver) {
  auto search = make_search({.name = "random", .metric = "loss", .max_trials = 1}, json::object(), 5).value();
  const Decisions first = search.take(Started{}).value();
  const RequestId id = std::get<Create>(first.at(0).action).request_id;
  EXPECT_TRUE(search.take(TrialCreated{id}).value().empty());
  EXPECT_TRUE(search.take(ExitedEarly{id, ExitReason::kErrored}).value().empty());
  const Decisions last = search.take(Exited{id}).value();
  ASSERT_EQ(last.size(), 1U);
  EXPECT_EQ(std::get<Shutdown>(last[0].action), (Shutdown{.is_canceled = false, .is_failed = true}));
  EXPECT_EQ(last[0].reason.text(), "all 1 trials of the search failed");
  for (const Event& late : {Event(Exited{id}), Event(ExitedEarly{id, ExitReason::kInvalidHp}), Event(TrialCreated{id}),
                            Event(Started{}), Event(Validated{id, {{"loss", 1}}})}) {
    EXPECT_TRUE(search.take(late).value().empty());
  }
}

TEST(EventJson, ReadsBackEveryEventAndDecision) {
  const RequestId a = parse_request_id("00000000-0000-4000-8000-00000000000a").value();
  for (const Event& event : {Event(Started{}), Event(TrialCreated{a}), Event(Validated{a, {{"loss", 0.5}}}),
                             Event(OperationCompleted{a, 100, 0.5}), Event(Exited{a}),
                             Event(ExitedEarly{a, ExitReason::kInitInvalidHp}), Event(Progressed{a, 0.25})}) {
    EXPECT_EQ(to_json(event_from_json(to_json(event)).value()), to_json(event));
  }
  for (const Decision& decision : {Decision{Create{a, 4294967295U, json{{"x", 1}}}, "why"}, Decision{Stop{a}, "enough"},
                                   Decision{ValidateAfter{a, 100}, "best"}, Decision{Close{a}, "done"},
                                   Decision{Shutdown{.is_canceled = true, .is_failed = false}, "all"}}) {
    EXPECT_EQ(decision_from_json(to_json(decision)).value(), decision);
  }
  for (const char* text :
       {"null", "{}", R"({"in":"exited"})", R"({"in":"exited_early","id":"a","reason":"TIRED"})", "[1]"}) {
    EXPECT_FALSE(event_from_json(json::parse(text))) << text;
    EXPECT_FALSE(decision_from_json(json::parse(text))) << text;
  }
  EXPECT_THAT(event_from_json({{"in", "exited"}, {"id", "nobody"}}).error().message,
              testing::HasSubstr("id: the trial nobody is not one of this search"));
  EXPECT_FALSE(decision_from_json({{"t", "stop"}, {"id", "nobody"}}));
}

}  // namespace
}  // namespace det::searcher
