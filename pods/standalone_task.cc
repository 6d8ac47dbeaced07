#include "pods/standalone_task.h"

#include <algorithm>
#include <string_view>

#include "base/json_get.h"
#include "pods/names.h"

namespace det::pods {
namespace {

using model::TaskType;

constexpr int kServiceOffset = 4;  // behind those of ports_at()
constexpr int kNotebookPort = 8888;
constexpr int kTensorBoardPort = 6006;
constexpr int kShellPort = 2222;
constexpr int kOrdinaryUser = 1000;

std::string joined(const std::vector<std::string>& all) {
  std::string text;
  for (const std::string& one : all) text += (text.empty() ? "" : ",") + one;
  return text;
}

void add_notebook(TaskRequest& request, const StandaloneTask& task, const nlohmann::json& document,
                  const model::TaskConfig& config) {
  request.variables.emplace_back("NOTEBOOK_PORT", std::to_string(service_port(task.type, task.port_base)));
  request.variables.emplace_back("NOTEBOOK_IDLE_TYPE", config.notebook_idle_type);
  request.secret_variables.emplace_back("NOTEBOOK_CONFIG", document.dump());
  request.secret_variables.emplace_back("DET_NOTEBOOK_TOKEN", task.notebook_token);
}

// Unless the pod_spec says who runs it. On the node's own network neighbours reach sshd, and the node agent's sandboxes
// have none of the capabilities without which sshd, run by root, lets nobody in.
void run_as_ordinary_user(nlohmann::json& pod_spec) {
  if (!pod_spec.is_object()) pod_spec = nlohmann::json::object();
  nlohmann::json& spec = pod_spec["spec"];
  if (!spec.is_object()) spec = nlohmann::json::object();
  if (!get_any(spec, "securityContext").is_null() || !get_any(spec, "containers").is_null()) return;
  spec["securityContext"] = {{"runAsUser", kOrdinaryUser}, {"runAsGroup", kOrdinaryUser}};
}

void add_shell(TaskRequest& request, const StandaloneTask& task) {
  request.variables.emplace_back("DET_SHELL_PORT", std::to_string(service_port(task.type, task.port_base)));
  request.files = {{"id_rsa", task.private_key}, {"id_rsa.pub", task.public_key}};
}

void add_tensorboard(TaskRequest& request, const StandaloneTask& task, const model::TaskConfig& config) {
  const TensorBoardSource& source = task.source;
  request.variables.emplace_back("TENSORBOARD_PORT", std::to_string(service_port(task.type, task.port_base)));
  request.variables.emplace_back("TF_CPP_MIN_LOG_LEVEL", "3");
  request.variables.emplace_back("DET_TENSORBOARD_LOG_DIRS", joined(source.log_dirs));
  request.variables.emplace_back("DET_TENSORBOARD_ARGS", nlohmann::json(config.tensorboard_args).dump());
  if (config.debug) request.variables.emplace_back("DET_DEBUG", "true");
  request.secret_variables = source.secret_variables;
  request.files = {{"storage_config.json", source.storage.dump()}};
  request.config.storage = source.mount;
  // Its own mount at the same place counts, as in the experiments' scripts that give both the same ones.
  std::vector<model::BindMount>& mounts = request.config.bind_mounts;
  for (const model::BindMount& mount : source.bind_mounts) {
    const auto taken = std::ranges::find(mounts, mount.container_path, &model::BindMount::container_path);
    if (taken == mounts.end()) mounts.push_back(mount);
  }
}

// As harness/task-checkpoint-gc.sh reads it.
void add_removal(TaskRequest& request, const StandaloneTask& task) {
  const RemovalSource& removal = task.removal;
  request.variables.emplace_back("DET_GC_EXPERIMENT_ID", to_string(removal.experiment));
  if (removal.tensorboard) request.variables.emplace_back("DET_DELETE_TENSORBOARDS", "1");
  request.files = {{"storage_config.json", removal.storage.dump()}};
  if (!removal.uuids.empty()) {
    request.files.emplace_back("checkpoints_to_delete.json", nlohmann::json(removal.uuids).dump());
    request.files.emplace_back("checkpoints_globs.json", nlohmann::json(removal.globs).dump());
  }
  request.config.storage = removal.mount;
}

void replace_all(std::string& text, std::string_view name, const std::string& value) {
  for (auto at = text.find(name); at != std::string::npos; at = text.find(name, at + value.size())) {
    text.replace(at, name.size(), value);
  }
}

// The two names that a work_dir may hold. Who has no account on the nodes is called there as here.
std::string with_user(std::string folder, const std::string& user, const std::string& agent_user) {
  replace_all(folder, "$DET_USER", user);
  replace_all(folder, "$AGENT_USER", agent_user.empty() ? user : agent_user);
  return folder;
}

// May hold what is not for everybody.
void add_entrypoint(TaskRequest& request, const model::TaskConfig& config) {
  request.secret_variables.emplace_back("DET_ENTRYPOINT", nlohmann::json(config.entrypoint).dump());
}

}  // namespace

int service_port(TaskType type, int port_base) {
  const auto own = [port_base](int port) { return port_base == 0 ? port : port_base + kServiceOffset; };
  switch (type) {
    case TaskType::kNotebook:
      return own(kNotebookPort);
    case TaskType::kShell:
      return own(kShellPort);
    case TaskType::kTensorBoard:
      return own(kTensorBoardPort);
    case TaskType::kCommand:
    case TaskType::kGeneric:
    case TaskType::kCheckpointGc:
      return 0;
  }
  return 0;
}

TaskRequest standalone_task(const PodSettings& settings, const StandaloneTask& task, const nlohmann::json& document,
                            const model::TaskConfig& config) {
  TaskRequest request;
  request.kind = k8s::tasks();
  request.object = task.object;
  request.object_uid = task.object_uid;
  request.base_name = task_base_name(task.object.name);
  request.type = model::task_word(task.type);
  request.task_id = task.task_id;
  request.allocation_id = task.allocation_id;
  request.run = task.run;
  request.num_pods = task.num_pods;
  request.slots_per_pod = task.slots_per_pod;
  request.owner = task.owner;
  request.workspace = task.workspace;
  request.ports = ports_at(task.port_base);
  request.account = task.account;
  request.config = {.resources = config.resources,
                    .environment = config.environment,
                    .bind_mounts = config.bind_mounts,
                    .storage = std::nullopt};
  request.labels = {{std::string(kLabelTask), task.object.name}};
  request.work_dir = with_user(config.work_dir.value_or(""), task.owner, task.account ? task.account->user : "");
  // On the node's own network, neighbours are strangers.
  if (settings.master.host_network_ports) request.variables.emplace_back("DET_BIND_ADDRESS", "127.0.0.1");
  switch (task.type) {
    case TaskType::kNotebook:
      add_notebook(request, task, document, config);
      break;
    case TaskType::kShell:
      add_shell(request, task);
      if (settings.master.host_network_ports) run_as_ordinary_user(request.config.environment.pod_spec);
      break;
    case TaskType::kTensorBoard:
      add_tensorboard(request, task, config);
      break;
    case TaskType::kCheckpointGc:
      add_removal(request, task);
      break;
    case TaskType::kCommand:
    case TaskType::kGeneric:
      add_entrypoint(request, config);
      break;
  }
  return request;
}

}  // namespace det::pods
