#pragma once

// A task by its id: a trial's, or one that people start by itself. Belongs to the io thread.

#include <optional>
#include <string>

#include "api/call.h"
#include "store/tasks/task_rows.h"
#include "store/trials/trial_rows.h"

namespace det::api {

// One of the two is set.
struct AnyTask {
  std::optional<store::TrialRow> trial;
  std::optional<store::TaskRow> task;

  [[nodiscard]] const std::string& id() const { return trial ? trial->task_id : task->id; }
  [[nodiscard]] std::int64_t number() const { return trial ? trial->task_number : task->number; }
};

// kNotFound "task 'x' not found".
Task<Result<AnyTask>> find_any_task(ApiServices& services, std::string id);

}  // namespace det::api
