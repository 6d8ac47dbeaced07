#include "api/tasks/task_views.h"

#include <algorithm>

#include "api/access_check.h"
#include "api/agents/agent_views.h"
#include "base/duration_text.h"
#include "base/json_get.h"
#include "model/expconf/secret_fields.h"

namespace det::api {

model::AllocationState shown_state(const store::TaskRun& run) {
  if (model::is_terminal(run.task.state)) return model::AllocationState::kTerminated;
  if (!run.allocation || run.allocation->ended_at) return model::AllocationState::kPending;
  return run.allocation->state;
}

std::string shown_pool(const store::TaskRow& row, const model::MasterConfig& master) {
  return pool_or_default(get_string(get_any(row.config, "resources"), "resource_pool"), master);
}

wire::StandaloneTask to_wire(const store::TaskRun& run, const Identity& caller, const model::MasterConfig& master) {
  const store::TaskRow& row = run.task;
  const bool is_theirs = is_admin(caller) || caller.user.id == row.owner;
  wire::StandaloneTask task{.id = row.id,
                            .type = row.type,
                            .description = row.description,
                            .state = shown_state(run),
                            .start_time = row.start_time,
                            .username = row.username,
                            .display_name = row.display_name,
                            .user = row.owner.value,
                            .workspace = row.workspace.value,
                            .job_id = row.job_id,
                            .experiments = row.experiments,
                            .trials = row.trials};
  task.resource_pool = shown_pool(row, master);
  if (model::is_terminal(row.state)) task.exit_status = row.exit_reason;
  if (!run.resources.empty()) task.container = run.resources.front().pod_name;
  if (row.type == "NOTEBOOK" || row.type == "TENSORBOARD") task.service_address = "/proxy/" + row.id + "/";
  if (!is_theirs) return task;
  if (!row.access.token.empty()) task.service_address += "?token=" + row.access.token;
  task.private_key = row.access.private_key;
  task.public_key = row.access.public_key;
  return task;
}

bool idles(const store::TaskRow& row) {
  if (row.type != "NOTEBOOK" && row.type != "TENSORBOARD") return false;
  return !model::is_terminal(row.state) && !get_string(row.config, "idle_timeout").empty();
}

void add_idling(wire::StandaloneTask& task, const store::TaskRow& row, WallTime asked_at) {
  const auto timeout = parse_duration_text(get_string(row.config, "idle_timeout"));
  if (!timeout) return;
  task.idle_since = row.active_at ? std::max(*row.active_at, asked_at) : asked_at;
  task.idle_timeout = std::chrono::duration_cast<std::chrono::seconds>(*timeout);
}

wire::Json shown_config(const store::TaskRow& row) {
  return model::hide_secrets(row.config);
}

wire::Json given_config(const store::TaskRow& row) {
  return row.submitted.is_object() ? model::hide_secrets(row.submitted) : wire::Json::object();
}

}  // namespace det::api
