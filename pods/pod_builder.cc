#include "pods/pod_builder.h"

#include <algorithm>
#include <string_view>

#include "base/json_get.h"
#include "model/pod/pod_spec_check.h"
#include "pods/names.h"
#include "pods/pod_env.h"
#include "pods/pull_secret.h"
#include "pods/slot_resources.h"

namespace det::pods {
namespace {

using nlohmann::json;

constexpr std::string_view kContainerName = "determined-container";
constexpr std::string_view kSharedFsPath = "/determined_shared_fs";

json owner_reference(const TaskRequest& task) {
  return json::array({{{"apiVersion", task.kind.api_version()},
                       {"kind", task.kind.kind},
                       {"name", task.object.name},
                       {"uid", task.object_uid},
                       {"controller", true},
                       {"blockOwnerDeletion", true}}});
}

json labels(const PodSettings& settings, const TaskRequest& task) {
  json all = {{kLabelManagedBy, label_value(settings.controller_class)},
              {kLabelRun, std::to_string(task.run)},
              {kUpstreamTaskId, label_value(task.task_id)},
              {kUpstreamAllocationId, label_value(task.allocation_id)},
              {kUpstreamTaskType, task.type},
              {kUpstreamUser, label_value(task.owner)},
              {kUpstreamWorkspace, label_value(task.workspace)},
              {kUpstreamResourcePool, label_value(pool_of(settings, task.config.resources))}};
  for (const auto& [name, value] : task.labels) all[name] = value;
  return all;
}

// The member of `object`, made if need be.
json& child(json& object, const char* name, json empty) {
  json& value = object[name];
  if (value.is_null()) value = std::move(empty);
  return value;
}

void append(json& list, const json& more) {
  for (const json& item : more) list.push_back(item);
}

// Takes the user's determined-container out of the pod's containers, or makes an empty one.
json take_main_container(json& containers) {
  for (auto it = containers.begin(); it != containers.end(); ++it) {
    if (it->value("name", "") != kContainerName) continue;
    json main = *it;
    containers.erase(it);
    return main;
  }
  return json{{"name", kContainerName}};
}

// The user's requests and limits stay for every resource but the slots'.
void add_slots(json& container, const json& slots) {
  for (const char* kind : {"requests", "limits"}) {
    json& amounts = child(child(container, "resources", json::object()), kind, json::object());
    amounts.update(slots);
    if (amounts.empty()) container["resources"].erase(kind);
  }
  if (container["resources"].empty()) container.erase("resources");
}

bool mounts_path(const json& container, std::string_view path) {
  const auto found = container.find("volumeMounts");
  if (found == container.end()) return false;
  return std::any_of(found->begin(), found->end(),
                     [&](const json& mount) { return mount.value("mountPath", "") == path; });
}

// Docker's word, or Kubernetes' own. Of others the configuration's warnings speak (model/expconf/config_warnings.h).
const char* mount_propagation(const std::string& word) {
  if (word == "rshared" || word == "shared" || word == "Bidirectional") return "Bidirectional";
  if (word == "rslave" || word == "slave" || word == "HostToContainer") return "HostToContainer";
  return "None";
}

struct Volumes {
  json volumes = json::array();
  json mounts = json::array();

