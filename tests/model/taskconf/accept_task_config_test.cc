#include "model/taskconf/accept_task_config.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/model/taskconf/accepting_tasks.h"
#include "tests/model/taskconf/task_rules.h"

namespace det::model {
namespace {

using namespace test;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::MatchesRegex;

json with_resources(TaskType type, const char* resources) {
  json user = least(type);
  user["resources"] = yaml(resources);
  return user;
}

TEST(AcceptTaskConfig, TakesWhatTheCommandLineSends) {
  for (const TaskType type : {TaskType::kNotebook, TaskType::kShell, TaskType::kTensorBoard}) {
    EXPECT_THAT(accepted_task(type, json::object()).warnings, IsEmpty());
    EXPECT_THAT(accepted_task(type, json()).warnings, IsEmpty());
  }
  const AcceptedTaskConfig command = accepted_task(TaskType::kCommand, yaml("entrypoint: [ls]"));
  EXPECT_THAT(command.config.entrypoint, testing::ElementsAre("ls"));
  EXPECT_THAT(command.warnings, IsEmpty());
  const AcceptedTaskConfig notebook =
      accepted_task(TaskType::kNotebook, yaml("{description: mine, resources: {slots: 0}, "
                                              "bind_mounts: [{host_path: /data, container_path: /data}]}"));
  EXPECT_EQ(notebook.config.description, "mine");
  EXPECT_EQ(notebook.config.resources.slots_per_trial, 0);
  EXPECT_EQ(notebook.config.bind_mounts.size(), 1U);
  EXPECT_THAT(notebook.warnings, IsEmpty());
}

TEST(AcceptTaskConfig, FillsInTheDefaultsOfTheType) {
  struct Expected {
    TaskType type;
    const char* description;
    int slots;
  };
  for (const Expected& each : {Expected{TaskType::kNotebook, R"(JupyterLab \(\w+-\w+-\w+\))", 1},
                               {TaskType::kShell, R"(Shell \(\w+-\w+-\w+\))", 1},
                               {TaskType::kCommand, R"(Command \(\w+-\w+-\w+\))", 1},
                               {TaskType::kTensorBoard, R"(TensorBoard \(\w+-\w+-\w+\))", 0},
                               {TaskType::kGeneric, "generic-task", 1},
                               {TaskType::kCheckpointGc, R"(Checkpoint GC \(\w+-\w+-\w+\))", 0}}) {
    const AcceptedTaskConfig result = accepted_task(each.type, least(each.type));
    EXPECT_THAT(result.config.description, MatchesRegex(each.description));
    EXPECT_EQ(result.config.resources.slots_per_trial, each.slots);
    EXPECT_EQ(result.document["resources"]["slots"], each.slots);
    EXPECT_EQ(result.config.resources.priority, 50);
    EXPECT_EQ(result.config.environment.image.cuda, "determinedai/pytorch-ngc-dev:0736b6d");
    EXPECT_EQ(result.config.work_dir, std::nullopt);
  }
  json blank = yaml("description: ''");
  EXPECT_THAT(accepted_task(TaskType::kShell, blank).config.description, HasSubstr("Shell ("));
}

TEST(AcceptTaskConfig, MakesTheDocumentThatClientsKnow) {
  EXPECT_EQ(
      accepted_task(TaskType::kNotebook, yaml("{idle_timeout: 90s, resources: {shm_size: 1k}}")).document, yaml(R"(
description: )" + accepted_task(TaskType::kNotebook, {}).config.description + R"(
bind_mounts: []
environment:
  image:
    cpu: determinedai/pytorch-ngc-dev:0736b6d
    cuda: determinedai/pytorch-ngc-dev:0736b6d
    rocm: determinedai/environments:rocm-5.6-pytorch-1.3-tf-2.10-rocm-mpich-0736b6d
  environment_variables: {cpu: [], cuda: [], rocm: []}
  proxy_ports: []
  ports: {}
  registry_auth: null
  force_pull_image: false
  pod_spec: null
  add_capabilities: []
  drop_capabilities: []
resources: {slots: 1, max_slots: null, weight: 1, native_parallel: false, shm_size: 1024, resource_pool: '', priority: 50,
  is_single_node: null, devices: []}
entrypoint: []
tensorboard_args: []
idle_timeout: 1m30s
notebook_idle_type: kernels_or_terminals
work_dir: null
debug: false
pbs: {}
slurm: {}
)"));
}

TEST(AcceptTaskConfig, SaysAllThatIsWrongAtOnce) {
  EXPECT_EQ(refused_task(TaskType::kNotebook, yaml(R"(
bind_mounts: [{host_path: data, container_path: .}]
entrypoint: {}
environment: {pod_specs: {}, environment_variables: [1=2], proxy_ports: [{proxy_port: 0}, {proxy_port: 7}, {proxy_port: 7}]}
idle_timeout: 30
notebook_idle_type: sleeping
resources: {slots: -1, priority: 100, is_single_node: true, slots_per_trial: 4}
tensorboard_args: [1]
work_dir: here
searcher: {}
)")),
            R"(<config>.bind_mounts[0].container_path: container_path must not be "."; for example /data
<config>.bind_mounts[0].host_path: host_path must be an absolute path (it is "data"); for example /mnt/data
<config>.entrypoint: expected string or array or null, but got object
<config>.environment.environment_variables[0]: "1" is not the name of an environment variable
<config>.environment.proxy_ports[0].proxy_port: must be a whole number from 1 to 65535 but found 0
<config>.environment.proxy_ports[2]: proxy_port 7 is listed twice
<config>.environment: json: unknown field "pod_specs"; did you mean "pod_spec"?
<config>.idle_timeout: invalid duration: 30; write a text such as "30m" or "1h30m"
<config>.notebook_idle_type: value must be one of <nil>, "kernels_or_terminals", "kernel_connections", "activity" (it is "sleeping")
<config>.resources.is_single_node: resources.is_single_node cannot be set for NTSCs
<config>.resources.priority: must be <= 99 but found 100
<config>.resources.slots: must be >= 0 but found -1
<config>.resources: json: unknown field "slots_per_trial"; did you mean "slots"?
<config>.tensorboard_args[0]: expected string, but got number (it is 1); write it in quotation marks
<config>.work_dir: must be an absolute path (it is "here")
<config>: json: unknown field "searcher"; known here: bind_mounts, debug, description, entrypoint, environment, idle_timeout, notebook_idle_type, pbs, resources, slurm, tensorboard_args, work_dir)");
  EXPECT_EQ(refused_task(TaskType::kShell, yaml("[]")),
            "<config>: expected object, but got array; write keys and values, as in name: value");
}

TEST(AcceptTaskConfig, ReadsAnEntrypointAsTextOrList) {
  EXPECT_THAT(accepted_task(TaskType::kCommand, yaml("entrypoint: make all")).config.entrypoint,
              testing::ElementsAre("sh", "-c", "make all"));
  for (const char* text : {"{}", "entrypoint: []", "entrypoint: ''"}) {
    EXPECT_EQ(refused_task(TaskType::kGeneric, yaml(text)),
              "<config>.entrypoint: entrypoint is missing, for example python3 train.py (entrypoint must be "
              "non-empty)");
    EXPECT_THAT(accepted_task(TaskType::kCommand, yaml(text)).config.entrypoint, IsEmpty());
  }
  EXPECT_THAT(accepted_task(TaskType::kNotebook, yaml("entrypoint: [ls]")).config.entrypoint, IsEmpty());
}

TEST(AcceptTaskConfig, ReadsTimesAsGoWritesThem) {
  const auto timeout = [](const char* text) {
    return accepted_task(TaskType::kNotebook, {{"idle_timeout", text}}).config.idle_timeout;
  };
  EXPECT_EQ(timeout("30m"), std::chrono::minutes(30));
  EXPECT_EQ(timeout("1.2s"), std::chrono::seconds(2));
  for (const char* text : {"0s", "-1m"}) {
    EXPECT_THAT(refused_task(TaskType::kNotebook, {{"idle_timeout", text}}), HasSubstr("must be longer than 0s"));
  }
  EXPECT_EQ(refused_task(TaskType::kNotebook, {{"idle_timeout", "5x"}}),
            R"(<config>.idle_timeout: error parsing duration: time: unknown unit "x" in duration "5x")");
}

TEST(AcceptTaskConfig, TakesIdleTimeoutsOfTheCluster) {
  EXPECT_EQ(accepted_task(TaskType::kTensorBoard, {}).config.idle_timeout, std::chrono::minutes(5));
  MasterConfig master;
  AcceptContext context = kContext;
  context.master = &master;
  EXPECT_EQ(accepted_task(TaskType::kNotebook, {}, defaults(), context).config.idle_timeout, std::nullopt);
  master = read_master_config(yaml("{notebook_timeout: 60, tensorboard_timeout: 120}"))->config;
  EXPECT_EQ(accepted_task(TaskType::kNotebook, {}, defaults(), context).config.idle_timeout, std::chrono::minutes(1));
  const AcceptedTaskConfig board = accepted_task(TaskType::kTensorBoard, {}, defaults(), context);
  EXPECT_EQ(board.document["idle_timeout"], "2m0s");
  EXPECT_EQ(accepted_task(TaskType::kTensorBoard, yaml("idle_timeout: 1h"), defaults(), context).config.idle_timeout,
            std::chrono::hours(1));
  for (const TaskType type : {TaskType::kShell, TaskType::kCommand}) {
    EXPECT_EQ(accepted_task(type, least(type), defaults(), context).config.idle_timeout, std::nullopt);
  }
  EXPECT_FALSE(read_master_config(yaml("notebook_timeout: 0")));
  EXPECT_FALSE(read_master_config(yaml("tensorboard_timeout: 5m")));
}

TEST(AcceptTaskConfig, IsOnePodUnlessItIsGeneric) {
  EXPECT_EQ(refused_task(TaskType::kNotebook, with_resources(TaskType::kNotebook, "{slots: 12}")),
            "<config>.resources.slots: invalid resource request: slots (12) must be < max_slots_per_pod (8) on single "
            "pod; request unfulfillable, the largest size that works is 8");
  EXPECT_EQ(accepted_task(TaskType::kCommand, with_resources(TaskType::kCommand, "{slots: 8}"))
                .config.resources.slots_per_trial,
            8);
  const auto generic = [](const char* resources) { return with_resources(TaskType::kGeneric, resources); };
  EXPECT_THAT(refused_task(TaskType::kGeneric, generic("{slots: 16}")), HasSubstr("on single pod"));
  EXPECT_EQ(
      accepted_task(TaskType::kGeneric, generic("{slots: 16, is_single_node: false}")).config.resources.slots_per_trial,
      16);
  EXPECT_THAT(refused_task(TaskType::kGeneric, generic("{slots: 12, is_single_node: false}")),
              HasSubstr("the next sizes that work are 8 and 16"));
}

TEST(AcceptTaskConfig, NeedsAPoolThatIsThere) {
  MasterConfig master = read_master_config(yaml("{resource_manager: {default_aux_resource_pool: small, "
                                                "default_compute_resource_pool: big, max_slots_per_pod: 4}, "
                                                "resource_pools: [{pool_name: wide, max_slots_per_pod: 16}]}"))
                            ->config;
  AcceptContext context = kContext;
  context.master = &master;
  EXPECT_EQ(
      refused_task(TaskType::kShell, with_resources(TaskType::kShell, "{resource_pool: none}"), defaults(), context),
      "<config>.resources.resource_pool: resource pool none does not exist; there are: big, small, wide");
  EXPECT_EQ(accepted_task(TaskType::kShell, {}, defaults(), context).config.resources.resource_pool, "big");
  EXPECT_EQ(accepted_task(TaskType::kTensorBoard, {}, defaults(), context).config.resources.resource_pool, "small");
  EXPECT_THAT(refused_task(TaskType::kShell, with_resources(TaskType::kShell, "{slots: 16}"), defaults(), context),
              HasSubstr("resources.slots"));
  EXPECT_EQ(accepted_task(TaskType::kShell, with_resources(TaskType::kShell, "{slots: 16, resource_pool: wide}"),
                          defaults(), context)
                .config.resources.slots_per_trial,
            16);
}

TEST(AcceptTaskConfig, HoldsPodsToTheSameRulesAsExperiments) {
  json user = yaml(
      "environment: {pod_spec: {name: x, spec: {containers: [{name: determined-container, image: i}], "
      "hostnam: y}}}");
  const std::string text = refused_task(TaskType::kNotebook, user);
  EXPECT_THAT(text, HasSubstr("pod Name is not a configurable option"));
  EXPECT_THAT(text, HasSubstr("container Image is not configurable, set it in the experiment config"));
  EXPECT_THAT(text, HasSubstr("hostnam"));
  const MasterConfig master = read_master_config(yaml("pod_policy: {host_paths: [], privileged: false}"))->config;
  AcceptContext context = kContext;
  context.master = &master;
  user = yaml(
      "{bind_mounts: [{host_path: /etc, container_path: /e}], environment: {pod_spec: {spec: {containers: "
      "[{name: determined-container, securityContext: {privileged: true}}]}}}}");
  const std::string policy = refused_task(TaskType::kNotebook, user, defaults(), context);
  EXPECT_THAT(policy, HasSubstr("bind_mounts[0].host_path"));
  EXPECT_THAT(policy, HasSubstr("privileged"));
}

TEST(AcceptTaskConfig, GivesEachPortOneAddress) {
  const auto ports = [](const char* list) { return json{{"environment", {{"proxy_ports", yaml(list)}}}}; };
  EXPECT_THAT(refused_task(TaskType::kNotebook, ports("[{proxy_port: 1, default_service_id: true}]")),
              HasSubstr("environment.proxy_ports[0].default_service_id: the default service of this kind"));
  json command = ports("[{proxy_port: 1, default_service_id: true}]");
  command["entrypoint"] = {"ls"};
  EXPECT_TRUE(accepted_task(TaskType::kCommand, command).config.environment.proxy_ports[0].is_default);
  command["environment"]["proxy_ports"].push_back(yaml("{proxy_port: 2, default_service_id: true}"));
  EXPECT_THAT(refused_task(TaskType::kCommand, command),
              HasSubstr("environment.proxy_ports[1]: only one port can be the default service"));
}

TEST(AcceptTaskConfig, LetsFilesLieInTheFolderOfTheHarness) {
  AcceptContext context = kContext;
  context.has_files = true;
  EXPECT_EQ(refused_task(TaskType::kShell, yaml("work_dir: /w"), defaults(), context),
            "<config>.work_dir: cannot set work_dir and context directory at the same time");
  const json cluster = defaults(yaml("work_dir: /c"));
  EXPECT_EQ(accepted_task(TaskType::kShell, {}, cluster, context).config.work_dir, std::nullopt);
  EXPECT_EQ(accepted_task(TaskType::kShell, {}, cluster).config.work_dir, "/c");
}

TEST(AcceptTaskConfig, AcceptsWhatItMade) {
  for (const TaskType type : kTaskTypes) {
    EXPECT_EQ(broken_task_rule(type, least(type), json()), "");
    const json base = yaml("{resources: {slots: 2, weight: 3}, environment: {image: i}, work_dir: /t, searcher: {}}");
    EXPECT_EQ(broken_task_rule(type, least(type), base), "");
    EXPECT_EQ(broken_task_rule(type, yaml("{idle_timeout: 1.5m, devices: 7}"), base), "");
  }
}

TEST(AcceptTaskConfig, RefusesWhatIsNestedTooDeep) {
  json deep = 1;
  for (int i = 0; i < 200; ++i) deep = json{{"a", std::move(deep)}};
  EXPECT_THAT(refused_task(TaskType::kShell, {{"environment", {{"pod_spec", deep}}}}), HasSubstr("nested deeper"));
  AcceptContext context = kContext;
  context.template_config = deep;
  EXPECT_THAT(refused_task(TaskType::kShell, {}, defaults(), context), HasSubstr("nested deeper"));
}

}  // namespace
}  // namespace det::model
