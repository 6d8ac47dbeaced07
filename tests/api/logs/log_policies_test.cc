#include "api/logs/log_policies.h"

#include <sstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/api/fixture.h"

namespace det::api {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

bool matches(const char* pattern, std::string_view line) {
  return CompiledLogPolicy("p", pattern, "").matches(line);
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
  const auto found = find_matches(policies, {line("ECC\n"), line("ECC again\n"), line("ECC\n", "n2"),
                                             line("{\"log_policies\": [{\"pattern\": \"ECC\"}]}\n", "n3")});
  ASSERT_EQ(found.size(), 2U);
  EXPECT_EQ(found[0].line, "ECC");
  EXPECT_EQ(found[1].node, "n2");
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
  std::string all_logs() { return get("/api/v1/trials/" + to_string(trial.id) + "/logs?follow=false").text; }

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
  std::istringstream frames(all_logs());
  int said = 0;
  for (std::string frame; std::getline(frames, frame);) {
    if (frame.find("therefore will not schedule on n1") != std::string::npos) ++said;
  }
  EXPECT_EQ(said, 1);
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

TEST_F(LogPoliciesTest, LeaveLogsOfUnknownTasksToTheWriter) {
  EXPECT_EQ(post("/api/v1/task/logs", {{"logs", {{{"task_id", "none"}, {"log", "uncorrectable ECC error\n"}}}}}).status,
            404);
}

}  // namespace
}  // namespace det::api
