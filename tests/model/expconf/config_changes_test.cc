#include "model/expconf/config_changes.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "model/cluster/cluster_defaults.h"
#include "model/expconf/sections.h"
#include "model/taskconf/accept_task_config.h"
#include "model/taskconf/task_schema.h"
#include "tests/model/expconf/accepting.h"

namespace det::model {
namespace {

using nlohmann::json;
using testing::ElementsAre;
using testing::ElementsAreArray;
using testing::IsEmpty;

using Names = std::vector<std::string>;

// `minimal`, changed by a merge patch.
json with(const std::string& patch) {
  json config = test::minimal();
  config.merge_patch(test::yaml(patch));
  return config;
}

Names changes(const json& before, const json& now, const json& frozen, bool has_template = false) {
  return changed_fields(before, now,
                        {.schema = kExperimentPartSchema, .document = frozen, .has_template = has_template});
}

// What is called unchanged must be accepted as the same.
Names changes(const json& before, const json& now) {
  const json frozen = test::accepted(before).document;
  Names names = changes(before, now, frozen);
  if (names.empty()) EXPECT_EQ(test::accepted(now).document, frozen);
  return names;
}

struct Edit {
  std::string before;  // patches
  std::string now;
  Names changed = {};
};

TEST(ConfigChanges, ADefaultIsWrittenDownOrTakenOut) {
  const std::vector<std::string> defaults = {
      "max_restarts: 5",
      "scheduling_unit: 100",
      "scheduling_unit: 100.0",
      "environment: {}",
      "hyperparameters: {}",
      "data: {}",
      "bind_mounts: []",
      "log_policies: []",
      "searcher: {smaller_is_better: true}",
      "debug: false",
      "min_validation_period: {batches: 0}",
      "min_checkpoint_period: {batches: 0}",
      "resources: {slots_per_trial: 1}",
      "resources: {}",
      "profiling: {enabled: false}",
      "optimizations: {mixed_precision: O0}",
      "environment: {ports: {}, environment_variables: []}",
      "log_policies: [{name: CUDA OOM, pattern: .*CUDA out of memory.*}]",
      "checkpoint_policy: best",
      "data_layer: {type: s3}",
  };
  for (const std::string& text : defaults) {
    EXPECT_THAT(changes(test::minimal(), with(text)), IsEmpty()) << text;
    if (text.starts_with("log_policies: [{")) continue;  // that the cluster may have, too
    EXPECT_THAT(changes(with(text), test::minimal()), IsEmpty()) << "without " << text;
  }
  json nulls = test::minimal();
  nulls["max_restarts"] = nullptr;
  nulls["environment"] = {{"image", nullptr}};
  EXPECT_THAT(changes(test::minimal(), nulls), IsEmpty());
  EXPECT_THAT(changes(nulls, test::minimal()), IsEmpty());
}

TEST(ConfigChanges, TheSameIsSaidInAnotherForm) {
  const std::vector<Edit> edits = {
      {.before = "environment: {image: a}", .now = "environment: {image: {cpu: a, cuda: a, rocm: a}}"},
      {.before = "environment: {image: {gpu: a}}", .now = "environment: {image: {cuda: a}}"},
      {.before = "environment: {environment_variables: [A=1]}",
       .now = "environment: {environment_variables: {cpu: [A=1], gpu: [A=1], rocm: [A=1]}}"},
      {.before = "hyperparameters: {lr: 1}", .now = "hyperparameters: {lr: {type: const, val: 1.0}}"},
      {.before = "resources: {shm_size: 1g}", .now = "resources: {shm_size: 1073741824}"},
      {.before = "bind_mounts: [{host_path: /a, container_path: b}]",
       .now = "bind_mounts: [{host_path: /a, container_path: b, read_only: false, propagation: rprivate}]"},
      {.before = "reproducibility: {}", .now = "reproducibility: {experiment_seed: 1700000000}"},
      {.before = "checkpoint_storage: {}",
       .now = "checkpoint_storage: {type: shared_fs, host_path: /tmp, propagation: rprivate}"},
  };
  for (const Edit& edit : edits) {
    EXPECT_THAT(changes(with(edit.before), with(edit.now)), IsEmpty()) << edit.now;
  }
}

TEST(ConfigChanges, WhatWouldRunOtherwiseIsNamedAsDeepAsItWasWritten) {
  const std::vector<Edit> edits = {
      {.before = "{}", .now = "max_restarts: 6", .changed = {"max_restarts"}},
      {.before = "max_restarts: 6", .now = "{}", .changed = {"max_restarts"}},
      {.before = "max_restarts: 6", .now = "max_restarts: 5", .changed = {"max_restarts"}},
      {.before = "{}", .now = "entrypoint: python3 other.py", .changed = {"entrypoint"}},
      {.before = "{}", .now = "entrypoint: null", .changed = {"entrypoint"}},
      {.before = "searcher: {name: random, max_trials: 4}",
       .now = "searcher: {name: random, max_trials: 8, metric: accuracy}",
       .changed = {"searcher.max_trials", "searcher.metric"}},
      {.before = "{}",
       .now = "searcher: {name: random, max_trials: 4}",
       .changed = {"searcher.max_trials", "searcher.name"}},
      {.before = "{}", .now = "searcher: {smaller_is_better: false}", .changed = {"searcher.smaller_is_better"}},
      {.before = "{}", .now = "searcher: null", .changed = {"searcher.metric", "searcher.name"}},
      {.before = "resources: {slots_per_trial: 2}", .now = "{}", .changed = {"resources.slots_per_trial"}},
      {.before = "min_validation_period: {batches: 5}",
       .now = "min_validation_period: {epochs: 5}",
       .changed = {"min_validation_period.batches", "min_validation_period.epochs"}},
      {.before = "environment: {image: a}", .now = "environment: {image: b}", .changed = {"environment.image"}},
      {.before = "environment: {image: a}",
       .now = "environment: {image: {cpu: a, cuda: b, rocm: a}}",
       .changed = {"environment.image.cuda"}},
      {.before = "environment: {environment_variables: [A=1]}",
       .now = "environment: {environment_variables: [A=1, B=2]}",
       .changed = {"environment.environment_variables"}},
      {.before = "environment: {environment_variables: [A=1]}",
       .now = "environment: {environment_variables: []}",
       .changed = {"environment.environment_variables"}},
      {.before = "{}",
       .now = "environment: {pod_spec: {spec: {nodeSelector: {a: b}}}}",
       .changed = {"environment.pod_spec.spec.nodeSelector.a"}},
      {.before = "bind_mounts: [{host_path: /a, container_path: b}]",
       .now = "bind_mounts: []",
       .changed = {"bind_mounts"}},
      {.before = "data: {a: {b: 1}}", .now = "data: {a: {b: 2}, d: {}}", .changed = {"data.a.b", "data.d"}},
      {.before = "reproducibility: {experiment_seed: 7}", .now = "{}", .changed = {"reproducibility.experiment_seed"}},
      {.before = "{}",
       .now = "checkpoint_storage: {type: gcs, bucket: b}",
       .changed = {"checkpoint_storage.bucket", "checkpoint_storage.type"}},
      {.before = "integrations: {webhooks: {webhook_id: [1]}}",
       .now = "integrations: {webhooks: {webhook_id: [2]}}",
       .changed = {"integrations.webhooks.webhook_id"}},
  };
  for (const Edit& edit : edits) {
    EXPECT_THAT(changes(with(edit.before), with(edit.now)), ElementsAreArray(edit.changed))
        << edit.before << " -> " << edit.now;
  }
}

TEST(ConfigChanges, HyperparametersAreTakenWhole) {
  const std::vector<Edit> edits = {
      {.before = "{a: 1, optimizer: {lr: 1, eps: 2}}", .now = "{a: 1.0, optimizer: {eps: 2, lr: 1}}"},
      {.before = "{optimizer: {lr: 1, eps: 2}}",
       .now = "{optimizer: {lr: 3, eps: 2, amsgrad: true}}",
       .changed = {"hyperparameters.optimizer.amsgrad", "hyperparameters.optimizer.lr"}},
      {.before = "{optimizer: {lr: 1, eps: 2}}",
       .now = "{optimizer: {}}",
       .changed = {"hyperparameters.optimizer.eps", "hyperparameters.optimizer.lr"}},
      {.before = "{optimizer: {}}", .now = "{}", .changed = {"hyperparameters.optimizer"}},
      {.before = "{}", .now = "{optimizer: {}}", .changed = {"hyperparameters.optimizer"}},
      {.before = "{lr: {type: double, minval: 0, maxval: 1}}",
       .now = "{lr: {type: double, minval: 0, maxval: 2, count: 3}}",
       .changed = {"hyperparameters.lr.count", "hyperparameters.lr.maxval"}},
      {.before = "{lr: {type: int, minval: 0, maxval: 9, count: 3}}",
       .now = "{lr: {type: int, minval: 0, maxval: 9}}",
       .changed = {"hyperparameters.lr.count"}},
      {.before = "{lr: 1}",
       .now = "{lr: {type: categorical, vals: [1]}}",
       .changed = {"hyperparameters.lr", "hyperparameters.lr.type", "hyperparameters.lr.vals"}},
      {.before = "{a.b: 1}", .now = "{a.b: 2}", .changed = {"hyperparameters.a.b"}},
  };
  for (const Edit& edit : edits) {
    EXPECT_THAT(changes(with("hyperparameters: " + edit.before), with("hyperparameters: " + edit.now)),
                ElementsAreArray(edit.changed))
        << edit.before << " -> " << edit.now;
  }
  json null = with("hyperparameters: {a: 1}");
  null["hyperparameters"]["seed"] = nullptr;
  EXPECT_THAT(changes(with("hyperparameters: {a: 1}"), null), ElementsAre("hyperparameters.seed"))
      << "the program sees that it is there";
}

TEST(ConfigChanges, WhatOthersSetCountsAsItWasFrozen) {
  const json before = with("{}");
  const json frozen = test::accepted(before, test::defaults({{"force_pull_image", true},
                                                             {"add_capabilities", {"NET_ADMIN"}},
                                                             {"environment_variables", {"A=1"}}}))
                          .document;
  EXPECT_THAT(changes(before, with("environment: {force_pull_image: true, environment_variables: []}"), frozen),
              IsEmpty());
  EXPECT_THAT(changes(before, with("environment: {force_pull_image: false, add_capabilities: []}"), frozen),
              ElementsAre("environment.add_capabilities", "environment.force_pull_image"));
  EXPECT_THAT(changes(with("environment: {force_pull_image: true}"), before, frozen),
              ElementsAre("environment.force_pull_image"));
}

TEST(ConfigChanges, WhatATemplateMayHaveIsNotTakenOutUnnoticed) {
  AcceptContext context = test::kContext;
  context.template_config = test::yaml(
      "{max_restarts: 2, hyperparameters: {lr: {type: int, minval: 1, maxval: 9, count: 3}, net: {depth: 4}}}");
  const json before = with("{max_restarts: 5, debug: false}");
  const json frozen = accept_config(before, test::defaults(), context).value().document;
  EXPECT_THAT(changes(before, test::minimal(), frozen, true), ElementsAre("debug", "max_restarts"));
  EXPECT_THAT(
      changes(before, with("{max_restarts: 5, debug: false, hyperparameters: {net: {depth: 4}}}"), frozen, true),
      IsEmpty());
  EXPECT_THAT(
      changes(before, with("{max_restarts: 5, debug: false, hyperparameters: {lr: {type: int, minval: 1, maxval: 9}}}"),
              frozen, true),
      ElementsAre("hyperparameters.lr"))
      << "without the count of the template's";
}

TEST(ConfigChanges, WhatAPolicyFixesCountsAsItWasFrozen) {
  ConfigPolicies policies;
  policies.global.invariant_config =
      test::yaml("{max_restarts: 1, log_policies: [{name: mine, pattern: p, action: cancel_retries}]}");
  AcceptContext context = test::kContext;
  context.policies = &policies;
  const json off = test::yaml("log_policies: [{name: CUDA OOM}]");
  const json before = with("{max_restarts: 3, log_policies: [{name: CUDA OOM, pattern: .*CUDA out of memory.*}]}");
  const json frozen = accept_config(before, test::defaults(off), context).value().document;
  json now = before;
  now["max_restarts"] = 1;
  EXPECT_THAT(changes(before, now, frozen), IsEmpty());
  now["max_restarts"] = 2;
  now["log_policies"] = policies.global.invariant_config["log_policies"];
  EXPECT_THAT(changes(before, now, frozen), ElementsAre("log_policies", "max_restarts"))
      << "the cluster's would switch the policy off that was taken out";
}

TEST(ConfigChanges, HalfAnAccountIsAnother) {
  const json cluster = {{"checkpoint_storage",
                         {{"type", "azure"}, {"container", "c"}, {"account_url", "https://a"}, {"credential", "k"}}}};
  const json before = test::minimal();
  const json frozen = test::accepted(before, cluster).document;
  EXPECT_THAT(changes(before, with("checkpoint_storage: {type: azure, account_url: 'https://a'}"), frozen),
              testing::Contains("checkpoint_storage.account_url"));
}

TEST(ConfigChanges, OfWhatIsNoConfigurationEveryDifferenceCounts) {
  EXPECT_THAT(changes(test::minimal(), with("{debug: false, max_restarts: many, searcher: {nmae: x}}")),
              ElementsAre("debug", "max_restarts", "searcher.nmae"));
  EXPECT_THAT(changes(test::minimal(), with("resources: 7")), ElementsAre("resources"));
  json deep = 1;
  for (int i = 0; i < 300; ++i) deep = json{{"a", std::move(deep)}};
  json deeper = deep;
  json* end = &deeper;
  while (end->is_object()) end = &(*end)["a"];
  *end = 2;
  json before = test::minimal();
  json now = before;
  const json frozen = test::accepted(before).document;
  before["hyperparameters"] = deep;
  now["hyperparameters"] = deeper;
  EXPECT_EQ(changes(before, now, frozen).size(), 1U);
}

TEST(ConfigChanges, ManyHyperparametersAreNamedOnceEach) {
  json before = test::minimal();
  for (int i = 0; i < 5'000; ++i) before["hyperparameters"]["p" + std::to_string(i)] = i;
  json now = before;
  for (json& value : now["hyperparameters"]) value = value.get<int>() + 1;
  EXPECT_EQ(changes(before, now).size(), 5'000U);
}

TEST(ConfigChanges, OfTasksCountLikewise) {
  const auto changed = [](const std::string& before, const std::string& now) {
    const json was = test::yaml(before);
    const auto accepted = accept_task_config(TaskType::kCommand, was, test::defaults(), test::kContext);
    EXPECT_TRUE(accepted) << before;
    return changed_fields(was, test::yaml(now),
                          {.schema = task_schema(TaskType::kCommand), .document = accepted.value().document});
  };
  EXPECT_THAT(changed("entrypoint: date", "entrypoint: [sh, -c, date]"), IsEmpty());
  EXPECT_THAT(changed("entrypoint: [date]",
                      "{entrypoint: [date], debug: false, resources: {slots: 1, weight: 1}, bind_mounts: [], "
                      "environment: {}, work_dir: null}"),
              IsEmpty());
  EXPECT_THAT(changed("{entrypoint: [date], debug: false}", "entrypoint: [date]"), IsEmpty());
  EXPECT_THAT(changed("{entrypoint: [date]}", "{entrypoint: [date, -u], resources: {slots: 2}, work_dir: /w}"),
              ElementsAre("entrypoint", "resources.slots", "work_dir"));
}

TEST(ClusterDefaults, HaveAPartOfTheConfiguration) {
  for (const char* path : {"checkpoint_storage", "checkpoint_storage.propagation", "environment.image.cpu",
                           "environment.pod_spec.spec", "resources.shm_size", "log_policies", "work_dir"}) {
    EXPECT_TRUE(cluster_may_set(path)) << path;
  }
  for (const char* path :
       {"max_restarts", "environment.ports", "environment.images", "resources.slots_per_trial", ""}) {
    EXPECT_FALSE(cluster_may_set(path)) << path;
  }
}

}  // namespace
}  // namespace det::model
