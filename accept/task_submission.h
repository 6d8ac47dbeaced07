#pragma once

// What somebody wants to run by itself: a notebook, a shell, a command, a TensorBoard, a generic task; and what the
// gate says to it.

#include <cstdint>
#include <optional>
#include <string>
#include <variant>

#include <nlohmann/json.hpp>

#include "accept/submission.h"
#include "accept/tensorboard_lookup.h"
#include "model/ids.h"
#include "model/taskconf/accept_task_config.h"
#include "store/experiments/experiment_rows.h"

namespace det::accept {

struct TaskSubmission {
  std::string ns;          // where its pods will be
  bool by_server = false;  // a namespace that its workspace is bound to comes before `ns`, and has to be enabled
  model::TaskType type = model::TaskType::kCommand;
  nlohmann::json config;  // as people wrote it, or null
  std::string template_name;
  std::string workspace;                           // by name; empty: the next field
  std::optional<model::WorkspaceId> workspace_id;  // nothing: Uncategorized
  nlohmann::json context;                          // `spec.context` of a Task, or null
  std::optional<store::ContextRef> code;           // where that is kept already or will be; then not `context`
  ShownByTensorBoard shown;                        // of a TensorBoard
  model::UserId owner;
  bool owner_is_admin = false;
  std::uint64_t name_seed = 0;  // makes the description of a task that has none
};

struct AcceptedTask {
  model::AcceptedTaskConfig config;
  model::WorkspaceId workspace;
  std::string ns;  // where its pods will be
  store::ContextRef code;
  std::optional<Objection> pod_refused;  // for now: by a quota or a policy, which can change
};

using TaskVerdict = std::variant<AcceptedTask, Objection>;

}  // namespace det::accept
