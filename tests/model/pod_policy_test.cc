#include "model/pod_policy.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "model/master_config.h"
#include "tests/model/accepting.h"

namespace det::model {
namespace {

using namespace test;

MasterConfig master(std::string_view text) {
  auto read = read_master_config(yaml(text));
  EXPECT_TRUE(read) << (read ? "" : read.error().message);
  return read ? read->config : MasterConfig();
}

// What acceptance in namespace research says to a configuration with these parts; empty: it is taken.
std::string answer(std::string_view parts, std::string_view master_yaml = "{}") {
  const MasterConfig config = master(master_yaml);
  json user = minimal();
  user.update(yaml(parts));
  AcceptContext context = kContext;
  context.master = &config;
  context.ns = "research";
  const auto result = accept_config(user, cluster_defaults(config), context);
  return result ? "" : join_errors(result.error());
}

std::string in_pod(std::string_view spec, std::string_view master_yaml = "{}") {
  return answer("environment: {pod_spec: {spec: " + std::string(spec) + "}}", master_yaml);
}

std::string in_container(std::string_view fields, std::string_view master_yaml = "{}") {
  return in_pod("{containers: [{name: determined-container, " + std::string(fields) + "}]}", master_yaml);
}

struct Attempt {
  std::string spec;    // of the pod
  std::string field;   // of the error, below environment.pod_spec.spec
  std::string value;   // that the error names
  std::string allow;   // the key of pod_policy that the error names
  std::string policy;  // that allows it
};

class PodPolicyAttempts : public testing::TestWithParam<Attempt> {};

TEST_P(PodPolicyAttempts, AreRefusedByDefaultAndTakenWithThePolicyThatTheErrorNames) {
  const Attempt& attempt = GetParam();
  const std::string said = in_pod(attempt.spec);
  EXPECT_THAT(said, testing::StartsWith("<config>.environment.pod_spec.spec." + attempt.field + ": "));
  EXPECT_THAT(said, testing::HasSubstr(attempt.value));
  EXPECT_THAT(said, testing::HasSubstr("pod_policy." + attempt.allow + " of master.yaml"));
  EXPECT_THAT(said, testing::Not(testing::HasSubstr("\n"))) << "one error for one thing";
  EXPECT_EQ(in_pod(attempt.spec, "pod_policy: {" + attempt.policy + "}"), "");
}

INSTANTIATE_TEST_SUITE_P(
    Table, PodPolicyAttempts,
    testing::Values(
        Attempt{"{volumes: [{name: v, hostPath: {path: /etc}}]}", "volumes[0].hostPath.path", "\"/etc\"", "host_paths",
                "host_paths: [/etc]"},
        Attempt{"{volumes: [{name: v, hostPath: {path: /data/./x//y/}}]}", "volumes[0].hostPath.path", "\"/data/x/y\"",
                "host_paths", "host_paths: [/data/x]"},
        Attempt{"{volumes: [{name: v, hostPath: {path: /dev/shmother}}]}", "volumes[0].hostPath.path",
                "\"/dev/shmother\"", "host_paths", "host_paths: [/]"},
        Attempt{"{containers: [{name: determined-container, securityContext: {privileged: true}}]}",
                "containers[0].securityContext.privileged", "privileged: true", "privileged", "privileged: true"},
        Attempt{"{initContainers: [{name: i, image: x, securityContext: {privileged: true}}]}",
                "initContainers[0].securityContext.privileged", "privileged: true", "privileged", "privileged: true"},
        Attempt{"{containers: [{name: side, image: x, securityContext: {procMount: Unmasked}}]}",
                "containers[0].securityContext.procMount", "procMount: Unmasked", "privileged", "privileged: true"},
        Attempt{"{securityContext: {seccompProfile: {type: Unconfined}}}", "securityContext.seccompProfile.type",
                "seccompProfile.type: Unconfined", "privileged", "privileged: true"},
        Attempt{"{securityContext: {windowsOptions: {hostProcess: true}}}",
                "securityContext.windowsOptions.hostProcess", "windowsOptions.hostProcess", "privileged",
                "privileged: true"},
        Attempt{
            "{containers: [{name: determined-container, securityContext: {capabilities: {add: [CHOWN, SYS_ADMIN]}}}]}",
            "containers[0].securityContext.capabilities.add[1]", "\"SYS_ADMIN\"", "capabilities",
            "capabilities: [CHOWN, SYS_ADMIN]"},
        Attempt{"{containers: [{name: determined-container, securityContext: {capabilities: {add: [cap_net_raw]}}}]}",
                "containers[0].securityContext.capabilities.add[0]", "\"cap_net_raw\"", "capabilities",
                "capabilities: [NET_RAW]"},
        Attempt{"{containers: [{name: determined-container, securityContext: {capabilities: {add: [ALL]}}}]}",
                "containers[0].securityContext.capabilities.add[0]", "\"ALL\"", "capabilities", "capabilities: ['*']"},
        Attempt{"{hostNetwork: true}", "hostNetwork", "network", "host_namespaces", "host_namespaces: [network]"},
        Attempt{"{hostPID: true}", "hostPID", "pid", "host_namespaces", "host_namespaces: [pid]"},
        Attempt{"{hostIPC: true}", "hostIPC", "ipc", "host_namespaces", "host_namespaces: [ipc]"},
        Attempt{"{containers: [{name: side, image: x, ports: [{containerPort: 80, hostPort: 8080}]}]}",
                "containers[0].ports[0].hostPort", "8080", "host_ports", "host_ports: true"},
        Attempt{"{serviceAccountName: builder}", "serviceAccountName", "\"builder\"", "service_accounts",
                "service_accounts: [builder]"},
        Attempt{"{serviceAccount: builder}", "serviceAccount", "\"builder\"", "service_accounts",
                "service_accounts: ['build*']"},
        Attempt{"{automountServiceAccountToken: true}", "automountServiceAccountToken", "\"default\"",
                "service_accounts", "service_accounts: [default]"},
        Attempt{"{volumes: [{name: v, projected: {sources: [{serviceAccountToken: {path: t}}]}}]}",
                "volumes[0].projected.sources[0].serviceAccountToken", "\"default\"", "service_accounts",
                "service_accounts: [default]"},
        Attempt{"{volumes: [{name: v, secret: {secretName: exp-1-1-1}}]}", "volumes[0].secret.secretName",
                "\"exp-1-1-1\"", "secrets", "secrets: ['exp-*']"},
        Attempt{"{volumes: [{name: v, projected: {sources: [{secret: {name: s}}]}}]}",
                "volumes[0].projected.sources[0].secret.name", "\"s\"", "secrets", "secrets: [s]"},
        Attempt{"{volumes: [{name: v, csi: {driver: d, nodePublishSecretRef: {name: s}}}]}",
                "volumes[0].csi.nodePublishSecretRef.name", "\"s\"", "secrets", "secrets: [s]"},
        Attempt{"{volumes: [{name: v, azureFile: {secretName: s, shareName: x}}]}", "volumes[0].azureFile.secretName",
                "\"s\"", "secrets", "secrets: [s]"},
        Attempt{"{containers: [{name: determined-container, env: [{name: A, valueFrom: {secretKeyRef: {name: s, key: "
                "k}}}]}]}",
                "containers[0].env[0].valueFrom.secretKeyRef.name", "\"s\"", "secrets", "secrets: [s]"},
        Attempt{"{initContainers: [{name: i, image: x, envFrom: [{secretRef: {name: s}}]}]}",
                "initContainers[0].envFrom[0].secretRef.name", "\"s\"", "secrets", "secrets: [s]"}));

TEST(PodPolicy, TakesWhatNeedsNoLeave) {
  EXPECT_EQ(
      in_pod("{volumes: [{name: data, persistentVolumeClaim: {claimName: d}}, {name: e, emptyDir: {}}, {name: c, "
             "configMap: {name: c}}, {name: shm, hostPath: {path: /dev/shm}}], tolerations: [{operator: Exists}], "
             "nodeSelector: {a: b}, priorityClassName: p, imagePullSecrets: [{name: regcred}], hostNetwork: false, "
             "automountServiceAccountToken: false}"),
      "");
  EXPECT_EQ(
      in_container("securityContext: {privileged: false, capabilities: {add: [IPC_LOCK, CAP_CHOWN], drop: [ALL]}}, "
                   "volumeMounts: [{name: data, mountPath: /data}]"),
      "");
}

TEST(PodPolicy, HoldsForBindMountsAndSharedFileSystemsToo) {
  EXPECT_THAT(answer("bind_mounts: [{host_path: /dev/shm/x, container_path: a}, {host_path: /etc, container_path: b}]"),
              testing::StartsWith("<config>.bind_mounts[1].host_path: the host path \"/etc\" may not be used here; "
                                  "allowed, with what is below: \"/dev/shm\". Use a persistentVolumeClaim, or"));
  EXPECT_EQ(answer("bind_mounts: [{host_path: /data/x, container_path: a}]", "pod_policy: {host_paths: [/data]}"), "");
  EXPECT_THAT(answer("checkpoint_storage: {type: shared_fs, host_path: /etc}"),
              testing::StartsWith("<config>.checkpoint_storage.host_path: the host path \"/etc\""));
  EXPECT_EQ(answer("checkpoint_storage: {type: shared_fs, host_path: /tmp/mine}"), "") << "in the cluster's own";
}

TEST(PodPolicy, LetsNoPathClimbOutOfAnAllowedFolder) {
  EXPECT_THAT(answer("bind_mounts: [{host_path: /data/../etc, container_path: a}]", "pod_policy: {host_paths: [/]}"),
              testing::HasSubstr("\"/data/../etc\" may not be used here"));
}

TEST(PodPolicy, GivesEverybodyWhatTheClustersDefaultsUse) {
  constexpr std::string_view kMaster = R"(
task_container_defaults:
  bind_mounts: [{host_path: /nfs, container_path: /nfs}]
  gpu_pod_spec:
    spec:
      serviceAccountName: trainer
      hostNetwork: true
      containers: [{name: watcher, image: w, securityContext: {privileged: true}}]
)";
  EXPECT_EQ(answer("{}", kMaster), "");
  EXPECT_EQ(answer("bind_mounts: [{host_path: /nfs, container_path: /mine}]", kMaster), "");
  EXPECT_EQ(in_pod("{serviceAccountName: trainer, hostNetwork: true}", kMaster), "");
  EXPECT_THAT(in_container("securityContext: {privileged: true}", kMaster),
              testing::HasSubstr("pod_policy.privileged"));
  EXPECT_THAT(in_pod("{automountServiceAccountToken: true}", kMaster), testing::HasSubstr("\"trainer\""))
      << "the name is the cluster's, its token in the pod is not";
}

TEST(PodPolicy, KeepsTheRightsOfTheClustersSidecarsToThemselves) {
  constexpr std::string_view kMaster = R"(
task_container_defaults:
  gpu_pod_spec: {spec: {containers: [{name: watcher, image: w, securityContext: {privileged: true}}]}}
)";
  EXPECT_THAT(in_pod("{containers: [{name: watcher, image: mine}]}", kMaster),
              testing::StartsWith("<config>.environment.pod_spec.spec.containers[0].name: container \"watcher\" is one "
                                  "of the cluster's own"));
  EXPECT_EQ(in_pod("{containers: [{name: mine, image: mine}]}", kMaster), "");
}

