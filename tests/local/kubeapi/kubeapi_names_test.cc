// Names in objects: what the embedded API refuses, where, and in which words.

#include <gmock/gmock.h>

#include "tests/local/kubeapi/kubeapi_fixture.h"

namespace det::local::test {
namespace {

using nlohmann::json;
using testing::HasSubstr;
using testing::UnorderedElementsAre;

struct ObjectNames : KubeApi {
  // The fields that a refusal names.
  std::vector<std::string> refused(const std::string& collection, const json& object) {
    const Answer answer = create(collection, object);
    EXPECT_EQ(answer.status, 422) << answer.body;
    EXPECT_EQ(answer.body.value("reason", ""), "Invalid");
    std::vector<std::string> fields;
    for (const json& cause : answer.body["details"]["causes"]) fields.push_back(cause["field"]);
    return fields;
  }
  json pod_with(const char* field, const json& value) {
    json object = pod("p");
    object["spec"][field] = value;
    return object;
  }
  json pod_with_container(const char* field, const json& value) {
    json object = pod("p");
    object["spec"]["volumes"] = {{{"name", "v"}, {"emptyDir", json::object()}}};
    object["spec"]["containers"][0][field] = value;
    return object;
  }
};

TEST_F(ObjectNames, OfVolumesAreNoPaths) {
  const Answer answer = create(kPods, pod_with("volumes", {{{"name", "../../../.."}, {"emptyDir", json::object()}}}));
  EXPECT_EQ(answer.status, 422);
  EXPECT_EQ(
      answer.message(),
      "Pod \"p\" is invalid: spec.volumes[0].name: Invalid value: \"../../../..\": a lowercase RFC 1123 label must "
      "consist of lower case alphanumeric characters or '-', and must start and end with an alphanumeric character "
      "(e.g. 'my-name',  or '123-abc', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?')");
}

TEST_F(ObjectNames, OfEveryPartOfAPodAreChecked) {
  EXPECT_THAT(refused(kPods, pod_with_container("name", "../x")), UnorderedElementsAre("spec.containers[0].name"));
  EXPECT_THAT(refused(kPods, pod_with("initContainers", {{{"name", "a/b"}, {"image", "i"}, {"command", {"true"}}}})),
              UnorderedElementsAre("spec.initContainers[0].name"));
  EXPECT_THAT(refused(kPods, pod_with_container("ports", {{{"name", "../x"}, {"containerPort", 1}}})),
              testing::Contains("spec.containers[0].ports[0].name"));
  EXPECT_THAT(refused(kPods, pod_with_container("volumeMounts", {{{"name", "w"}, {"mountPath", "/w"}}})),
              UnorderedElementsAre("spec.containers[0].volumeMounts[0].name"));
  EXPECT_THAT(refused(kPods, pod_with_container("volumeMounts",
                                                {{{"name", "v"}, {"mountPath", "/v"}, {"subPath", "a/../../b"}},
                                                 {{"name", "v"}, {"mountPath", "/w"}, {"subPathExpr", "/abs"}}})),
              UnorderedElementsAre("spec.containers[0].volumeMounts[0].subPath",
                                   "spec.containers[0].volumeMounts[1].subPathExpr"));
  EXPECT_THAT(refused(kPods, pod_with_container("env", {{{"name", "A=B"}, {"value", "x"}}})),
              UnorderedElementsAre("spec.containers[0].env[0].name"));
  EXPECT_THAT(
      refused(kPods,
              pod_with_container(
                  "env", {{{"name", "A"}, {"valueFrom", {{"secretKeyRef", {{"name", "../x"}, {"key", "a/b"}}}}}}})),
      UnorderedElementsAre("spec.containers[0].env[0].valueFrom.secretKeyRef.name",
                           "spec.containers[0].env[0].valueFrom.secretKeyRef.key"));
  for (const char* field : {"hostname", "subdomain", "nodeName", "serviceAccountName", "priorityClassName"}) {
    EXPECT_THAT(refused(kPods, pod_with(field, "../x")), UnorderedElementsAre(std::string("spec.") + field));
  }
}

TEST_F(ObjectNames, OfVolumeSourcesAreChecked) {
  const json items = {{{"key", "../k"}, {"path", "../../p"}}};
  EXPECT_THAT(refused(kPods, pod_with("volumes", {{{"name", "a"}, {"configMap", {{"name", "../c"}, {"items", items}}}},
                                                  {{"name", "b"}, {"secret", {{"secretName", "a/b"}}}},
                                                  {{"name", "c"}, {"hostPath", {{"path", "/a/../etc"}}}},
                                                  {{"name", "d"}, {"persistentVolumeClaim", {{"claimName", ".."}}}}})),
              UnorderedElementsAre("spec.volumes[0].configMap.name", "spec.volumes[0].configMap.items[0].key",
                                   "spec.volumes[0].configMap.items[0].key", "spec.volumes[0].configMap.items[0].path",
                                   "spec.volumes[1].secret.secretName", "spec.volumes[2].hostPath.path",
                                   "spec.volumes[3].persistentVolumeClaim.claimName"));
  const json sources = {{{"secret", {{"name", "s"}, {"items", items}}}},
                        {{"serviceAccountToken", {{"path", "/etc/x"}}}},
                        {{"downwardAPI", {{"items", {{{"path", "..x"}}}}}}}};
  EXPECT_THAT(refused(kPods, pod_with("volumes", {{{"name", "a"}, {"projected", {{"sources", sources}}}}})),
              UnorderedElementsAre("spec.volumes[0].projected.sources[0].secret.items[0].key",
                                   "spec.volumes[0].projected.sources[0].secret.items[0].key",
                                   "spec.volumes[0].projected.sources[0].secret.items[0].path",
                                   "spec.volumes[0].projected.sources[1].serviceAccountToken.path",
                                   "spec.volumes[0].projected.sources[2].downwardAPI.items[0].path"));
}

TEST_F(ObjectNames, OfObjectsAndInTheirMetadataAreChecked) {
  EXPECT_THAT(refused(kConfigMaps, config_map("../x")), UnorderedElementsAre("metadata.name"));
  EXPECT_THAT(refused(kConfigMaps, {{"metadata", {{"generateName", "../x-"}}}}),
              UnorderedElementsAre("metadata.generateName", "metadata.name"));
  EXPECT_THAT(refused("/api/v1/namespaces", {{"metadata", {{"name", "a.b"}}}}), testing::Contains("metadata.name"));
  EXPECT_THAT(refused("/api/v1/namespaces/default/services", {{"metadata", {{"name", "1st"}}}}),
              UnorderedElementsAre("metadata.name"));
  EXPECT_THAT(
      refused(kConfigMaps, config_map("a", {{"labels", {{"../k", "v"}, {"k", "../v"}}},
                                            {"annotations", {{"a/b/c", "any\nthing"}}},
                                            {"finalizers", {"../f"}}})),
      UnorderedElementsAre("metadata.labels", "metadata.labels", "metadata.annotations", "metadata.finalizers"));
  json map = config_map("a");
  map["data"] = {{"../k", "v"}};
  EXPECT_THAT(refused(kConfigMaps, map), UnorderedElementsAre("data[../k]", "data[../k]"));  // no key, and it climbs
}

TEST_F(ObjectNames, AGeneratedNameMayStandBehindADash) {
  const json object = made(kConfigMaps, {{"metadata", {{"generateName", "run-"}}}});
  EXPECT_THAT(object["metadata"]["name"].get<std::string>(), testing::StartsWith("run-"));
}

}  // namespace
}  // namespace det::local::test
