#include "model/cluster/config_policy.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/model/expconf/accepting.h"

namespace det::model {
namespace {

using namespace test;
using testing::HasSubstr;

ConfigPolicy policy(std::string_view text) {
  const auto stored = parse_config_policy(WorkloadType::kExperiment, text, nullptr);
  EXPECT_TRUE(stored) << (stored ? "" : stored.error().message);
  return stored ? read_config_policy(*stored) : ConfigPolicy();
}

std::string wrong(std::string_view text, WorkloadType type = WorkloadType::kExperiment,
                  const ConfigPolicy* global = nullptr) {
  const auto stored = parse_config_policy(type, text, global);
  EXPECT_FALSE(stored) << text;
  return stored ? "" : stored.error().message;
}

AcceptedConfig accepted_under(const ConfigPolicies& policies, const json& user, const json& cluster = defaults()) {
  AcceptContext context = kContext;
  context.policies = &policies;
  auto result = accept_config(user, cluster, context);
  EXPECT_TRUE(result) << (result ? "" : join_errors(result.error()));
  return result ? *std::move(result) : AcceptedConfig();
}

std::string broken_by(const ConfigPolicies& policies, const json& resources) {
  json user = minimal();
  user["resources"] = resources;
  const Status kept = check_constraints(policies, accepted_under(policies, user).document);
  return kept ? "" : kept.error().message;
}

TEST(ConfigPolicy, IsYamlOrJson) {
  const ConfigPolicy yaml = policy("invariant_config: {debug: on}\nconstraints: {resources: {max_slots: 8}}\n");
  EXPECT_EQ(yaml, policy(R"({"invariant_config": {"debug": true}, "constraints": {"resources": {"max_slots": 8}}})"));
  EXPECT_EQ(yaml.invariant_config, json({{"debug", true}}));
  EXPECT_EQ(yaml.constraints, (PolicyConstraints{.max_slots = 8, .priority_limit = {}}));
  EXPECT_EQ(policy("constraints: null"), ConfigPolicy());
}

TEST(ConfigPolicy, SaysAllThatIsWrongWithIt) {
  EXPECT_EQ(
      wrong("constraint: {}\nconstraints: {max_slots: 1, priority_limit: high}\ninvariant_config: {foo: 1, resources: "
            "{slots: 4}}"),
      "invalid experiment config policy: <policy>.constraints.priority_limit: expected integer or null, but got "
      "string\n"
      "<policy>.constraints: additionalProperties \"max_slots\" not allowed\n"
      "<policy>.invariant_config.resources: additionalProperties \"slots\" not allowed\n"
      "<policy>.invariant_config: additionalProperties \"foo\" not allowed\n"
      "<policy>: additionalProperties \"constraint\" not allowed; did you mean \"constraints\"?");
  EXPECT_THAT(wrong("[1]"), HasSubstr("invalid experiment config policy: expected a mapping"));
  EXPECT_THAT(wrong("a: ["), HasSubstr("invalid experiment config policy: "));
  EXPECT_EQ(wrong(""), "no specified config policies");
}

TEST(ConfigPolicy, OfTasksLimitsOnly) {
  EXPECT_TRUE(parse_config_policy(WorkloadType::kNtsc, "constraints: {resources: {max_slots: 1}}", nullptr));
  EXPECT_THAT(wrong("invariant_config: {}", WorkloadType::kNtsc),
              HasSubstr("not supported: invariant config policies for tasks is not yet supported"));
  EXPECT_THAT(wrong("constraints: {a: 1}", WorkloadType::kNtsc), HasSubstr("invalid ntsc config policy: "));
}

TEST(ConfigPolicy, DoesNotContradictItselfOrTheClusters) {
  const std::string ours = "invalid experiment config policy: ";
  const std::string priority = "{invariant_config: {resources: {priority: 10}}, constraints: {priority_limit: 20}}";
  EXPECT_EQ(wrong(priority), ours + "invariant config & constraints are trying to set the priority limit.");
  EXPECT_EQ(wrong("{invariant_config: {resources: {max_slots: 2}}, constraints: {resources: {max_slots: 3}}}"),
            ours + "invariant config & constraints are trying to set the max slots.");
  const std::string slots = "invariant_config: {resources: {slots_per_trial: 4}}\n";
  EXPECT_EQ(wrong(slots + "constraints: {resources: {max_slots: 3}}"),
            ours + "invariant config has 4 slots per trial. violates constraints max slots of 3.");
  const ConfigPolicy global = policy("constraints: {resources: {max_slots: 3}}");
  EXPECT_EQ(wrong(slots, WorkloadType::kExperiment, &global),
            ours +
                "workspace invariant_config conflicts with global constraints: invariant config has 4 slots per trial. "
                "violates constraints max slots of 3.");
}

TEST(ConfigPolicy, LiesOverWhatPeopleWrite) {
  const ConfigPolicies policies{
      .workspace = policy("invariant_config: {max_restarts: 1, description: workspace, bind_mounts: [{host_path: /p, "
                          "container_path: /data}]}"),
      .global = policy("invariant_config: {max_restarts: 0, environment: {environment_variables: [A=policy]}}")};
  json user = minimal();
  user["max_restarts"] = 7;
  user["description"] = "mine";
  user["environment"]["environment_variables"] = {"A=mine", "B=mine"};
  user["bind_mounts"] = yaml("[{host_path: /u, container_path: /data}, {host_path: /u, container_path: /more}]");
  const AcceptedConfig result = accepted_under(policies, user, defaults(yaml("{environment_variables: [A=cluster]}")));
  EXPECT_EQ(result.config.max_restarts, 0);
  EXPECT_EQ(result.config.description, "workspace");
  EXPECT_THAT(result.config.environment.variables.cpu,
              testing::ElementsAre("A=cluster", "A=mine", "B=mine", "A=policy"));
  ASSERT_EQ(result.config.bind_mounts.size(), 2U);
  EXPECT_EQ(result.config.bind_mounts[0].host_path, "/p");
  EXPECT_EQ(result.config.bind_mounts[1].container_path, "/more");
  EXPECT_NE(result.hash, accepted(user).hash) << "the hash is that of what runs";
}

TEST(ConfigPolicy, ThatFixesSlotsChoosesTheLayerBelow) {
  const ConfigPolicies policies{.workspace = {},
                                .global = policy("invariant_config: {resources: {slots_per_trial: 0}}")};
  const json cluster = defaults(yaml("{gpu_pod_spec: {spec: {hostname: gpu}}, cpu_pod_spec: {spec: {hostname: cpu}}}"));
  EXPECT_EQ(accepted_under(policies, minimal(), cluster).document["environment"]["pod_spec"]["spec"]["hostname"],
            "cpu");
}

TEST(ConfigPolicy, OfAWorkspaceMayUseOfTheClusterWhatPeopleMay) {
  const MasterConfig master = read_master_config(nullptr).value().config;
  const ConfigPolicy mount = policy("invariant_config: {bind_mounts: [{host_path: /etc, container_path: /x}]}");
  AcceptContext context = kContext;
  context.master = &master;
  const ConfigPolicies global{.workspace = {}, .global = mount};
  context.policies = &global;
  EXPECT_TRUE(accept_config(minimal(), defaults(), context));
  const ConfigPolicies workspace{.workspace = mount, .global = {}};
  context.policies = &workspace;
  const auto refused = accept_config(minimal(), defaults(), context);
  ASSERT_FALSE(refused);
  EXPECT_THAT(join_errors(refused.error()), HasSubstr("/etc"));
}

TEST(ConfigPolicy, ConstraintsAreChecked) {
  const ConfigPolicies policies{.workspace = policy("constraints: {priority_limit: 60, resources: {max_slots: 99}}"),
                                .global = policy("constraints: {resources: {max_slots: 4}}")};
  EXPECT_EQ(broken_by(policies, {{"slots_per_trial", 4}, {"max_slots", 4}, {"priority", 60}}), "");
  EXPECT_EQ(broken_by(policies, {{"slots_per_trial", 8}}),
            "requested resources.slots [8] exceeds limit set by admin [4]: submitted workload failed a resource "
            "constraint");
  EXPECT_EQ(broken_by(policies, {{"max_slots", 5}}),
            "requested resources.max_slots [5] exceeds limit set by admin [4]: submitted workload failed a resource "
            "constraint");
  EXPECT_EQ(broken_by(policies, {{"priority", 61}}),
            "requested priority [61] exceeds limit set by admin [60]: submitted workload failed priority constraint");
}

TEST(ConfigPolicy, LaterChangesKeepToIt) {
  const ConfigPolicies fixed{.workspace = policy("invariant_config: {resources: {weight: 3, priority: 40}}"),
                             .global = policy("invariant_config: {resources: {max_slots: 2, weight: 1.5}}")};
  EXPECT_EQ(check_setting(fixed, "max_slots", 3).error().message,
            "max slots is already set in an invariant config policy:max_slots of 2 is enforced");
  EXPECT_EQ(check_setting(fixed, "weight", 3).error().message,
            "cannot change experiment weight to 3: weight is enforced as an invariant config policy of 1.5");
  EXPECT_EQ(check_setting(fixed, "priority", 41).error().message,
            "cannot change experiment priority to 41: priority set by invariant config: priority cannot be modified");
  const ConfigPolicies kept{.workspace = policy("invariant_config: {resources: {resource_pool: a}}"), .global = {}};
  EXPECT_EQ(check_setting(kept, "resource_pool", "b").error().message,
            "cannot change the resource pool: resource_pool is enforced as an invariant config policy of a");
  EXPECT_TRUE(check_setting(kept, "resource_pool", "a"));
  EXPECT_TRUE(check_setting(fixed, "resource_pool", "b"));
  EXPECT_TRUE(check_setting(fixed, "priority", 40));
  EXPECT_TRUE(check_setting(fixed, "weight", 1.5));
  EXPECT_TRUE(check_setting(fixed, "max_concurrent_trials", 100));
  const ConfigPolicies narrow{.workspace = {},
                              .global = policy("invariant_config: {searcher: {max_concurrent_trials: 4}}")};
  EXPECT_EQ(check_setting(narrow, "max_concurrent_trials", 1000).error().message,
            "cannot change max_concurrent_trials to 1000: max_concurrent_trials is enforced as an invariant config "
            "policy of 4");
  EXPECT_TRUE(check_setting(narrow, "max_concurrent_trials", 4));
  const ConfigPolicies limits{.workspace = policy("constraints: {priority_limit: 60}"),
                              .global = policy("constraints: {resources: {max_slots: 4}}")};
  EXPECT_EQ(check_setting(limits, "max_slots", 5).error().message,
            "requested slots is violates max slots constraint: 5 > 4");
  EXPECT_EQ(check_setting(limits, "priority", 61).error().message,
            "cannot change experiment priority to 61: priority exceeds task config policy's priority_limit");
  EXPECT_TRUE(check_setting(limits, "max_slots", 4));
  EXPECT_TRUE(check_setting(ConfigPolicies(), "priority", 99));
}

}  // namespace
}  // namespace det::model
