#include <sstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "searcher/event_json.h"
#include "searcher/make_search.h"
#include "tests/api/fixture.h"

namespace det::api {
namespace {

using testing::HasSubstr;

struct SearchReplay : ApiTest {
  static constexpr const char* kRandom =
      "name: search\nentrypoint: python3 train.py\n"
      "searcher: {name: random, metric: loss, max_trials: 600, max_concurrent_trials: 300}\n"
      "hyperparameters: {lr: {type: double, minval: 0.1, maxval: 0.9}}\n"
      "checkpoint_storage: {type: shared_fs, host_path: /tmp/ckpt}\n";

  static constexpr const char* kHalving =
      "name: search\nentrypoint: python3 train.py\n"
      "searcher: {name: async_halving, metric: accuracy, smaller_is_better: false, max_trials: 9, num_rungs: 3,\n"
      "  divisor: 3, max_time: 9, time_metric: batches}\n"
      "hyperparameters: {lr: {type: double, minval: 0.1, maxval: 0.9}}\n"
      "checkpoint_storage: {type: shared_fs, host_path: /tmp/ckpt}\n";

  // Writes what the leader would: the search begins, and as many trials end.
  void log_a_search(int ends) {
    experiment = {create(kRandom)};
    const auto row = must(experiments.find(experiment));
    auto search = searcher::search_of(row->config).value();
    store::SearcherStep step{.experiment = experiment, .first_seq = 1, .entries = {}, .creates = {}};
    std::vector<searcher::RequestId> live;
    const auto take = [&](const searcher::Event& event) {
      const auto decisions = search.take(event).value();
      step.entries.push_back({.event = to_json(event), .decisions = to_json(decisions), .inbox_id = {}});
      return decisions;
    };
    const auto act = [&](const searcher::Event& event) {
      for (const auto& decision : take(event)) {
        const auto* created = std::get_if<searcher::Create>(&decision.action);
        if (created == nullptr) continue;
        live.push_back(created->request_id);
        step.creates.push_back({.experiment = experiment,
                                .request_id = to_string(created->request_id),
                                .hparams = created->hparams.json(),
                                .seed = created->trial_seed});
        take(searcher::TrialCreated{created->request_id});
      }
    };
    act(searcher::Started{});
    for (int i = 0; i < ends; ++i) act(searcher::Exited{live[static_cast<std::size_t>(i)]});
    epoch = must(cluster.raise_epoch());
    events = std::ssize(step.entries);
    must(searcher.append(epoch, std::move(step)));
  }
  std::vector<json> replay(const std::string& query = {}) {
    const Answer answer = get("/api/v1/experiments/" + to_string(experiment) + "/searcher/replay" + query);
    EXPECT_EQ(answer.status, 200) << answer.text;
    std::vector<json> items;
    std::istringstream lines(answer.text);
    for (std::string line; std::getline(lines, line);) items.push_back(json::parse(line).at("result"));
    return items;
  }

