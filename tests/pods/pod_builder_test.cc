#include "pods/pod_builder.h"

#include <algorithm>

#include <gtest/gtest.h>

#include "pods/names.h"
#include "tests/pods/pod_values.h"
#include "tests/support/golden.h"

namespace det::pods {
namespace {

TEST(PodBuilder, OnePodOnOneCpu) {
  const auto request = gang(accepted({{"name", "mnist"}}), 1, 1);
  const auto pod = build_pod(settings(model::SlotType::kCpu, 1), request, 0);
  test::expect_golden("pods/pod_cpu.json", pod.dump(2) + "\n");
}

TEST(PodBuilder, TheStartupHookIsThePoolsElseTheClusters) {
  PodSettings with = settings(model::SlotType::kCpu, 1);
  const TaskRequest request = gang(accepted({{"name", "mnist"}}), 1, 1);
  EXPECT_FALSE(build_secret(with, request).at("stringData").contains("DET_STARTUP_HOOK"));
  with.master.task_container_defaults = {{"startup_hook", "echo cluster"}};
  EXPECT_EQ(build_secret(with, request).at("/stringData/DET_STARTUP_HOOK"_json_pointer), "echo cluster");
  with.master.pools["default"].task_container_defaults = {{"startup_hook", "echo pool"}};
  EXPECT_EQ(build_secret(with, request).at("/stringData/DET_STARTUP_HOOK"_json_pointer), "echo pool");
  EXPECT_EQ(variable(build_pod(with, request, 0), "DET_STARTUP_HOOK"), "(unset)");
}

// Whose files it may write on a shared file system depends on it: a pod_spec does not choose.
TEST(PodBuilder, RunsAsTheOwnersAccountOnTheNodes) {
  const json container = {{"name", "determined-container"},
                          {"securityContext", {{"runAsUser", 0}, {"readOnlyRootFilesystem", true}}}};
  const json pod_spec = {{"spec", {{"containers", json::array({container})}}}};
  TaskRequest request = gang(accepted({{"name", "mnist"}, {"environment", {{"pod_spec", pod_spec}}}}), 1, 1);
  const PodSettings with = settings(model::SlotType::kCpu, 1);
  EXPECT_EQ(main_container(build_pod(with, request, 0)).at("/securityContext/runAsUser"_json_pointer), 0);
  request.account = model::AgentAccount{.uid = 1234, .gid = 99, .user = "jane", .group = "ml"};
  const json pod = build_pod(with, request, 0);
  EXPECT_EQ(main_container(pod).at("securityContext"),
            json({{"runAsUser", 1234}, {"runAsGroup", 99}, {"readOnlyRootFilesystem", true}}));
  EXPECT_EQ(variable(pod, "DET_AGENT_USER"), "jane");
  EXPECT_EQ(variable(pod, "DET_AGENT_GROUP"), "ml");
}

// Keys of ssh must not be where everybody who may read pods reads them.
TEST(PodBuilder, FilesAreInASecretOfTheirOwnThatThePodsMount) {
  TaskRequest request = gang(accepted({{"name", "mnist"}}), 2, 1);
  request.files = {{"id_rsa", "the-key"}};
  const PodSettings with = settings(model::SlotType::kCpu, 1);
  const auto secrets = build_more_secrets(with, request);
  ASSERT_EQ(secrets.size(), 1U);
  EXPECT_EQ(secrets[0].at("/stringData/id_rsa"_json_pointer), "the-key");
  for (int rank = 0; rank < 2; ++rank) {
    const json pod = build_pod(with, request, rank);
    EXPECT_EQ(pod.dump().find("the-key"), std::string::npos);
    const auto& volumes = pod.at("spec").at("volumes");
    EXPECT_TRUE(std::ranges::any_of(volumes, [&](const json& one) {
      return one.contains("secret") && one["secret"]["secretName"] == secrets[0]["metadata"]["name"];
    }));
  }
}

TEST(PodBuilder, StartsWhereTheWorkDirSays) {
  const json bind = {{"host_path", "/data"}, {"container_path", "data"}};
  TaskRequest request = gang(accepted({{"name", "mnist"}, {"bind_mounts", json::array({bind})}}), 1, 1);
  request.work_dir = "/home/alice";
  const json pod = build_pod(settings(model::SlotType::kCpu, 1), request, 0);
  EXPECT_EQ(main_container(pod)["workingDir"], "/home/alice");
  EXPECT_EQ(variable(pod, "DET_WORKDIR"), "/home/alice");
  const json mounts = main_container(pod)["volumeMounts"];
  EXPECT_TRUE(std::ranges::any_of(mounts, [](const json& one) { return one["mountPath"] == "/home/alice/data"; }));
}

// Two volumes at one place would be refused by the API server.
TEST(PodBuilder, AnExperimentMayBringItsOwnWorkFolder) {
  const json mount = {{"name", "mine"}, {"mountPath", "/run/determined/workdir"}};
  const json container = {{"name", "determined-container"}, {"volumeMounts", json::array({mount})}};
  const json volume = {{"name", "mine"}, {"emptyDir", json::object()}};
  const json pod_spec = {{"spec", {{"containers", json::array({container})}, {"volumes", json::array({volume})}}}};
  const json bind = {{"host_path", "/nfs"}, {"container_path", "/run/determined/workdir"}};
  for (const json& config : {json({{"name", "mnist"}, {"environment", {{"pod_spec", pod_spec}}}}),
                             json({{"name", "mnist"}, {"bind_mounts", json::array({bind})}})}) {
    const json pod = build_pod(settings(model::SlotType::kCpu, 1), gang(accepted(config), 1, 1), 0);
    int there = 0;
    for (const json& one : pod.at("/spec/containers/0/volumeMounts"_json_pointer)) {
      there += one.at("mountPath") == "/run/determined/workdir" ? 1 : 0;
    }
    EXPECT_EQ(there, 1);
  }
}

TEST(PodBuilder, AnExperimentMayBindTheNodesMemoryAsItsOwn) {
  const json bind = {{"host_path", "/dev/shm"}, {"container_path", "/dev/shm"}};
  const json config = {{"name", "mnist"}, {"bind_mounts", json::array({bind})}};
  const json pod = build_pod(settings(model::SlotType::kCpu, 1), gang(accepted(config), 1, 1), 0);
  const json& mounts = pod.at("/spec/containers/0/volumeMounts"_json_pointer);
  EXPECT_EQ(std::ranges::count(mounts, "/dev/shm", [](const json& one) { return one.at("mountPath"); }), 1);
}

TEST(PodBuilder, ARankOfAGangWithAPodSpec) {
  const json pod_spec = json::parse(R"({"metadata": {"labels": {"team": "vision"}},
    "spec": {"priorityClassName": "high", "tolerations": [{"operator": "Exists"}],
      "volumes": [{"name": "data", "persistentVolumeClaim": {"claimName": "imagenet"}}],
      "affinity": {"nodeAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": {"nodeSelectorTerms": [
        {"matchExpressions": [{"key": "gpu.nvidia.com/class", "operator": "In", "values": ["A40"]}]}]}}},
      "containers": [{"name": "sidecar", "image": "s"}, {"name": "determined-container",
        "env": [{"name": "C10D_PORT", "value": "5000"}],
        "resources": {"limits": {"rdma/ib": "1", "nvidia.com/gpu": "1"}, "requests": {"cpu": "4"}},
        "volumeMounts": [{"name": "data", "mountPath": "/data"}]}]}})");
  json config = {{"name", "mnist"},
                 {"environment", {{"pod_spec", pod_spec}, {"environment_variables", {"A=b=c", "C10D_PORT=1"}}}},
                 {"resources", {{"slots_per_trial", 16}, {"shm_size", 1048576}}},
                 {"bind_mounts", {{{"host_path", "/nfs"}, {"container_path", "nfs"}, {"read_only", true}}}}};
  const auto request = gang(accepted(config), 2, 8);
  const auto pod = build_pod(settings(model::SlotType::kCuda, 8), request, 1);
  test::expect_golden("pods/pod_gang.json", pod.dump(2) + "\n");
  EXPECT_EQ(variable(pod, "C10D_PORT"), "5000") << "the pod_spec's entry is the last";
}

