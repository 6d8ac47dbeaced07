// The searcher's work for harnesses of before 0.38, warm starts, and continuing what is over.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>

#include "api/experiments/experiment_continue.h"
#include "tests/api/fixture.h"

namespace det::api {
namespace {

using testing::HasSubstr;

constexpr const char* kByLength =
    "name: const\nentrypoint: python3 train.py\n"
    "searcher: {name: single, metric: loss, max_length: {batches: 20}}\n"
    "checkpoint_storage: {type: shared_fs, host_path: /tmp/ckpt}\n";

struct Operations : ApiTest {
  void begin(const std::string& yaml = kByLength) {
    experiment = {create(yaml)};
    trial = started_trial_of(experiment, "task-token");
    epoch = must(cluster.load_or_create()).epoch;
    path = "/api/v1/trials/" + to_string(trial.id) + "/searcher/";
  }
  Answer complete(const json& length, const json& metric = 0.5) {
    return post(path + "completed_operation", {{"op", {{"length", length}}}, {"searcherMetric", metric}});
  }
  json operation() { return get(path + "operation").body(); }

  const json out_of_work = {{"op", nullptr}, {"completed", true}};
  model::ExperimentId experiment;
  store::TrialRow trial;
  store::Epoch epoch;
  std::string path;
};

TEST_F(Operations, AreHandedOutCompletedAndOver) {
  begin();
  must(trials.order_work(epoch, {{.trial = trial.id, .length = 20, .is_last = true}}));
  EXPECT_EQ(operation(), (json{{"op", {{"validateAfter", {{"length", "20"}}}}}, {"completed", false}}));
  EXPECT_TRUE(must(trials.find(trial.id))->work.is_asked_for);
  EXPECT_EQ(complete(20).body(), json::object());
  EXPECT_EQ(complete("20").status, 200) << "a retry, and the length as text";
  EXPECT_EQ(operation(), out_of_work);
  EXPECT_EQ(must(searcher.pending(experiment)).input.size(), 1U);
}

TEST_F(Operations, BetweenRungsThereIsNoWorkForNow) {
  begin();
  must(trials.order_work(epoch, {{.trial = trial.id, .length = 5}}));
  complete(5);
  must(trials.order_work(epoch, {{.trial = trial.id, .length = 5, .settled = 5}}));
  EXPECT_EQ(operation(), out_of_work);
}

TEST_F(Operations, AreWaitedForOnlyWhileTheTrialMayStay) {
  begin();
  must(trials.order_work(epoch, {{.trial = trial.id, .length = 5}}));
  complete(5);
  must(allocations.request_preemption(trial.task_id + ".1"));
  EXPECT_EQ(operation(), out_of_work) << "the search has not decided, but the slots are wanted back";
}

TEST_F(Operations, OfWrongFormAreRefused) {
  begin();
  must(trials.order_work(epoch, {{.trial = trial.id, .length = 20}}));
  EXPECT_THAT(complete(30).error(), HasSubstr("expected op {ValidateAfter"));
  EXPECT_EQ(complete(30).status, 400);
  EXPECT_THAT(post(path + "completed_operation", {{"searcherMetric", 1}}).error(), HasSubstr("op"));
  EXPECT_EQ(get("/api/v1/trials/999/searcher/operation").status, 404);
}

TEST_F(Operations, NeedALengthInTheConfiguration) {
  begin(kConst);
  const Answer refused = get(path + "operation");
  EXPECT_EQ(refused.status, 400);
  EXPECT_THAT(refused.error(), HasSubstr("add `max_length: {batches: N}`"));
}

TEST_F(Operations, TellHowFarAValidationIsInTheUnitOfTheLength) {
  begin();
  const json report = {{"group", "validation"},
                       {"metrics",
                        {{"trialId", trial.id.value},
                         {"trialRunId", 1},
                         {"stepsCompleted", 7},
                         {"metrics", {{"avgMetrics", {{"loss", 0.5}}}}}}}};
  EXPECT_EQ(post("/api/v1/trials/" + to_string(trial.id) + "/metrics", report).status, 200);
  EXPECT_EQ(must(searcher.pending(experiment)).input.at(0).event["trained"], 7);
}

struct WarmStart : Operations {};

TEST_F(WarmStart, IsRefusedWhenThereIsNothingToStartFrom) {
  begin();
  const std::string source = "searcher: {name: single, metric: loss, source_trial_id: " + to_string(trial.id) + "}\n";
  const std::string yaml = "entrypoint: a\ncheckpoint_storage: {type: shared_fs, host_path: /tmp/x}\n" + source;
  const Answer refused = post("/api/v1/experiments", {{"config", yaml}});
  EXPECT_EQ(refused.status, 400);
  EXPECT_THAT(refused.error(), HasSubstr("no checkpoint found for source trial " + to_string(trial.id)));
  store::CheckpointRow row;
  row.uuid = uuid_v4();
  row.task_id = trial.task_id;
  must(checkpoints.report(row));
  EXPECT_EQ(post("/api/v1/experiments", {{"config", yaml}}).status, 200);
}

struct Continue : Operations {
  Answer go_on(const std::string& override_yaml = {}) {
    return post("/api/v1/experiments/continue", {{"id", experiment.value}, {"overrideConfig", override_yaml}});
  }
  void end(model::TrialState trial_state, model::ExperimentState state) {
    must(trials.transition(epoch, trial.id, {model::TrialState::kActive}, trial_state, "x"));
    must(experiments.transition(epoch, experiment, {model::ExperimentState::kActive}, state, "x"));
  }
};

TEST_F(Continue, GivesAnExperimentThatIsOverANewObject) {
  begin();
  end(model::TrialState::kCompleted, model::ExperimentState::kCompleted);
  const json before = object(experiment.value);
  const auto seed = must(experiments.find(experiment))->config["reproducibility"]["experiment_seed"];
  const Answer went = go_on("searcher: {max_length: {batches: 40}}\n");
  ASSERT_EQ(went.status, 200) << went.text;
  EXPECT_EQ(went.body()["experiment"]["id"], experiment.value);
  const json now = object(experiment.value);
  EXPECT_NE(now["metadata"]["uid"], before["metadata"]["uid"]);
  EXPECT_EQ(now["spec"]["config"]["searcher"]["max_length"], json({{"batches", 40}}));
  EXPECT_EQ(now["spec"].value("context", json()), before["spec"].value("context", json()));
  const auto row = must(experiments.find(experiment)).value();
  EXPECT_EQ(now["metadata"]["uid"], row.uid);
  EXPECT_EQ(row.state, model::ExperimentState::kActive);
  EXPECT_EQ(row.config["reproducibility"]["experiment_seed"], seed) << "so that the search finds its trials again";
  EXPECT_EQ(must(trials.find(trial.id))->state, model::TrialState::kActive);
}

// Else the next `kubectl apply` of the file that it was made of would fail.
TEST_F(Continue, KeepsWhatIsWrittenInTheObjectBeside) {
  begin();
  end(model::TrialState::kCompleted, model::ExperimentState::kCompleted);
  const k8s::ObjectKey key{.ns = "team", .name = "exp-" + to_string(experiment)};
  json old = object(experiment.value);
  old["metadata"]["labels"] = {{"team", "vision"}};
  old["metadata"]["annotations"]["kubectl.kubernetes.io/last-applied-configuration"] = "{}";
  old["spec"]["context"] = {{"configMap", {{"name", "code"}}}};
  kubernetes.overwrite(k8s::experiments(), key, old);
  const Answer went = go_on();
  ASSERT_EQ(went.status, 200) << went.text;
  const json now = object(experiment.value);
  EXPECT_NE(now["metadata"]["uid"], old["metadata"]["uid"]);
  EXPECT_EQ(now["metadata"]["labels"], old["metadata"]["labels"]);
  EXPECT_EQ(now["metadata"]["annotations"]["kubectl.kubernetes.io/last-applied-configuration"], "{}");
  EXPECT_EQ(now["spec"]["context"], old["spec"]["context"]);
  const auto row = must(experiments.find(experiment)).value();
  EXPECT_EQ(now["metadata"]["annotations"]["det-operator.dev/nonce"], row.nonce);
}

// An object that is deleted with this policy takes the history along, which it goes on with.
TEST_F(Continue, KeepsTheHistoryOfAnObjectThatWouldTakeItAlong) {
  begin();
  end(model::TrialState::kCompleted, model::ExperimentState::kCompleted);
  const k8s::ObjectKey key{.ns = "team", .name = "exp-" + to_string(experiment)};
  json old = object(experiment.value);
  old["spec"]["deletionPolicy"] = "Delete";
  old["metadata"]["finalizers"] = {"test/held", "det-operator.dev/history"};
  kubernetes.overwrite(k8s::experiments(), key, old);
  json going;
  const auto release = [&]() -> Task<void> {
    while (!object(experiment.value)["metadata"].contains("deletionTimestamp")) {
      co_await clock.sleep_for(std::chrono::milliseconds(1));
    }
    going = object(experiment.value);
    json released = going;
    released["metadata"].erase("finalizers");
    kubernetes.overwrite(k8s::experiments(), key, released);
  };
  asio::co_spawn(io, release(), asio::detached);
  const Answer went = go_on();
  ASSERT_EQ(went.status, 200) << went.text;
  EXPECT_EQ(going["spec"]["deletionPolicy"], "Keep");
  EXPECT_EQ(going["metadata"]["finalizers"], json::array({"test/held"}));
  EXPECT_EQ(object(experiment.value)["spec"]["deletionPolicy"], "Delete");
  EXPECT_NE(object(experiment.value)["metadata"]["uid"], old["metadata"]["uid"]);
}

TEST_F(Continue, LeavesAnObjectAloneThatIsBeingDeletedWithItsHistory) {
  begin();
  end(model::TrialState::kCompleted, model::ExperimentState::kCompleted);
  const k8s::ObjectKey key{.ns = "team", .name = "exp-" + to_string(experiment)};
  json old = object(experiment.value);
  old["spec"]["deletionPolicy"] = "Delete";
  old["metadata"]["finalizers"] = {"det-operator.dev/history"};
  kubernetes.overwrite(k8s::experiments(), key, old);
  kubernetes.ask_to_delete(k8s::experiments(), key);
  EXPECT_THAT(go_on().error(), HasSubstr("is being deleted with its history"));
  EXPECT_EQ(object(experiment.value)["spec"]["deletionPolicy"], "Delete");
}

TEST_F(Continue, GoesOnWithWhatWasChangedWhileItRan) {
  begin();
  store::ExperimentPatch patch;
  patch.live = {
      {"priority", 70}, {"weight", 2.5}, {"max_slots", 8}, {"save_trial_latest", 3}, {"max_concurrent_trials", 2}};
  must(experiments.patch(experiment, patch));
  end(model::TrialState::kCompleted, model::ExperimentState::kCompleted);
  const Answer went = go_on("resources: {max_slots: 4}\n");
  ASSERT_EQ(went.status, 200) << went.text;
  const auto row = must(experiments.find(experiment)).value();
  EXPECT_EQ(row.live, json::object());
  for (const json& config : {row.config, object(experiment.value)["spec"]["config"]}) {
    EXPECT_EQ(config["resources"]["priority"], 70);
    EXPECT_EQ(config["resources"]["weight"], 2.5);
    EXPECT_EQ(config["resources"]["max_slots"], 4) << "the override is newer";
    EXPECT_EQ(config["checkpoint_storage"]["save_trial_latest"], 3);
    EXPECT_FALSE(config["searcher"].contains("max_concurrent_trials")) << "a single search takes none";
  }
}

TEST_F(Continue, TellsWhatOfTheOverrideHasNoEffect) {
  begin();
  end(model::TrialState::kCompleted, model::ExperimentState::kCompleted);
  const Answer went = go_on("resources: {weight: 3}\n");
  ASSERT_EQ(went.status, 200) << went.text;
  EXPECT_EQ(went.body()["warnings"], json::array());
  EXPECT_THAT(went.body()["configWarnings"].get<std::vector<std::string>>(),
              testing::ElementsAre(HasSubstr("resources.weight has no effect here")))
      << "and not what was told when it was accepted";
}

TEST_F(Continue, AddsToListsAndKeepsWhatTheClusterGave) {
  begin();
  end(model::TrialState::kCompleted, model::ExperimentState::kCompleted);
  ASSERT_EQ(go_on("environment: {environment_variables: [A=1]}").status, 200);
  must(experiments.transition(epoch, experiment, {model::ExperimentState::kActive}, model::ExperimentState::kCanceled,
                              "x"));
  const Answer went = go_on("environment: {environment_variables: [B=2]}\nlabels: [late]");
  ASSERT_EQ(went.status, 200) << went.text;
  const json config = must(experiments.find(experiment))->config;
  EXPECT_EQ(config["environment"]["environment_variables"]["cpu"], json({"A=1", "B=2"}));
  EXPECT_EQ(object(experiment.value)["spec"]["config"]["environment"]["environment_variables"]["cpu"],
            json({"A=1", "B=2"}));
  EXPECT_EQ(config["labels"], json({"late"}));
}

TEST_F(Continue, RefusesWhatCannotGoOn) {
  begin();
  EXPECT_EQ(go_on().error(), "experiment in non terminal state 'ACTIVE', try again later");
  end(model::TrialState::kError, model::ExperimentState::kError);
  EXPECT_THAT(go_on("project: other").error(), HasSubstr("overrideConfig.project: cannot be overridden"));
  EXPECT_THAT(go_on("searcher: {name: random}").error(), HasSubstr("the searcher cannot be changed"));
  EXPECT_THAT(go_on("- a").error(), HasSubstr("expected a mapping, got array"));
  EXPECT_THAT(go_on("max_restarts: many").error(), HasSubstr("max_restarts"));
  EXPECT_EQ(must(experiments.find(experiment))->state, model::ExperimentState::kError) << "nothing was touched";
  EXPECT_EQ(post("/api/v1/experiments/continue", {{"id", 999}}).status, 404);
}

TEST_F(Continue, LeavesAnObjectAloneThatIsAnotherExperiments) {
  begin();
  end(model::TrialState::kCompleted, model::ExperimentState::kCompleted);
  const k8s::ObjectKey key{.ns = "team", .name = "exp-" + to_string(experiment)};
  const json spec = object(experiment.value)["spec"];
  kubernetes.erase(k8s::experiments(), key);
  kubernetes.create(k8s::experiments(), {{"metadata", {{"name", key.name}, {"namespace", key.ns}}}, {"spec", spec}});
  const json other = object(experiment.value);
  const Answer refused = go_on();
  EXPECT_EQ(refused.status, 409) << refused.text;
  EXPECT_THAT(refused.error(), HasSubstr("is not the object that this experiment had"));
  EXPECT_EQ(object(experiment.value), other);
  EXPECT_EQ(must(experiments.find(experiment))->state, model::ExperimentState::kCompleted);
  kubernetes.erase(k8s::experiments(), key);
  EXPECT_EQ(go_on().status, 200);
}

TEST_F(Continue, ReplacesAnObjectThatAnEarlierRequestMadeAndDidNotTellOf) {
  begin();
  end(model::TrialState::kCompleted, model::ExperimentState::kCompleted);
  const json before = object(experiment.value);
  sql("UPDATE experiments SET uid = NULL RETURNING 1");
  EXPECT_EQ(go_on().status, 200);
  EXPECT_NE(object(experiment.value)["metadata"]["uid"], before["metadata"]["uid"]);
}

TEST_F(Continue, EndsWhenAnotherRequestOvertakesIt) {
  begin();
  end(model::TrialState::kCompleted, model::ExperimentState::kCompleted);
  const k8s::ObjectKey key{.ns = "team", .name = "exp-" + to_string(experiment)};
  json held = object(experiment.value);
  held["metadata"]["finalizers"] = {"test/held"};
  kubernetes.overwrite(k8s::experiments(), key, held);
  const auto overtake = [this, key]() -> Task<void> {
    while (!object(experiment.value)["metadata"].contains("deletionTimestamp")) {
      co_await clock.sleep_for(std::chrono::milliseconds(1));
    }
    sql("UPDATE experiments SET nonce = gen_random_uuid() RETURNING 1");
    json released = object(experiment.value);
    released["metadata"].erase("finalizers");
    kubernetes.overwrite(k8s::experiments(), key, released);
  };
  asio::co_spawn(io, overtake(), asio::detached);
  const Answer refused = go_on();
  EXPECT_EQ(refused.status, 400) << refused.text;
  EXPECT_THAT(refused.error(), HasSubstr("is being continued by another request"));
  EXPECT_TRUE(object(experiment.value).is_null()) << "it makes no object that nobody would adopt";
}

TEST_F(Continue, OfASearchNeedsATrialThatDidNotCompleteAndNoOverride) {
  begin(
      "name: r\nentrypoint: a\nsearcher: {name: random, metric: loss, max_trials: 1}\n"
      "checkpoint_storage: {type: shared_fs, host_path: /tmp/x}\n");
  end(model::TrialState::kCompleted, model::ExperimentState::kCompleted);
  EXPECT_EQ(go_on().error(), "experiment has been completed, cannot continue this experiment");
  EXPECT_THAT(go_on("max_restarts: 1").error(), HasSubstr("only the searcher 'single'"));
}

}  // namespace
}  // namespace det::api
