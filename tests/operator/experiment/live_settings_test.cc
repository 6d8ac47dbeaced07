#include "operator/experiment/live_settings.h"

#include <limits>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace det::op {
namespace {

using nlohmann::json;

TEST(LiveSettings, AreWhatWasChangedSinceAcceptance) {
  const json accepted = {{"name", "a"}, {"resources", {{"slots_per_trial", 2}, {"priority", 50}}}};
  json now = accepted;
  EXPECT_EQ(live_settings(accepted, now), json::object());
  now["resources"]["priority"] = 10;
  now["resources"]["max_slots"] = 4;
  now["searcher"]["max_concurrent_trials"] = 3;
  EXPECT_EQ(live_settings(accepted, now), json({{"priority", 10}, {"max_slots", 4}, {"max_concurrent_trials", 3}}));
  EXPECT_FALSE(object_to_changes(accepted, now, json(), false));
}

TEST(LiveSettings, TakeThePoolFromItsName) {
  json now = {{"name", "a"}};
  const json accepted = now;
  for (const json& none : {json(7), json(""), json(), json::object()}) {
    now["resources"]["resource_pool"] = none;
    EXPECT_EQ(live_settings(accepted, now), json::object()) << none;
  }
  now["resources"]["resource_pool"] = "big";
  EXPECT_EQ(live_settings(accepted, now), json({{"resource_pool", "big"}}));
  EXPECT_FALSE(object_to_changes(accepted, now, json(), false));
  EXPECT_EQ(live_settings(now, accepted), json::object()) << "where it was accepted";
  model::ConfigPolicies policies;
  policies.global.invariant_config = {{"resources", {{"resource_pool", "small"}}}};
  const AllowedSettings kept = allow_settings(live_settings(accepted, now), json::object(), policies);
  EXPECT_EQ(kept.live, json::object());
  ASSERT_TRUE(kept.objection);
  EXPECT_NE(kept.objection->message.find("spec.config.resources.resource_pool: "), std::string::npos);
}

TEST(LiveSettings, OtherChangesAreNamed) {
  const json accepted = {{"resources", {{"slots_per_trial", 2}}}, {"entrypoint", "a"}};
  const json frozen = {{"resources", {{"slots_per_trial", 2}, {"max_slots", nullptr}}}, {"entrypoint", "a"}};
  const json now = {{"resources", {{"slots_per_trial", 4}, {"max_slots", 4}}}, {"hyperparameters", {{"lr", 1}}}};
  const auto objection = object_to_changes(accepted, now, frozen, false);
  ASSERT_TRUE(objection);
  EXPECT_EQ(objection->reason, "ImmutableFieldChanged");
  EXPECT_TRUE(
      objection->message.starts_with("spec.config.entrypoint, spec.config.hyperparameters.lr, "
                                     "spec.config.resources.slots_per_trial: changed after acceptance"))
      << objection->message;
}

TEST(LiveSettings, MasksStandForTheSecretsThatWereAccepted) {
  const json frozen = {{"checkpoint_storage", {{"type", "s3"}, {"bucket", "b"}, {"secret_key", "s"}}}};
  json masked = frozen;
  masked["checkpoint_storage"]["secret_key"] = "********";
  EXPECT_FALSE(object_to_changes(masked, frozen, frozen, false)) << "continued by REST, then applied again from Git";
  EXPECT_FALSE(object_to_changes(frozen, masked, frozen, false));
  json other = frozen;
  other["checkpoint_storage"]["secret_key"] = "t";
  const auto objection = object_to_changes(masked, other, frozen, false);
  ASSERT_TRUE(objection);
  EXPECT_NE(objection->message.find("spec.config.checkpoint_storage.secret_key: "), std::string::npos);
  EXPECT_EQ(objection->message.find("\"t\""), std::string::npos);
}

TEST(LiveSettings, StandBesideDefaultsThatAreWrittenDownLater) {
  const json accepted = {{"entrypoint", "a"}, {"resources", {{"slots_per_trial", 1}, {"priority", 40}}}};
  const json frozen = {{"entrypoint", "a"},
                       {"max_restarts", 5},
                       {"searcher", {{"name", "single"}, {"smaller_is_better", true}}},
                       {"resources", {{"slots_per_trial", 1}, {"priority", 40}}}};
  json now = {{"entrypoint", "a"},
              {"max_restarts", 5},
              {"hyperparameters", json::object()},
              {"searcher", {{"smaller_is_better", true}, {"max_concurrent_trials", 2}}},
              {"resources", {{"priority", 60}}}};
  EXPECT_FALSE(object_to_changes(accepted, now, frozen, false));
  EXPECT_EQ(live_settings(accepted, now), json({{"priority", 60}, {"max_concurrent_trials", 2}}));
  EXPECT_TRUE(object_to_changes(accepted, now, frozen, true)) << "the template may say how many slots";
  now["resources"].erase("priority");
  EXPECT_FALSE(object_to_changes(accepted, now, frozen, false));
  EXPECT_TRUE(objection_to_removed(accepted, now));
}

TEST(LiveSettings, ThatAreRemovedAreNamed) {
  const json accepted = {{"name", "a"}, {"labels", json::array()}, {"resources", {{"priority", 40}, {"max_slots", 1}}}};
  json now = accepted;
  now.erase("labels");  // there were none
  EXPECT_FALSE(objection_to_removed(accepted, now));
  now.erase("name");
  now["resources"] = {{"priority", 50}};
  EXPECT_FALSE(object_to_changes(accepted, now, json(), false));
  const auto objection = objection_to_removed(accepted, now);
  ASSERT_TRUE(objection);
  EXPECT_EQ(objection->reason, "FieldRemoved");
  EXPECT_EQ(objection->message,
            "spec.config.name, spec.config.resources.max_slots: removed after acceptance, which changes nothing; write "
            "the value that you want instead");
}

TEST(LiveSettings, ThatAConfigPolicyForbidsAreNotDone) {
  model::ConfigPolicies policies;
  policies.global.constraints = {.max_slots = 4, .priority_limit = 60};
  const json wished = {{"priority", 70}, {"max_slots", 8}, {"max_concurrent_trials", 3}};
  const AllowedSettings first = allow_settings(wished, json::object(), policies);
  EXPECT_EQ(first.live, json({{"max_concurrent_trials", 3}}));
  ASSERT_TRUE(first.objection);
  EXPECT_EQ(first.objection->message,
            "spec.config.resources.max_slots: requested slots is violates max slots constraint: 8 > 4\n"
            "spec.config.resources.priority: cannot change experiment priority to 70: priority exceeds task config "
            "policy's priority_limit");
  const AllowedSettings older = allow_settings(wished, {{"priority", 70}, {"max_slots", 2}}, policies);
  EXPECT_EQ(older.live, json({{"priority", 70}, {"max_slots", 2}, {"max_concurrent_trials", 3}}))
      << "what was done before the policy stays";
  EXPECT_FALSE(allow_settings({{"priority", 60}}, json::object(), policies).objection);
  policies.workspace.invariant_config = {{"searcher", {{"max_concurrent_trials", 2}}}};
  const AllowedSettings narrow = allow_settings({{"max_concurrent_trials", 3}}, json::object(), policies);
  EXPECT_EQ(narrow.live, json::object());
  ASSERT_TRUE(narrow.objection);
  EXPECT_EQ(narrow.objection->message,
            "spec.config.searcher.max_concurrent_trials: cannot change max_concurrent_trials to 3: "
            "max_concurrent_trials is enforced as an invariant config policy of 2");
}

TEST(RunLimits, LiveSettingsCount) {
  model::ExperimentConfig frozen;
  frozen.resources.max_slots = 8;
  frozen.searcher = {.name = "random", .max_concurrent_trials = 16};
  EXPECT_EQ(run_limits(frozen, json(), false).max_slots, 8);
  EXPECT_FALSE(run_limits(frozen, json(), false).max_trials) << "the search keeps to it";
  EXPECT_EQ(run_limits(frozen, json(), true).max_trials, 16) << "the search has more than that";
  const json now = {{"max_slots", 2}, {"max_concurrent_trials", 4}};
  EXPECT_EQ(run_limits(frozen, now, false).max_slots, 2);
  EXPECT_EQ(run_limits(frozen, now, false).max_trials, 4);
  EXPECT_EQ(run_limits(frozen, {{"max_concurrent_trials", 20}}, false).max_trials, 20);
  const json all = {{"max_concurrent_trials", 1'000'000'000'000}};
  EXPECT_EQ(run_limits(frozen, all, false).max_trials, std::numeric_limits<int>::max());
  EXPECT_FALSE(run_limits(model::ExperimentConfig(), json(), false).any());
}

TEST(RunLimits, OfASearchThatHasNoNumberOfItsOwn) {
  model::ExperimentConfig frozen;
  frozen.searcher.name = "custom";
  EXPECT_EQ(run_limits(frozen, {{"max_concurrent_trials", 16}}, false).max_trials, 16);
  EXPECT_FALSE(run_limits(frozen, json(), true).any());
}

TEST(QueuePriority, FollowsTheObject) {
  model::ExperimentConfig frozen;
  frozen.resources.priority = 40;
  EXPECT_EQ(queue_priority(frozen, json()), 40);
  EXPECT_EQ(queue_priority(frozen, {{"priority", 70}}), 70);
  EXPECT_EQ(queue_priority(model::ExperimentConfig(), json::object()), 50);
}

TEST(RunLimits, TheYoungestMakeRoom) {
  const std::vector<store::OpenRun> open = {{.trial = {3}, .slots = 2}, {.trial = {1}, .slots = 2}};
  const store::RunLimits four{.max_slots = 4, .max_trials = std::nullopt};
  EXPECT_EQ(over_limit(four, open, {3}, 2), "");
  EXPECT_EQ(over_limit(four, open, {1}, 2), "");
  EXPECT_EQ(over_limit(four, open, {2}, 2), "resources.max_slots is 4: 4 slots are in use, and this trial needs 2");
  const store::RunLimits two{.max_slots = 2, .max_trials = std::nullopt};
  EXPECT_EQ(over_limit(two, open, {3}, 2), "");
  EXPECT_NE(over_limit(two, open, {1}, 2), "");
  const store::RunLimits one{.max_slots = std::nullopt, .max_trials = 1};
  EXPECT_EQ(over_limit(one, open, {3}, 2), "");
  EXPECT_EQ(over_limit(one, open, {1}, 2), "searcher.max_concurrent_trials is 1, and 1 trials run");
}

}  // namespace
}  // namespace det::op
