#include "store/search/searcher_event_store.h"

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
  const auto log = must(searcher.events(experiment_id, 0, 10)).events;
  ASSERT_EQ(log.size(), 1U);
  EXPECT_EQ(log[0].seq, 1);
  EXPECT_EQ(log[0].epoch, epoch);
  EXPECT_EQ(log[0].decisions, first.entries[0].decisions);
}

TEST_F(SearcherEvents, ChangeNothingWhenTheStepIsRefused) {
  must(searcher.append(epoch, step(1, {{.event = 1, .decisions = 1, .inbox_id = {}}})));
  SearcherStep again = step(1, {{.event = 2, .decisions = 2, .inbox_id = {}}});
  again.creates = {new_trial(experiment_id)};
  const auto refused = run(searcher.append(epoch, again));
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, ErrorCode::kAborted);
  EXPECT_TRUE(must(trials.of_experiment(experiment_id)).empty());
  EXPECT_EQ(must(searcher.events(experiment_id, 0, 10)).events.size(), 1U);
}

TEST_F(SearcherEvents, AreNotWrittenByAFormerLeader) {
  must(cluster.raise_epoch());
  SearcherStep late = step(1, {{.event = 1, .decisions = 1, .inbox_id = {}}});
  late.creates = {new_trial(experiment_id)};
  EXPECT_EQ(run(searcher.append(epoch, late)).error().code, ErrorCode::kFailedPrecondition);
  EXPECT_TRUE(must(searcher.events(experiment_id, 0, 10)).events.empty());
  EXPECT_TRUE(must(trials.of_experiment(experiment_id)).empty());
}

TEST_F(SearcherEvents, ConsumeNewsOnce) {
  must(searcher.add_input(experiment_id, "exit:1", {{"type", "exit"}}));
  must(searcher.add_input(experiment_id, "exit:1", {{"type", "exit"}}));
  const auto input = must(searcher.pending(experiment_id)).input;
  ASSERT_EQ(input.size(), 1U);
  EXPECT_EQ(input[0].event, json({{"type", "exit"}}));
  must(searcher.append(epoch, step(1, {{.event = input[0].event, .decisions = {}, .inbox_id = input[0].inbox_id}})));
  EXPECT_TRUE(must(searcher.pending(experiment_id)).input.empty());
  const auto twice =
      run(searcher.append(epoch, step(2, {{.event = input[0].event, .decisions = {}, .inbox_id = input[0].inbox_id}})));
  EXPECT_EQ(twice.error().code, ErrorCode::kAborted);
  must(searcher.add_input(experiment_id, "exit:1", {{"type", "exit"}}));
  EXPECT_TRUE(must(searcher.pending(experiment_id)).input.empty());
}

TEST_F(SearcherEvents, HearOfValidationsInTheSameCommit) {
  const TrialRow trial = started_trial_of(experiment_id, "t");
  MetricWriter writer(io.get_executor(), {.url = url});
  must(writer.write(validation(trial, 10, 0.5), kPatience));
  const auto input = must(searcher.pending(experiment_id)).input;
  ASSERT_EQ(input.size(), 1U);
  EXPECT_EQ(input[0].event, json({{"steps", 10}, {"metric", 0.5}}));
}

TEST_F(SearcherEvents, AreReadInPages) {
  for (int seq = 1; seq <= 5; ++seq) {
    must(searcher.append(epoch, step(seq, {{.event = seq, .decisions = seq, .inbox_id = {}}})));
  }
  const auto page = must(searcher.events(experiment_id, 2, 2)).events;
  ASSERT_EQ(page.size(), 2U);
  EXPECT_EQ(page[0].seq, 3);
  EXPECT_EQ(page[1].seq, 4);
}

