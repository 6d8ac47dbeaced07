#include "k8sclient/views.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace det::k8s {
namespace {

using nlohmann::json;

TEST(PodView, KeepsWhatWeUse) {
  const json object = json::parse(R"({
    "metadata": {"name": "p", "namespace": "ns", "uid": "u", "resourceVersion": "7",
      "labels": {"a": "b"},
      "annotations": {"det-operator.dev/run": "2", "kubectl.kubernetes.io/x": "long"},
      "deletionTimestamp": "2026-11-21T02:00:30Z",
      "ownerReferences": [{"uid": "other"}, {"uid": "trial-uid", "controller": true}]},
    "spec": {"nodeName": "n1"},
    "status": {"phase": "Failed", "podIP": "10.1.1.1", "hostIP": "10.0.0.1", "reason": "Evicted", "message": "disk",
      "startTime": "2026-11-21T02:00:00Z",
      "conditions": [{"type": "PodScheduled", "status": "True"}, {"type": "Initialized", "status": "True"},
        {"type": "DisruptionTarget", "status": "True", "reason": "PreemptionByScheduler", "message": "m"}],
      "initContainerStatuses": [{"name": "fetch", "state": {"terminated": {"exitCode": 0, "reason": "Completed"}}}],
      "containerStatuses": [
        {"name": "main", "ready": false, "restartCount": 1, "state": {"terminated": {"exitCode": 137, "signal": 9,
          "reason": "OOMKilled", "finishedAt": "2026-11-21T02:00:10Z"}}},
        {"name": "side", "ready": true, "state": {"running": {"startedAt": "2026-11-21T02:00:05Z"}}},
        {"name": "slow", "state": {"waiting": {"reason": "ImagePullBackOff", "message": "no such image"}}}]}})");
  const PodView pod = view_pod(object);
  EXPECT_EQ(to_string(pod.key), "ns/p");
  EXPECT_EQ(pod.uid, "u");
  EXPECT_EQ(pod.owner_uid, "trial-uid");
  EXPECT_EQ(pod.annotations, (Labels{{"det-operator.dev/run", "2"}}));
  EXPECT_EQ(pod.node_name, "n1");
  EXPECT_EQ(pod.phase, "Failed");
  EXPECT_EQ(pod.reason, "Evicted");
  EXPECT_EQ(pod.deleting_since, parse_rfc3339("2026-11-21T02:00:30Z"));
  EXPECT_EQ(pod.conditions.size(), 2U);
  EXPECT_EQ(find_condition(pod.conditions, "DisruptionTarget")->reason, "PreemptionByScheduler");
  EXPECT_EQ(find_condition(pod.conditions, "Initialized"), nullptr);
  const ContainerView* const main = find_container(pod.containers, "main");
  ASSERT_TRUE(main != nullptr && main->terminated);
  EXPECT_EQ(main->terminated->exit_code, 137);
  EXPECT_EQ(main->terminated->signal, 9);
  EXPECT_EQ(main->terminated->reason, "OOMKilled");
  EXPECT_EQ(main->terminated->finished_at, parse_rfc3339("2026-11-21T02:00:10Z"));
  EXPECT_TRUE(find_container(pod.containers, "side")->running);
  EXPECT_EQ(find_container(pod.containers, "slow")->waiting_reason, "ImagePullBackOff");
  EXPECT_EQ(find_container(pod.init_containers, "fetch")->terminated->exit_code, 0);
}

TEST(PodView, ReadsAnEmptyOrMisshapenObjectAsEmpty) {
  for (const char* text : {"{}", "[]", "null", R"({"metadata": 7, "status": {"containerStatuses": [3, "x", {}]}})"}) {
    const PodView pod = view_pod(json::parse(text));
    EXPECT_EQ(pod.key.name, "") << text;
    EXPECT_FALSE(pod.deleting_since) << text;
  }
}

TEST(NodeView, KeepsWhatWeUse) {
  const json object = json::parse(R"({
    "metadata": {"name": "n1", "uid": "u", "labels": {"gpu.nvidia.com/class": "H100"}},
    "spec": {"unschedulable": true, "taints": [{"key": "gpu", "value": "yes", "effect": "NoSchedule"}]},
    "status": {"allocatable": {"nvidia.com/gpu": "8", "cpu": "64"},
      "conditions": [{"type": "Ready", "status": "True"}],
      "addresses": [{"type": "InternalIP", "address": "10.0.0.1"}, {"type": "InternalIP", "address": "fd00::1"}]}})");
  const NodeView node = view_node(object);
  EXPECT_EQ(node.name, "n1");
  EXPECT_TRUE(node.unschedulable);
  EXPECT_TRUE(node.ready);
  EXPECT_EQ(node.taints, (std::vector<Taint>{{.key = "gpu", .value = "yes", .effect = "NoSchedule"}}));
  EXPECT_EQ(node.allocatable.at("nvidia.com/gpu"), "8");
  EXPECT_EQ(node.addresses.at("InternalIP"), "10.0.0.1");
}

TEST(NodeView, IsNotReadyWithoutACondition) {
  EXPECT_FALSE(view_node(json::object()).ready);
  EXPECT_FALSE(view_node(json::parse(R"({"status":{"conditions":[{"type":"Ready","status":"Unknown"}]}})")).ready);
}

}  // namespace
}  // namespace det::k8s
