#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/api/fixture.h"

namespace det::api {
namespace {

using testing::HasSubstr;

constexpr const char* kId = "00000000-0000-4000-8000-000000000001";

struct CustomSearch : ApiTest {
  static constexpr const char* kCustom =
      "name: custom\nentrypoint: python3 train.py\n"
      "searcher: {name: custom, metric: loss, unit: batches}\n"
      "checkpoint_storage: {type: shared_fs, host_path: /tmp/ckpt}\n";

  void begin() {
    experiment = {create(kCustom)};
    epoch = must(cluster.raise_epoch());
    events = "/api/v1/experiments/" + to_string(experiment) + "/searcher_events";
    operations = "/api/v1/experiments/" + to_string(experiment) + "/searcher_operations";
  }
  // As a step of the leader does it.
  void tell(std::int64_t number, const json& event) {
    store::SearcherStep step{.experiment = experiment, .first_seq = number, .entries = {}, .creates = {}};
    step.entries.push_back({.event = event, .decisions = json::array(), .inbox_id = {}});
    step.tells.push_back({.number = number, .event = event});
    must(searcher.append(epoch, std::move(step)));
  }
  json waiting() { return get(events).body().at("searcherEvents"); }
  Answer answer(const json& number, const json& list) {
    return post(
        operations,
        {{"experimentId", experiment.value}, {"searcherOperations", list}, {"triggeredByEvent", {{"id", number}}}});
  }
  std::vector<json> inbox() {
    std::vector<json> input;
    for (const auto& item : must(searcher.pending(experiment)).input) input.push_back(item.event);
    return input;
  }
  void set_state(const std::string& state) {
    sql("UPDATE experiments SET state = '" + state + "' WHERE id = " + to_string(experiment));
  }

