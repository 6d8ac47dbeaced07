#pragma once

// The configuration of a task that people start by itself (notebook, shell, command, TensorBoard, generic task) as code
// reads it. The frozen JSON document is the truth; this is a typed view of the parts that the control plane acts on.
// Pure values.

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "base/result.h"
#include "model/expconf/experiment_config.h"

namespace det::model {

enum class TaskType : std::uint8_t { kNotebook, kShell, kCommand, kTensorBoard, kGeneric, kCheckpointGc };

// Determined's word: "NOTEBOOK", "SHELL", "COMMAND", "TENSORBOARD", "GENERIC", "CHECKPOINT_GC".
[[nodiscard]] std::string_view task_word(TaskType type);
[[nodiscard]] std::optional<TaskType> parse_task_word(std::string_view word);
// The word of the Task object: "Notebook", "Shell", "Command", "TensorBoard", "Generic", "CheckpointGC".
[[nodiscard]] std::string_view object_word(TaskType type);
[[nodiscard]] std::optional<TaskType> parse_object_word(std::string_view word);

struct TaskConfig {
  std::string description;
  std::vector<std::string> entrypoint;  // program and arguments; empty: that of the type
  ResourcesConfig resources;            // slots_per_trial holds `resources.slots`
  EnvironmentConfig environment;
  std::vector<BindMount> bind_mounts;
  std::optional<std::chrono::seconds> idle_timeout;  // nothing: it may idle for ever
  std::string notebook_idle_type;                    // kernels_or_terminals, kernel_connections or activity
  std::vector<std::string> tensorboard_args;
  std::optional<std::string> work_dir;  // nothing: the harness' own
  bool debug = false;
  std::chrono::seconds preemption_timeout{3600};  // generic tasks
  std::optional<int> log_retention_days;          // nothing: for ever

  bool operator==(const TaskConfig&) const = default;
};

// Reads a complete document (model/taskconf/accept_task_config.h makes them; rows hold them). kDataLoss when it is not
// one.
[[nodiscard]] Result<TaskConfig> read_task_config(const nlohmann::json& document);

}  // namespace det::model
