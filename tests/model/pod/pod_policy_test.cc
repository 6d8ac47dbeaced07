#include "model/pod/pod_policy.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/model/pod/pod_answers.h"

namespace det::model {
namespace {

using namespace test;

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
                "initContainers[0].envFrom[0].secretRef.name", "\"s\"", "secrets", "secrets: [s]"},
        Attempt{"{volumes: [{name: v, csi: {driver: secrets-store.csi.k8s.io, volumeAttributes: {secretProviderClass: "
                "vault}}}]}",
                "volumes[0].csi.volumeAttributes.secretProviderClass", "\"vault\"", "secrets", "secrets: [vault]"}));

INSTANTIATE_TEST_SUITE_P(
    Fields, PodPolicyAttempts,
    testing::Values(
        Attempt{"{securityContext: {seLinuxOptions: {type: spc_t}}}", "securityContext.seLinuxOptions.type",
                "confinement", "fields", "fields: [spec.securityContext.seLinuxOptions]"},
        Attempt{"{containers: [{name: side, image: x, securityContext: {seLinuxOptions: {user: system_u}}}]}",
                "containers[0].securityContext.seLinuxOptions.user", "confinement", "fields",
                "fields: [spec.containers.securityContext.seLinuxOptions.user]"},
        Attempt{
            "{securityContext: {sysctls: [{name: net.ipv4.tcp_syncookies, value: '1'}, {name: kernel.msgmax, value: "
            "'1'}]}}",
            "securityContext.sysctls[1].name", "\"kernel.msgmax\"", "sysctls", "sysctls: ['kernel.msg*']"},
        Attempt{"{securityContext: {sysctls: [{name: net/core/somaxconn, value: '1'}]}}",
                "securityContext.sysctls[0].name", "\"net.core.somaxconn\"", "sysctls",
                "sysctls: [net.core.somaxconn]"},
        Attempt{"{volumes: [{name: v, flexVolume: {driver: d}}]}", "volumes[0].flexVolume", "as root", "fields",
                "fields: [spec.volumes.flexVolume]"},
        Attempt{"{volumes: [{name: v, gitRepo: {repository: r}}]}", "volumes[0].gitRepo", "init container", "fields",
                "fields: [spec.volumes.gitRepo]"},
        Attempt{"{volumes: [{name: v, projected: {sources: [{podCertificate: {signerName: s, keyType: k}}]}}]}",
                "volumes[0].projected.sources[0].podCertificate", "signer", "fields",
                "fields: [spec.volumes.projected.sources.podCertificate]"},
        Attempt{"{priorityClassName: system-node-critical}", "priorityClassName", "\"system-node-critical\"",
                "priority_classes", "priority_classes: [system-node-critical]"},
        Attempt{"{schedulingGroup: {podGroupName: g}}", "schedulingGroup", "group of their own", "fields",
                "fields: [spec.schedulingGroup]"},
        Attempt{"{containers: [{name: side, image: x, livenessProbe: {httpGet: {host: h, port: 1}}}]}",
                "containers[0].livenessProbe.httpGet.host", "the node itself", "fields",
                "fields: ['spec.containers.livenessProbe.*']"},
        Attempt{"{ephemeralContainers: [{name: e, image: x}]}", "ephemeralContainers", "cannot be made", "fields",
                "fields: [spec.ephemeralContainers]"},
        Attempt{"{volumes: [{name: v, ephemeral: {volumeClaimTemplate: {metadata: {finalizers: [a/b]}, spec: {}}}}]}",
                "volumes[0].ephemeral.volumeClaimTemplate.metadata.finalizers", "could not be deleted", "fields",
                "fields: [spec.volumes.ephemeral.volumeClaimTemplate.metadata.finalizers]"},
        Attempt{"{securityContext: {seLinuxOption: {}}}", "securityContext.seLinuxOption",
                "did you mean \"seLinuxOptions\"?", "fields", "fields: [spec.securityContext.seLinuxOption]"}));

TEST(PodPolicy, RefusesWhatMeansSomethingToTheClusterInMetadata) {
  EXPECT_THAT(in_metadata("{finalizers: [a/b]}"),
              testing::StartsWith("<config>.environment.pod_spec.metadata.finalizers: \"metadata.finalizers\" may not "
                                  "be used here: nobody would take them away"));
  EXPECT_EQ(in_metadata("{finalizers: [a/b]}", "pod_policy: {fields: [metadata.finalizers]}"), "");
  EXPECT_THAT(in_metadata("{ownerReferences: [{kind: Node, name: n, apiVersion: v1, uid: u}]}"),
              testing::HasSubstr("a pod goes with its trial"));
  EXPECT_EQ(in_metadata("{finalizers: [], ownerReferences: null, creationTimestamp: null}"), "")
      << "as exported objects have them";
}

