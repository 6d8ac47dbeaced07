#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "model/pod/pod_policy_check.h"
#include "tests/model/pod/pod_answers.h"

namespace det::model {
namespace {

using namespace test;

// `release` of master.yaml for the namespace of answer().
constexpr std::string_view kReleaseHere =
    "{release: {namespace: research, persistent_volume_claims: ['data-det-db-*'], secrets: [det-db], config_maps: "
    "[det]}, pod_policy: {secrets: ['*'], fields: ['spec.*'], labels: ['a.kubernetes.io/*']}}";

TEST(PodPolicy, KeepsWhatBelongsToTheReleaseWhateverItsListsSay) {
  for (const auto& [volume, what] :
       {std::pair{"persistentVolumeClaim: {claimName: data-det-db-0}", "PersistentVolumeClaim \"data-det-db-0\""},
        {"secret: {secretName: det-db}", "secret \"det-db\""},
        {"configMap: {name: det}", "ConfigMap \"det\""},
        {"projected: {sources: [{configMap: {name: det}}]}", "ConfigMap \"det\""},
        {"ephemeral: {volumeClaimTemplate: {spec: {dataSource: {kind: PersistentVolumeClaim, name: data-det-db-0}}}}",
         "PersistentVolumeClaim \"data-det-db-0\""}}) {
    const std::string spec = "{volumes: [{name: v, " + std::string(volume) + "}]}";
    EXPECT_THAT(in_pod(spec, kReleaseHere),
                testing::HasSubstr("the " + std::string(what) +
                                   " may not be used: it belongs to the release of det-operator in this namespace"));
    EXPECT_EQ(in_pod(spec,
                     "{release: {namespace: other, persistent_volume_claims: ['*'], secrets: ['*'], config_maps: "
                     "['*']}, pod_policy: {secrets: ['*']}}"),
              "");
  }
  EXPECT_THAT(in_container("env: [{name: A, valueFrom: {configMapKeyRef: {name: det, key: k}}}]", kReleaseHere),
              testing::HasSubstr("env[0].valueFrom.configMapKeyRef.name: the ConfigMap \"det\""));
  EXPECT_THAT(in_container("envFrom: [{configMapRef: {name: det}}]", kReleaseHere),
              testing::HasSubstr("envFrom[0].configMapRef.name: the ConfigMap \"det\""));
}

TEST(PodPolicy, LetsNoPodBeTakenForOneOfTheRelease) {
  EXPECT_THAT(in_metadata("{labels: {app.kubernetes.io/name: det-operator}}", kReleaseHere),
              testing::HasSubstr("the label \"app.kubernetes.io/name\" may not be set here"));
  EXPECT_EQ(in_metadata("{labels: {a.kubernetes.io/name: x}}", kReleaseHere), "");
}

TEST(PodPolicy, HoldsForTheCodesSourceToo) {
  const PodPolicies policies = master(kReleaseHere).pod_policies;
  const PodPolicy here = policies.of("research", "default");
  const PodPolicy plain = PodPolicies().of("other", "default");
  const auto said = [](std::string_view context, const PodPolicy& policy, const json& cluster = json::object()) {
    const FieldErrors errors = check_code_source(yaml(context), cluster, policy);
    return errors.empty() ? "" : join_errors(errors, "spec.context");
  };
  EXPECT_EQ(
      said("{git: {url: u, secretName: keys}}", plain),
      "spec.context.git.secretName: the secret \"keys\" may not be used here; allowed: none; an administrator can "
      "allow it with pod_policy.secrets of master.yaml");
  EXPECT_EQ(said("{git: {url: u, secretName: keys}}", here), "");
  EXPECT_THAT(said("{git: {url: u, secretName: det-db}}", here), testing::HasSubstr("belongs to the release"));
  EXPECT_THAT(said("{pvc: {claimName: data-det-db-0}}", here), testing::StartsWith("spec.context.pvc.claimName: the"));
  EXPECT_THAT(said("{configMap: {name: det}}", here), testing::StartsWith("spec.context.configMap.name: the"));
  EXPECT_EQ(said("{pvc: {claimName: mine}}", plain), "");
  EXPECT_EQ(said("{git: {url: u}}", plain), "");
  const json defaults_with_it =
      yaml("{environment: {pod_spec: {spec: {volumes: [{name: k, secret: {secretName: keys}}]}}}}");
  EXPECT_EQ(said("{git: {url: u, secretName: keys}}", plain, defaults_with_it), "");
}

}  // namespace
}  // namespace det::model
