#include "model/expconf/accept_config.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/yaml.h"
#include "tests/model/expconf/accepting.h"

namespace det::model {
namespace {

using namespace test;

TEST(AcceptConfig, FillsEverythingTheHarnessIndexes) {
  const json document = accepted(minimal()).document;
  const json expected = json::parse(R"({
    "bind_mounts":[],"checkpoint_policy":"best",
    "checkpoint_storage":{"type":"shared_fs","host_path":"/tmp","storage_path":"cp","propagation":"rprivate",
      "save_experiment_best":0,"save_trial_best":1,"save_trial_latest":1},
    "data":{},"debug":false,"description":null,"entrypoint":"python3 train.py",
    "environment":{"image":{"cpu":"determinedai/pytorch-ngc-dev:0736b6d","cuda":"determinedai/pytorch-ngc-dev:0736b6d",
        "rocm":"determinedai/environments:rocm-5.6-pytorch-1.3-tf-2.10-rocm-mpich-0736b6d"},
      "environment_variables":{"cpu":[],"cuda":[],"rocm":[]},"proxy_ports":[],"ports":{},"force_pull_image":false,
      "registry_auth":null,"add_capabilities":[],"drop_capabilities":[],"pod_spec":null},
    "hyperparameters":{},"integrations":null,"labels":[],
    "log_policies":[{"name":"CUDA OOM","pattern":".*CUDA out of memory.*"},
                    {"name":"ECC Error","pattern":".*uncorrectable ECC error encountered.*"}],
    "max_restarts":5,"min_checkpoint_period":{"batches":0},"min_validation_period":{"batches":0},
    "optimizations":{"aggregation_frequency":1,"auto_tune_tensor_fusion":false,"average_aggregated_gradients":true,
      "average_training_metrics":true,"gradient_compression":false,"grad_updates_size_file":null,"mixed_precision":"O0",
      "tensor_fusion_cycle_time":1,"tensor_fusion_threshold":64},
    "pbs":{},"perform_initial_validation":false,"preemption_timeout":3600,
    "profiling":{"enabled":false,"begin_on_batch":0,"end_after_batch":null,"sync_timings":true},
    "project":"","records_per_epoch":0,"reproducibility":{"experiment_seed":1700000000},
    "resources":{"slots_per_trial":1,"is_single_node":null,"max_slots":null,"weight":1,"priority":50,"resource_pool":"",
      "shm_size":null,"devices":[],"native_parallel":false},
    "scheduling_unit":100,
    "searcher":{"name":"single","metric":"loss","smaller_is_better":true,"source_trial_id":null,
      "source_checkpoint_uuid":null},
    "slurm":{},"workspace":""})");
  json without_name = document;
  EXPECT_THAT(without_name.at("name").get<std::string>(), testing::StartsWith("Experiment ("));
  without_name.erase("name");
  EXPECT_EQ(without_name, expected) << json::diff(expected, without_name).dump(1);
}

TEST(AcceptConfig, AcceptsTheDistributedExampleWithItsLegacyKeys) {
  const auto config = accepted(yaml(R"(
name: fashion_mnist_tf_keras_distributed
hyperparameters: {global_batch_size: 1536, dense1: 128}
resources: {slots_per_trial: 96}
records_per_epoch: 600
environment:
  pod_spec:
    spec:
      affinity:
        nodeAffinity:
          requiredDuringSchedulingIgnoredDuringExecution:
            nodeSelectorTerms:
              - matchExpressions:
                  - {key: gpu.nvidia.com/class, operator: In, values: [A100_NVLINK]}
      containers:
        - name: determined-container
          resources: {limits: {rdma/ib: '1'}}
searcher:
  name: single
  metric: val_accuracy
  smaller_is_better: false
  max_length: {epochs: 5}
entrypoint: model_def:FashionMNISTTrial
)"));
  EXPECT_EQ(config.document["records_per_epoch"], 600);
  EXPECT_EQ(config.document["searcher"]["max_length"], json({{"epochs", 5}}));
  EXPECT_EQ(config.document["hyperparameters"]["dense1"], json({{"type", "const"}, {"val", 128}}));
  EXPECT_EQ(config.config.resources.slots_per_trial, 96);
  EXPECT_FALSE(config.config.searcher.smaller_is_better);
  EXPECT_THAT(config.warnings, testing::ElementsAre(testing::HasSubstr("`max_length` field")));
}

TEST(AcceptConfig, AcceptsItsOwnResultAsTheSameDocument) {
  const AcceptedConfig first = accepted(minimal());
  const AcceptedConfig second = accepted(first.document);
  EXPECT_EQ(second.document, first.document);
  EXPECT_EQ(second.hash, first.hash);
}

TEST(AcceptConfig, CollectsEveryErrorWithItsPath) {
  EXPECT_EQ(refused(yaml(R"(
searcher: {name: single, metric: 5, foo: 1}
entrypoint: [python3, 3]
resources: {slots_per_trial: "8", priority: 100, slots: 2, shm_size: big}
max_restarts: -1
preemption_timeout: -5
checkpoint_policy: some
zz: 1
labels: a
bind_mounts: [{host_path: rel, container_path: .}]
environment:
  image: [a]
  environment_variables: {tpu: []}
  pod_spec:
    spec:
      containers: {volumeMounts: []}
      volumes: [{name: data}]
min_validation_period: {batches: 1, epochs: 2}
profiling: {begin_on_batch: 5, end_after_batch: 4}
reproducibility: {experiment_seed: 4294967296}
internal: {native: {}}
checkpoint_storage: {type: floppy}
)")),
            R"(<config>.bind_mounts[0].container_path: container_path must not be "."; for example /data
<config>.bind_mounts[0].host_path: host_path must be an absolute path (it is "rel"); for example /mnt/data
<config>.checkpoint_policy: value must be one of <nil>, "best", "all", "none" (it is "some")
<config>.checkpoint_storage.type: checkpoint_storage.type 'floppy' is unknown; use shared_fs, directory, s3, gcs or azure (is not an object where object["type"] is one of 'shared_fs', 'directory', 's3', 'gcs', or 'azure')
<config>.entrypoint[1]: expected string, but got number (it is 3); write it in quotation marks
<config>.environment.environment_variables: is neither a list of strings nor a map of cpu, cuda, or rocm to lists of strings
<config>.environment.image: is neither a string nor a map of cpu, cuda, or rocm to strings
<config>.environment.pod_spec.spec.containers: expected array or null, but got object; write a list: each entry behind a hyphen
<config>.environment.pod_spec.spec.volumes[0]: volume "data" has no source; give it one, such as emptyDir, persistentVolumeClaim, hostPath, configMap or secret (indented like its name)
<config>.internal: expected null, but got object
<config>.labels: expected array or null, but got string (it is "a"); write a list: ["a"]
<config>.max_restarts: must be >= 0 but found -1
<config>.min_validation_period: a length object must have one attribute named "batches", "records", or "epochs"
<config>.preemption_timeout: must be >= 0 but found -5
<config>.profiling: begin_on_batch must be less than end_after_batch
<config>.reproducibility.experiment_seed: must be <= 4294967295 but found 4294967296
<config>.resources.priority: must be <= 99 but found 100
<config>.resources.shm_size: must be a valid memory size (it is "big"); for example 4G or 512MiB
<config>.resources.slots_per_trial: expected integer or null, but got string (it is "8"); write 8 without quotation marks
<config>.resources: additionalProperties "slots" not allowed; did you mean "slots_per_trial"?
<config>.searcher.metric: expected string or null, but got number (it is 5); write it in quotation marks
<config>.searcher: additionalProperties "foo" not allowed; known here: max_length, metric, name, smaller_is_better, source_checkpoint_uuid, source_trial_id
<config>: additionalProperties "zz" not allowed)");
}

TEST(AcceptConfig, RefusesSectionsOfEveryWrongType) {
  const json complete = accepted(minimal()).document;
  for (const auto& [section, value] : complete.items()) {
    for (const json& wrong :
         {json(5), json("x"), json::array({1}), json({{"zz", 1}}), json(true), json(nullptr), json(1e300)}) {
      json user = complete;
      user[section] = wrong;
      const auto result = accept_config(user, defaults(), kContext);
      if (!result) EXPECT_FALSE(join_errors(result.error()).empty());
      if (result) EXPECT_TRUE(read_experiment_config(result->document)) << section;
    }
  }
}

TEST(AcceptConfig, SaysWhatIsMissing) {
  EXPECT_EQ(
      refused(json::object(), json::object()),
      "<config>.entrypoint: entrypoint is missing, for example python3 train.py (managed experiments require "
      "entrypoint)\n"
      "<config>: checkpoint_storage is missing, for example {type: shared_fs, host_path: /mnt/checkpoints} "
      "(checkpoint_storage is a required property)\n"
      "<config>: searcher is missing, for example {name: single, metric: validation_loss} (searcher is a required "
      "property)");
  EXPECT_EQ(
      refused(yaml("{searcher: {name: single}, entrypoint: a}")),
      "<config>.searcher: searcher.metric is missing, for example validation_loss (metric is a required property)");
  EXPECT_EQ(refused(json("text")),
            "<config>: expected object, but got string (it is \"text\"); write keys and values, as in name: value");
  EXPECT_THAT(refused(yaml("{searcher: {name: single, metric: m}, entrypoint: a, workspace: w}")),
              testing::HasSubstr("workspace and project must both be included"));
}

TEST(AcceptConfig, TakesEverySearcherThatRunsAndReadsItsFields) {
  json config = minimal();
  config["searcher"] = {{"name", "random"}, {"metric", "loss"}, {"max_trials", 4}};
  EXPECT_EQ(accepted(config).config.searcher.max_trials, 4);
  EXPECT_EQ(accepted(config).config.searcher.max_concurrent_trials, 16);
  config["searcher"] = yaml(
      "{name: adaptive_asha, metric: loss, max_trials: 30, mode: aggressive, divisor: 2.5, max_rungs: 3, "
      "bracket_rungs: [3, 1], max_concurrent_trials: 0, time_metric: batches, max_time: 640, stop_once: true, "
      "max_length: {batches: 640}}");
  const SearcherConfig read = accepted(config).config.searcher;
  EXPECT_EQ(read.mode, AdaptiveMode::kAggressive);
  EXPECT_EQ(read.divisor, 2.5);
  EXPECT_EQ(read.max_rungs, 3);
  EXPECT_THAT(read.bracket_rungs, testing::ElementsAre(3, 1));
  EXPECT_EQ(read.max_concurrent_trials, 0);
  EXPECT_EQ(read.time_metric, "batches");
  EXPECT_EQ(read.max_time, 640);
  EXPECT_EQ(read.max_length, (TrainingLength{640, "batches"}));
  EXPECT_TRUE(read.stop_once);
  config["searcher"] = yaml(
      "{name: async_halving, metric: loss, max_trials: 30, num_rungs: 3, time_metric: epochs, "
      "max_time: 9}");
  EXPECT_EQ(accepted(config).config.searcher.num_rungs, 3);
  EXPECT_EQ(accepted(config).config.searcher.divisor, 4);
}

TEST(AcceptConfig, TakesHalvingByLengthAloneAsBefore038) {
  json config = minimal();
  for (const char* searcher : {"{name: adaptive_asha, metric: loss, max_trials: 4, max_length: {epochs: 9}}",
                               "{name: async_halving, metric: loss, max_trials: 4, num_rungs: 2, max_length: 9}"}) {
    config["searcher"] = yaml(searcher);
    EXPECT_EQ(accepted(config).config.searcher.max_length->units, 9);
    EXPECT_TRUE(accepted(config).document["searcher"]["max_time"].is_null());
  }
}

TEST(AcceptConfig, RefusesSearchersThatAreGoneAndSaysWhatToWriteInstead) {
  json config = minimal();
  config["searcher"] =
      yaml("{name: adaptive_asha, metric: loss, max_trials: 4, max_length: {epochs: 9}, time_metric: epochs}");
  EXPECT_EQ(refused(config),
            "<config>.searcher: the `adaptive_asha` searcher requires `max_time` and `time_metric` to be set; instead "
            "of `max_length: {epochs: 9}` write `time_metric: epochs` and `max_time: 9`");
  for (const auto& [name, instead] : {std::pair{"adaptive", "write `adaptive_asha` with"},
                                      {"adaptive_simple", "write `adaptive_asha` with"},
                                      {"sync_halving", "write `async_halving` with `num_rungs`"}}) {
    config["searcher"] = {{"name", name}, {"metric", "loss"}};
    EXPECT_THAT(refused(config), testing::AllOf(testing::HasSubstr("<config>.searcher.name: the '" + std::string(name) +
                                                                   "' searcher has been removed and is not valid for "
                                                                   "new experiments: "),
                                                testing::HasSubstr(instead)));
  }
  config["searcher"] = {{"name", "pbt"}, {"metric", "loss"}};
  EXPECT_THAT(refused(config), testing::HasSubstr(R"(is not an object where object["name"] is one of)"));
  config["searcher"] = yaml("{name: single, metric: loss, max_steps: 10}");
  EXPECT_THAT(refused(config), testing::AllOf(testing::HasSubstr("additionalProperties \"max_steps\" not allowed"),
                                              testing::HasSubstr("<config>.searcher.max_steps: training is no longer "
                                                                 "counted in steps of 100 batches: write")));
}

TEST(AcceptConfig, TakesThirtyLogPoliciesAndReadsNoneOfMore) {
  json user = minimal();
  for (int i = 0; i < 31; ++i) user["log_policies"].push_back({{"name", std::to_string(i)}, {"pattern", "("}});
  EXPECT_EQ(refused(user), "<config>.log_policies: must have at most 30 items but found 31");
  user["log_policies"].erase(0);
  EXPECT_THAT(refused(user), testing::HasSubstr("log_policies[29].pattern: is not a regular expression"));
}

TEST(AcceptConfig, AsksForTheCountOfEveryRangeOfAGrid) {
  json config = minimal();
  config["searcher"] = {{"name", "grid"}, {"metric", "loss"}};
  config["hyperparameters"] = yaml(
      "{a: {type: int, minval: 1, maxval: 3}, o: {b: {type: log, base: 10, minval: 1, maxval: 3, count: 2}, c: {type: "
      "double, minval: 0, maxval: 1, count: null}}, k: 5}");
  EXPECT_EQ(refused(config),
            "<config>.hyperparameters.a: grid search is in use but count was not provided; for example count: 5\n"
            "<config>.hyperparameters.o.c: grid search is in use but count was not provided; for example count: 5");
  config["searcher"]["name"] = "random";
  config["searcher"]["max_trials"] = 1;
  EXPECT_EQ(accepted(config).config.searcher.name, "random");
}

TEST(AcceptConfig, RefusesSlotsThatNoGangCanHold) {
  json config = minimal();
  config["resources"] = {{"slots_per_trial", 12}};
  EXPECT_THAT(refused(config),
              testing::StartsWith("<config>.resources.slots_per_trial: invalid resource request: slots "
                                  "(12) must be < or a multiple of max_slots_per_pod (8)"));
}

TEST(AcceptConfig, TakesSizesAsTextAndRefusesDepthThatWouldExhaustTheStack) {
  json user = minimal();
  for (const char* none : {"nan", "inf", "-1", "1e400g", ""}) {
    user["resources"] = {{"shm_size", none}};
    EXPECT_THAT(refused(user), testing::HasSubstr("must be a valid memory size")) << none;
  }
  user["resources"] = {{"shm_size", "1.5 GiB"}};
  EXPECT_EQ(accepted(user).document["resources"]["shm_size"], 1610612736);
  json deep = 1;
  for (int i = 0; i < 5000; ++i) deep = json::array({std::move(deep)});
  user["data"] = {{"x", std::move(deep)}};
  EXPECT_EQ(refused(user), "<config>: nested deeper than 100 levels");
}

TEST(AcceptConfig, ShortFormsBecomeLongOnes) {
  json user = minimal();
  user["resources"] = yaml("{devices: ['/dev/a:/dev/b', '/dev/c:/dev/d:r'], agent_label: x}");
  user["environment"] = yaml("{image: {gpu: old, cpu: c}, environment_variables: [A=1]}");
  user["labels"] = {"b", "a", "b"};
  user["data_layer"] = {{"type", "x"}};
  const json document = accepted(user).document;
  EXPECT_EQ(document["resources"]["devices"], yaml("[{host_path: /dev/a, container_path: /dev/b, mode: mrw}, "
                                                   "{host_path: /dev/c, container_path: /dev/d, mode: r}]"));
  EXPECT_EQ(document["environment"]["image"]["cuda"], "old");
  EXPECT_EQ(document["environment"]["environment_variables"]["rocm"], json({"A=1"}));
  EXPECT_EQ(document["labels"], json({"a", "b"}));
  EXPECT_FALSE(document.contains("data_layer"));
  EXPECT_FALSE(document["resources"].contains("agent_label"));
}

TEST(AcceptConfig, UnitesTheDataOfATemplateAtEveryDepth) {
  AcceptContext context;
  context.template_name = "t";
  context.template_config = {{"data", {{"paths", {{"train", "/a"}, {"val", "/b"}}}, {"list", {1, 2}}}}};
  const json user = {{"name", "n"},
                     {"entrypoint", "x"},
                     {"searcher", {{"name", "single"}, {"metric", "loss"}}},
                     {"checkpoint_storage", {{"type", "s3"}, {"bucket", "b"}}},
                     {"data", {{"paths", {{"train", "/c"}}}, {"list", {3}}}}};
  const auto accepted = accept_config(user, json::object(), context);
  ASSERT_TRUE(accepted);
  const json expected = {{"paths", {{"train", "/c"}, {"val", "/b"}}}, {"list", {3}}};
  EXPECT_EQ(accepted->document["data"], expected);
}

TEST(ConfigHash, IgnoresTheOrderOfKeysOnly) {
  EXPECT_EQ(config_hash(json::parse(R"({"a":1,"b":2})")), config_hash(json::parse(R"({"b":2,"a":1})")));
  EXPECT_NE(config_hash(json::parse(R"({"a":[1,2]})")), config_hash(json::parse(R"({"a":[2,1]})")));
}

TEST(AcceptConfig, KnowsVersionZeroOnlyWhichSaysNothing) {
  json user = minimal();
  user["version"] = 1;
  user["nonsense"] = true;
  EXPECT_EQ(refused(user), "<config>.version: invalid version: 1; write version: 0, or leave it out")
      << "and nothing else";
  user.erase("nonsense");
  user["version"] = 0;
  EXPECT_EQ(refused(user), "<config>: additionalProperties \"version\" not allowed");
}

TEST(ReadExperimentConfig, PutsASharedFolderInThePlaceOfHdfs) {
  json document = accepted(minimal()).document;
  document["checkpoint_storage"] = yaml("{type: hdfs, hdfs_url: 'http://h:1', hdfs_path: /p, save_trial_best: 3}");
  const auto config = read_experiment_config(document);
  ASSERT_TRUE(config) << config.error().message;
  EXPECT_EQ(config->checkpoint_storage, (CheckpointStorageConfig{.type = "shared_fs",
                                                                 .host_path = "/legacy-hdfs-checkpoint-path",
                                                                 .propagation = "rprivate",
                                                                 .save_trial_best = 3}));
}

TEST(ReadExperimentConfig, RefusesARowThatIsNoConfiguration) {
  const auto config = read_experiment_config(json::parse(R"({"searcher":{"name":1}})"));
  ASSERT_FALSE(config);
  EXPECT_EQ(config.error().code, ErrorCode::kDataLoss);
  EXPECT_THAT(config.error().message, testing::HasSubstr("<config>.searcher.name: expected string"));
}

}  // namespace
}  // namespace det::model