TEST(PodPolicy, RefusesLabelsAndAnnotationsThatOthersActOn) {
  for (const std::string key : {"det-operator.dev/trial", "determined.ai/user", "determined", "kubernetes.io/hostname",
                                "x.node.kubernetes.io/y", "batch.k8s.io/z", "scheduling.x-k8s.io/pod-group"}) {
    const std::string said = in_metadata("{labels: {" + key + ": x}}");
    EXPECT_THAT(said, testing::HasSubstr("the label \"" + key + "\" may not be set here")) << key;
    EXPECT_THAT(said, testing::HasSubstr("pod_policy.labels of master.yaml"));
    EXPECT_EQ(in_metadata("{labels: {" + key + ": x}}", "pod_policy: {labels: ['" + key + "']}"), "");
  }
  EXPECT_THAT(in_metadata("{annotations: {kubernetes.io/config.mirror: x}}"),
              testing::HasSubstr("the annotation \"kubernetes.io/config.mirror\" may not be set here"));
  EXPECT_EQ(
      in_metadata("{annotations: {kubernetes.io/config.mirror: x}}", "pod_policy: {annotations: ['kubernetes.io/*']}"),
      "");
  EXPECT_THAT(in_pod("{volumes: [{name: v, ephemeral: {volumeClaimTemplate: {metadata: {annotations: "
                     "{volume.kubernetes.io/selected-node: n}}, spec: {}}}}]}"),
              testing::HasSubstr("\"volume.kubernetes.io/selected-node\""));
}

TEST(PodPolicy, TakesHarmlessLabelsAndAnnotations) {
  EXPECT_EQ(in_metadata("{labels: {team: vision, app.kubernetes.io/name: mine, kueue.x-k8s.io/queue-name: q, "
                        "example.com/kubernetes.io: x}}"),
            "");
  EXPECT_EQ(in_metadata("{annotations: {cluster-autoscaler.kubernetes.io/safe-to-evict: 'false', prometheus.io/port: "
                        "'1', k8s.v1.cni.cncf.io/networks: rdma, sidecar.istio.io/inject: 'false'}}"),
            "");
}

TEST(PodPolicy, HoldsProfilesInAnnotationsLikeProfilesInFields) {
  const std::string key = "container.apparmor.security.beta.kubernetes.io/determined-container";
  const std::string said = in_metadata("{annotations: {" + key + ": unconfined}}");
  EXPECT_THAT(said, testing::HasSubstr(key + ": unconfined\" may not be used here"));
  EXPECT_THAT(said, testing::HasSubstr("pod_policy.privileged"));
  EXPECT_EQ(in_metadata("{annotations: {" + key + ": unconfined}}", "pod_policy: {privileged: true}"), "");
  EXPECT_EQ(in_metadata("{annotations: {" + key + ": runtime/default}}"), "");
  EXPECT_EQ(in_metadata("{annotations: {" + key + ": localhost/mine}}"), "");
  EXPECT_THAT(in_pod("{securityContext: {appArmorProfile: {type: Unconfined}}}"),
              testing::HasSubstr("pod_policy.privileged"));
}