TEST(PodBuilder, TheSecretHoldsWhatPodsMayNotShow) {
  json config = {{"name", "mnist"}, {"environment", {{"environment_variables", {"AWS_SECRET_ACCESS_KEY=s3cret"}}}}};
  config["checkpoint_storage"] = {{"type", "s3"}, {"bucket", "b"}, {"secret_key", "k3y"}};
  const auto request = gang(accepted(config), 1, 1);
  const auto with = settings(model::SlotType::kCuda, 8);
  const auto pod = build_pod(with, request, 0).dump();
  for (const char* secret : {"s3cret", "k3y", "the-token", "the-owners-token"}) {
    EXPECT_EQ(pod.find(secret), std::string::npos) << secret;
    EXPECT_NE(build_secret(with, request).dump().find(secret), std::string::npos) << secret;
  }
}

// The configuration that the trial's harness reads.
json harness_config(const json& config) {
  const auto with = settings(model::SlotType::kCuda, 8);
  const json secret = build_secret(with, gang(accepted(config), 1, 1));
  return json::parse(secret["stringData"]["DET_EXPERIMENT_CONFIG"].get<std::string>());
}

TEST(PodBuilder, WhatOlderTrialClassesReadReachesThemAsWritten) {
  const json written = {{"entrypoint", "model_def:Trial"},
                        {"min_validation_period", {{"records", 640}}},
                        {"min_checkpoint_period", {{"epochs", 2}}},
                        {"scheduling_unit", 7},
                        {"records_per_epoch", 600},
                        {"perform_initial_validation", true},
                        {"checkpoint_policy", "all"}};
  const json read = harness_config(written);
  for (const auto& [name, value] : written.items()) EXPECT_EQ(read[name], value) << name;
}

