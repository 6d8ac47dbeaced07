#include "operator/removal/removal_task.h"

#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

#include "model/cluster/cluster_defaults.h"
#include "model/expconf/accept_config.h"
#include "model/taskconf/task_config.h"

namespace det::op {
namespace {

using nlohmann::json;
using std::chrono::seconds;

struct RemovalTask : ::testing::Test {
  RemovalTask() {
    settings.master = model::read_master_config(nullptr).value().config;
    const json user = {{"name", "n"},
                       {"entrypoint", "e"},
                       {"searcher", {{"name", "single"}, {"metric", "loss"}, {"max_length", {{"batches", 1}}}}},
                       {"environment",
                        {{"image", "registry/own:1"},
                         {"environment_variables", {"A=b"}},
                         {"pod_spec", {{"spec", {{"nodeSelector", {{"disk", "fast"}}}}}}}}},
                       {"bind_mounts", {{{"host_path", "/data"}, {"container_path", "/data"}}}},
                       {"checkpoint_storage", {{"type", "shared_fs"}, {"host_path", "/ckpt"}}}};
    experiment.config = model::accept_config(user, model::cluster_defaults(settings.master), {}).value().document;
    experiment.id = {7};
    experiment.uid = "exp-uid";
    experiment.ns = "ml";
    experiment.name = "exp";
    experiment.owner = {2};
  }
  store::NewTask made(int attempt = 1) {
    return removal_task(settings, removal, experiment, model::WorkspaceId{1}, attempt, "ml").value();
  }
  Result<store::NewTask> made_elsewhere() {
    return removal_task(settings, removal, experiment, model::WorkspaceId{1}, 1, "default");
  }

