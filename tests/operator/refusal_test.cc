#include "operator/refusal.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace det::op {
namespace {

using accept::Part;
using nlohmann::json;

accept::Objection objection(Part part) {
  accept::Objection one;
  one.part = part;
  one.errors = {{.message = "is wrong", .field = "a.b"}};
  return one;
}

TEST(Refusal, NamesTheFieldByItsPlaceInTheObject) {
  EXPECT_EQ(condition_of(objection(Part::kConfig)).message, "spec.config.a.b: is wrong");
  EXPECT_EQ(condition_of(objection(Part::kContext)).message, "spec.context.a.b: is wrong");
  EXPECT_EQ(condition_of(objection(Part::kTemplate)).message, "spec.template.a.b: is wrong");
  EXPECT_EQ(condition_of(objection(Part::kWorkspace)).message, "spec.workspace.a.b: is wrong");
  EXPECT_EQ(condition_of(objection(Part::kTensorBoard)).message, "spec.tensorBoard.a.b: is wrong");
  EXPECT_EQ(condition_of(objection(Part::kPod)).message, "is wrong") << "the API server's own words";
}

TEST(Refusal, TellsAllThatIsWrong) {
  std::optional<Refusal> known;
  add_refusal(known, std::nullopt);
  EXPECT_FALSE(known);
  add_refusal(known, Refusal{.reason = "ImmutableFieldChanged", .message = "spec.config.entrypoint: ..."});
  add_refusal(known, Refusal{.reason = "ResourcePoolNotFound", .message = "there is no pool 'a'", .may_pass = true});
  ASSERT_TRUE(known);
  EXPECT_EQ(known->reason, "ImmutableFieldChanged");
  EXPECT_EQ(known->message, "spec.config.entrypoint: ...\nResourcePoolNotFound: there is no pool 'a'");
}

TEST(Refusal, NamesWhatIsOutOfReach) {
  const Error error{
      .code = ErrorCode::kUnavailable, .message = "a webhook did not answer", .field = {}, .retry_after = {}};
  EXPECT_EQ(out_of_reach(error, true).reason, "KubernetesUnavailable");
  EXPECT_EQ(out_of_reach(error, false).reason, "DatabaseUnavailable");
  EXPECT_EQ(out_of_reach(error, true).message, "a webhook did not answer");
  EXPECT_TRUE(out_of_reach(error, false).may_pass);
}

TEST(Refusal, IsNoneWhereOthersHaveUsedUpAQuota) {
  accept::Objection forbidden = objection(Part::kPod);
  forbidden.may_pass = true;
  const auto waits = [&](const std::string& words) {
    forbidden.errors.front().message = "the Kubernetes API would refuse the pod: pods \"x\" is forbidden: " + words;
    return waits_for_quota(forbidden);
  };
  EXPECT_TRUE(
      waits("exceeded quota: q, requested: pods=1,requests.nvidia.com/gpu=4, "
            "used: pods=2,requests.nvidia.com/gpu=8, limited: pods=9,requests.nvidia.com/gpu=8"));
  EXPECT_FALSE(
      waits("exceeded quota: q, requested: pods=1,requests.nvidia.com/gpu=9, "
            "used: pods=0,requests.nvidia.com/gpu=0, limited: pods=9,requests.nvidia.com/gpu=8"));
  EXPECT_FALSE(waits("exceeded quota: q, requested: cpu=1500m, used: cpu=0, limited: cpu=1"));
  EXPECT_FALSE(waits("exceeded quota: q, requested: memory=2Gi, used: memory=0, limited: memory=1Gi"));
  EXPECT_TRUE(waits("exceeded quota: q")) << "nobody says that it could not be";
  EXPECT_FALSE(waits("violates PodSecurity \"restricted:latest\""));
  EXPECT_FALSE(waits("failed quota: q: must specify cpu"));
}

TEST(Refusal, SaysWhatWouldHelp) {
  accept::Objection with_remedy = objection(Part::kConfig);
  with_remedy.remedy = "leave it out";
  EXPECT_EQ(condition_of(with_remedy).message, "spec.config.a.b: is wrong; leave it out");
}

TEST(Refusal, IsFinalOnlyWhereTryingAgainCannotHelp) {
  const WallTime now = *parse_rfc3339("2026-11-25T12:00:00Z");
  const json final_one = refused_status(json(), 4, {.reason = "InvalidConfig", .message = "m"}, now);
  EXPECT_EQ(final_one["state"], "REJECTED");
  EXPECT_EQ(final_one["observedGeneration"], 4);
  EXPECT_EQ(final_one["conditions"][0]["status"], "False");
  EXPECT_EQ(final_one["conditions"][2]["type"], "Stalled");
  EXPECT_EQ(final_one["conditions"][2]["status"], "True");
  const json passing = refused_status(json(), 4, {.reason = "Later", .message = "m", .may_pass = true}, now);
  EXPECT_EQ(passing["state"], "PENDING");
  EXPECT_EQ(passing["conditions"][0]["status"], "Unknown");
  EXPECT_EQ(passing["conditions"][1]["type"], "Reconciling");
  EXPECT_EQ(passing["conditions"][1]["status"], "True");
}

TEST(Refusal, IsLookedAtEverMoreRarely) {
  using std::chrono::seconds;
  const WallTime begun = *parse_rfc3339("2026-11-25T12:00:00Z");
  const auto pause = [&](bool may_pass, seconds later) {
    const Refusal refusal{.reason = "R", .message = "m", .may_pass = may_pass};
    return refused_pause(refused_status(json(), 1, refusal, begun), begun + later);
  };
  for (const bool may_pass : {false, true}) {
    EXPECT_EQ(pause(may_pass, seconds(0)), seconds(10));
    EXPECT_EQ(pause(may_pass, seconds(200)), seconds(50));
  }
  EXPECT_EQ(pause(false, std::chrono::hours(24)), seconds(300));
  EXPECT_EQ(pause(true, std::chrono::hours(24)), seconds(60));
  EXPECT_EQ(pause(true, seconds(-500)), seconds(10)) << "clocks differ";
  EXPECT_EQ(refused_pause(json(), begun), seconds(10));
}

TEST(Refusal, NamesAtMostTenOfTheFieldsThatCannotChange) {
  std::vector<std::string> fields = {"debug", "searcher.max_trials"};
  EXPECT_EQ(changed_after_acceptance(fields, "experiment"),
            (Refusal{.reason = "ImmutableFieldChanged",
                     .message = "spec.config.debug, spec.config.searcher.max_trials: changed after acceptance; the "
                                "experiment goes on with what was accepted. Create a new experiment to run the change",
                     .may_pass = false}));
  fields.assign(12, "a");
  fields[9] = "j";
  EXPECT_NE(changed_after_acceptance(fields, "task").message.find("spec.config.j and 2 more: changed"),
            std::string::npos);
}

}  // namespace
}  // namespace det::op
