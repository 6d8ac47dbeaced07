#include "operator/removal/removal_task.h"

#include <algorithm>
#include <array>

#include <nlohmann/json.hpp>

#include "base/encoding.h"
#include "base/json_get.h"
#include "model/cluster/cluster_defaults.h"
#include "model/expconf/experiment_config.h"
#include "model/taskconf/accept_task_config.h"
#include "pods/names.h"
#include "store/experiments/experiment_pool.h"

namespace det::op {
namespace {

using nlohmann::json;

constexpr std::string_view kVariables = "environment_variables";
constexpr std::array<const char*, 7> kOfExperiment = {"image",           kVariables.data(),  "pod_spec",
                                                      "registry_auth",   "add_capabilities", "drop_capabilities",
                                                      "force_pull_image"};
constexpr std::chrono::seconds kFirstBackOff{20};
constexpr std::chrono::seconds kLongestBackOff{1'800};
constexpr int kMostAttempts = 9;  // over an hour

std::string join_all(const FieldErrors& errors) {
  std::string text;
  for (const Error& error : errors) {
    if (!text.empty()) text += "; ";
    text += error.field.empty() ? error.message : error.field + ": " + error.message;
  }
  return text;
}

bool is_folder(const json& storage) {
  const std::string type = get_string(storage, "type");
  return type == "shared_fs" || type == "directory";
}

// An unmanaged experiment's configuration is its owner's, and may be another one now than when the removal was planned:
// neither is leave to mount a folder.
bool is_out_of_reach(const store::Removal& removal, const store::ExperimentRow& experiment) {
  const json& now = get_object(experiment.config, "checkpoint_storage");
  return experiment.is_unmanaged && (is_folder(now) || is_folder(removal.storage));
}

// Whether folder `inner` is `outer` or below it.
bool is_within(std::string inner, std::string outer) {
  if (!inner.ends_with('/')) inner += '/';
  if (!outer.ends_with('/')) outer += '/';
  return inner.starts_with(outer);
}

// Where the namespace is gone: what nothing in another one reaches; else empty.
std::string left_behind(const store::Removal& removal, const store::ExperimentRow& experiment) {
  const std::string type = get_string(removal.storage, "type");
  if (type == "shared_fs") {
    const json& now = get_object(experiment.config, "checkpoint_storage");
    return get_string(now, "type") == type ? std::string() : get_string(removal.storage, "host_path");
  }
  if (type != "directory") return {};
  std::string folder = get_string(removal.storage, "container_path");
  const json& mounts = get_array(experiment.config, "bind_mounts");
  const bool is_mounted = std::ranges::any_of(
      mounts, [&](const json& mount) { return is_within(folder, get_string(mount, "container_path")); });
  return is_mounted ? std::string() : folder;
}

constexpr const char* kOutOfReach =
    "its trials ran outside of the cluster, and wrote to a folder there: remove the files there";

}  // namespace

Result<store::NewTask> removal_task(const pods::PodSettings& settings, const store::Removal& removal,
                                    const store::ExperimentRow& experiment, model::WorkspaceId workspace, int attempt,
                                    const std::string& ns) {
  if (is_out_of_reach(removal, experiment)) return fail(ErrorCode::kFailedPrecondition, kOutOfReach);
  const bool is_elsewhere = ns != experiment.ns;
  if (const std::string folder = is_elsewhere ? left_behind(removal, experiment) : ""; !folder.empty()) {
    return fail(ErrorCode::kFailedPrecondition, "namespace " + experiment.ns +
                                                    " is gone, and with it what mounted the folder " + folder +
                                                    " into its pods: its files stay there");
  }
  model::AcceptContext context;
  context.master = &settings.master;
  context.ns = ns;
  json wanted = {{"description", "Checkpoint GC (Experiment " + to_string(experiment.id) + ")"},
                 {"resources", {{"resource_pool", store::pool_now(experiment)}}}};
  const auto accept = [&] {
    return model::accept_task_config(model::TaskType::kCheckpointGc, wanted, model::cluster_defaults(settings.master),
                                     context);
  };
  auto accepted = accept();
  if (!accepted) {
    wanted.erase("resources");  // there is no such pool any more
    accepted = accept();
  }
  if (!accepted) return fail(ErrorCode::kInvalidArgument, join_all(accepted.error()));
  json document = std::move(accepted->document);
  // What its own pods were allowed when it was accepted; an unmanaged one has none.
  if (!experiment.is_unmanaged) {
    const json& theirs = get_object(experiment.config, "environment");
    for (const char* name : kOfExperiment) {
      if (is_elsewhere && name != kVariables) continue;
      if (theirs.contains(name)) document["environment"][name] = theirs.at(name);
    }
    if (!is_elsewhere || get_string(removal.storage, "type") == "directory") {
      document["bind_mounts"] = get_array(experiment.config, "bind_mounts");
    }
  }
  const json& gc_pod = get_any(settings.master.task_container_defaults, "checkpoint_gc_pod_spec");
  if (gc_pod.is_object()) document["environment"]["pod_spec"] = gc_pod;
  store::NewTask row;
  row.id = to_string(experiment.id) + "." + uuid_v4();
  row.type = model::task_word(model::TaskType::kCheckpointGc);
  row.nonce = uuid_v4();
  row.ns = ns;
  row.name =
      "checkpoint-gc-" + to_string(experiment.id) + "-" + std::to_string(removal.id) + "-" + std::to_string(attempt);
  row.owner = experiment.owner;
  row.workspace = workspace;
  row.description = get_string(document, "description");
  row.config_hash = model::config_hash(document);
  row.config = std::move(document);
  return row;
}

json removal_object(const std::string& controller_class, const store::TaskRow& task,
                    const store::ExperimentRow& experiment, const std::string& owner_uid) {
  json metadata = {{"name", task.name},
                   {"namespace", task.ns},
                   {"labels",
                    {{pods::kLabelManagedBy, pods::label_value(controller_class)},
                     {pods::kUpstreamExperimentId, to_string(experiment.id)}}},
                   {"annotations", {{pods::kAnnotationNonce, task.nonce}}}};
  if (!controller_class.empty()) metadata["annotations"][std::string(pods::kAnnotationClass)] = controller_class;
  if (!owner_uid.empty()) {
    metadata["ownerReferences"] = json::array({{{"apiVersion", k8s::experiments().api_version()},
                                                {"kind", k8s::experiments().kind},
                                                {"name", experiment.name},
                                                {"uid", owner_uid},
                                                {"controller", true},
                                                {"blockOwnerDeletion", true}}});
  }
  return {{"apiVersion", k8s::tasks().api_version()},
          {"kind", k8s::tasks().kind},
          {"metadata", std::move(metadata)},
          {"spec", {{"type", model::object_word(model::TaskType::kCheckpointGc)}, {"config", json::object()}}}};
}

Result<pods::RemovalSource> removal_source(const store::Removal& removal, const store::ExperimentRow& experiment) {
  if (is_out_of_reach(removal, experiment)) return fail(ErrorCode::kInvalidArgument, kOutOfReach);
  auto config = model::read_experiment_config(experiment.config);
  DET_TRY(config);
  pods::RemovalSource source{.experiment = removal.experiment,
                             .storage = removal.storage,
                             .uuids = removal.uuids,
                             .globs = removal.globs,
                             .tensorboard = removal.tensorboard,
                             .mount = std::nullopt};
  // As it was allowed to the experiment; to an unmanaged one, which its owner writes as it likes, nothing was.
  if (config->checkpoint_storage.type == "shared_fs" && !experiment.is_unmanaged)
    source.mount = config->checkpoint_storage;
  return source;
}

std::optional<std::chrono::seconds> removal_back_off(int failures) {
  if (failures >= kMostAttempts) return std::nullopt;
  return std::min(kFirstBackOff * (1 << std::clamp(failures - 1, 0, 20)), kLongestBackOff);
}

}  // namespace det::op
