#include "operator/experiment/experiment_status.h"

#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

namespace det::op {
namespace {

using nlohmann::json;

const WallTime kNow = *parse_rfc3339("2026-11-21T12:00:00Z");

ExperimentFacts facts(std::vector<std::string> warnings) {
  ExperimentFacts facts;
  facts.row.id = model::ExperimentId{7};
  facts.row.state = model::ExperimentState::kActive;
  facts.warnings = std::move(warnings);
  return facts;
}

std::string accepted_message(const ExperimentFacts& facts) {
  const json accepted = experiment_status(ObservedExperiment(), facts, kNow)["conditions"][0];
  EXPECT_EQ(accepted["type"], "Accepted");
  EXPECT_EQ(accepted["status"], "True");
  EXPECT_EQ(accepted["reason"], "ConfigAccepted");
  return accepted["message"];
}

TEST(ExperimentStatus, TellsWhatWasAcceptedWithoutEffect) {
  EXPECT_EQ(accepted_message(facts({})), "experiment 7 was accepted");
  EXPECT_EQ(accepted_message(facts({"a has no effect here: b.", "c has no effect here: d."})),
            "experiment 7 was accepted\na has no effect here: b.\nc has no effect here: d.");
}

TEST(ExperimentStatus, TellsNoMoreOfThatThanPeopleRead) {
  const std::string message = accepted_message(facts(std::vector(1'000, std::string(100, 'x'))));
  EXPECT_LT(message.size(), 2'100u);
  EXPECT_THAT(message, testing::EndsWith(" more"));
}

TEST(ExperimentView, KnowsWhatOfTheObjectHasNoEffect) {
  const auto warnings = [](const char* spec) { return view_experiment({{"spec", json::parse(spec)}}).warnings; };
  EXPECT_THAT(warnings(R"({"config": {}, "deletionPolicy": "Keep", "suspend": true})"), testing::IsEmpty());
  EXPECT_THAT(warnings(R"({"config": {}, "deletionPolicy": "Delete", "project": "p"})"),
              testing::ElementsAre(testing::StartsWith("spec.project has no effect here: ")));
}

TEST(ExperimentView, IsKilledWhileItWaitsForItsHistoryToGo) {
  json object = {{"metadata", {{"finalizers", {"other", "det-operator.dev/history"}}}},
                 {"spec", {{"deletionPolicy", "Delete"}, {"suspend", true}}}};
  EXPECT_TRUE(view_experiment(object).has_finalizer);
  EXPECT_TRUE(view_experiment(object).deletes_history);
  EXPECT_EQ(view_experiment(object).stop, StopRequest::kNone);
  object["metadata"]["deletionTimestamp"] = "2026-01-01T00:00:00Z";
  EXPECT_EQ(view_experiment(object).stop, StopRequest::kKill);
  object["metadata"]["finalizers"] = {"other"};
  EXPECT_EQ(view_experiment(object).stop, StopRequest::kNone);
}

json condition_of(const ExperimentFacts& facts, const char* type) {
  const json status = experiment_status(ObservedExperiment(), facts, kNow);
  for (const json& one : status["conditions"]) {
    if (one["type"] == type) return one;
  }
  return {};
}

TEST(ExperimentStatus, HasOneConditionForEveryEnd) {
  ExperimentFacts over = facts({});
  EXPECT_TRUE(condition_of(over, "Ended").is_null());
  using enum model::ExperimentState;
  for (const auto& [state, reason] : {std::pair(kCompleted, "Completed"), {kError, "Error"}, {kCanceled, "Canceled"}}) {
    over.row.state = state;
    EXPECT_EQ(condition_of(over, "Ended")["status"], "True");
    EXPECT_EQ(condition_of(over, "Ended")["reason"], reason);
    EXPECT_EQ(condition_of(over, "Failed")["reason"], reason);
  }
}

TEST(ExperimentStatus, TellsWhatItWaitsFor) {
  ExperimentFacts waiting = facts({});
  EXPECT_EQ(condition_of(waiting, "Queued")["message"], "no trial has all its pods running yet");
  waiting.waiting_trial = "trial 3: needs 64 slots, the cluster has 2";
  EXPECT_EQ(condition_of(waiting, "Queued")["message"], "trial 3: needs 64 slots, the cluster has 2");
  waiting.running_trials = 1;
  EXPECT_EQ(condition_of(waiting, "Queued")["status"], "False");
  EXPECT_EQ(condition_of(waiting, "Queued")["message"], "");
}

TEST(ExperimentStatus, TellsWhatANodeCannotDoBeforeThatOthersWait) {
  const auto trial = [](std::int64_t id, const char* state, const char* reason, const char* message) {
    return keep_trial({{"spec", {{"trialID", id}}},
                       {"status",
                        {{"state", state},
                         {"message", message},
                         {"conditions", {{{"type", "Running"}, {"status", "False"}, {"reason", reason}}}}}}});
  };
  ExperimentFacts waiting = facts({});
  note_wait(waiting, trial(1, "STARTING", "ContainerCreating", "pod a waits"));
  EXPECT_EQ(condition_of(waiting, "Queued")["message"], "no trial has all its pods running yet");
  note_wait(waiting, trial(2, "QUEUED", "NotRunning", "1 trial of the experiment runs, max_concurrent_trials is 1"));
  EXPECT_EQ(condition_of(waiting, "Queued")["reason"], "WaitingForSlots");
  waiting = facts({});
  note_wait(waiting, trial(2, "QUEUED", "GangDoesNotFit", "needs 64 slots"));
  note_wait(waiting, trial(3, "QUEUED", "PodPolicy", "hostPath is not allowed"));
  EXPECT_EQ(condition_of(waiting, "Queued")["reason"], "GangDoesNotFit");
  EXPECT_EQ(condition_of(waiting, "Queued")["message"], "trial 2: needs 64 slots");
  note_wait(waiting, trial(3, "STARTING", "ImagePullBackOff", "no such image"));
  note_wait(waiting, trial(4, "STARTING", "FailedMount", "no such volume"));
  note_wait(waiting, trial(5, "QUEUED", "NotEnoughSlots", "needs 64 slots"));
  EXPECT_EQ(condition_of(waiting, "Queued")["reason"], "ImagePullBackOff");
  EXPECT_EQ(condition_of(waiting, "Queued")["message"], "trial 3: no such image");
}

TEST(ExperimentStatus, TellsThatNoTrialReportsTheMetricOfTheSearch) {
  ExperimentFacts misspelt = facts({});
  misspelt.row.config = {{"searcher", {{"metric", "vall_loss"}}}};
  EXPECT_TRUE(condition_of(misspelt, kMetricReported).is_null());
  misspelt.other_metrics = {"epoch", "val_loss"};
  const std::string said = "no trial reported 'vall_loss', the metric of the search; reported: epoch, val_loss";
  EXPECT_EQ(condition_of(misspelt, kMetricReported)["status"], "False");
  EXPECT_EQ(condition_of(misspelt, kMetricReported)["message"], said);
  misspelt.row.state = model::ExperimentState::kCompleted;
  EXPECT_EQ(condition_of(misspelt, "Complete")["status"], "True");
  EXPECT_EQ(condition_of(misspelt, "Complete")["message"], said);
}

TEST(ExperimentStatus, TellsTheBestValueShortAndWhole) {
  ExperimentFacts searched = facts({});
  searched.row.config = {{"searcher", {{"metric", "loss"}}}};
  searched.best = {.trial = {12}, .metric = 0.9040999412536621};
  const json expected = {
      {"id", 12}, {"metric", "0.9040999412536621"}, {"metricName", "loss"}, {"summary", "0.9041 (trial 12)"}};
  EXPECT_EQ(experiment_status(ObservedExperiment(), searched, WallTime())["bestTrial"], expected);
}

TEST(ExperimentStatus, TellsOfADeletionThatFailed) {
  ExperimentFacts deleting = facts({});
  const auto failed = [&] {
    const json status = experiment_status(ObservedExperiment(), deleting, WallTime());
    for (const json& one : status["conditions"]) {
      if (one["type"] == "Failed") return one["status"].get<std::string>() + " " + one["reason"].get<std::string>();
    }
    return std::string();
  };
  deleting.row.state = model::ExperimentState::kDeleting;
  EXPECT_EQ(failed(), "False Deleting");
  deleting.row.state = model::ExperimentState::kDeleteFailed;
  EXPECT_EQ(failed(), "True DeleteFailed");
}

}  // namespace
}  // namespace det::op