TEST_F(SearcherEvents, AreReadInPagesOfSoManyBytes) {
  const std::string large(1'000, 'x');
  for (int seq = 1; seq <= 5; ++seq) {
    const json event = seq == 2 ? json(large) : json(seq);
    must(searcher.append(epoch, step(seq, {{.event = event, .decisions = seq, .inbox_id = {}}})));
  }
  const auto first = must(searcher.events(experiment_id, 0, 10, 500));
  EXPECT_EQ(first.events.size(), 2U) << "with the row that is too many";
  EXPECT_FALSE(first.is_all);
  const auto rest = must(searcher.events(experiment_id, 2, 10, 500));
  EXPECT_EQ(rest.events.size(), 3U);
  EXPECT_TRUE(rest.is_all);
  EXPECT_EQ(must(searcher.events(experiment_id, 1, 10, 1)).events.size(), 1U) << "one row at least";
  EXPECT_FALSE(must(searcher.events(experiment_id, 3, 2)).is_all) << "as many as were asked for";
  EXPECT_TRUE(must(searcher.events(experiment_id, 5, 2)).is_all);
}

TEST_F(SearcherEvents, LeaveInputForLaterThatIsTooMuchAtOnce) {
  const std::string large(1'000, 'x');
  for (const std::string key : {"a", "b", "c"}) must(searcher.add_input(experiment_id, key, key + large));
  const auto some = must(searcher.pending(experiment_id, 1'500));
  ASSERT_EQ(some.input.size(), 2U);
  EXPECT_FALSE(some.is_all);
  EXPECT_EQ(some.input[0].event, "a" + large);
  std::vector<SearcherStep::Entry> taken;
  for (const auto& item : some.input) taken.push_back({.event = 1, .decisions = {}, .inbox_id = item.inbox_id});
  must(searcher.append(epoch, step(1, std::move(taken))));
  const auto rest = must(searcher.pending(experiment_id, 1'500));
  ASSERT_EQ(rest.input.size(), 1U);
  EXPECT_EQ(rest.input[0].event, "c" + large);
  EXPECT_TRUE(rest.is_all);
}

TEST_F(SearcherEvents, CloseTrialsSoThatOnlyTheOthersAreLookedAt) {
  SearcherStep first = step(1, {{.event = 1, .decisions = 1, .inbox_id = {}}});
  first.creates = {new_trial(experiment_id), new_trial(experiment_id), new_trial(experiment_id)};
  const auto created = must(searcher.append(epoch, first));
  SearcherStep second = step(2, {{.event = 2, .decisions = 2, .inbox_id = {}}});
  second.closes = {created[0].request_id, created[2].request_id};
  must(trials.transition(epoch, created[0].id, {model::TrialState::kActive}, model::TrialState::kError, "broke"));
  must(trials.transition(epoch, created[2].id, {model::TrialState::kActive}, model::TrialState::kCompleted, ""));
  must(searcher.append(epoch, std::move(second)));
  const auto open = must(trials.open_of_experiment(experiment_id));
  ASSERT_EQ(open.size(), 1U);
  EXPECT_EQ(open[0].id, created[1].id);
  EXPECT_EQ(must(trials.of_experiment(experiment_id)).size(), 3U);
  EXPECT_EQ(must(trials.counts(experiment_id)), (TrialCounts{.total = 3, .completed = 1, .errored = 1}));
  EXPECT_EQ(must(trials.first_failed(experiment_id))->exit_reason, "broke");
  EXPECT_EQ(must(trials.numbers(experiment_id)).at(created[1].request_id), created[1].id);
}

TEST_F(SearcherEvents, ReachTheRunnerOfACustomSearchUntilItAnswers) {
  CustomSearchStore custom(pool);
  SearcherStep first = step(1, {{.event = 1, .decisions = 1, .inbox_id = {}}});
  first.tells = {{.number = 1, .event = {{"in", "initial"}}}, {.number = 2, .event = 2}, {.number = 3, .event = 3}};
  must(searcher.append(epoch, first));
  ASSERT_EQ(must(custom.waiting(experiment_id)).size(), 3U);
  must(custom.answer(experiment_id, 2, {{"a", 1}}, false));
  must(custom.answer(experiment_id, 2, {{"a", 2}}, false));
  must(custom.answer(experiment_id, 1, {{"a", 3}}, false));
  ASSERT_EQ(must(custom.waiting(experiment_id)).size(), 1U);
  const auto input = must(searcher.pending(experiment_id)).input;
  ASSERT_EQ(input.size(), 1U) << "an answer told again has no effect";
  EXPECT_EQ(input[0].event, json({{"a", 1}}));
  EXPECT_EQ(run(custom.answer(experiment_id, 4, {}, false)).error().code, ErrorCode::kInvalidArgument);
}

TEST_F(SearcherEvents, OfAnUnknownExperimentAreRefused) {
  EXPECT_EQ(run(searcher.add_input({99}, "k", {})).error().message, "experiment '99' not found");
  EXPECT_TRUE(must(searcher.events({99}, 0, 10)).events.empty());
}

}  // namespace
}  // namespace det::store
