#include "api/logs/log_policies.h"

#include <sstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/api/fixture.h"

namespace det::api {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

constexpr std::chrono::seconds kLong{60};

bool matches(const char* pattern, std::string_view line) {
  bool is_whole = true;
  const bool found = CompiledLogPolicy("p", pattern, "").matches(line, is_whole);
  EXPECT_TRUE(is_whole);
  return found;
}

store::LogLine line(std::string text, std::string node = "n1") {
  store::LogLine one;
  one.text = std::move(text);
  one.agent_id = std::move(node);
  return one;
}

TEST(LogPolicy, LooksForItsPatternAnywhereInTheLine) {
  EXPECT_TRUE(matches(".*CUDA out of memory.*", "torch: CUDA out of memory. Tried"));
  EXPECT_FALSE(matches(".*CUDA out of memory.*", "cuda out of memory"));
  EXPECT_TRUE(matches("error [0-9]+$", "an error 42"));
  EXPECT_FALSE(matches("error [0-9]+$", "an error 42 or so"));
  EXPECT_TRUE(matches("(?i)nccl.*timeout", "NCCL collective TimeOut"));
  EXPECT_FALSE(matches("(unclosed", "(unclosed")) << "not an expression";
}

TEST(LogPolicy, IsReadFromTheConfiguration) {
  const json config = json::parse(R"({"log_policies": [
    {"name": "ecc", "pattern": "ECC", "action": "exclude_node"}, {"name": "CUDA OOM"}, {"pattern": "x", "action": null}]})");
  const auto policies = read_log_policies(config);
  ASSERT_EQ(policies.size(), 2U) << "one without a pattern only switches another off";
  EXPECT_EQ(policies[0].action(), "exclude_node");
  EXPECT_EQ(policies[1].action(), "");
  EXPECT_TRUE(read_log_policies(json::object()).empty());
}

TEST(LogPolicy, CountsOncePerNodeAndNotInPrintedConfigurations) {
  const std::vector<CompiledLogPolicy> policies = {{"ecc", "ECC", "exclude_node"}};
  const auto [found, is_whole] = find_matches(policies,
                                              {line("ECC\n"), line("ECC again\n"), line("ECC\n", "n2"),
                                               line("{\"log_policies\": [{\"pattern\": \"ECC\"}]}\n", "n3")},
                                              kLong);
  ASSERT_EQ(found.size(), 2U);
  EXPECT_EQ(found[0].line, "ECC");
  EXPECT_EQ(found[1].node, "n2");
  EXPECT_TRUE(is_whole);
}

TEST(LogPolicy, IsLookedForInEveryLineWhereItIsTextAndElseForAWhile) {
  const std::vector<CompiledLogPolicy> policies = {{"slow", "error [0-9]+", ""}, {"text", ".*error 7.*", ""}};
  const std::vector<store::LogLine> lines = {line("error 1\n"), line("error 7\n")};
  EXPECT_EQ(find_matches(policies, lines, kLong).found.size(), 2U);
  const LogMatches late = find_matches(policies, lines, -kLong);
  ASSERT_EQ(late.found.size(), 1U);
  EXPECT_EQ(late.found[0].policy->name(), "text");
  EXPECT_FALSE(late.is_whole);
}

TEST(LogPolicy, OfManyInstructionsIsLookedForInTheBeginningOfALongLine) {
  std::string many = "^Q(x";
  for (int i = 0; i < 40; ++i) many += "|[ab]*";
  const std::vector<CompiledLogPolicy> policies = {{"large", many + "){1000}y", ""}};
  EXPECT_FALSE(find_matches(policies, {line(std::string(64 << 10, 'z'))}, kLong).is_whole);
  EXPECT_TRUE(find_matches(policies, {line(std::string(100, 'z'))}, kLong).is_whole);
}

TEST(LogPolicy, MatchesOnAHundredNodesOfOnePost) {
  const std::vector<CompiledLogPolicy> policies = {{"ecc", "ECC", "exclude_node"}};
  std::vector<store::LogLine> lines;
  for (int node = 0; node < 101; ++node) lines.push_back(line("ECC\n", std::to_string(node)));
  const LogMatches matches = find_matches(policies, lines, kLong);
  EXPECT_EQ(matches.found.size(), 100U);
  EXPECT_FALSE(matches.is_whole);
}

