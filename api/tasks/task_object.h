#pragma once

// The Task object that REST makes. Pure.

#include <string>
#include <vector>

#include "accept/tensorboard_lookup.h"
#include "model/taskconf/task_config.h"
#include "wire/forms.h"

namespace det::api {

struct TaskObject {
  std::string name;
  std::string ns;
  std::string nonce;
  std::string controller_class;  // empty: none
  model::TaskType type = model::TaskType::kCommand;
  wire::Json config;           // as the user wrote it, without secrets
  std::string template_name;   // empty: none
  std::string context_sha256;  // empty: no files
  accept::ShownByTensorBoard shown;
};
[[nodiscard]] wire::Json build_task(const TaskObject& object);

// "notebook-12", by the number of the task's row.
[[nodiscard]] std::string task_object_name(model::TaskType type, std::int64_t number);

}  // namespace det::api
