#include "model/pod/pod_allowed_fields.h"

#include <algorithm>
#include <fstream>
#include <map>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace det::model {
namespace {

using testing::ElementsAre;

// What Kubernetes publishes; scripts/tools/pod_fields.py wrote it.
std::vector<std::string> published_fields() {
  std::ifstream file("tests/model/pod_fields/kubernetes-1.36.txt");
  std::vector<std::string> paths;
  for (std::string line; std::getline(file, line);) paths.push_back(line);
  return paths;
}

std::map<std::string, FieldVerdict> decided_fields() {
  std::map<std::string, FieldVerdict> decided;
  for (PodFieldPath& field : all_pod_fields()) decided.emplace(std::move(field.path), field.verdict);
  return decided;
}

TEST(PodAllowedFields, DecideAboutEveryFieldThatKubernetesPublishes) {
  const std::vector<std::string> published = published_fields();
  ASSERT_GT(published.size(), 800);
  const auto decided = decided_fields();
  for (const std::string& path : published) {
    EXPECT_TRUE(decided.contains(path)) << path << " is neither allowed nor checked nor refused";
  }
}

TEST(PodAllowedFields, HaveNoneThatKubernetesDoesNotHave) {
  const std::vector<std::string> published = published_fields();
  for (const auto& [path, verdict] : decided_fields()) {
    EXPECT_NE(std::ranges::find(published, path), published.end()) << path;
    EXPECT_NE(verdict, FieldVerdict::kUnknown) << path;
  }
}

TEST(PodAllowedFields, AreRefusedOnPurpose) {
  std::vector<std::string> refused;
  for (const auto& [path, verdict] : decided_fields()) {
    const bool is_of_a_list = path.starts_with("spec.containers.") || path.starts_with("spec.initContainers.") ||
                              path.starts_with("spec.ephemeralContainers.") || path.starts_with("metadata.");
    if (verdict == FieldVerdict::kRefused && !is_of_a_list) refused.push_back(path);
  }
  std::erase_if(refused, [](const std::string& path) { return path.contains("volumeClaimTemplate.metadata."); });
  EXPECT_THAT(refused, ElementsAre("spec.schedulingGroup.podGroupName", "spec.securityContext.seLinuxOptions.role",
                                   "spec.securityContext.seLinuxOptions.user", "spec.volumes.flexVolume.driver",
                                   "spec.volumes.flexVolume.fsType", "spec.volumes.flexVolume.options",
                                   "spec.volumes.flexVolume.readOnly", "spec.volumes.flexVolume.secretRef.name",
                                   "spec.volumes.gitRepo.directory", "spec.volumes.gitRepo.repository",
                                   "spec.volumes.gitRepo.revision",
                                   "spec.volumes.projected.sources.podCertificate.certificateChainPath",
                                   "spec.volumes.projected.sources.podCertificate.credentialBundlePath",
                                   "spec.volumes.projected.sources.podCertificate.keyPath",
                                   "spec.volumes.projected.sources.podCertificate.keyType",
                                   "spec.volumes.projected.sources.podCertificate.maxExpirationSeconds",
                                   "spec.volumes.projected.sources.podCertificate.signerName",
                                   "spec.volumes.projected.sources.podCertificate.userAnnotations"));
}

TEST(PodAllowedFields, KnowWhatAFieldHolds) {
  EXPECT_EQ(pod_field("PodSpec", "volumes").shape, "Volume");
  EXPECT_EQ(pod_field("PodSpec", "nodeSelector").shape, "") << "a map of values";
  EXPECT_EQ(pod_field("PodSpec", "volume").verdict, FieldVerdict::kUnknown);
  EXPECT_EQ(shape_at("spec.containers[0].resources"), "ResourceRequirements");
  EXPECT_EQ(shape_at(""), kPodShape);
  EXPECT_EQ(shape_at("spec.nothing.here"), "");
}

TEST(PodAllowedFields, SayWhyAFieldIsRefused) {
  for (const auto& [shape, name] : {std::pair{"Volume", "gitRepo"}, {"ObjectMeta", "finalizers"}}) {
    EXPECT_EQ(pod_field(shape, name).verdict, FieldVerdict::kRefused);
    EXPECT_NE(why_refused(shape, name), "");
  }
  EXPECT_EQ(why_refused("Volume", "emptyDir"), "");
}

TEST(PodAllowedFields, GuessWhatWasMeant) {
  EXPECT_EQ(nearest_field("PodSpec", "volume"), "volumes");
  EXPECT_EQ(nearest_field("PodSpec", "nodeselector"), "nodeSelector");
  EXPECT_EQ(nearest_field("Volume", "persistantVolumeClaim"), "persistentVolumeClaim");
  EXPECT_EQ(nearest_field("PodSpec", "foo"), "");
  EXPECT_EQ(nearest_field("ObjectMeta", "uid"), "") << "it is what it is";
  EXPECT_EQ(nearest_field("SecurityContext", std::string(100'000, 'x')), "");
}

}  // namespace
}  // namespace det::model