TEST(PodBuilder, StorageSettingsReachTheHarnessUnchanged) {
  const json storages[] = {{{"type", "shared_fs"}, {"host_path", "/data"}, {"storage_path", "ckpt"}},
                           {{"type", "directory"}, {"container_path", "/mnt/ckpt"}},
                           {{"type", "s3"},
                            {"bucket", "b"},
                            {"prefix", "p/q"},
                            {"endpoint_url", "https://object.example.com"},
                            {"access_key", "AK"},
                            {"secret_key", "SK"}}};
  for (const json& storage : storages) {
    const json read = harness_config({{"checkpoint_storage", storage}})["checkpoint_storage"];
    for (const auto& [name, value] : storage.items()) EXPECT_EQ(read[name], value) << storage["type"] << " " << name;
  }
}

TEST(PodBuilder, ZeroSlotsAskForNoDeviceAndSeeNone) {
  const auto request = gang(accepted({{"resources", {{"slots_per_trial", 0}}}}), 1, 0);
  const auto pod = build_pod(settings(model::SlotType::kCuda, 8), request, 0);
  EXPECT_FALSE(main_container(pod).contains("resources"));
  EXPECT_EQ(variable(pod, "DET_SLOT_IDS"), "[]");
  EXPECT_EQ(variable(pod, "NVIDIA_VISIBLE_DEVICES"), "void");
}

TEST(PodBuilder, UsersVariablesReplaceOursButNotWhereTheClusterIs) {
  const auto request =
      gang(accepted({{"environment", {{"environment_variables", {"DET_TRIAL_SEED=1", "DET_MASTER=http://x"}}}}}), 1, 1);
  const auto pod = build_pod(settings(model::SlotType::kCuda, 8), request, 0);
  EXPECT_EQ(variable(pod, "DET_TRIAL_SEED"), "(unset)") << "comes from the Secret";
  EXPECT_EQ(build_secret(settings(model::SlotType::kCuda, 8), request)["stringData"]["DET_TRIAL_SEED"], "1");
  EXPECT_EQ(variable(pod, "DET_MASTER"), "http://det-operator.det-system.svc:8080");
}

PodSettings with_pool(const char* spec) {
  PodSettings with = settings(model::SlotType::kCuda, 8);
  const json object = {{"metadata", {{"name", "big"}}}, {"spec", json::parse(spec)}};
  with.master = model::with_pools(with.master, {model::read_resource_pool_object(object)});
  return with;
}

TEST(PodBuilder, PutsThePodsOfAPoolOnItsNodes) {
  const auto big =
      with_pool(R"({"nodeSelector": {"gpu": "a100"}, "tolerations": [{"key": "a100", "operator": "Exists"}]})");
  const json pod_spec = json::parse(
      R"({"spec": {"nodeSelector": {"gpu": "mine", "disk": "ssd"}, "tolerations": [{"key": "x", "operator": "Exists"}]}})");
  json config = accepted({{"environment", {{"pod_spec", pod_spec}}}, {"resources", {{"resource_pool", "big"}}}});
  const json spec = build_pod(big, gang(config, 1, 1), 0)["spec"];
  EXPECT_EQ(spec["nodeSelector"], (json{{"gpu", "a100"}, {"disk", "ssd"}}))
      << "the pool has the last word on its labels";
  EXPECT_EQ(spec["tolerations"].size(), 2U);
  config["resources"]["resource_pool"] = "default";
  EXPECT_EQ(build_pod(big, gang(config, 1, 1), 0)["spec"]["nodeSelector"]["gpu"], "mine");
}

