#include "store/searcher_event_store.h"

#include "tests/store/fixture.h"

namespace det::store {
namespace {

using nlohmann::json;

struct SearcherEvents : StoreTest {
  SearcherEvents() : epoch(must(cluster.raise_epoch())), experiment_id(must(experiments.insert(experiment())).id) {}
  SearcherStep step(std::int64_t seq, std::vector<SearcherStep::Entry> entries) {
    return {.experiment = experiment_id, .first_seq = seq, .entries = std::move(entries), .creates = {}};
  }
  Epoch epoch;
  model::ExperimentId experiment_id;
};

TEST_F(SearcherEvents, KeepOneStepWithItsTrials) {
  SearcherStep first =
      step(1, {{.event = {{"type", "initial"}}, .decisions = {{"b", 1}, {"a", {2, 3}}}, .inbox_id = {}}});
  first.creates = {new_trial(experiment_id), new_trial(experiment_id)};
  const auto created = must(searcher.append(epoch, first));
  ASSERT_EQ(created.size(), 2U);
  EXPECT_EQ(created[1].request_id, first.creates[1].request_id);
  const SearcherLog log = must(searcher.load(experiment_id));
  ASSERT_EQ(log.events.size(), 1U);
  EXPECT_EQ(log.events[0].seq, 1);
  EXPECT_EQ(log.events[0].epoch, epoch);
  EXPECT_EQ(log.events[0].decisions, first.entries[0].decisions);
  EXPECT_FALSE(log.snapshot);
}

TEST_F(SearcherEvents, ChangeNothingWhenTheStepIsRefused) {
  must(searcher.append(epoch, step(1, {{.event = 1, .decisions = 1, .inbox_id = {}}})));
  SearcherStep again = step(1, {{.event = 2, .decisions = 2, .inbox_id = {}}});
  again.creates = {new_trial(experiment_id)};
  const auto refused = run(searcher.append(epoch, again));
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, ErrorCode::kAborted);
  EXPECT_TRUE(must(trials.of_experiment(experiment_id)).empty());
  EXPECT_EQ(must(searcher.load(experiment_id)).events.size(), 1U);
}

TEST_F(SearcherEvents, AreNotWrittenByAFormerLeader) {
  must(cluster.raise_epoch());
  SearcherStep late = step(1, {{.event = 1, .decisions = 1, .inbox_id = {}}});
  late.creates = {new_trial(experiment_id)};
  EXPECT_EQ(run(searcher.append(epoch, late)).error().code, ErrorCode::kFailedPrecondition);
  EXPECT_EQ(run(searcher.save_snapshot(epoch, experiment_id, {.seq = 1, .state = {}})).error().code,
            ErrorCode::kFailedPrecondition);
  EXPECT_TRUE(must(searcher.load(experiment_id)).events.empty());
  EXPECT_TRUE(must(trials.of_experiment(experiment_id)).empty());
}

TEST_F(SearcherEvents, ConsumeNewsOnce) {
  must(searcher.add_news(experiment_id, "exit:1", {{"type", "exit"}}));
  must(searcher.add_news(experiment_id, "exit:1", {{"type", "exit"}}));
  const auto news = must(searcher.pending(experiment_id));
  ASSERT_EQ(news.size(), 1U);
  EXPECT_EQ(news[0].event, json({{"type", "exit"}}));
  must(searcher.append(epoch, step(1, {{.event = news[0].event, .decisions = {}, .inbox_id = news[0].inbox_id}})));
  EXPECT_TRUE(must(searcher.pending(experiment_id)).empty());
  const auto twice =
      run(searcher.append(epoch, step(2, {{.event = news[0].event, .decisions = {}, .inbox_id = news[0].inbox_id}})));
  EXPECT_EQ(twice.error().code, ErrorCode::kAborted);
  must(searcher.add_news(experiment_id, "exit:1", {{"type", "exit"}}));
  EXPECT_TRUE(must(searcher.pending(experiment_id)).empty());
}

TEST_F(SearcherEvents, HearOfValidationsInTheSameCommit) {
  const TrialRow trial = started_trial_of(experiment_id, "t");
  MetricWriter writer(io.get_executor(), {.url = url});
  must(writer.write(validation(trial, 10, 0.5), kPatience));
  const auto news = must(searcher.pending(experiment_id));
  ASSERT_EQ(news.size(), 1U);
  EXPECT_EQ(news[0].event, json({{"steps", 10}, {"metric", 0.5}}));
}

TEST_F(SearcherEvents, AreLoadedAfterTheSnapshot) {
  for (int seq = 1; seq <= 3; ++seq) {
    must(searcher.append(epoch, step(seq, {{.event = seq, .decisions = seq, .inbox_id = {}}})));
  }
  must(searcher.save_snapshot(epoch, experiment_id, {.seq = 2, .state = {{"z", 1}}}));
  must(searcher.save_snapshot(epoch, experiment_id, {.seq = 1, .state = {{"old", 1}}}));
  const SearcherLog log = must(searcher.load(experiment_id));
  ASSERT_TRUE(log.snapshot);
  EXPECT_EQ(log.snapshot->seq, 2);
  EXPECT_EQ(log.snapshot->state, json({{"z", 1}}));
  ASSERT_EQ(log.events.size(), 1U);
  EXPECT_EQ(log.events[0].seq, 3);
}

TEST_F(SearcherEvents, OfAnUnknownExperimentAreRefused) {
  EXPECT_EQ(run(searcher.add_news({99}, "k", {})).error().message, "experiment '99' not found");
  EXPECT_TRUE(must(searcher.load({99})).events.empty());
}

}  // namespace
}  // namespace det::store