struct LogPoliciesTest : ApiTest {
  LogPoliciesTest() : trial(started_trial()) {
    sql("UPDATE experiments SET config = config || '{\"log_policies\": ["
        "{\"name\": \"ecc\", \"pattern\": \".*uncorrectable ECC error.*\", \"action\": \"exclude_node\"}, "
        "{\"name\": \"bug\", \"pattern\": \"Assertion.*failed\", \"action\": \"cancel_retries\"}, "
        "{\"name\": \"seen\", \"pattern\": \"seen\"}]}' WHERE id = " +
        to_string(trial.experiment));
  }
  Answer log(const std::string& text, const std::string& node = "n1") {
    return post("/api/v1/task/logs",
                {{"logs", {{{"task_id", trial.task_id}, {"agent_id", node}, {"log", text + "\n"}}}}});
  }
  [[nodiscard]] store::LogVerdict verdict() { return must(trials.find(trial.id)).value().logs; }
  // Of the trial's log.
  int lines_with(std::string_view text) {
    std::istringstream frames(get("/api/v1/trials/" + to_string(trial.id) + "/logs?follow=false").text);
    int count = 0;
    for (std::string frame; std::getline(frames, frame);) count += frame.find(text) != std::string::npos ? 1 : 0;
    return count;
  }

  store::TrialRow trial;
};

TEST_F(LogPoliciesTest, ExcludeTheNodeThatALineCameFrom) {
  EXPECT_EQ(log("all is well").status, 200);
  EXPECT_TRUE(verdict().excluded_nodes.empty());
  EXPECT_EQ(log("gpu 3: uncorrectable ECC error").status, 200);
  EXPECT_EQ(log("gpu 3: uncorrectable ECC error").status, 200);
  EXPECT_EQ(log("uncorrectable ECC error", "n2").status, 200);
  const store::LogVerdict found = verdict();
  ASSERT_EQ(found.excluded_nodes.size(), 2U);
  EXPECT_EQ(found.excluded_nodes[0].node, "n1");
  EXPECT_EQ(found.excluded_nodes[0].why,
            "(log '\"gpu 3: uncorrectable ECC error\"' matched regex .*uncorrectable ECC error.*) therefore will not "
            "schedule on n1");
  EXPECT_EQ(found.excluded_nodes[1].node, "n2");
  EXPECT_EQ(found.no_retry, "");
  EXPECT_EQ(found.matched, "ecc");
  EXPECT_EQ(lines_with("therefore will not schedule on n1"), 1);
}

TEST_F(LogPoliciesTest, CancelRetriesAndRememberWhatMatched) {
  EXPECT_EQ(log("Assertion x failed").status, 200);
  EXPECT_EQ(log("Assertion y failed").status, 200);
  EXPECT_EQ(verdict().no_retry,
            "(log '\"Assertion x failed\"' matched regex Assertion.*failed) therefore will not retry on failure");
  EXPECT_EQ(verdict().matched, "bug");
  EXPECT_EQ(log("seen").status, 200);
  EXPECT_EQ(verdict().matched, "seen");
  EXPECT_TRUE(verdict().excluded_nodes.empty());
}

TEST_F(LogPoliciesTest, TakeALongLineOfOtherAlphabets) {
  // The quote ends within the character.
  EXPECT_EQ(log(std::string(299, '=') + "▇▇ Assertion z failed").status, 200);
  EXPECT_THAT(verdict().no_retry, HasSubstr("therefore will not retry on failure"));
}

TEST_F(LogPoliciesTest, AreReadAgainAfterTheyWereForgotten) {
  EXPECT_EQ(log("before").status, 200);
  sql("UPDATE experiments SET config = jsonb_set(config, '{log_policies,0,pattern}', '\"before\"') WHERE id = " +
      to_string(trial.experiment));
  EXPECT_EQ(log("before").status, 200);
  EXPECT_TRUE(verdict().excluded_nodes.empty());
  log_policies.forget(trial.experiment);
  EXPECT_EQ(log("before").status, 200);
  EXPECT_EQ(verdict().excluded_nodes.size(), 1U);
}

TEST_F(LogPoliciesTest, SayOnceThatTheyTakeTooLong) {
  std::string large = "^Q(x";
  for (int i = 0; i < 40; ++i) large += "|[ab]*";
  sql("UPDATE experiments SET config = jsonb_set(config, '{log_policies,0,pattern}', '\"" + large +
      "){1000}y\"') WHERE id = " + to_string(trial.experiment));
  EXPECT_EQ(log(std::string(20'000, 'z')).status, 200);
  EXPECT_EQ(log(std::string(20'000, 'z') + "seen").status, 200);
  EXPECT_EQ(verdict().matched, "seen") << "text is looked for everywhere";
  EXPECT_EQ(lines_with("were not held against all log policies"), 1);
}

TEST_F(LogPoliciesTest, LeaveLogsOfUnknownTasksToTheWriter) {
  EXPECT_EQ(post("/api/v1/task/logs", {{"logs", {{{"task_id", "none"}, {"log", "uncorrectable ECC error\n"}}}}}).status,
            404);
}

}  // namespace
}  // namespace det::api
