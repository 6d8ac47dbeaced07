#include "model/expconf/config_warnings.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <utility>

#include <nlohmann/json.hpp>

#include "base/json_get.h"
#include "base/json_reader.h"
#include "model/expconf/schema.h"
#include "model/expconf/sections.h"

namespace det::model {
namespace {

using nlohmann::json;

constexpr std::size_t kLongestName = 64;
constexpr std::string_view kCapabilities =
    "on Kubernetes capabilities belong into environment.pod_spec, at securityContext.capabilities of the container "
    "determined-container";
constexpr std::string_view kNoBatchSystem =
    "trials are pods of Kubernetes; say what they need in resources and environment.pod_spec";
constexpr std::string_view kOldPath = "checkpoints and TensorBoard's files go to checkpoint_storage.storage_path";
constexpr std::string_view kNotRead = "no version of the training code reads it";

constexpr auto kExperiment = std::to_array<IdleField>({
    {"checkpoint_storage.checkpoint_path", kOldPath},
    {"checkpoint_storage.container_path",
     "with shared_fs the folder is always mounted at /determined_shared_fs; choose the part of it with "
     "checkpoint_storage.storage_path"},
    {"checkpoint_storage.tensorboard_path", kOldPath},
    {"data_layer", "it is not handed on; training code finds what it needs in data and hyperparameters"},
    {"environment.add_capabilities", kCapabilities, "[]"},
    {"environment.drop_capabilities", kCapabilities, "[]"},
    {"environment.ports", "every port of a pod can be reached without being named", "{}"},
    {"optimizations.grad_updates_size_file", kNotRead},
    {"pbs.pbsbatch_args", kNoBatchSystem, "[]"},
    {"pbs.slots_per_node", kNoBatchSystem},
    {"resources.agent_label",
     "choose nodes with resources.resource_pool, or with a nodeSelector in environment.pod_spec"},
    {"resources.devices",
     "on Kubernetes devices come from device plugins; ask for their resources in environment.pod_spec", "[]"},
    {"resources.native_parallel", kNotRead, "false"},
    {"resources.weight", "it is only shown, slots are not shared out by weight; resources.priority says who goes first",
     "1"},
    {"security.kerberos.config_file",
     "tasks get no Kerberos configuration; mount the file with environment.pod_spec and name it in KRB5_CONFIG"},
    {"slurm.gpu_type", kNoBatchSystem},
    {"slurm.sbatch_args", kNoBatchSystem, "[]"},
    {"slurm.slots_per_node", kNoBatchSystem},
    {"tensorboard_storage", "TensorBoard's files go where checkpoint_storage says"},
});

constexpr auto kObject = std::to_array<IdleField>({
    {"spec.project", "name the project in spec.config.project, beside spec.config.workspace", R"("")"},
    {"spec.workspace", "name the workspace in spec.config.workspace, beside spec.config.project", R"("")"},
});

// What stands at the dotted path, or null.
const json& at_path(const json& document, std::string_view path) {
  const json* place = &document;
  for (std::size_t dot = path.find('.'); dot != std::string_view::npos; dot = path.find('.')) {
    place = &get_any(*place, path.substr(0, dot));
    path.remove_prefix(dot + 1);
  }
  return get_any(*place, path);
}

bool is_harmless(const IdleField& field, const json& value) {
  return value.is_null() || (!field.harmless.empty() && value == json::parse(field.harmless));
}

// The folder of a storage of type `directory` is its container_path.
bool is_idle(const IdleField& field, const json& document) {
  if (field.path != "checkpoint_storage.container_path") return true;
  return get_string(get_any(document, "checkpoint_storage"), "type") == "shared_fs";
}

// A search that the user's own program drives takes the fields of all others and forgets them.
void add_custom_search(const json& searcher, const json& document, std::vector<std::string>& warnings) {
  if (get_string(get_any(document, "searcher"), "name") != "custom" || !searcher.is_object()) return;
  const auto is_read = [&searcher](std::string_view key) {
    const Variant* custom = variant_of(kSearcherSchema, {{"name", "custom"}});
    bool found = false;
    for_each_field(kSearcherSchema, custom, [&](const Field& field) { found = found || field.name == key; });
    return found || get_any(searcher, key).is_null();
  };
  for (const auto& [key, value] : searcher.items()) {
    if (is_read(key)) continue;
    warnings.push_back(idle_sentence(child_path("searcher", key), "the search is driven by a program of your own"));
  }
}

void add_deprecations(const json& user, std::vector<std::string>& warnings) {
  for (const char* field : {"max_length", "stop_once"}) {
    if (get_any(get_any(user, "searcher"), field).is_null()) continue;
    warnings.push_back("the `" + std::string(field) +
                       "` field of the searcher config has been deprecated and will be removed in a future release.");
  }
}

void add_propagation(const std::string& path, const json& owner, std::vector<std::string>& warnings) {
  static constexpr std::array kWords = {"",       "private", "rprivate", "slave",           "rslave",
                                        "shared", "rshared", "None",     "HostToContainer", "Bidirectional"};
  const json& word = get_any(owner, "propagation");
  if (!word.is_string() || std::ranges::find(kWords, word.get_ref<const std::string&>()) != kWords.end()) return;
  warnings.push_back(path + ".propagation: " + shown_name(word.get<std::string>()) +
                     " means nothing, and mounts are not passed on; the words are rprivate, rslave (what the node "
                     "mounts later is seen) and rshared (both ways).");
}

// Right if max_slots is raised later; else its trials wait for ever, and nothing else says so before.
void add_too_few_slots(const json& document, std::vector<std::string>& warnings) {
  const json& resources = get_any(document, "resources");
  const json& most = get_any(resources, "max_slots");
  if (!most.is_number_integer() || most.get<std::int64_t>() >= get_integer(resources, "slots_per_trial")) return;
  warnings.push_back("resources.max_slots: " + most.dump() + " is less than the " +
                     std::to_string(get_integer(resources, "slots_per_trial")) +
                     " slots of each trial, so that none can start; raise it, or lower resources.slots_per_trial.");
}

}  // namespace

void add_propagation_warnings(const json& user, std::vector<std::string>& warnings) {
  add_propagation("checkpoint_storage", get_any(user, "checkpoint_storage"), warnings);
  std::size_t place = 0;
  for (const json& mount : get_array(user, "bind_mounts")) {
    add_propagation("bind_mounts[" + std::to_string(place++) + "]", mount, warnings);
  }
}

std::span<const IdleField> idle_experiment_fields() {
  return kExperiment;
}

std::span<const IdleField> idle_object_fields() {
  return kObject;
}

std::vector<std::string> config_warnings(const json& user, const json& template_config, const json& document) {
  std::vector<std::string> warnings;
  add_deprecations(user, warnings);
  add_custom_search(get_any(user, "searcher"), document, warnings);
  add_propagation_warnings(user, warnings);
  add_too_few_slots(document, warnings);
  for (const IdleField& field : kExperiment) {
    if (!asks_for(field, user, template_config) || !is_idle(field, document)) continue;
    warnings.push_back(idle_sentence(field.path, field.why));
  }
  return warnings;
}

std::optional<std::string> idle_priority(GangBackendKind scheduler, const json& user, const json& template_config) {
  constexpr IdleField kPriority = {"resources.priority", ""};
  if (scheduler == GangBackendKind::kOwn || scheduler == GangBackendKind::kAuto) return std::nullopt;
  if (!asks_for(kPriority, user, template_config)) return std::nullopt;
  return idle_sentence(kPriority.path,
                       "with scheduler.type " + std::string(to_string(scheduler)) +
                           " kube-scheduler decides who goes first, by priorityClassName of environment.pod_spec");
}

std::vector<std::string> object_warnings(const json& spec) {
  std::vector<std::string> warnings;
  for (const IdleField& field : kObject) {
    const json& value = at_path(spec, field.path.substr(std::string_view("spec.").size()));
    if (!is_harmless(field, value)) warnings.push_back(idle_sentence(field.path, field.why));
  }
  return warnings;
}

std::string idle_sentence(std::string_view path, std::string_view why) {
  return std::string(path) + " has no effect here: " + std::string(why) + ".";
}

bool asks_for(const IdleField& field, const json& user, const json& template_config) {
  const json& own = at_path(user, field.path);
  return !is_harmless(field, own.is_null() ? at_path(template_config, field.path) : own);
}

std::string shown_name(std::string name) {
  if (name.size() > kLongestName) name = name.substr(0, kLongestName) + "...";
  for (char& c : name) {
    if (std::isalnum(static_cast<unsigned char>(c)) == 0 && c != '_' && c != '-' && c != '.') c = '?';
  }
  return name;
}

std::string joined_warnings(std::span<const std::string> warnings, std::size_t limit) {
  constexpr std::size_t kRoomForRest = 40;
  std::string text;
  for (std::size_t i = 0; i < warnings.size(); ++i) {
    const bool is_last = i + 1 == warnings.size();
    if (text.size() + warnings[i].size() + 1 + (is_last ? 0 : kRoomForRest) > limit) {
      return text + (text.empty() ? "" : "\n") + "... and " + std::to_string(warnings.size() - i) + " more";
    }
    text += (text.empty() ? "" : "\n") + warnings[i];
  }
  return text;
}

}  // namespace det::model