  model::ExperimentId experiment;
  store::Epoch epoch;
  std::int64_t events = 0;
};

TEST_F(SearchReplay, ArePassedToAnAccountFewAtATime) {
  log_a_search(1);
  const std::string path = "/api/v1/experiments/" + to_string(experiment) + "/searcher/replay";
  std::vector<http::Response> slow;
  for (std::size_t i = 0; i < StreamGate::kMostOfAccount; ++i) slow.push_back(unread(path));
  const Answer refused = get(path);
  EXPECT_EQ(refused.status, 429);
  EXPECT_THAT(refused.text, HasSubstr("4 replays of searches of yours are under way"));
  slow.pop_back();
  EXPECT_EQ(get(path).status, 200);
}

TEST_F(SearchReplay, TellsEveryEventWithItsDecisionsOverSeveralPages) {
  log_a_search(300);
  const auto items = replay();
  ASSERT_EQ(std::ssize(items), events + 1);
  EXPECT_EQ(items[0]["event"], (json{{"in", "initial"}}));
  ASSERT_EQ(items[0]["decisions"].size(), 300U);
  const json& first = items[0]["decisions"][0];
  EXPECT_EQ(first["t"], "create");
  EXPECT_NE(first["why"], "");
  const auto trials_now = must(trials.of_experiment(experiment));
  EXPECT_EQ(first["trial"], trials_now.front().id.value);
  EXPECT_EQ(items[1]["event"]["trial"], trials_now.front().id.value);
  EXPECT_EQ(items.back(), (json{{"summary",
                                 {{"experiment", experiment.value},
                                  {"events", events},
                                  {"setAside", 0},
                                  {"decisions", {{"create", 600}}},
                                  {"isOver", false}}}}));
}

TEST_F(SearchReplay, SendsThePartThatIsAskedForAndTheWholeSummary) {
  log_a_search(5);
  const auto all = replay();
  const auto part = replay("?after=2&limit=3");
  ASSERT_EQ(part.size(), 4U);
  EXPECT_EQ(part[0], all[2]);
  EXPECT_EQ(part[2], all[4]);
  EXPECT_EQ(part[3], all.back());
  EXPECT_EQ(replay("?after=1000000&limit=3").size(), 1U);
  for (const char* wrong : {"?after=-1", "?limit=-1", "?after=x", "?after=9223372036854775807"}) {
    EXPECT_EQ(get("/api/v1/experiments/" + to_string(experiment) + "/searcher/replay" + wrong).status, 400) << wrong;
  }
}

TEST_F(SearchReplay, TellsWhoStandsOnWhichRung) {
  experiment = {create(kHalving)};
  auto search = searcher::search_of(must(experiments.find(experiment))->config).value();
  store::SearcherStep step{.experiment = experiment, .first_seq = 1, .entries = {}, .creates = {}};
  std::vector<searcher::RequestId> trials;
  const auto take = [&](const searcher::Event& event) {
    const auto decisions = search.take(event).value();
    step.entries.push_back({.event = to_json(event), .decisions = to_json(decisions), .inbox_id = {}});
    for (const auto& decision : decisions) {
      const auto* created = std::get_if<searcher::Create>(&decision.action);
      if (created != nullptr) trials.push_back(created->request_id);
    }
  };
  take(searcher::Started{});
  ASSERT_GE(trials.size(), 3U);
  for (std::size_t i = 0; i < 3; ++i) take(searcher::TrialCreated{trials[i]});
  // Larger is better: the second is.
  const double accuracies[] = {0.1, 0.9, 0.5};
  for (std::size_t i = 0; i < 3; ++i) {
    take(searcher::Validated{trials[i], {{"accuracy", accuracies[i]}, {"batches", 1}}});
  }
  epoch = must(cluster.raise_epoch());
  must(searcher.append(epoch, std::move(step)));
  const json brackets = replay().back()["summary"]["brackets"];
  ASSERT_EQ(brackets.size(), 1U) << brackets;
  const json bottom = brackets[0]["rungs"][0];
  EXPECT_EQ(brackets[0]["rungs"].size(), 3U);
  EXPECT_EQ(bottom["length"], 1);
  EXPECT_EQ(bottom["results"], 3);
  EXPECT_EQ(bottom["best"][0]["id"], to_string(trials[1]));
  EXPECT_EQ(bottom["best"][0]["metric"], 0.9);
  EXPECT_EQ(bottom["best"][2]["metric"], 0.1);
  EXPECT_EQ(brackets[0]["rungs"][2]["results"], 0);
}

TEST_F(SearchReplay, EndsAtTheFirstDifferenceAndNamesIt) {
  log_a_search(5);
  sql("UPDATE searcher_events SET decisions = '[{\"t\": \"stop\", \"id\": \"x\"}]' WHERE seq = 302 AND experiment_id "
      "= " +
      to_string(experiment));
  const auto items = replay();
  EXPECT_THAT(items.back().value("difference", ""), HasSubstr("event 302 (exited "));
  EXPECT_EQ(items[items.size() - 2].at("seq"), 301);
}

TEST_F(SearchReplay, OfASearchThatHasNotBegunIsEmpty) {
  experiment = {create(kRandom)};
  const auto items = replay();
  ASSERT_EQ(items.size(), 1U);
  EXPECT_EQ(items[0]["summary"]["events"], 0);
  EXPECT_EQ(get("/api/v1/experiments/999/searcher/replay").status, 404);
}

}  // namespace
}  // namespace det::api
