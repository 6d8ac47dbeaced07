#include "operator/trial/stored_pod.h"

#include <map>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/yaml.h"
#include "operator/trial/trial_status.h"

namespace det::op {
namespace {

using nlohmann::json;
using testing::HasSubstr;

json yaml(std::string_view text) {
  return parse_yaml(text).value();
}

pods::PodSettings settings(std::string_view master_yaml = "{}") {
  pods::PodSettings made;
  auto read = model::read_master_config(yaml(master_yaml));
  EXPECT_TRUE(read) << (read ? "" : read.error().message);
  if (read) made.master = std::move(read->config);
  return made;
}

// An experiment that was accepted when `written` was allowed, and when the defaults of then gave `given`.
store::ExperimentRow accepted(const std::string& written, std::string_view given = "{}") {
  store::ExperimentRow row;
  row.ns = "research";
  row.original_config = written;
  row.config = yaml(written);
  row.config["resources"] = {{"slots_per_trial", 1}, {"resource_pool", "default"}};
  row.config.merge_patch(yaml(given));
  return row;
}

constexpr const char* kGitRepo =
    "{environment: {pod_spec: {spec: {volumes: [{name: v, gitRepo: {repository: r}}]}}}, entrypoint: x}";

std::string said(const std::optional<GangWait>& waits) {
  return waits ? waits->message : "";
}

TEST(StoredPod, WaitsForThePolicyAndNamesFieldAndList) {
  const auto waits = wait_for_policy(settings(), accepted(kGitRepo), "default", json(), false);
  ASSERT_TRUE(waits);
  EXPECT_EQ(waits->reason, "PodPolicy");
  EXPECT_EQ(waits->tree["code"], "PodPolicy");
  EXPECT_TRUE(waits->retry_in) << "a pool's policy may change any time";
  EXPECT_THAT(waits->message, HasSubstr("spec.config.environment.pod_spec.spec.volumes[0].gitRepo: "));
  EXPECT_THAT(waits->message, HasSubstr("pod_policy.fields of master.yaml"));
}

TEST(StoredPod, GoesOnWhenThePolicyAllowsIt) {
  const pods::PodSettings cluster = settings("{pod_policy: {fields: [spec.volumes.gitRepo]}}");
  EXPECT_EQ(said(wait_for_policy(cluster, accepted(kGitRepo), "default", json(), false)), "");
  const pods::PodSettings pool =
      settings("{resource_pools: [{pool_name: default, pod_policy: {fields: [spec.volumes.gitRepo]}}]}");
  EXPECT_EQ(said(wait_for_policy(pool, accepted(kGitRepo), "default", json(), false)), "");
  EXPECT_EQ(said(wait_for_policy(settings(), accepted("{entrypoint: x}"), "default", json(), false)), "");
}

TEST(StoredPod, KeepsWhatTheDefaultsOfThenGave) {
  constexpr std::string_view kGiven = R"(
checkpoint_storage: {type: shared_fs, host_path: /old}
environment: {pod_spec: {spec: {containers: [{name: watcher, image: w, securityContext: {privileged: true}}]}}}
)";
  const store::ExperimentRow row = accepted("{entrypoint: x}", kGiven);
  EXPECT_EQ(said(wait_for_policy(settings(), row, "default", json(), false)), "");
  EXPECT_THAT(said(wait_for_policy(settings(), row, "default", json(), true)), HasSubstr("privileged"))
      << "from the template, perhaps";
  const pods::PodSettings same = settings(R"(
checkpoint_storage: {type: shared_fs, host_path: /old}
task_container_defaults:
  gpu_pod_spec: {spec: {containers: [{name: watcher, image: w, securityContext: {privileged: true}}]}}
)");
  EXPECT_EQ(said(wait_for_policy(same, row, "default", json(), true)), "") << "today's defaults have it, too";
}

TEST(StoredPod, CountsWhatPeopleWroteThatCannotBeReadAsAll) {
  store::ExperimentRow row = accepted(kGitRepo);
  row.original_config = "{";
  EXPECT_THAT(said(wait_for_policy(settings(), row, "default", json(), false)), HasSubstr("gitRepo"));
}

TEST(StoredPod, HoldsForTheSourceOfTheCode) {
  const json source = yaml("{git: {url: u, secretName: keys}}");
  EXPECT_THAT(said(wait_for_policy(settings(), accepted("{entrypoint: x}"), "default", source, false)),
              HasSubstr("spec.context.git.secretName: the secret \"keys\" may not be used here"));
  EXPECT_EQ(said(wait_for_policy(settings("{pod_policy: {secrets: [keys]}}"), accepted("{entrypoint: x}"), "default",
                                 source, false)),
            "");
}

TEST(StoredPod, SaysTheFirstFewOfManyThings) {
  std::string volumes;
  for (int i = 0; i < 9; ++i) volumes += "{name: v" + std::to_string(i) + ", gitRepo: {repository: r}}, ";
  const auto row = accepted("{environment: {pod_spec: {spec: {volumes: [" + volumes + "]}}}}");
  EXPECT_THAT(said(wait_for_policy(settings(), row, "default", json(), false)), testing::EndsWith("; and 4 more"));
}

// A task's slots and pool stand elsewhere in its configuration, and decide which defaults and which policy it has.
TEST(StoredPod, AnswersForTasksToo) {
  const pods::PodSettings cluster =
      settings("{resource_pools: [{pool_name: lab, pod_policy: {fields: [spec.volumes.gitRepo]}}]}");
  const json config = yaml(kGitRepo);
  const json no_code;
  const auto waits = [&](const std::string& pool, std::optional<json> written) {
    return said(wait_for_policy(cluster, {.whose = "task",
                                          .ns = "research",
                                          .slots = 0,
                                          .pool = pool,
                                          .config = config,
                                          .written = std::move(written),
                                          .source = no_code}));
  };
  EXPECT_THAT(waits("", config), HasSubstr("pod_policy allows the task's pods no longer"));
  EXPECT_EQ(waits("lab", config), "");
  EXPECT_NE(waits("", std::nullopt), "") << "by a template, perhaps";
  EXPECT_EQ(waits("", json::object()), "") << "the defaults of then gave it";
}

TEST(StoredPod, ShowsAsAStalledTrialThatIsNotOver) {
  RunFacts facts;
  facts.run_is_open = true;
  facts.gang.waiting_reason = kPodPolicyWait;
  facts.gang.waiting_message = "pod_policy allows no longer";
  store::TrialRow row;
  row.state = model::TrialState::kActive;
  RunDecision decision;
  decision.step = RunStep::kCreatePods;
  const json status = trial_status({}, row, facts, decision, WallTime());
  EXPECT_EQ(status["state"], "QUEUED");
  std::map<std::string, json> conditions;
  for (const json& one : status["conditions"]) conditions[one["type"]] = one;
  EXPECT_EQ(conditions["Stalled"]["status"], "True");
  EXPECT_EQ(conditions["Stalled"]["reason"], "PodPolicy");
  EXPECT_EQ(conditions["Stalled"]["message"], "pod_policy allows no longer");
  EXPECT_EQ(conditions["Running"]["reason"], "PodPolicy");
  EXPECT_FALSE(conditions.contains("Failed"));
}

}  // namespace
}  // namespace det::op
