#include "searcher/search.h"

#include <map>
#include <utility>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "model/hyperparameters.h"
#include "searcher/event_json.h"
#include "searcher/random_search.h"
#include "tests/searcher/data.h"

namespace det::searcher {
namespace {

using nlohmann::json;

json normal(json space) {
  model::normalise_hyperparameters(space);
  return space;
}

// The recorded searcher sections are as submitted: defaults are not filled in.
Search search_of(const json& record) {
  const json& config = record.at("searcher");
  RandomSearch method = config.at("name") == "single"
                            ? RandomSearch::single()
                            : RandomSearch::random(config.at("max_trials").get<std::int64_t>(),
                                                   config.value("max_concurrent_trials", 16));
  return {std::make_unique<RandomSearch>(std::move(method)), normal(record.at("hyperparameters")),
          record.at("experiment_seed").get<std::uint32_t>()};
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
void replay(Search& search, const json& record, std::size_t from, std::size_t to) {
  for (std::size_t i = from; i < to; ++i) {
    const json& event = record.at("events")[i];
    const auto decisions = search.take(event_from_json(event).value());
    ASSERT_TRUE(decisions) << decisions.error().message;
    EXPECT_EQ(without_reasons(*decisions), event.value("out", json::array())) << record.at("name") << " event " << i;
    if (event.contains("progress")) EXPECT_NEAR(search.progress(), event.at("progress").get<double>(), 1e-12);
  }
}

json state_of(const Search& search) {
  return search.snapshot().at("searcher_state");
}

TEST(Search, DecidesAsRecorded) {
  for (const json& record : read_lines("searches.jsonl")) {
    Search search = search_of(record);
    replay(search, record, 0, record.at("events").size());
    Prng prng = Prng::from_json(state_of(search).at("rand")).value();
    EXPECT_EQ(prng.bits32(), record.at("next_bits32")) << record.at("name");
  }
}

TEST(Search, WritesTheRecordedSnapshotsAndGoesOnFromThem) {
  std::size_t compared = 0;
  for (const json& record : read_lines("searches.jsonl")) {
    for (const json& entry : record.value("snapshots", json::array())) {
      const auto after = entry.at("after_events").get<std::size_t>();
      Search search = search_of(record);
      replay(search, record, 0, after);
      EXPECT_EQ(state_of(search), entry.at("snapshot")) << json::diff(entry.at("snapshot"), state_of(search)).dump();
      Search restored = search_of(record);
      ASSERT_TRUE(restored.restore({{"version", 6}, {"searcher_state", entry.at("snapshot")}}));
      replay(restored, record, after, record.at("events").size());
      ++compared;
    }
  }
  EXPECT_GT(compared, 0U);
}

TEST(Search, DecidesTheSameAfterARestoreAtEveryEvent) {
  for (const json& record : read_lines("searches.jsonl")) {
    Search search = search_of(record);
    for (std::size_t i = 0; i < record.at("events").size(); ++i) {
      const json snapshot = json::parse(search.snapshot().dump());
      search = search_of(record);
      ASSERT_TRUE(search.restore(snapshot));
      replay(search, record, i, i + 1);
    }
  }
}

TEST(Search, IsMadeForSingleAndRefusesWhatItCannotRunYet) {
  auto search = make_search({.name = "single", .metric = "loss"}, json::object(), 5);
  ASSERT_TRUE(search);
  const auto decisions = search->take(Started{});
  ASSERT_TRUE(decisions);
  ASSERT_EQ(decisions->size(), 1U);
  EXPECT_EQ((*decisions)[0].reason, "trial 1 of 1");
  const auto refused = make_search({.name = "adaptive_asha", .metric = "loss"}, json::object(), 5);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, ErrorCode::kUnimplemented);
  EXPECT_EQ(refused.error().field, "searcher.name");
}

TEST(Search, RefusesEventsOfTrialsItNeverMadeAndKeepsItsState) {
  auto search = make_search({.name = "single", .metric = "loss"}, json::object(), 5).value();
  ASSERT_TRUE(search.take(Started{}));
  const json before = search.snapshot();
  for (const Event& event : {Event(Validated{"x", {}}), Event(Exited{"x"}),
                             Event(ExitedEarly{"x", ExitReason::kErrored}), Event(Progressed{"x", 0.5})}) {
    EXPECT_FALSE(search.take(event));
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

TEST(EventJson, ReadsBackEveryEventAndDecision) {
  for (const Event& event :
       {Event(Started{}), Event(TrialCreated{"a"}), Event(Validated{"a", {{"loss", 0.5}}}), Event(Exited{"a"}),
        Event(ExitedEarly{"a", ExitReason::kInitInvalidHp}), Event(Progressed{"a", 0.25})}) {
    EXPECT_EQ(to_json(event_from_json(to_json(event)).value()), to_json(event));
  }
  for (const Decision& decision : {Decision{Create{"a", 4294967295U, {{"x", 1}}}, "why"}, Decision{Stop{"a"}, "enough"},
                                   Decision{Shutdown{.is_canceled = true, .is_failed = false}, "all"}}) {
    EXPECT_EQ(decision_from_json(to_json(decision)).value(), decision);
  }
  for (const char* text :
       {"null", "{}", R"({"in":"exited"})", R"({"in":"exited_early","id":"a","reason":"TIRED"})", "[1]"}) {
    EXPECT_FALSE(event_from_json(json::parse(text))) << text;
    EXPECT_FALSE(decision_from_json(json::parse(text))) << text;
  }
}

}  // namespace
}  // namespace det::searcher
