#pragma once

// Configurations of tasks as the tests of their acceptance write them, and what becomes of them.

#include <string>

#include "model/taskconf/accept_task_config.h"
#include "tests/model/expconf/accepting.h"

namespace det::model::test {

inline const std::vector<TaskType> kTaskTypes = {TaskType::kNotebook,    TaskType::kShell,   TaskType::kCommand,
                                                 TaskType::kTensorBoard, TaskType::kGeneric, TaskType::kCheckpointGc};

// What `det` sends of such a task when nothing else is said.
inline json least(TaskType type) {
  const bool runs_it = type == TaskType::kCommand || type == TaskType::kGeneric;
  return runs_it ? json{{"entrypoint", {"ls"}}} : json::object();
}

inline AcceptedTaskConfig accepted_task(TaskType type, const json& user, const json& cluster = defaults(),
                                        const AcceptContext& context = kContext) {
  auto result = accept_task_config(type, user, cluster, context);
  EXPECT_TRUE(result) << task_word(type) << " " << user << (result ? "" : join_errors(result.error()));
  return result ? *std::move(result) : AcceptedTaskConfig();
}

inline std::string refused_task(TaskType type, const json& user, const json& cluster = defaults(),
                                const AcceptContext& context = kContext) {
  const auto result = accept_task_config(type, user, cluster, context);
  EXPECT_FALSE(result) << task_word(type) << " " << user;
  return result ? "" : join_errors(result.error());
}

}  // namespace det::model::test
