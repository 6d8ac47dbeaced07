#include "model/taskconf/task_config.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/model/taskconf/accepting_tasks.h"

namespace det::model {
namespace {

using namespace test;
using testing::HasSubstr;

TEST(TaskType, HasAWordOfDeterminedsAndOneOfTheObject) {
  const std::vector<std::pair<std::string, std::string>> words = {
      {"NOTEBOOK", "Notebook"},       {"SHELL", "Shell"},     {"COMMAND", "Command"},
      {"TENSORBOARD", "TensorBoard"}, {"GENERIC", "Generic"}, {"CHECKPOINT_GC", "CheckpointGC"}};
  ASSERT_EQ(words.size(), kTaskTypes.size());
  for (std::size_t i = 0; i < words.size(); ++i) {
    EXPECT_EQ(task_word(kTaskTypes[i]), words[i].first);
    EXPECT_EQ(object_word(kTaskTypes[i]), words[i].second);
    EXPECT_EQ(parse_task_word(words[i].first), kTaskTypes[i]);
    EXPECT_EQ(parse_object_word(words[i].second), kTaskTypes[i]);
  }
  EXPECT_EQ(parse_task_word("Notebook"), std::nullopt);
  EXPECT_EQ(parse_object_word("NOTEBOOK"), std::nullopt);
  EXPECT_EQ(parse_task_word("TRIAL"), std::nullopt);
}

TEST(TaskConfig, HasEveryFieldThatActs) {
  const json user = yaml(R"(
description: mine
bind_mounts: [{host_path: /h, container_path: data, read_only: true}]
debug: true
environment:
  image: i
  environment_variables: [A=1]
  force_pull_image: true
  registry_auth: {username: u, password: p}
  pod_spec: {spec: {hostname: h}}
  proxy_ports:
  - proxy_port: 8080
  - {proxy_port: 9000.0, proxy_tcp: true, unauthenticated: true}
idle_timeout: 1h30m
notebook_idle_type: activity
resources: {slots: 2.0, priority: 7, resource_pool: p, shm_size: 1g}
work_dir: /home/$DET_USER
)");
  const TaskConfig config = accepted_task(TaskType::kNotebook, user).config;
  EXPECT_EQ(config.description, "mine");
  EXPECT_EQ(config.bind_mounts, (std::vector<BindMount>{{"/h", "data", true, "rprivate"}}));
  EXPECT_TRUE(config.debug);
  EXPECT_EQ(config.environment.image, (PerSlotType<std::string>{"i", "i", "i"}));
  EXPECT_THAT(config.environment.variables.cuda, testing::ElementsAre("A=1"));
  EXPECT_TRUE(config.environment.force_pull_image);
  EXPECT_EQ(config.environment.registry_auth, yaml("{username: u, password: p}"));
  EXPECT_EQ(config.environment.pod_spec, yaml("{spec: {hostname: h}}"));
  EXPECT_EQ(config.environment.proxy_ports,
            (std::vector<ProxyPort>{{.port = 8080}, {.port = 9000, .proxy_tcp = true, .unauthenticated = true}}));
  EXPECT_EQ(config.idle_timeout, std::chrono::minutes(90));
  EXPECT_EQ(config.notebook_idle_type, "activity");
  EXPECT_EQ(config.resources.slots_per_trial, 2);
  EXPECT_EQ(config.resources.priority, 7);
  EXPECT_EQ(config.resources.resource_pool, "p");
  EXPECT_EQ(config.resources.shm_size_bytes, 1 << 30);
  EXPECT_EQ(config.work_dir, "/home/$DET_USER");
  const json board = yaml("tensorboard_args: [--samples_per_plugin=images=100]");
  EXPECT_THAT(accepted_task(TaskType::kTensorBoard, board).config.tensorboard_args,
              testing::ElementsAre("--samples_per_plugin=images=100"));
  const json generic = yaml("{entrypoint: [a, b], preemption_timeout: 9, resources: {is_single_node: false}}");
  const TaskConfig own = accepted_task(TaskType::kGeneric, generic).config;
  EXPECT_THAT(own.entrypoint, testing::ElementsAre("a", "b"));
  EXPECT_EQ(own.preemption_timeout, std::chrono::seconds(9));
  EXPECT_FALSE(own.resources.is_single_node);
}

TEST(TaskConfig, IsReadFromACompleteDocumentOnly) {
  for (const char* text : {"[]", "{}", "{resources: {}}", "{resources: {slots: x}, environment: {}}",
                           "{resources: {}, environment: {}, idle_timeout: soon}"}) {
    const auto read = read_task_config(yaml(text));
    ASSERT_FALSE(read) << text;
    EXPECT_EQ(read.error().code, ErrorCode::kDataLoss) << text;
    EXPECT_THAT(read.error().message, HasSubstr("the stored configuration cannot be read")) << text;
  }
}

TEST(TaskConfig, IsThatOfItsDocument) {
  for (const TaskType type : kTaskTypes) {
    const AcceptedTaskConfig accepted = accepted_task(type, least(type));
    const auto read = read_task_config(accepted.document);
    ASSERT_TRUE(read);
    EXPECT_EQ(*read, accepted.config);
    EXPECT_EQ(accepted.hash, config_hash(accepted.document));
  }
}

}  // namespace
}  // namespace det::model