TEST(PodPolicy, TakesWhatPodSecuritysBaselineTakes) {
  EXPECT_EQ(
      in_pod(
          "{volumes: [{name: a, nfs: {server: s, path: /}}, {name: b, csi: {driver: d, volumeAttributes: {k: v}}}, "
          "{name: c, image: {reference: r}}, {name: d, ephemeral: {volumeClaimTemplate: {metadata: {labels: {a: b}}, "
          "spec: {accessModes: [ReadWriteOnce], resources: {requests: {storage: 1Gi}}}}}}, {name: e, downwardAPI: "
          "{items: [{path: p, fieldRef: {fieldPath: metadata.name}}]}}, {name: f, projected: {sources: [{configMap: "
          "{name: c, items: [{key: k, path: p}]}}, {clusterTrustBundle: {name: n, path: p}}]}}], "
          "securityContext: {seLinuxOptions: {type: container_t, level: 's0:c1,c2'}, fsGroup: 1, runAsNonRoot: "
          "true, seccompProfile: {type: RuntimeDefault}, sysctls: [{name: net.ipv4.ip_unprivileged_port_start, "
          "value: '0'}]}, affinity: {podAntiAffinity: {requiredDuringSchedulingIgnoredDuringExecution: "
          "[{topologyKey: kubernetes.io/hostname, labelSelector: {matchLabels: {det-operator.dev/experiment: x}}}]}}, "
          "topologySpreadConstraints: [{maxSkew: 1, topologyKey: zone, whenUnsatisfiable: ScheduleAnyway}], "
          "dnsConfig: {options: [{name: ndots, value: '1'}]}, hostAliases: [{ip: 10.0.0.1, hostnames: [h]}], "
          "resourceClaims: [{name: g, resourceClaimTemplateName: t}], priorityClassName: high, runtimeClassName: "
          "nvidia, schedulerName: mine, nodeSelector: {gpu.nvidia.com/class: A40}, shareProcessNamespace: true, "
          "terminationGracePeriodSeconds: 30, initContainers: [{name: i, image: x, restartPolicy: Always, "
          "readinessProbe: {httpGet: {path: /, port: 80, host: ''}}, lifecycle: {preStop: {exec: {command: [a]}}}, "
          "resources: {limits: {memory: 1Gi}}}]}"),
      "");
}

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
  EXPECT_THAT(answer("bind_mounts: [{host_path: /dev/shm, container_path: a}, {host_path: /etc, container_path: b}]"),
              testing::StartsWith("<config>.bind_mounts[1].host_path: the host path \"/etc\" may not be used here; "
                                  "allowed, with what is below: \"/dev/shm\". Use a persistentVolumeClaim, or"));
  EXPECT_EQ(answer("bind_mounts: [{host_path: /data/x, container_path: a}]", "pod_policy: {host_paths: [/data]}"), "");
  EXPECT_THAT(answer("checkpoint_storage: {type: shared_fs, host_path: /etc}"),
              testing::StartsWith("<config>.checkpoint_storage.host_path: the host path \"/etc\""));
  EXPECT_EQ(answer("checkpoint_storage: {type: shared_fs, host_path: /tmp/mine}"), "") << "in the cluster's own";
}

TEST(PodPolicy, LetsNobodyMountWhatAnotherPodMayHaveMadeALinkOf) {
  EXPECT_THAT(answer("bind_mounts: [{host_path: /dev/shm/x, container_path: a}]"),
              testing::HasSubstr("mount \"/dev/shm\", or"));
  EXPECT_EQ(answer("bind_mounts: [{host_path: /dev/shm/x, container_path: a}]", "pod_policy: {host_paths: [/]}"), "");
}

TEST(PodPolicy, LetsWhatTheClusterMountsReadOnlyBeReadOnly) {
  constexpr std::string_view kMaster = R"(
task_container_defaults:
  bind_mounts: [{host_path: /nfs, container_path: /nfs, read_only: true}]
  gpu_pod_spec:
    spec:
      volumes: [{name: sets, hostPath: {path: /sets}}, {name: own, hostPath: {path: /own}}, {name: tmp, emptyDir: {}}]
      containers:
      - name: determined-container
        volumeMounts: [{name: sets, mountPath: /sets, readOnly: true}, {name: own, mountPath: /own}, {name: tmp, mountPath: /tmp}]
)";
  const auto bind = [&](const std::string& rest) {
    return answer("bind_mounts: [{container_path: /mine, " + rest + "}]", kMaster);
  };
  EXPECT_EQ(bind("host_path: /nfs/deep, read_only: true"), "");
  EXPECT_THAT(bind("host_path: /nfs"), testing::HasSubstr("may only be read here, as the cluster's own mount of it"));
  EXPECT_THAT(bind("host_path: /sets"), testing::HasSubstr("set read_only: true"));
  EXPECT_EQ(
      in_container("volumeMounts: [{name: sets, mountPath: /b, readOnly: true}, {name: own, mountPath: /c}]", kMaster),
      "");
  EXPECT_THAT(
      in_container("volumeMounts: [{name: sets, mountPath: /b}]", kMaster),
      testing::AllOf(testing::HasSubstr("containers[0].volumeMounts[0].name"), testing::HasSubstr("\"/sets\"")));
  EXPECT_EQ(in_pod("{volumes: [{name: sets, hostPath: {path: /sets}}]}", kMaster), "") << "the cluster's mount of it";
  EXPECT_THAT(in_container("volumeMounts: [{name: det-host-volume-0, mountPath: /w}]", kMaster),
              testing::HasSubstr("containers[0].volumeMounts[0].name: volumes whose names begin with "
                                 "\"det-host-volume-\" are those of bind_mounts"));
  EXPECT_THAT(in_pod("{volumes: [{name: tmp, hostPath: {path: /sets}}], containers: [{name: determined-container, "
                     "volumeMounts: [{name: tmp, mountPath: /x, readOnly: true}]}]}",
                     kMaster),
              testing::HasSubstr("\"/sets\" may only be read"))
      << "where the cluster mounts that name writable";
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

