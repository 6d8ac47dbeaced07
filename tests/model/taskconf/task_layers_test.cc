// What lies over and under the configuration that somebody wrote for a task.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/model/taskconf/accepting_tasks.h"

namespace det::model {
namespace {

using namespace test;
using testing::ElementsAre;
using testing::HasSubstr;

AcceptContext on_template(const char* text) {
  AcceptContext context = kContext;
  context.template_name = "t";
  context.template_config = yaml(text);
  return context;
}

TEST(AcceptTaskConfig, PutsTheClustersDefaultsUnderTheUsersConfig) {
  const json cluster = defaults(yaml(R"(
image: {cpu: cluster-cpu, cuda: cluster-cuda}
environment_variables: [A=cluster, B=cluster]
bind_mounts: [{host_path: /c, container_path: /data}]
registry_auth: {username: u}
force_pull_image: true
shm_size_bytes: 7
log_policies: [{name: mine, pattern: p, action: cancel_retries}]
preemption_timeout: 60
gpu_pod_spec: {spec: {nodeSelector: {kind: gpu}}}
cpu_pod_spec: {spec: {nodeSelector: {kind: cpu}}}
work_dir: /home/$DET_USER
)"));
  const json user = yaml("environment: {environment_variables: [B=mine], pod_spec: {spec: {hostname: h}}}");
  const TaskConfig config = accepted_task(TaskType::kNotebook, user, cluster).config;
  EXPECT_EQ(config.environment.image.cuda, "cluster-cuda");
  EXPECT_THAT(config.environment.variables.cuda, ElementsAre("A=cluster", "B=cluster", "B=mine"));
  EXPECT_TRUE(config.environment.force_pull_image);
  EXPECT_EQ(config.environment.registry_auth, yaml("{username: u}"));
  EXPECT_EQ(config.environment.pod_spec, yaml("{spec: {hostname: h, nodeSelector: {kind: gpu}}}"));
  EXPECT_EQ(config.bind_mounts.size(), 1U);
  EXPECT_EQ(config.resources.shm_size_bytes, 7);
  EXPECT_EQ(config.work_dir, "/home/$DET_USER");
  const TaskConfig board = accepted_task(TaskType::kTensorBoard, {}, cluster).config;
  EXPECT_EQ(board.environment.pod_spec, yaml("{spec: {nodeSelector: {kind: cpu}}}"));
  EXPECT_EQ(accepted_task(TaskType::kGeneric, yaml("entrypoint: ls"), cluster).config.preemption_timeout,
            std::chrono::seconds(60));
}

TEST(AcceptTaskConfig, LaysThePoolsFolderOnTheClusters) {
  json cluster = defaults(yaml("work_dir: /c"));
  cluster["resource_pools"] = yaml("{big: {work_dir: /p}, small: {work_dir: ''}}");
  const auto folder = [&](const char* pool) {
    return accepted_task(TaskType::kShell, {{"resources", {{"resource_pool", pool}}}}, cluster).config.work_dir;
  };
  EXPECT_EQ(folder("big"), "/p");
  EXPECT_EQ(folder("small"), "/c");
  cluster["resource_pools"]["big"]["work_dir"] = "here";
  cluster["task_container_defaults"]["work_dir"] = 7;
  const std::string text = refused_task(TaskType::kShell, {}, cluster);
  EXPECT_THAT(text, HasSubstr("master.yaml.resource_pools.big.task_container_defaults.work_dir: must be an absolute"));
  EXPECT_THAT(text, HasSubstr("master.yaml.task_container_defaults.work_dir: expected string or null"));
}

TEST(AcceptTaskConfig, TakesOfATemplateWhatTasksHave) {
  const AcceptContext context = on_template(R"(
description: of the template
environment: {image: base, environment_variables: [A=1]}
resources: {slots: 4, slots_per_trial: 8, is_single_node: true}
hyperparameters: {a: 1}
searcher: {name: single}
preemption_timeout: 5
bind_mounts: [{host_path: /t, container_path: /t}]
)");
  const json user = yaml("{description: mine, environment: {environment_variables: [A=2]}}");
  const AcceptedTaskConfig result = accepted_task(TaskType::kNotebook, user, defaults(), context);
  EXPECT_EQ(result.config.description, "mine");
  EXPECT_EQ(result.config.environment.image.cpu, "base");
  EXPECT_THAT(result.config.environment.variables.cpu, ElementsAre("A=1", "A=2"));
  EXPECT_EQ(result.config.resources.slots_per_trial, 4);
  EXPECT_EQ(result.config.bind_mounts.size(), 1U);
  EXPECT_THAT(
      result.warnings,
      ElementsAre("hyperparameters has no effect here: it stands in the template, and a task of this kind has "
                  "no such field.",
                  HasSubstr("preemption_timeout has no effect"), HasSubstr("resources.is_single_node has no effect"),
                  HasSubstr("resources.slots_per_trial has no effect"), HasSubstr("searcher has no effect")));
}

TEST(AcceptTaskConfig, RefusesATemplateThatIsWrongWhereItCounts) {
  const AcceptContext context = on_template("{resources: {slots: many}, searcher: 7}");
  EXPECT_EQ(refused_task(TaskType::kShell, {}, defaults(), context),
            "<config>: template 't' is invalid: <template>.resources.slots: expected integer or null, but got string");
  EXPECT_THAT(refused_task(TaskType::kShell, {}, defaults(), on_template("[]")), HasSubstr("expected object"));
  EXPECT_THAT(
      refused_task(TaskType::kCommand,
                   yaml("{entrypoint: ls, environment: {proxy_ports: "
                        "[{proxy_port: 1, default_service_id: true}]}}"),
                   defaults(), on_template("environment: {proxy_ports: [{proxy_port: 2, default_service_id: true}]}")),
      HasSubstr("only one port can be the default service"));
}

TEST(AcceptTaskConfig, LetsPoliciesHaveTheLastWord) {
  ConfigPolicies policies;
  policies.workspace.invariant_config = yaml("{debug: true, resources: {priority: 10, slots: 2}}");
  policies.global.invariant_config = yaml("resources: {slots: 0}");
  AcceptContext context = kContext;
  context.policies = &policies;
  const json user = yaml("{debug: false, resources: {priority: 20, slots: 4}}");
  const json cluster = defaults(yaml("cpu_pod_spec: {spec: {hostname: cpu}}"));
  const AcceptedTaskConfig result = accepted_task(TaskType::kShell, user, cluster, context);
  EXPECT_TRUE(result.config.debug);
  EXPECT_EQ(result.config.resources.priority, 10);
  EXPECT_EQ(result.config.resources.slots_per_trial, 0);
  EXPECT_EQ(result.config.environment.pod_spec, yaml("{spec: {hostname: cpu}}"));
  policies.workspace.invariant_config = yaml("searcher: {}");
  EXPECT_EQ(refused_task(TaskType::kShell, {}, defaults(), context),
            "<config>: the workspace config policy is invalid: <invariant_config>: json: unknown field \"searcher\"");
}

TEST(ConfigPolicy, ConstrainsTasksToo) {
  const auto policy = [](const char* text) {
    return read_config_policy(parse_config_policy(WorkloadType::kNtsc, text, nullptr).value());
  };
  const ConfigPolicies policies{.workspace = policy("constraints: {priority_limit: 60}"),
                                .global = policy("constraints: {resources: {max_slots: 4}}")};
  const auto broken = [&](const char* resources) {
    const json user = {{"resources", yaml(resources)}};
    const Status kept = check_constraints(policies, accepted_task(TaskType::kNotebook, user).document);
    return kept ? "" : kept.error().message;
  };
  EXPECT_EQ(broken("{}"), "");
  EXPECT_EQ(broken("{slots: 4, priority: 60}"), "");
  EXPECT_EQ(broken("{slots: 5}"),
            "requested resources.slots [5] exceeds limit set by admin [4]: submitted workload failed a resource "
            "constraint");
  EXPECT_THAT(broken("{max_slots: 5}"), HasSubstr("requested resources.max_slots [5] exceeds limit"));
  EXPECT_THAT(broken("{priority: 61}"), HasSubstr("requested priority [61] exceeds limit"));
}

}  // namespace
}  // namespace det::model