  void add(const std::string& name, const json& source, const std::string& path, const json& mount = json::object()) {
    json volume = {{"name", name}};
    volume.update(source);
    volumes.push_back(std::move(volume));
    json entry = {{"name", name}, {"mountPath", path}};
    entry.update(mount);
    mounts.push_back(std::move(entry));
  }
};

std::string container_path(const TaskRequest& task, const model::BindMount& bind) {
  return bind.container_path.starts_with('/') ? bind.container_path : work_dir_of(task) + "/" + bind.container_path;
}

// Whether the task brings a volume of its own for it.
bool brings(const json& main, const TaskRequest& task, const char* path) {
  const auto is_there = [&](const model::BindMount& bind) { return container_path(task, bind) == path; };
  return mounts_path(main, path) || std::ranges::any_of(task.config.bind_mounts, is_there);
}

void add_bind_mounts(Volumes& volumes, const TaskRequest& task) {
  int index = 0;
  for (const model::BindMount& bind : task.config.bind_mounts) {
    volumes.add(std::string(model::kBindMountVolume) + std::to_string(index++),
                {{"hostPath", {{"path", bind.host_path}}}}, container_path(task, bind),
                {{"readOnly", bind.read_only}, {"mountPropagation", mount_propagation(bind.propagation)}});
  }
}

Volumes our_volumes(const PodSettings& settings, const TaskRequest& task, const json& main) {
  Volumes volumes;
  volumes.add("det-run", {{"emptyDir", json::object()}}, "/run/determined");
  // A volume too: as a folder of the other one it would be made by the container runtime, for root alone.
  if (!brings(main, task, kWorkFolder)) {
    volumes.add("det-workdir", {{"emptyDir", json::object()}}, kWorkFolder);
  }
  volumes.add("det-harness", {{"configMap", {{"name", settings.harness_config_map}, {"defaultMode", 0555}}}},
              "/run/determined/harness", {{"readOnly", true}});
  if (!task.files.empty()) {
    volumes.add("det-task-files",
                {{"secret", {{"secretName", files_secret_name(task.base_name, task.run)}, {"defaultMode", 0444}}}},
                kTaskFiles, {{"readOnly", true}});
  }
  if (!brings(main, task, "/dev/shm")) {
    json shm = {{"medium", "Memory"}};
    if (const auto size = task.config.resources.shm_size_bytes) shm["sizeLimit"] = std::to_string(*size);
    volumes.add("det-shm", {{"emptyDir", shm}}, "/dev/shm");
  }
  if (const auto& storage = task.config.storage; storage && storage->type == "shared_fs") {
    volumes.add("det-checkpoints", {{"hostPath", {{"path", storage->host_path}, {"type", "DirectoryOrCreate"}}}},
                std::string(kSharedFsPath), {{"mountPropagation", mount_propagation(storage->propagation)}});
  }
  add_bind_mounts(volumes, task);
  return volumes;
}

json main_container(const PodSettings& settings, const TaskRequest& task, int rank, json main) {
  const model::EnvironmentConfig& environment = task.config.environment;
  main["image"] = environment.image.of(device_of(settings, task));
  main["imagePullPolicy"] = environment.force_pull_image ? "Always" : "IfNotPresent";
  main["command"] = {"/bin/sh", "/run/determined/harness/start.sh"};
  main["workingDir"] = work_dir_of(task);
  // An env entry wins over envFrom and a later one over an earlier one: the pod_spec's own entries come last.
  json env = literal_env(settings, task, rank);
  append(env, main.value("env", json::array()));
  main["env"] = std::move(env);
  json sources = json::array({{{"secretRef", {{"name", allocation_secret_name(task.base_name, task.run)}}}}});
  append(sources, main.value("envFrom", json::array()));
  main["envFrom"] = std::move(sources);
  add_slots(main, slot_resources(slots_of(settings, task.config.resources), task.slots_per_pod));
  if (task.account) {
    // An administrator's word, before the pod_spec's: whose files it may write depends on it.
    json& security = child(main, "securityContext", json::object());
    security["runAsUser"] = task.account->uid;
    security["runAsGroup"] = task.account->gid;
  }
  main["terminationMessagePolicy"] = "FallbackToLogsOnError";
  return main;
}

// In every term: terms are alternatives, and one that does not say it would let the pod back.
void require_by_name(const char* how, const std::vector<std::string>& nodes, json& spec) {
  if (nodes.empty()) return;
  json& required = child(child(child(spec, "affinity", json::object()), "nodeAffinity", json::object()),
                         "requiredDuringSchedulingIgnoredDuringExecution", json::object());
  json& terms = child(required, "nodeSelectorTerms", json::array());
  const bool is_ours = terms.empty();
  if (is_ours) terms.push_back(json::object());
  for (json& term : terms) {
    // An empty term selects nothing and has to go on doing so.
    if (term.empty() && !is_ours) continue;
    json& fields = child(term, "matchFields", json::array());
    // One requirement each: the API server takes a single value in a field requirement.
    for (const std::string& node : nodes) {
      fields.push_back({{"key", "metadata.name"}, {"operator", how}, {"values", {node}}});
    }
  }
}

// spec.nodeName goes past every scheduler, which then places the pod elsewhere or knows nothing of what it takes.
void ask_for_node(json& spec) {
  const std::string node = get_string(spec, "nodeName");
  spec.erase("nodeName");
  if (!node.empty()) require_by_name("In", {node}, spec);
}

// The pool has the last word on its labels: a pod_spec chooses among the pool's nodes, not among others.
void place_in_pool(const model::ResourcePool* pool, json& spec) {
  if (pool == nullptr) return;
  if (!pool->node_selector.empty()) child(spec, "nodeSelector", json::object()).update(pool->node_selector);
  if (pool->tolerations.empty()) return;
  json& tolerations = child(spec, "tolerations", json::array());
  for (const json& one : pool->tolerations) {
    if (std::find(tolerations.begin(), tolerations.end(), one) == tolerations.end()) tolerations.push_back(one);
  }
}

json secret_metadata(const PodSettings& settings, const TaskRequest& task, const std::string& name) {
  return {{"name", name},
          {"namespace", task.object.ns},
          {"labels", labels(settings, task)},
          {"ownerReferences", owner_reference(task)}};
}

json opaque_secret(const PodSettings& settings, const TaskRequest& task, const std::string& name, json data) {
  return {{"apiVersion", "v1"},
          {"kind", "Secret"},
          {"type", "Opaque"},
          {"immutable", true},
          {"metadata", secret_metadata(settings, task, name)},
          {"stringData", std::move(data)}};
}

}  // namespace

TaskPorts ports_at(int port_base) {
  if (port_base == 0) return {};
  return {.dtrain_ssh = port_base, .trial_comm_1 = port_base + 1, .trial_comm_2 = port_base + 2, .c10d = port_base + 3};
}

std::string pool_of(const PodSettings& settings, const model::ResourcesConfig& resources) {
  return model::pool_or_default(resources.resource_pool, resources.slots_per_trial, settings.master);
}

model::SlotRule slots_of(const PodSettings& settings, const model::ResourcesConfig& resources) {
  return model::slot_rule(pool_of(settings, resources), settings.master);
}

model::SlotType device_of(const PodSettings& settings, const TaskRequest& task) {
  return task.slots_per_pod == 0 ? model::SlotType::kCpu : slots_of(settings, task.config.resources).type;
}

std::string work_dir_of(const TaskRequest& task) {
  return task.work_dir.empty() ? kWorkFolder : task.work_dir;
}

std::string resources_id(const std::string& allocation_id, int rank) {
  return allocation_id + "." + std::to_string(rank);
}

json build_pod(const PodSettings& settings, const TaskRequest& task, int rank) {
  json pod = task.config.environment.pod_spec;
  if (!pod.is_object()) pod = json::object();
  pod.erase("status");
  pod["apiVersion"] = "v1";
  pod["kind"] = "Pod";

  json& meta = child(pod, "metadata", json::object());
  json& pod_labels = child(meta, "labels", json::object());
  pod_labels.update(labels(settings, task));
  pod_labels[kLabelRank] = std::to_string(rank);
  const std::string name = pod_name(task.base_name, task.run, rank);
  pod_labels[kUpstreamContainerId] = label_value(name);  // as DET_CONTAINER_ID has it
  meta["name"] = name;
  meta["namespace"] = task.object.ns;
  meta["ownerReferences"] = owner_reference(task);

  json& spec = child(pod, "spec", json::object());
  json& containers = child(spec, "containers", json::array());
  json main = main_container(settings, task, rank, take_main_container(containers));
  Volumes ours = our_volumes(settings, task, main);
  append(child(main, "volumeMounts", json::array()), ours.mounts);
  append(child(spec, "volumes", json::array()), ours.volumes);
  // First, so that `kubectl logs` and `kubectl exec` without -c mean the training.
  containers.insert(containers.begin(), std::move(main));

  place_in_pool(model::find_pool(pool_of(settings, task.config.resources), settings.master), spec);
  ask_for_node(spec);
  require_by_name("NotIn", task.excluded_nodes, spec);
  if (const auto pull = pull_secret_name(task)) {
    child(spec, "imagePullSecrets", json::array()).push_back({{"name", *pull}});
  }
  spec["restartPolicy"] = "Never";
  for (const char* right : {"automountServiceAccountToken", "enableServiceLinks"}) {
    json& given = spec[right];
    if (given.is_null()) given = false;  // null says nothing, and the API server would take it for true
  }
  return pod;
}

json shown_pod_spec(const json& pod) {
  json spec = pod.at("spec");
  for (const char* list : {"containers", "initContainers"}) {
    if (!spec.contains(list)) continue;
    for (json& container : spec[list]) container.erase("env");
  }
  return spec;
}

std::vector<json> build_more_secrets(const PodSettings& settings, const TaskRequest& task) {
  std::vector<json> secrets;
  if (const auto name = pull_secret_name(task)) {
    secrets.push_back(pull_secret_data(settings, task));
    secrets.back()["metadata"] = secret_metadata(settings, task, *name);
  }
  if (!task.files.empty()) {
    json files = json::object();
    for (const auto& [name, content] : task.files) files[name] = content;
    secrets.push_back(opaque_secret(settings, task, files_secret_name(task.base_name, task.run), std::move(files)));
  }
  return secrets;
}

json build_secret(const PodSettings& settings, const TaskRequest& task) {
  return opaque_secret(settings, task, allocation_secret_name(task.base_name, task.run), secret_env(settings, task));
}

}  // namespace det::pods