TEST(PodPolicy, GivesEverybodyTheFieldsOfTheClustersDefaultsAsTheyAreThere) {
  constexpr std::string_view kMaster = R"(
task_container_defaults:
  gpu_pod_spec:
    metadata: {finalizers: [a/b], labels: {kubernetes.io/x: a}}
    spec: {priorityClassName: system-node-critical, securityContext: {seLinuxOptions: {type: mine_t}, newField: 1}}
)";
  EXPECT_EQ(answer("{}", kMaster), "");
  EXPECT_EQ(
      in_pod("{priorityClassName: system-node-critical, securityContext: {seLinuxOptions: {type: mine_t}}}", kMaster),
      "");
  EXPECT_THAT(in_pod("{securityContext: {seLinuxOptions: {type: other_t}}}", kMaster),
              testing::HasSubstr("pod_policy.fields"));
  EXPECT_EQ(in_metadata("{labels: {kubernetes.io/x: a}}", kMaster), "");
  EXPECT_THAT(in_metadata("{labels: {kubernetes.io/x: b}}", kMaster), testing::HasSubstr("pod_policy.labels"));
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

// Of volumes of one name the upper counts: its container would run with the rights of theirs.
TEST(PodPolicy, KeepsTheVolumesOfTheClustersSidecarsToThemselves) {
  constexpr std::string_view kMaster = R"(
task_container_defaults:
  gpu_pod_spec:
    spec:
      initContainers:
      - {name: setup, image: w, command: [sh, /scripts/setup.sh], securityContext: {privileged: true}, volumeMounts: [{name: scripts, mountPath: /scripts}]}
      - {name: plain, image: w, volumeMounts: [{name: cache, mountPath: /cache}]}
      volumes: [{name: scripts, configMap: {name: theirs}}, {name: cache, emptyDir: {}}]
)";
  EXPECT_THAT(
      in_pod("{volumes: [{name: scripts, persistentVolumeClaim: {claimName: mine}}]}", kMaster),
      testing::StartsWith("<config>.environment.pod_spec.spec.volumes[0].name: volume \"scripts\" is mounted by "
                          "one of the cluster's own containers"));
  EXPECT_EQ(in_pod("{volumes: [{name: cache, emptyDir: {medium: Memory}}, {name: mine, emptyDir: {}}]}", kMaster), "");
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
release: {name: x}
pod_policy: {fields: [gitRepo], host_paths: [data], host_namespaces: [uts], privileged: 1, paths: [/], namespaces: {a: {secret: [x]}}}
resource_pools: [{pool_name: p, pod_policy: {namespaces: {}}}]
)"));
  ASSERT_FALSE(read);
  EXPECT_EQ(
      read.error().message,
      "master.yaml.pod_policy.fields: \"gitRepo\" is not the path of a field, such as \"spec.volumes.gitRepo\"\n"
      "master.yaml.pod_policy.host_namespaces: \"uts\" is none of \"network\", \"pid\", \"ipc\"\n"
      "master.yaml.pod_policy.host_paths: \"data\" is not an absolute path; \"/\" allows all\n"
      "master.yaml.pod_policy.namespaces.a: additionalProperties \"secret\" not allowed; did you mean \"secrets\"?\n"
      "master.yaml.pod_policy.privileged: expected boolean or null, but got number\n"
      "master.yaml.pod_policy: additionalProperties \"paths\" not allowed\n"
      "master.yaml.release: additionalProperties \"name\" not allowed\n"
      "master.yaml.resource_pools[0].pod_policy: additionalProperties \"namespaces\" not allowed");
}

}  // namespace
}  // namespace det::model