  pods::PodSettings settings;
  store::ExperimentRow experiment;
  store::Removal removal{.id = 5,
                         .experiment = {7},
                         .storage = {{"type", "shared_fs"}, {"host_path", "/ckpt"}},
                         .uuids = {"a", "b"},
                         .globs = {"**/*"}};
};

TEST_F(RemovalTask, RunsAsTheExperimentsOwnPodsDo) {
  const store::NewTask task = made();
  EXPECT_EQ(task.type, "CHECKPOINT_GC");
  EXPECT_EQ(task.owner, experiment.owner);
  EXPECT_EQ(task.ns, "ml");
  const model::TaskConfig config = model::read_task_config(task.config).value();
  EXPECT_EQ(config.resources.slots_per_trial, 0);
  EXPECT_EQ(config.environment.image.cpu, "registry/own:1");
  EXPECT_EQ(config.environment.pod_spec["spec"]["nodeSelector"]["disk"], "fast");
  ASSERT_EQ(config.bind_mounts.size(), 1U);
  EXPECT_EQ(config.bind_mounts[0].host_path, "/data");
  EXPECT_THAT(config.environment.variables.cpu, testing::Contains("A=b"));
}

TEST_F(RemovalTask, OfAnUnmanagedExperimentTakesNothingThatItsPodsWouldHave) {
  experiment.is_unmanaged = true;
  removal.storage = experiment.config["checkpoint_storage"] = {{"type", "s3"}, {"bucket", "b"}};
  const model::TaskConfig config = model::read_task_config(made().config).value();
  EXPECT_TRUE(config.bind_mounts.empty());
  EXPECT_NE(config.environment.image.cpu, "registry/own:1");
  EXPECT_TRUE(config.environment.pod_spec.empty()) << config.environment.pod_spec;
}

TEST_F(RemovalTask, TakesTheClustersPodSpecForIt) {
  settings.master.task_container_defaults["checkpoint_gc_pod_spec"] = {{"spec", {{"nodeSelector", {{"gc", "yes"}}}}}};
  const model::TaskConfig config = model::read_task_config(made().config).value();
  EXPECT_EQ(config.environment.pod_spec["spec"]["nodeSelector"], json({{"gc", "yes"}}));
}

TEST_F(RemovalTask, GoesToTheDefaultPoolWhenItsOwnIsGone) {
  experiment.config["resources"]["resource_pool"] = "gone";
  EXPECT_NE(model::read_task_config(made().config)->resources.resource_pool, "gone");
}

// Where its own namespace is gone. Names of its pod_spec are others' there.
TEST_F(RemovalTask, InAnotherNamespaceTakesOnlyTheVariablesOfTheExperiment) {
  const store::NewTask task = made_elsewhere().value();
  EXPECT_EQ(task.ns, "default");
  const model::TaskConfig config = model::read_task_config(task.config).value();
  EXPECT_THAT(config.environment.variables.cpu, testing::Contains("A=b"));
  EXPECT_NE(config.environment.image.cpu, "registry/own:1");
  EXPECT_TRUE(config.environment.pod_spec.empty()) << config.environment.pod_spec;
  EXPECT_TRUE(config.bind_mounts.empty());
}

TEST_F(RemovalTask, InAnotherNamespaceReachesAFolderThatANodeHas) {
  removal.storage = {{"type", "directory"}, {"container_path", "/data/ckpt"}};
  const model::TaskConfig config = model::read_task_config(made_elsewhere().value().config).value();
  ASSERT_EQ(config.bind_mounts.size(), 1U);
  EXPECT_EQ(config.bind_mounts[0].container_path, "/data");
  removal.storage["container_path"] = "/database";  // of a claim, say
  const auto refused = made_elsewhere();
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().message,
            "namespace ml is gone, and with it what mounted the folder /database into its pods: its files stay there");
}

TEST_F(RemovalTask, HasTheSameObjectForTheSameAttempt) {
  EXPECT_EQ(made(1).name, "checkpoint-gc-7-5-1");
  EXPECT_EQ(made(1).name, made(1).name);
  EXPECT_NE(made(2).name, made(1).name);
  store::TaskRow row;
  row.name = made().name;
  row.ns = "ml";
  row.nonce = "nonce";
  const json owned = removal_object("det", row, experiment, "exp-uid");
  EXPECT_EQ(owned["spec"]["type"], "CheckpointGC");
  EXPECT_EQ(owned["metadata"]["ownerReferences"][0]["uid"], "exp-uid");
  EXPECT_EQ(owned["metadata"]["annotations"]["det-operator.dev/nonce"], "nonce");
  EXPECT_FALSE(removal_object("det", row, experiment, "")["metadata"].contains("ownerReferences"));
}

TEST_F(RemovalTask, MountsWhatTheExperimentMounted) {
  removal.storage["host_path"] = "/elsewhere";  // what a run said
  const pods::RemovalSource source = removal_source(removal, experiment).value();
  ASSERT_TRUE(source.mount);
  EXPECT_EQ(source.mount->host_path, "/ckpt");
}

// An owner writes an unmanaged experiment's configuration as often as they like, between a removal's plan and its pod,
// too.
TEST_F(RemovalTask, MountsNothingThatAnUnmanagedExperimentNames) {
  experiment.is_unmanaged = true;
  const json folder = {{"type", "shared_fs"}, {"host_path", "/var/lib/kubelet/pods"}};
  const json bucket = {{"type", "s3"}, {"bucket", "b"}};
  const auto config = experiment.config;
  for (const auto& [planned, now] : {std::pair(folder, folder), {folder, bucket}, {bucket, folder}}) {
    removal.storage = planned;
    experiment.config = config;
    experiment.config["checkpoint_storage"].update(now);
    EXPECT_FALSE(removal_task(settings, removal, experiment, model::WorkspaceId{1}, 1, "ml")) << planned << now;
    EXPECT_FALSE(removal_source(removal, experiment)) << planned << now;
  }
}

TEST(RemovalBackOff, GrowsAndEnds) {
  EXPECT_EQ(removal_back_off(1), seconds(20));
  EXPECT_EQ(removal_back_off(2), seconds(40));
  EXPECT_EQ(removal_back_off(5), seconds(320));
  EXPECT_EQ(removal_back_off(8), seconds(1'800)) << "not 2,560";
  EXPECT_EQ(removal_back_off(9), std::nullopt);
}

}  // namespace
}  // namespace det::op
