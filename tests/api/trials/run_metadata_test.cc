#include <gmock/gmock.h>

#include "api/trials/run_metadata_rules.h"
#include "tests/api/fixture.h"

namespace det::api {
namespace {

using testing::HasSubstr;

struct RunMetadata : ApiTest {
  RunMetadata() : trial(started_trial_of(model::ExperimentId{create()}, "01")) {}
  std::string path() const { return "/api/v1/runs/" + std::to_string(trial.id.value) + "/metadata"; }
  store::TrialRow trial;
};

TEST_F(RunMetadata, IsWhatWasSaidLast) {
  EXPECT_EQ(get(path()).body(), (json{{"metadata", json::object()}}));
  const json said = {{"metadata", {{"host", "a"}, {"sizes", {1, 2}}, {"nested", {{"none", nullptr}}}}}};
  EXPECT_EQ(post(path(), said).body(), said);
  EXPECT_EQ(get(path()).body(), said);
  EXPECT_EQ(get("/api/v1/trials/" + std::to_string(trial.id.value)).body()["trial"]["metadata"], said["metadata"]);
  EXPECT_EQ(post(path(), {{"metadata", json::object()}}).status, 200);
  EXPECT_EQ(get(path()).body()["metadata"], json::object());
  EXPECT_EQ(get("/api/v1/runs/99/metadata").status, 404);
  EXPECT_EQ(post(path(), json::object()).error(), "missing argument: metadata");
  EXPECT_THAT(post(path(), {{"metadata", {1}}}).error(), HasSubstr("expected an object"));
}

TEST(RunMetadataRules, HaveDeterminedsBounds) {
  const auto refusal = [](const json& metadata) {
    const Status status = check_run_metadata(metadata);
    return status ? "" : status.error().message;
  };
  EXPECT_EQ(refusal({{std::string(50, 'k'), std::string(5000, 'v')}}), "");
  EXPECT_THAT(refusal({{std::string(51, 'k'), 1}}), HasSubstr("metadata key exceeds maximum length of 50 characters"));
  EXPECT_THAT(refusal({{"a", {{"b", std::string(5001, 'v')}}}}),
              HasSubstr("maximum length of 5000 characters (at metadata.a.b)"));
  EXPECT_THAT(refusal({{"a.b", 1}}), HasSubstr("metadata keys can not contain the following character(s)"));
  EXPECT_THAT(refusal({{"a", json(101, 1)}}), HasSubstr("metadata array exceeds maximum length of 101/100 elements"));
  json deep = 1;
  for (int i = 0; i < 10; ++i) deep = {{"k", deep}};
  EXPECT_EQ(refusal(deep), "");
  EXPECT_THAT(refusal({{"k", deep}}), HasSubstr("metadata exceeds maximum nesting depth of 10"));
  json many = json::object();
  for (int i = 0; i < 1001; ++i) many["k" + std::to_string(i)] = i;
  EXPECT_THAT(refusal(many), HasSubstr("key count limit of 1000"));
}

}  // namespace
}  // namespace det::api
