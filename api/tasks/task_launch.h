#pragma once

// Starting a task by REST: the gate, the row, the object. Belongs to the io thread.

#include <optional>
#include <string>
#include <vector>

#include "accept/tensorboard_lookup.h"
#include "api/call.h"
#include "api/experiments/bulk_filter.h"
#include "api/experiments/context_pack.h"
#include "base/result.h"
#include "base/task.h"
#include "model/taskconf/task_config.h"
#include "store/tasks/task_rows.h"
#include "wire/forms.h"

namespace det::api {

struct LaunchRequest {
  model::TaskType type = model::TaskType::kCommand;
  wire::Json config;          // an object, or null
  std::string template_name;  // empty: none
  PackedFiles files;
  std::optional<model::WorkspaceId> workspace;
  accept::ShownByTensorBoard shown;
  std::optional<store::ExperimentFilter> filter;  // of a TensorBoard, in place of shown.experiments
  std::optional<store::ContextRef> code;          // files that are kept already, in place of `files`
  store::TaskKin kin;
  bool is_preview = false;  // checked and completed, and nothing is started
};
// Of a body as clients send it. Slow for large uploads: callers use a pool.
[[nodiscard]] Result<LaunchRequest> read_launch_request(model::TaskType type, std::string_view body);

struct Launched {
  std::optional<store::TaskRow> row;  // nothing: it was a preview
  wire::Json config;                  // complete
  std::vector<std::string> warnings;  // one sentence each
};
// It becomes the caller's. kInvalidArgument with all that is wrong with it; kPermissionDenied where the caller's roles
// do not permit it.
Task<Result<Launched>> launch_task(ApiServices& services, LaunchRequest request, Identity caller);

}  // namespace det::api