  model::ExperimentId experiment;
  store::Epoch epoch;
  std::string events, operations;
};

TEST_F(CustomSearch, TellsItsRunnerInTheWordsOfTheOldProtocol) {
  begin();
  tell(1, {{"in", "initial"}});
  tell(2, {{"in", "created"}, {"id", kId}});
  tell(3, {{"in", "validation"}, {"id", kId}, {"length", 5}, {"metric", 0.5}});
  tell(4, {{"in", "validation"}, {"id", kId}, {"length", 6}, {"metric", 0.5}, {"answer", {{"a", 1}}}});
  tell(5, {{"in", "exited_early"}, {"id", kId}, {"reason", "ERRORED"}});
  tell(6, {{"in", "exited_early"}, {"id", kId}, {"reason", "USER_CANCELED"}});
  tell(7, {{"in", "progress"}, {"id", kId}, {"value", 2.5}});
  tell(8, {{"in", "exited"}, {"id", kId}});
  const auto of = [](const json& more) {
    json all = {{"requestId", kId}};
    all.update(more);
    return all;
  };
  EXPECT_EQ(
      waiting(),
      (json::array({{{"id", 1}, {"initialOperations", {{"placeholder", 0}}}},
                    {{"id", 2}, {"trialCreated", of(json::object())}},
                    {{"id", 3}, {"validationCompleted", of({{"metric", 0.5}, {"validateAfterLength", "5"}})}},
                    {{"id", 4}, {"validationCompleted", of({{"metric", {{"a", 1}}}, {"validateAfterLength", "6"}})}},
                    {{"id", 5}, {"trialExitedEarly", of({{"exitedReason", "EXITED_REASON_UNSPECIFIED"}})}},
                    {{"id", 6}, {"trialExitedEarly", of({{"exitedReason", "EXITED_REASON_USER_REQUESTED_STOP"}})}},
                    {{"id", 7}, {"trialProgress", of({{"partialUnits", 2.5}})}},
                    {{"id", 8}, {"trialClosed", of(json::object())}}})));
}

TEST_F(CustomSearch, TakesAnAnswerOnceHoweverOftenItIsPosted) {
  begin();
  tell(1, {{"in", "initial"}});
  tell(2, {{"in", "created"}, {"id", kId}});
  const json list = {{{"createTrial", {{"requestId", kId}, {"hyperparams", "{\"lr\": 0.5}"}}}},
                     {{"trialOperation", {{"validateAfter", {{"requestId", kId}, {"length", "7"}}}}}},
                     {{"closeTrial", {{"requestId", kId}}}},
                     {{"setSearcherProgress", {{"progress", 0.25}}}}};
  EXPECT_EQ(answer(1, list).body(), json::object());
  EXPECT_EQ(answer("1", list).status, 200) << "a retry, and the id as text";
  const json wishes = {{{"t", "create"}, {"id", kId}, {"seed", 0}, {"hp", {{"lr", 0.5}}}},
                       {{"t", "validate_after"}, {"id", kId}, {"length", 7}},
                       {{"t", "close"}, {"id", kId}}};
  EXPECT_EQ(
      inbox(),
      (std::vector<json>{{{"kind", "commands"},
                          {"commands", {{"in", "commands"}, {"number", 1}, {"wishes", wishes}, {"progress", 0.25}}}}}));
  ASSERT_EQ(waiting().size(), 1U) << "the second event still waits for its answer";
  EXPECT_EQ(waiting()[0].at("id"), 2);
  tell(3, {{"in", "exited"}, {"id", kId}});
  EXPECT_EQ(answer(3, json::array()).status, 200);
  EXPECT_EQ(answer(2, list).status, 200) << "the answer of the third was one to the second, too";
  EXPECT_EQ(inbox().size(), 2U);
  EXPECT_THAT(answer(9, json::array()).error(), HasSubstr("failed to remove events from queue"));
}

TEST_F(CustomSearch, RefusesWhatIsNoOperationAndNamesIt) {
  begin();
  tell(1, {{"in", "initial"}});
  const auto error_of = [&](const json& operation) {
    const Answer refused = answer(1, json::array({operation}));
    EXPECT_EQ(refused.status, 400) << refused.text;
    return refused.error();
  };
  EXPECT_THAT(error_of({{"dance", 1}}), HasSubstr("searcherOperations[0]: expected one of createTrial"));
  EXPECT_THAT(error_of({{"createTrial", {{"requestId", "x"}}}}), HasSubstr("createTrial.requestId: \"x\" is no UUID"));
  EXPECT_THAT(error_of({{"createTrial", {{"requestId", kId}, {"hyperparams", "[1]"}}}}),
              HasSubstr("createTrial.hyperparams"));
  EXPECT_THAT(error_of({{"trialOperation", {{"validateAfter", {{"requestId", kId}}}}}}),
              HasSubstr("length: must be >= 1"));
  EXPECT_THAT(error_of({{"setSearcherProgress", json::object()}}), HasSubstr("progress"));
  EXPECT_THAT(post(operations, json::object()).error(), HasSubstr("triggeredByEvent"));
  EXPECT_TRUE(inbox().empty());
  EXPECT_EQ(waiting().size(), 1U) << "nothing was answered";
}

// No program would start with them.
TEST_F(CustomSearch, RefusesHyperparametersThatNoVariableHolds) {
  begin();
  tell(1, {{"in", "initial"}});
  const auto with = [](std::size_t bytes) {
    return json::array({{{"createTrial", {{"requestId", kId}, {"hyperparams", {{"a", std::string(bytes, 'x')}}}}}}});
  };
  const Answer refused = answer(1, with(128 << 10));
  EXPECT_EQ(refused.status, 400);
  EXPECT_THAT(refused.error(),
              HasSubstr("searcherOperations[0].createTrial.hyperparams: has 131080 bytes; up to 131059 work"));
  EXPECT_TRUE(inbox().empty());
  EXPECT_EQ(answer(1, with(128'000)).status, 200);
}

TEST_F(CustomSearch, RefusesHyperparametersThatNestTooDeepToBeCopied) {
  begin();
  tell(1, {{"in", "initial"}});
  const auto deep = [](std::size_t levels) {
    const std::string text = R"({"a":)" + std::string(levels - 1, '[') + std::string(levels - 1, ']') + "}";
    return json::array({{{"createTrial", {{"requestId", kId}, {"hyperparams", text}}}}});
  };
  const Answer refused = answer(1, deep(1'000'000));
  EXPECT_EQ(refused.status, 400);
  EXPECT_THAT(refused.error(), HasSubstr("searcherOperations[0].createTrial.hyperparams: nests objects and lists more "
                                         "than 100 deep"));
  EXPECT_LT(refused.error().size(), 300U);
  EXPECT_TRUE(inbox().empty());
  EXPECT_EQ(answer(1, deep(100)).status, 200);
}

TEST_F(CustomSearch, CreatesSoManyTrialsInOneAnswerAndNoMore) {
  begin();
  tell(1, {{"in", "initial"}});
  const json create = {{"createTrial", {{"requestId", kId}, {"hyperparams", "{}"}}}};
  const Answer refused = answer(1, json(2'001, create));
  EXPECT_EQ(refused.status, 400);
  EXPECT_THAT(refused.error(),
              HasSubstr("searcherOperations: creates 2001 trials, and one answer creates at most 2000"));
  EXPECT_EQ(answer(1, json(2'000, create)).status, 200);
}

TEST_F(CustomSearch, IsOverWithItsShutDown) {
  begin();
  tell(1, {{"in", "initial"}});
  tell(2, {{"in", "created"}, {"id", kId}});
  EXPECT_EQ(answer(1, {{{"shutDown", {{"failure", true}}}}}).status, 200);
  EXPECT_EQ(answer(2, json::array()).status, 200) << "the runner held it already";
  EXPECT_EQ(inbox().size(), 1U);
  set_state("COMPLETED");
  EXPECT_EQ(waiting(), (json::array({{{"id", -1}, {"experimentInactive", {{"experimentState", "STATE_COMPLETED"}}}}})));
  EXPECT_EQ(answer(2, json::array()).status, 200);
  set_state("PAUSED");
  EXPECT_EQ(waiting()[0]["experimentInactive"]["experimentState"], "STATE_PAUSED");
}

TEST_F(CustomSearch, HearsHowFarItsTrialsAreAndLetsThemAskForWork) {
  begin();
  const auto trial = started_trial_of(experiment, "task-token");
  const std::string path = "/api/v1/trials/" + to_string(trial.id);
  EXPECT_EQ(post(path + "/progress", {{"progress", 3}}).status, 200);
  EXPECT_EQ(post(path + "/progress", {{"progress", 3}}).status, 200) << "told again";
  EXPECT_EQ(inbox(), (std::vector<json>{{{"kind", "progress"}, {"request_id", trial.request_id}, {"units", 3.0}}}));
  must(trials.order_work(epoch, {{.trial = trial.id, .length = 20, .is_last = true}}));
  EXPECT_EQ(get(path + "/searcher/operation").body().at("op"), (json{{"validateAfter", {{"length", "20"}}}}));
}

TEST_F(CustomSearch, RoutesAreRefusedForSearchesThatDecideThemselves) {
  const std::string path = "/api/v1/experiments/" + std::to_string(create());
  EXPECT_THAT(get(path + "/searcher_events").error(), HasSubstr("has the searcher 'single', which decides by itself"));
  EXPECT_EQ(post(path + "/searcher_operations", {{"triggeredByEvent", {{"id", 1}}}}).status, 400);
  EXPECT_EQ(get("/api/v1/experiments/999/searcher_events").status, 404);
}

}  // namespace
}  // namespace det::api
