#include "local/agent/pod_spec_view.h"

#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

namespace det::local {
namespace {

using nlohmann::json;
using testing::HasSubstr;

json small_pod() {
  return json::parse(R"({"metadata": {"namespace": "ns", "name": "p", "uid": "u"},
    "spec": {"nodeName": "n", "containers": [{"name": "c", "image": "i", "command": ["true"]}]}})");
}

TEST(ParseQuantity, KnowsWhatPodsUse) {
  EXPECT_EQ(parse_milli("250m"), 250);
  EXPECT_EQ(parse_milli("1.5"), 1500);
  EXPECT_EQ(parse_whole("64Mi"), 64 << 20);
  EXPECT_EQ(parse_whole("1e9"), 1'000'000'000);
  EXPECT_EQ(parse_whole("512M"), 512'000'000);
  EXPECT_EQ(parse_whole("1m"), 1);
  for (const char* wrong : {"", "x", "1Q", "inf", "0x10", "nan", "Mi"})
    EXPECT_EQ(parse_whole(wrong), std::nullopt) << wrong;
}

TEST(DecodePod, AppliesKubernetesDefaults) {
  const auto pod = decode_pod(small_pod());
  ASSERT_TRUE(pod);
  EXPECT_EQ(pod->restart_policy, RestartPolicy::kAlways);
  EXPECT_EQ(pod->grace_seconds, 30);
  EXPECT_EQ(pod->host_name, "p");
  EXPECT_EQ(pod->phase, "Pending");
  EXPECT_FALSE(pod->is_deleting);
  EXPECT_EQ(pod->containers.at(0).termination_message_path, "/dev/termination-log");
}

TEST(DecodePod, ReadsTheGraceOfADeletion) {
  json object = small_pod();
  object["metadata"]["deletionTimestamp"] = "2026-11-21T02:00:00Z";
  object["metadata"]["deletionGracePeriodSeconds"] = 5;
  const auto pod = decode_pod(object);
  ASSERT_TRUE(pod);
  EXPECT_TRUE(pod->is_deleting);
  EXPECT_EQ(pod->deletion_grace_seconds, 5);
}

// A pod of centuries would otherwise be killed at once, and with it all when the agent is stopped.
TEST(DecodePod, CutsTimesThatNoClockHolds) {
  json object = small_pod();
  object["spec"]["terminationGracePeriodSeconds"] = std::int64_t{10'000'000'000};
  EXPECT_EQ(decode_pod(object)->grace_seconds, kLongestSeconds);
  EXPECT_EQ(decode_pod(object)->deletion_grace_seconds, kLongestSeconds);
  object["metadata"]["deletionGracePeriodSeconds"] = -1;
  EXPECT_EQ(decode_pod(object)->deletion_grace_seconds, 0);
}

TEST(DecodePod, NamesEverythingThatItCannotRun) {
  json object = small_pod();
  object["spec"]["hostPID"] = true;
  object["spec"]["volumes"] = json::parse(R"([{"name": "d", "nfs": {"server": "x", "path": "/"}}])");
  object["spec"]["containers"][0]["readinessProbe"] = json::object();
  object["spec"]["containers"][0]["securityContext"] = {{"privileged", true}};
  object["spec"]["containers"][0]["volumeMounts"] = json::parse(R"([{"name": "zz", "mountPath": "/z"}])");
  const auto pod = decode_pod(object);
  ASSERT_FALSE(pod);
  EXPECT_EQ(pod.error().code, ErrorCode::kUnimplemented);
  EXPECT_THAT(pod.error().message, HasSubstr("pod.spec.hostPID: is not supported by this node agent"));
  EXPECT_THAT(pod.error().message, HasSubstr("pod.spec.volumes[0]: is not supported"));
  EXPECT_THAT(pod.error().message, HasSubstr("pod.spec.containers[0].readinessProbe"));
  EXPECT_THAT(pod.error().message, HasSubstr("pod.spec.containers[0].securityContext.privileged"));
  EXPECT_THAT(pod.error().message, HasSubstr("no volume \"zz\" that c mounts"));
}

// A real API server may hold an object from before it checked, or be no API server that checks.
TEST(DecodePod, ChecksNamesItself) {
  json object = small_pod();
  object["metadata"]["uid"] = "../../x";
  object["metadata"]["namespace"] = "../kube-system";
  object["spec"]["volumes"] = json::parse(R"([{"name": "../../../..", "emptyDir": {}},
    {"name": "a", "configMap": {"name": "../secrets/x", "items": [{"key": "a/b", "path": "../c"}]}},
    {"name": "b", "hostPath": {"path": "/tmp/../root"}}, {"name": "b", "emptyDir": {}}])");
  object["spec"]["containers"][0]["name"] = "../c";
  object["spec"]["containers"][0]["volumeMounts"] =
      json::parse(R"([{"name": "a", "mountPath": "/a", "subPath": "../x"}])");
  object["spec"]["serviceAccountName"] = "../x";
  const auto pod = decode_pod(object);
  ASSERT_FALSE(pod);
  for (const char* field :
       {"metadata.uid", "metadata.namespace", "spec.volumes[0].name", "spec.volumes[1].configMap.name",
        "spec.volumes[1].configMap.items[0].key", "spec.volumes[1].configMap.items[0].path",
        "spec.volumes[2].hostPath.path", "spec.volumes: has \"b\" twice", "spec.containers[0].name",
        "spec.containers[0].volumeMounts[0].subPath", "spec.serviceAccountName"}) {
    EXPECT_THAT(pod.error().message, HasSubstr(std::string("pod.") + field));
  }
}

TEST(DecodePod, KnowsClaims) {
  json object = small_pod();
  object["spec"]["volumes"] =
      json::parse(R"([{"name": "d", "persistentVolumeClaim": {"claimName": "x", "readOnly": true}}])");
  const auto pod = decode_pod(object);
  ASSERT_TRUE(pod) << pod.error().message;
  EXPECT_EQ(pod->volumes.at(0).kind, VolumeView::Kind::kClaim);
  EXPECT_EQ(pod->volumes.at(0).claim, "x");
  EXPECT_TRUE(pod->volumes.at(0).read_only);
}

TEST(DecodePod, TakesTheContainersUserBeforeThePods) {
  json object = small_pod();
  object["spec"]["securityContext"] = {{"runAsUser", 1000}, {"runAsGroup", 100}};
  object["spec"]["containers"][0]["securityContext"] = {{"runAsUser", 2000}};
  const auto pod = decode_pod(object);
  ASSERT_TRUE(pod);
  EXPECT_EQ(pod->containers.at(0).run_as_user, 2000);
  EXPECT_EQ(pod->containers.at(0).run_as_group, 100);
}

}  // namespace
}  // namespace det::local