TEST(PodBuilder, AsksForTheSlotsOfThePool) {
  const auto cpus = with_pool(R"({"slotType": "cpu", "slotResourceRequests": {"cpu": 1.5}})");
  const json config = accepted({{"resources", {{"resource_pool", "big"}}}});
  const json main = main_container(build_pod(cpus, gang(config, 1, 2), 0));
  EXPECT_EQ(main["resources"]["requests"], (json{{"cpu", "3"}}));
  EXPECT_EQ(main["image"], config["environment"]["image"]["cpu"]);
}

TEST(PodBuilder, KeepsExcludedNodesOutOfEveryTerm) {
  const json none = json::object();
  auto plain = gang(accepted(none), 1, 1);
  plain.excluded_nodes = {"n1", "n2"};
  const auto terms_of = [](const json& pod) {
    return pod["spec"]["affinity"]["nodeAffinity"]["requiredDuringSchedulingIgnoredDuringExecution"]
              ["nodeSelectorTerms"];
  };
  const json not_n1 = {{"key", "metadata.name"}, {"operator", "NotIn"}, {"values", {"n1"}}};
  const json not_n2 = {{"key", "metadata.name"}, {"operator", "NotIn"}, {"values", {"n2"}}};
  const json both = json::array({not_n1, not_n2});
  const json alone = terms_of(build_pod(settings(model::SlotType::kCuda, 8), plain, 0));
  ASSERT_EQ(alone.size(), 1U);
  EXPECT_EQ(alone[0], (json{{"matchFields", both}}));

  const json pod_spec = json::parse(R"({"spec": {"affinity": {"nodeAffinity": {
    "requiredDuringSchedulingIgnoredDuringExecution": {"nodeSelectorTerms": [
      {"matchExpressions": [{"key": "a", "operator": "Exists"}]}, {"matchExpressions": [{"key": "b", "operator": "Exists"}]},
      {}]}}}}})");
  auto choosy = gang(accepted({{"environment", {{"pod_spec", pod_spec}}}}), 1, 1);
  choosy.excluded_nodes = {"n1"};
  const json terms = terms_of(build_pod(settings(model::SlotType::kCuda, 8), choosy, 0));
  ASSERT_EQ(terms.size(), 3U);
  EXPECT_EQ(terms[0]["matchFields"], json::array({not_n1}));
  EXPECT_EQ(terms[1]["matchFields"], json::array({not_n1}));
  EXPECT_TRUE(terms[2].empty()) << "an empty term selects nothing";
}

TEST(PodBuilder, GivesNoTokenOfAnAccountToAPodThatLeavesThisOpen) {
  const json pod_spec = {{"spec", {{"automountServiceAccountToken", nullptr}, {"enableServiceLinks", nullptr}}}};
  json config = accepted(json::object());
  config["environment"]["pod_spec"] = pod_spec;
  const json spec = build_pod(settings(model::SlotType::kCuda, 8), gang(config, 1, 1), 0)["spec"];
  EXPECT_EQ(spec["automountServiceAccountToken"], false);
  EXPECT_EQ(spec["enableServiceLinks"], false);
}

// The scheduler would place it elsewhere, and a kubelet refuses what contradicts its own pod.
TEST(PodBuilder, AsksForTheNodeThatAPodSpecNames) {
  const json config = accepted({{"environment", {{"pod_spec", {{"spec", {{"nodeName", "n1"}}}}}}}});
  const json spec = build_pod(settings(model::SlotType::kCuda, 8), gang(config, 1, 1), 0)["spec"];
  EXPECT_FALSE(spec.contains("nodeName"));
  const json is_n1 = {{"key", "metadata.name"}, {"operator", "In"}, {"values", {"n1"}}};
  EXPECT_EQ(spec["affinity"]["nodeAffinity"]["requiredDuringSchedulingIgnoredDuringExecution"]["nodeSelectorTerms"],
            json::array({{{"matchFields", json::array({is_n1})}}}));
}

