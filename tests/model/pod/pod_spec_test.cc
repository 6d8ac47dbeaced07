#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "base/yaml.h"
#include "model/pod/pod_spec_check.h"
#include "model/pod/pod_spec_merge.h"

namespace det::model {
namespace {

using nlohmann::json;

json yaml(std::string_view text) {
  return parse_yaml(text).value();
}

std::string errors_of(std::string_view text) {
  FieldErrors errors;
  check_pod_spec(yaml(text), "pod_spec", errors);
  check_pod_spec_runnable(yaml(text), "pod_spec", errors);
  return join_errors(errors);
}

TEST(PodSpecMerge, LeavesListsAloneThatTheUpperLayerDoesNotMention) {
  const json cluster =
      yaml("spec: {containers: [{name: determined-container, resources: {limits: {cpu: 8}}}], nodeSelector: {a: b}}");
  const json task = yaml("spec: {affinity: {nodeAffinity: {}}, containers: null}");
  EXPECT_EQ(
      merge_pod_spec(task, cluster),
      yaml("spec: {containers: [{name: determined-container, resources: {limits: {cpu: 8}}}], nodeSelector: {a: b}, "
           "affinity: {nodeAffinity: {}}}"));
}

TEST(PodSpecMerge, SpreadsOverWhatEitherLayerNames) {
  const json cluster =
      yaml("spec: {topologySpreadConstraints: [{topologyKey: zone, maxSkew: 1}, {topologyKey: rack, maxSkew: 1}]}");
  const json task =
      yaml("spec: {topologySpreadConstraints: [{topologyKey: hostname, maxSkew: 2}, {topologyKey: rack, maxSkew: 3}]}");
  EXPECT_EQ(
      merge_pod_spec(task, cluster),
      yaml("spec: {topologySpreadConstraints: [{topologyKey: hostname, maxSkew: 2}, {topologyKey: zone, maxSkew: 1}, "
           "{topologyKey: rack, maxSkew: 3}]}"));
}

TEST(PodSpecMerge, UnitesContainersByName) {
  const json cluster = yaml(R"(
spec:
  containers:
    - {name: sidecar, image: s}
    - name: determined-container
      env: [{name: A, value: low}, {name: B, valueFrom: {fieldRef: {fieldPath: spec.nodeName}}}]
      resources: {limits: {cpu: 8, memory: 64Gi}}
      volumeMounts: [{name: data, mountPath: /data}, {name: x, mountPath: /x}]
)");
  const json task = yaml(R"(
spec:
  containers:
    - name: determined-container
      env: [{name: B, value: high}]
      resources: {limits: {cpu: 2, rdma/ib: '1'}}
      volumeMounts: [{name: mine, mountPath: /data}]
    - {name: extra}
)");
  EXPECT_EQ(merge_pod_spec(task, cluster), yaml(R"(
spec:
  containers:
    - {name: sidecar, image: s}
    - name: determined-container
      env: [{name: A, value: low}, {name: B, value: high}]
      resources: {limits: {cpu: 2, memory: 64Gi, rdma/ib: '1'}}
      volumeMounts: [{name: mine, mountPath: /data}, {name: x, mountPath: /x}]
    - {name: extra}
)"));
}

// Init containers run in it, and a variable may refer to an earlier one.
TEST(PodSpecMerge, KeepsTheOrderOfTheLowerLayerWhereTheUpperOneChangesAnEntry) {
  const json cluster = yaml("spec: {initContainers: [{name: login}, {name: stage}, {name: check}]}");
  const auto merged = [&](const char* task) {
    std::string names;
    for (const json& one : merge_pod_spec(yaml(task), cluster)["spec"]["initContainers"]) {
      names += one["name"].get<std::string>() + " ";
    }
    return names;
  };
  EXPECT_EQ(merged("spec: {initContainers: [{name: stage, image: mine}]}"), "login stage check ");
  EXPECT_EQ(merged("spec: {initContainers: [{name: new}, {name: check}]}"), "new login stage check ");
  EXPECT_EQ(merged("spec: {initContainers: [{name: check}, {name: login}]}"), "stage check login ")
      << "its own order stays its own";
  EXPECT_EQ(merged("spec: {initContainers: []}"), "login stage check ");
}

TEST(PodSpecMerge, TakesTolerationsAndAffinityTermsWholeAndMapsByKey) {
  const json cluster = yaml(R"(
metadata: {labels: {a: 1, b: 2}}
spec:
  tolerations: [{key: gpu}]
  affinity: {nodeAffinity: {requiredDuringSchedulingIgnoredDuringExecution: {nodeSelectorTerms: [{matchExpressions: [{key: old}]}]}},
             podAffinity: {}}
)");
  const json task = yaml(R"(
metadata: {labels: {b: 3}}
spec:
  tolerations: [{key: mine}]
  affinity: {nodeAffinity: {requiredDuringSchedulingIgnoredDuringExecution: {nodeSelectorTerms: [{matchExpressions: [{key: new}]}]}}}
)");
  const json merged = merge_pod_spec(task, cluster);
  EXPECT_EQ(merged["metadata"]["labels"], yaml("{a: 1, b: 3}"));
  EXPECT_EQ(merged["spec"]["tolerations"], yaml("[{key: mine}]"));
  EXPECT_EQ(merged["spec"]["affinity"]["nodeAffinity"], task["spec"]["affinity"]["nodeAffinity"]);
  EXPECT_TRUE(merged["spec"]["affinity"].contains("podAffinity"));
}

TEST(PodSpecMerge, ReplacesAVolumeWholeSoThatItKeepsOneSource) {
  EXPECT_EQ(merge_pod_spec(yaml("spec: {volumes: [{name: data, hostPath: {path: /d}}]}"),
                           yaml("spec: {volumes: [{name: data, emptyDir: {}}, {name: more, emptyDir: {}}]}")),
            yaml("spec: {volumes: [{name: data, hostPath: {path: /d}}, {name: more, emptyDir: {}}]}"));
}

TEST(PodSpecMerge, TakesTheOtherSideWhereOneIsMissing) {
  const json spec = yaml("spec: {hostname: h}");
  EXPECT_EQ(merge_pod_spec(spec, nullptr), spec);
  EXPECT_EQ(merge_pod_spec(nullptr, spec), spec);
}

TEST(PodSpecCheck, AcceptsWhatPeopleUse) {
  EXPECT_EQ(errors_of(R"(
apiVersion: v1
kind: Pod
metadata: {labels: {a: b}, creationTimestamp: null}
spec:
  priorityClassName: high
  nodeSelector: {a: b}
  tolerations: [{key: a, operator: Exists}]
  imagePullSecrets: [{name: s}]
  volumes:
    - {name: data, persistentVolumeClaim: {claimName: c}}
    - {name: shm, emptyDir: {medium: Memory, sizeLimit: 4Gi}}
  initContainers: [{name: init, image: busybox, command: [sh, -c, 'true']}]
  containers:
    - name: determined-container
      env: [{name: A, value: "1"}, {name: B, valueFrom: {secretKeyRef: {name: s, key: k}}}]
      resources: {limits: {rdma/ib: '1', memory: 32Gi, cpu: 1.5}}
      volumeMounts: [{name: data, mountPath: /data}]
      securityContext: {capabilities: {add: [IPC_LOCK]}}
    - {name: sidecar, image: x, command: [a], ports: [{containerPort: 80}]}
)"),
            "");
}

TEST(PodSpecCheck, RefusesWhatTheOperatorSetsInBothSpellings) {
  EXPECT_EQ(
      errors_of(R"(
name: mine
spec:
  containers:
    - {name: determined-container, image: x, args: [a], workingDir: /, liveness_probe: {}, security_context: {}}
    - {name: sidecar, image: x}
)"),
      "<config>.pod_spec.spec.containers[0]: container Args are not configurable\n"
      "<config>.pod_spec.spec.containers[0]: container Image is not configurable, set it in the experiment config\n"
      "<config>.pod_spec.spec.containers[0]: container LivenessProbe is not configurable\n"
      "<config>.pod_spec.spec.containers[0]: container SecurityContext is not configurable, set it in the "
      "experiment config\n"
      "<config>.pod_spec.spec.containers[0]: container WorkingDir is not configurable\n"
      "<config>.pod_spec: pod Name is not a configurable option");
}

// Each for ever, once.
TEST(PodSpecCheck, TakesQuotesInKeys) {
  for (const std::string key : {"a\"b", "\"", "\"\"", "a\"b\"c\""}) {
    FieldErrors errors;
    check_pod_spec_runnable({{"spec", {{key, 1}}}}, "p", errors);
    ASSERT_EQ(errors.size(), 1U) << key;
    EXPECT_EQ(errors.front().field, "p.spec");
  }
}

TEST(PodSpecCheck, NamesWrongTypesUnknownFieldsAndWhatIsMissing) {
  EXPECT_EQ(errors_of(R"(
spec:
  foo: 1
  tolerations: {}
  nodeSelector: {a: 1}
  containers:
    - {env: [{name: A, value: 1}], resources: {limits: {memory: 32 gigs}, cpus: {}}}
    - text
    - {name: x, volumeMount: []}
  volumes:
    - {name: a, persistantVolumeClaim: {claimName: c}}
    - {name: b, persistentVolumeClaim: 5}
    - {name: c, emptyDir: {}, hostPath: {path: /}}
    - {name: d, persistentVolumeClaim: {}}
)"),
            R"(<config>.pod_spec.spec.containers[0].env[0].value: expected string or null, but got number
<config>.pod_spec.spec.containers[0].resources.limits.memory: quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'
<config>.pod_spec.spec.containers[0].resources: additionalProperties "cpus" not allowed
<config>.pod_spec.spec.containers[0]: missing properties: "name"
<config>.pod_spec.spec.containers[1]: expected object, but got string
<config>.pod_spec.spec.containers[2]: additionalProperties "volumeMount" not allowed; did you mean "volumeMounts"?
<config>.pod_spec.spec.nodeSelector.a: expected string, but got number
<config>.pod_spec.spec.tolerations: expected array or null, but got object
<config>.pod_spec.spec.volumes[0]: additionalProperties "persistantVolumeClaim" not allowed; did you mean "persistentVolumeClaim"?
<config>.pod_spec.spec.volumes[0]: volume "a" has no source; give it one, such as emptyDir, persistentVolumeClaim, hostPath, configMap or secret (indented like its name)
<config>.pod_spec.spec.volumes[1].persistentVolumeClaim: expected object or null, but got number
<config>.pod_spec.spec.volumes[2]: volume "c" has more than one source: emptyDir, hostPath
<config>.pod_spec.spec.volumes[3].persistentVolumeClaim: missing properties: "claimName"
<config>.pod_spec.spec: additionalProperties "foo" not allowed)");
}

}  // namespace
}  // namespace det::model
