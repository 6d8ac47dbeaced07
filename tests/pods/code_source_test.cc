#include "pods/code_source.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace det::pods {
namespace {

using nlohmann::json;
using testing::HasSubstr;
using testing::Not;

json git(json fields) {
  return {{"git", std::move(fields)}};
}

json pod() {
  return {
      {"spec",
       {{"containers", {{{"name", "determined-container"}, {"env", json::array()}, {"volumeMounts", json::array()}}}},
        {"volumes", json::array()}}}};
}

std::string said(const json& context) {
  const auto error = code_source_error(context);
  return error ? error->field + ": " + error->message : "";
}

TEST(CodeSource, TakesTheAddressesThatGitHas) {
  for (const char* url : {"https://example.com/team/model.git", "http://10.0.0.1:3000/a", "ssh://git@example.com/a.git",
                          "ssh://git@example.com:2222/a.git", "git@example.com:team/model.git", "file:///srv/model"}) {
    EXPECT_EQ(said(git({{"url", url}, {"ref", "release/1.0"}, {"path", "train/src"}})), "") << url;
  }
}

TEST(CodeSource, RefusesWhatIsNoAddress) {
  for (const char* url :
       {"", "model", "--upload-pack=touch /tmp/x", "ext::sh -c id", "/srv/model", "ftp://example.com/a"}) {
    EXPECT_THAT(said(git({{"url", url}})), HasSubstr("git.url: ")) << url;
  }
  EXPECT_THAT(said(git({{"url", "https://example.com/a b"}})), HasSubstr("space"));
}

TEST(CodeSource, SendsCredentialsToASecretWithoutRepeatingThem) {
  for (const char* url :
       {"https://ann:hunter2@example.com/a", "https://hunter2@example.com/a", "ssh://ann:hunter2@h/a"}) {
    const std::string error = said(git({{"url", url}}));
    EXPECT_THAT(error, HasSubstr("git.secretName")) << url;
    EXPECT_THAT(error, Not(HasSubstr("hunter2")));
  }
}

TEST(CodeSource, RefusesRefsAndPathsThatMeanSomethingElse) {
  const std::string url = "https://example.com/a";
  for (const char* ref : {"--help", "a..b", "a b", "HEAD~1", "refs/*"}) {
    EXPECT_THAT(said(git({{"url", url}, {"ref", ref}})), HasSubstr("git.ref")) << ref;
  }
  for (const char* path : {"/etc", "..", "a/../b", "a/.."}) {
    EXPECT_THAT(said(git({{"url", url}, {"path", path}})), HasSubstr("git.path")) << path;
    EXPECT_THAT(said({{"pvc", {{"claimName", "c"}, {"path", path}}}}), HasSubstr("pvc.path")) << path;
  }
  EXPECT_EQ(said(git({{"url", url}, {"path", "a/..b/c"}})), "");
}

TEST(CodeSource, GivesThePodTheRepositoryAndItsSecret) {
  json with = pod();
  const json source = git({{"url", "https://example.com/a"}, {"secretName", "deploy-key"}});
  add_code_source(with, source);
  const json& container = with["spec"]["containers"][0];
  EXPECT_EQ(container["env"][0], (json{{"name", "DET_CODE_SOURCE"}, {"value", source.dump()}}));
  EXPECT_EQ(with["spec"]["volumes"][0]["secret"]["secretName"], "deploy-key");
  EXPECT_EQ(container["volumeMounts"][0],
            (json{{"name", "det-git-secret"}, {"mountPath", "/run/determined/git-secret"}, {"readOnly", true}}));
}

TEST(CodeSource, GivesThePodTheClaim) {
  json with = pod();
  add_code_source(with, {{"pvc", {{"claimName", "code"}, {"path", "a"}}}});
  EXPECT_EQ(with["spec"]["volumes"][0],
            (json{{"name", "det-code"}, {"persistentVolumeClaim", {{"claimName", "code"}}}}));
  EXPECT_EQ(with["spec"]["containers"][0]["volumeMounts"][0]["mountPath"], "/run/determined/code");
}

TEST(CodeSource, LeavesOtherPodsAsTheyAre) {
  json same = pod();
  add_code_source(same, json());
  add_code_source(same, {{"stored", {{"sha256", "abc"}}}});
  EXPECT_EQ(same, pod());
  EXPECT_FALSE(is_code_source({{"configMap", {{"name", "c"}}}}));
}

TEST(CodeSource, SaysItsKind) {
  EXPECT_EQ(code_source_kind(git({{"url", "https://example.com/a"}})), "git");
  EXPECT_EQ(code_source_kind({{"pvc", {{"claimName", "code"}}}}), "pvc");
  EXPECT_EQ(code_source_kind({{"configMap", {{"name", "c"}}}}), "");
  EXPECT_EQ(code_source_kind(json()), "");
}

}  // namespace
}  // namespace det::pods