std::optional<json> pull_secret_of(const PodSettings& with, const TaskRequest& request) {
  auto secrets = build_more_secrets(with, request);
  if (secrets.empty()) return std::nullopt;
  return std::move(secrets.front());
}

TEST(PodBuilder, MakesAPullSecretOfRegistryAuth) {
  const json auth = {{"username", "jane"}, {"password", "secret"}};
  json config =
      accepted({{"environment", {{"registry_auth", auth}, {"image", "registry.example.com:5000/team/train:1"}}}});
  const auto request = gang(config, 1, 1);
  const auto with = settings(model::SlotType::kCuda, 8);
  const auto secret = pull_secret_of(with, request);
  ASSERT_TRUE(secret);
  EXPECT_EQ((*secret)["type"], "kubernetes.io/dockerconfigjson");
  EXPECT_EQ((*secret)["metadata"]["name"], "mnist-7-2-env-pull");
  EXPECT_EQ((*secret)["metadata"]["ownerReferences"][0]["uid"], "trial-uid");
  const json docker = json::parse((*secret)["stringData"][".dockerconfigjson"].get<std::string>());
  EXPECT_EQ(docker, (json{{"auths",
                           {{"registry.example.com:5000",
                             {{"username", "jane"}, {"password", "secret"}, {"auth", "amFuZTpzZWNyZXQ="}}}}}}));
  const json pod = build_pod(with, request, 0);
  EXPECT_EQ(pod["spec"]["imagePullSecrets"], json::array({{{"name", "mnist-7-2-env-pull"}}}));
  EXPECT_EQ(pod.dump().find("secret\""), std::string::npos) << "the password is in no pod";

  config["environment"]["image"]["cuda"] = "team/train:1";
  const auto hub = pull_secret_of(with, gang(config, 1, 1));
  EXPECT_NE((*hub)["stringData"][".dockerconfigjson"].get<std::string>().find("https://index.docker.io/v1/"),
            std::string::npos);
  config["environment"]["registry_auth"]["serveraddress"] = "other.example.com";
  const auto other = pull_secret_of(with, gang(config, 1, 1));
  EXPECT_NE((*other)["stringData"][".dockerconfigjson"].get<std::string>().find("other.example.com"),
            std::string::npos);
  EXPECT_FALSE(pull_secret_of(with, gang(accepted(json::object()), 1, 1)));
}

TEST(PodBuilder, LimitsSharedMemoryAsTheExperimentOrTheClusterSays) {
  const auto shm = [](const json& pod) {
    for (const json& volume : pod["spec"]["volumes"]) {
      if (volume["name"] == "det-shm") return volume["emptyDir"];
    }
    return json();
  };
  const auto with = settings(model::SlotType::kCuda, 8);
  const json own = accepted({{"resources", {{"shm_size", 1024}}}});
  EXPECT_EQ(shm(build_pod(with, gang(own, 1, 1), 0)), (json{{"medium", "Memory"}, {"sizeLimit", "1024"}}));
  const json clusters = accepted(json::object(), {{"task_container_defaults", {{"shm_size_bytes", 4096}}}});
  EXPECT_EQ(shm(build_pod(with, gang(clusters, 1, 1), 0))["sizeLimit"], "4096");
}

TEST(PodBuilder, TellsPodsWhereTheWheelsAreUnlessToldNotTo) {
  auto with = settings(model::SlotType::kCuda, 8);
  const auto request = gang(accepted(json::object()), 1, 1);
  EXPECT_EQ(variable(build_pod(with, request, 0), "DET_HARNESS_WHEELS"), "(unset)") << "no wheelhouse";
  with.master.harness.wheelhouse = "/wheels";
  EXPECT_EQ(variable(build_pod(with, request, 0), "DET_HARNESS_WHEELS"), with.task_url + "/harness/wheels/");
  EXPECT_EQ(variable(build_pod(with, request, 0), "DET_HARNESS_VERSION"), "0.38.1");
  with.master.harness.install = false;
  EXPECT_EQ(variable(build_pod(with, request, 0), "DET_HARNESS_WHEELS"), "(unset)");
}

TEST(PodBuilder, ShowsPodsWithoutTheirVariables) {
  const json shown =
      shown_pod_spec(build_pod(settings(model::SlotType::kCuda, 8), gang(accepted(json::object()), 1, 1), 0));
  EXPECT_TRUE(shown["containers"][0].contains("image"));
  EXPECT_FALSE(shown["containers"][0].contains("env"));
}

}  // namespace
}  // namespace det::pods
