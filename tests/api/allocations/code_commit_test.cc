// Code that pods fetch themselves: the commit that is settled once, and what REST says of code it does not have.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/encoding.h"
#include "tests/api/fixture.h"

namespace det::api {
namespace {

using testing::HasSubstr;

struct CodeCommit : ApiTest {
  CodeCommit()
      : trial(started_trial()),
        path("/api/v1/allocations/" + model::allocation_id(trial.task_id, 1) + "/code_commit") {}

  const std::string first = std::string(40, 'a');
  const std::string second = std::string(40, 'b');
  store::TrialRow trial;
  std::string path;
};

TEST_F(CodeCommit, IsTheOneOfThePodThatWasFirst) {
  EXPECT_EQ(get(path).body(), (json{{"commit", ""}}));
  EXPECT_EQ(post(path, {{"commit", first}}).body(), (json{{"commit", first}}));
  EXPECT_EQ(post(path, {{"commit", second}}).body(), (json{{"commit", first}}));
  EXPECT_EQ(get(path).body(), (json{{"commit", first}}));
}

TEST_F(CodeCommit, IsACommitOfAKnownAllocation) {
  for (const std::string& wrong : {std::string("main"), std::string(40, 'A'), std::string(39, 'a'), std::string()}) {
    const Answer refused = post(path, {{"commit", wrong}});
    EXPECT_EQ(refused.status, 400) << wrong;
    EXPECT_THAT(refused.error(), HasSubstr("40 or 64 hexadecimal digits"));
  }
  EXPECT_EQ(get("/api/v1/allocations/7.x.1/code_commit").status, 404);
  EXPECT_EQ(post("/api/v1/allocations/7.x.1/code_commit", {{"commit", first}}).status, 404);
}

TEST_F(CodeCommit, NeedsAToken) {
  token.clear();
  EXPECT_EQ(get(path).status, 401);
  EXPECT_EQ(post(path, {{"commit", first}}).status, 401);
}

struct FetchedCode : ApiTest {
  // As the operator accepts an object whose code is in a repository.
  store::ExperimentRow accepted(const std::string& source = R"({"git":{"url":"https://example.com/a"}})") {
    must(contexts.put(sha256_hex(source), source));
    store::NewExperiment row;
    row.uid = "uid-git";
    row.ns = "team";
    row.name = "from-git";
    row.owner = {2};
    row.config = {{"name", "from-git"}, {"searcher", {{"name", "single"}, {"metric", "loss"}}}};
    row.original_config = kConst;
    row.title = "from-git";
    row.context = {.kind = "git", .sha256 = sha256_hex(source)};
    return must(experiments.insert(row));
  }
};

TEST_F(FetchedCode, IsNotInTheDatabase) {
  const store::ExperimentRow row = accepted();
  const Answer code = get("/api/v1/experiments/" + to_string(row.id) + "/model_def");
  EXPECT_EQ(code.status, 404);
  EXPECT_THAT(code.error(), HasSubstr("has no stored model code: it comes from 'git'"));
  EXPECT_FALSE(get("/api/v1/experiments/" + to_string(row.id)).body()["experiment"].contains("modelDefinitionSize"));
}

TEST_F(FetchedCode, IsInheritedByAFork) {
  const store::ExperimentRow parent = accepted();
  const Answer made =
      post("/api/v1/experiments", {{"config", kConst}, {"parentId", parent.id.value}, {"activate", true}});
  ASSERT_EQ(made.status, 200) << made.text;
  const model::ExperimentId child{made.body()["experiment"]["id"].get<std::int64_t>()};
  EXPECT_EQ(must(experiments.find(child))->context, parent.context);
}

TEST_F(FetchedCode, IsNotInheritedWithASecretThatThePolicyDoesNotAllow) {
  const auto parent = accepted(R"({"git":{"url":"https://example.com/a","secretName":"of-another-namespace"}})");
  const Answer refused = post("/api/v1/experiments", {{"config", kConst}, {"parentId", parent.id.value}});
  EXPECT_EQ(refused.status, 400);
  EXPECT_THAT(refused.error(), HasSubstr("the parent's model code: context.git.secretName: the secret "
                                         "\"of-another-namespace\" may not be used here"));
}

}  // namespace
}  // namespace det::api
