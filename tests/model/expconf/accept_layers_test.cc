#include "model/expconf/accept_config.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/yaml.h"
#include "tests/model/expconf/accepting.h"

namespace det::model {
namespace {

using namespace test;

TEST(AcceptConfig, PutsTheClustersDefaultsUnderTheUsersConfig) {
  const json cluster = defaults(yaml(R"(
image: {cpu: cluster-cpu, cuda: cluster-cuda}
environment_variables: [A=cluster, B=cluster]
bind_mounts: [{host_path: /c, container_path: /data}, {host_path: /c2, container_path: /more}]
log_policies: [{name: CUDA OOM, pattern: mine, action: {type: cancel_retries}}]
preemption_timeout: 60
gpu_pod_spec: {spec: {nodeSelector: {kind: gpu}, tolerations: [{key: a}]}}
cpu_pod_spec: {spec: {nodeSelector: {kind: cpu}}}
startup_hook: echo
)"));
  json user = minimal();
  user["environment"] =
      yaml("{image: {cuda: mine}, environment_variables: {cuda: [B=mine]}, pod_spec: {spec: {hostname: h}}}");
  user["bind_mounts"] = yaml("[{host_path: /u, container_path: /data}]");
  const AcceptedConfig result = accepted(user, cluster);
  EXPECT_EQ(result.config.environment.image.cuda, "mine");
  EXPECT_EQ(result.config.environment.image.cpu, "cluster-cpu");
  EXPECT_THAT(result.config.environment.variables.of(SlotType::kCuda),
              testing::ElementsAre("A=cluster", "B=cluster", "B=mine"));
  ASSERT_EQ(result.config.bind_mounts.size(), 2U);
  EXPECT_EQ(result.config.bind_mounts[0].host_path, "/u");
  EXPECT_EQ(result.config.bind_mounts[1].container_path, "/more");
  EXPECT_EQ(result.config.log_policies[0], (LogPolicy{"CUDA OOM", "mine", "cancel_retries"}));
  EXPECT_EQ(result.config.log_policies.size(), 2U);
  EXPECT_EQ(result.config.preemption_timeout, std::chrono::seconds(60));
  EXPECT_EQ(result.document["environment"]["pod_spec"],
            yaml("{spec: {hostname: h, nodeSelector: {kind: gpu}, tolerations: [{key: a}]}}"));
  user["resources"] = {{"slots_per_trial", 0}};
  EXPECT_EQ(accepted(user, cluster).document["environment"]["pod_spec"]["spec"]["nodeSelector"]["kind"], "cpu");
}

TEST(AcceptConfig, LaysThePoolsDefaultsOnTheClusters) {
  json cluster = defaults(yaml(R"(
image: {cpu: c, cuda: c}
environment_variables: [A=cluster, B=cluster]
add_capabilities: [Z, M]
bind_mounts: [{host_path: /c, container_path: /a}, {host_path: /c, container_path: /b}]
gpu_pod_spec: {spec: {nodeSelector: {kind: cluster}, hostname: h}}
preemption_timeout: 60
force_pull_image: true
)"));
  cluster["default_compute_pool"] = "plain";
  cluster["default_aux_pool"] = "small";
  cluster["resource_pools"]["big"] = yaml(R"(
image: {cuda: pool}
environment_variables: [B=pool]
add_capabilities: [A]
bind_mounts: [{host_path: /p, container_path: /b}]
gpu_pod_spec: {spec: {nodeSelector: {kind: pool}}}
preemption_timeout: 0
force_pull_image: false
)");
  cluster["resource_pools"]["small"] = yaml("{image: tiny}");
  json user = minimal();
  EXPECT_EQ(accepted(user, cluster).document["environment"]["image"]["cuda"], "c");
  user["resources"] = {{"slots_per_trial", 0}};
  EXPECT_EQ(accepted(user, cluster).document["environment"]["image"]["cuda"], "tiny");
  user["resources"] = {{"resource_pool", "big"}};
  const json document = accepted(user, cluster).document;
  EXPECT_EQ(document["environment"]["image"]["cpu"], "c");
  EXPECT_EQ(document["environment"]["image"]["cuda"], "pool");
  EXPECT_EQ(document["environment"]["environment_variables"]["cuda"], json({"A=cluster", "B=pool"}));
  EXPECT_EQ(document["environment"]["add_capabilities"], json({"A", "M", "Z"}));
  EXPECT_EQ(document["bind_mounts"][0]["host_path"], "/p");
  EXPECT_EQ(document["bind_mounts"][1]["container_path"], "/a");
  EXPECT_EQ(document["environment"]["pod_spec"], yaml("{spec: {nodeSelector: {kind: pool}}}"));
  EXPECT_EQ(document["preemption_timeout"], 60);
  EXPECT_EQ(document["environment"]["force_pull_image"], true);
  cluster["resource_pools"]["big"]["image"] = 5;
  EXPECT_THAT(refused(minimal(), cluster),
              testing::HasSubstr("master.yaml.resource_pools.big.task_container_defaults.image: is neither"));
}

TEST(AcceptConfig, LaysTheUsersConfigOnTheTemplateAndBothOnTheClustersDefaults) {
  AcceptContext context = kContext;
  context.template_name = "base";
  context.template_config = yaml(R"(
searcher: {name: grid, metric: loss}
hyperparameters: {a: {type: int, minval: 1, maxval: 3, count: 2}, b: 1}
environment: {image: {cpu: template-cpu, cuda: template-cuda}, environment_variables: [A=template]}
max_restarts: 1
)");
  const json cluster = defaults(yaml("{image: cluster, environment_variables: [A=cluster], preemption_timeout: 9}"));
  const json user = yaml(R"(
entrypoint: train
searcher: {metric: mine}
hyperparameters: {b: {type: double, minval: 0, maxval: 1, count: 4}}
environment: {image: {cuda: mine}, environment_variables: [A=mine]}
)");
  const auto result = accept_config(user, cluster, context);
  ASSERT_TRUE(result) << join_errors(result.error());
  const json& document = result->document;
  EXPECT_EQ(result->config.searcher.name, "grid");
  EXPECT_EQ(result->config.searcher.metric, "mine");
  EXPECT_EQ(document["environment"]["image"], json({{"cpu", "template-cpu"}, {"cuda", "mine"}, {"rocm", "cluster"}}));
  EXPECT_EQ(document["environment"]["environment_variables"]["cpu"], json({"A=cluster", "A=template", "A=mine"}));
  EXPECT_EQ(document["hyperparameters"]["b"]["type"], "double");
  EXPECT_EQ(document["max_restarts"], 1);
  EXPECT_EQ(document["preemption_timeout"], 9);
}

// As an override lies on the experiment that it continues.
TEST(LayOver, MergesMapsAndAddsVariablesAndMounts) {
  const json base = yaml(R"(
searcher: {name: single, metric: loss, max_length: {batches: 5}}
hyperparameters: {lr: {type: const, val: 1}, kept: 2}
environment: {image: {cpu: a, cuda: b}, environment_variables: [A=1, B=2]}
bind_mounts: [{host_path: /a, container_path: a}, {host_path: /b, container_path: b}]
max_restarts: 3
)");
  const json over = yaml(R"(
searcher: {max_length: {epochs: 2}}
hyperparameters: {lr: {type: int, minval: 1, maxval: 4}}
environment: {image: {gpu: c}, environment_variables: [B=3]}
bind_mounts: [{host_path: /c, container_path: b}]
max_restarts: null
)");
  const json laid = lay_over(over, base);
  EXPECT_EQ(laid["searcher"], json({{"name", "single"}, {"metric", "loss"}, {"max_length", {{"epochs", 2}}}}));
  EXPECT_EQ(laid["hyperparameters"]["lr"]["type"], "int");
  EXPECT_EQ(laid["hyperparameters"]["kept"]["val"], 2);
  EXPECT_EQ(laid["environment"]["image"]["cpu"], "a");
  EXPECT_EQ(laid["environment"]["image"]["cuda"], "c") << "gpu is the old word for cuda";
  EXPECT_EQ(laid["environment"]["environment_variables"]["cpu"], json({"A=1", "B=2", "B=3"}));
  ASSERT_EQ(laid["bind_mounts"].size(), 2U);
  for (const json& mount : laid["bind_mounts"]) {
    EXPECT_EQ(mount["host_path"], mount["container_path"] == "a" ? "/a" : "/c");
  }
  EXPECT_EQ(laid["max_restarts"], 3) << "a null says nothing";
}

TEST(AcceptConfig, ChecksWhatTheLayersSayTogether) {
  AcceptContext context = kContext;
  context.template_name = "base";
  context.template_config = yaml("{searcher: {name: grid}, checkpoint_storage: {type: s3}}");
  const auto result = accept_config(
      yaml("{entrypoint: e, searcher: {metric: m, max_trials: 3}, hyperparameters: {a: {type: int, minval: 1, maxval: "
           "2}}, checkpoint_storage: {bucket: 5}}"),
      defaults(), context);
  ASSERT_FALSE(result);
  EXPECT_EQ(
      join_errors(result.error()),
      "<config>.checkpoint_storage.bucket: expected string or null, but got number (it is 5); write it in "
      "quotation marks\n"
      "<config>.hyperparameters.a: grid search is in use but count was not provided; for example count: 5\n"
      "<config>.searcher: additionalProperties \"max_trials\" not allowed; it is for name random, async_halving or "
      "adaptive_asha");
  context.template_config = yaml("{resources: {slots_per_trial: x}}");
  const auto broken = accept_config(minimal(), defaults(), context);
  ASSERT_FALSE(broken);
  EXPECT_EQ(join_errors(broken.error()),
            "<config>: template 'base' is invalid: <template>.resources.slots_per_trial: expected integer or null, but "
            "got string (it is \"x\"); write a whole number");
}

TEST(AcceptConfig, MergesStorageOnlyOfTheSameType) {
  json user = minimal();
  user["checkpoint_storage"] = {{"save_trial_best", 7}};
  EXPECT_EQ(accepted(user).document["checkpoint_storage"]["host_path"], "/tmp");
  EXPECT_EQ(accepted(user).config.checkpoint_storage.save_trial_best, 7);
  user["checkpoint_storage"] = {{"type", "s3"}, {"bucket", "b"}};
  const json storage = accepted(user).document["checkpoint_storage"];
  EXPECT_FALSE(storage.contains("host_path"));
  EXPECT_EQ(storage["bucket"], "b");
}

TEST(AcceptConfig, NamesWhatIsWrongInTheClustersDefaults) {
  const json cluster = defaults(yaml("{gpu_pod_spec: {spec: {containers: {}}}, image: 5}"));
  EXPECT_THAT(
      refused(minimal(), cluster),
      testing::AllOf(testing::HasSubstr("master.yaml.task_container_defaults.gpu_pod_spec.spec.containers: expected"),
                     testing::HasSubstr("master.yaml.task_container_defaults.image: is neither")));
}

}  // namespace
}  // namespace det::model