TEST(PodPolicy, HoldsForTemplates) {
  AcceptContext context = kContext;
  const MasterConfig plain;
  context.master = &plain;
  context.template_name = "sneaky";
  context.template_config = yaml("{environment: {pod_spec: {spec: {hostPID: true}}}}");
  const auto result = accept_config(minimal(), defaults(), context);
  ASSERT_FALSE(result);
  EXPECT_THAT(join_errors(result.error()), testing::HasSubstr("host's pid namespace"));
}

TEST(PodPolicy, IsTheClustersThenTheNamespacesThenThePools) {
  const PodPolicies policies = master(R"(
pod_policy:
  host_paths: [/a]
  secrets: [s]
  namespaces:
    research: {host_paths: [/b], privileged: true}
resource_pools:
  - pool_name: bare-metal
    pod_policy: {privileged: false, host_namespaces: [network]}
)")
                                   .pod_policies;
  const PodPolicy other = policies.of("other", "default");
  EXPECT_THAT(other.host_paths, testing::ElementsAre("/a"));
  EXPECT_FALSE(other.privileged);
  const PodPolicy research = policies.of("research", "default");
  EXPECT_THAT(research.host_paths, testing::ElementsAre("/b"));
  EXPECT_THAT(research.secrets, testing::ElementsAre("s"));
  EXPECT_TRUE(research.privileged);
  const PodPolicy metal = policies.of("research", "bare-metal");
  EXPECT_FALSE(metal.privileged);
  EXPECT_THAT(metal.host_namespaces, testing::ElementsAre("network"));
  EXPECT_THAT(metal.host_paths, testing::ElementsAre("/b"));
}

TEST(PodPolicy, ReportsEveryErrorOfMasterYaml) {
  const auto read = read_master_config(yaml(R"(
pod_policy: {host_paths: [data], host_namespaces: [uts], privileged: 1, paths: [/], namespaces: {a: {secret: [x]}}}
resource_pools: [{pool_name: p, pod_policy: {namespaces: {}}}]
)"));
  ASSERT_FALSE(read);
  EXPECT_EQ(read.error().message,
            "master.yaml.pod_policy.host_namespaces: \"uts\" is none of \"network\", \"pid\", \"ipc\"\n"
            "master.yaml.pod_policy.host_paths: \"data\" is not an absolute path; \"/\" allows all\n"
            "master.yaml.pod_policy.namespaces.a: additionalProperties \"secret\" not allowed\n"
            "master.yaml.pod_policy.privileged: expected boolean or null, but got number\n"
            "master.yaml.pod_policy: additionalProperties \"paths\" not allowed\n"
            "master.yaml.resource_pools[0].pod_policy: additionalProperties \"namespaces\" not allowed");
}

}  // namespace
}  // namespace det::model
