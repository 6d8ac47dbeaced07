#include "wire/standalone_task.h"

#include "wire/enums.h"

namespace det::wire {
namespace {

std::string container_state(model::AllocationState state) {
  const std::string word = task_state(state);
  // Containers know fewer states than tasks.
  if (word == "STATE_PULLING" || word == "STATE_STARTING" || word == "STATE_RUNNING" || word == "STATE_TERMINATED") {
    return word;
  }
  return "STATE_ASSIGNED";
}

Json container(const StandaloneTask& task) {
  if (task.container.empty()) return nullptr;
  return {{"id", task.container},
          {"parent", ""},
          {"state", container_state(task.state)},
          {"devices", Json::array()},
          {"permissionDenied", false}};
}

}  // namespace

Json to_json(const StandaloneTask& task) {
  Json out = {{"id", task.id},
              {"description", task.description},
              {"state", task_state(task.state)},
              {"startTime", time(task.start_time)},
              {"container", container(task)},
              {"username", task.username},
              {"displayName", task.display_name},
              {"userId", task.user},
              {"workspaceId", task.workspace},
              {"resourcePool", task.resource_pool},
              {"exitStatus", task.exit_status},
              {"jobId", task.job_id}};
  if (!task.service_address.empty()) out["serviceAddress"] = task.service_address;
  if (task.type == "SHELL") {
    out["privateKey"] = task.private_key;
    out["publicKey"] = task.public_key;
    out["addresses"] = Json::array();
    // An empty name is root to clients.
    out["agentUserGroup"] = {{"user", ""}, {"uid", 0}, {"group", ""}, {"gid", 0}};
  }
  if (task.type == "TENSORBOARD") {
    out["experimentIds"] = task.experiments;
    out["trialIds"] = task.trials;
  }
  if (task.idle_since) out["idleSince"] = time(*task.idle_since);
  if (task.idle_timeout) out["idleTimeout"] = task.idle_timeout->count();
  return out;
}

}  // namespace det::wire
