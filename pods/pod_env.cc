#include "pods/pod_env.h"

#include <algorithm>
#include <array>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

#include "base/json_get.h"
#include "model/expconf/config_warnings.h"
#include "pods/pod_builder.h"

namespace det::pods {
namespace {

using nlohmann::json;

// "http://host:port" in the pieces that scripts of people's images read.
struct MasterAddress {
  std::string scheme = "http";
  std::string host;
  std::string port;
};

MasterAddress split_url(const std::string& url) {
  MasterAddress address;
  std::string_view rest = url;
  if (const auto at = rest.find("://"); at != std::string_view::npos) {
    address.scheme = rest.substr(0, at);
    rest.remove_prefix(at + 3);
  }
  rest = rest.substr(0, rest.find('/'));
  // An IPv6 address keeps its brackets, as in the URL.
  const auto bracket = rest.rfind(']');
  const auto colon = rest.find(':', bracket == std::string_view::npos ? 0 : bracket);
  address.host = rest.substr(0, colon);
  address.port = colon == std::string_view::npos ? (address.scheme == "https" ? "443" : "80") : rest.substr(colon + 1);
  return address;
}

// The user's "K=V" texts for this kind of slot; "K" alone is an empty value.
Variables user_variables(const PodSettings& settings, const TaskRequest& task) {
  Variables variables;
  for (const std::string& text : task.config.environment.variables.of(device_of(settings, task))) {
    const auto equals = text.find('=');
    variables.emplace_back(text.substr(0, equals), equals == std::string::npos ? "" : text.substr(equals + 1));
  }
  return variables;
}

std::string slot_ids(int slots) {
  json ids = json::array();
  for (int i = 0; i < slots; ++i) ids.push_back(i);
  return ids.dump();
}

json field_ref(const char* path) {
  return {{"fieldRef", {{"fieldPath", path}}}};
}

// Set whatever people's environment_variables say.
constexpr auto kOwnVariables = std::to_array<std::string_view>(
    {"DET_MASTER", "DET_MASTER_HOST", "DET_MASTER_ADDR", "DET_MASTER_PORT", "DET_USE_TLS", "DET_CLUSTER_ID",
     "DET_SLOT_IDS", "DET_AGENT_ID", "DET_CONTAINER_ID", "DET_KUBERNETES_POD_IP", "DET_SESSION_TOKEN",
     "DET_USER_TOKEN"});
constexpr auto kOwnOfTrials = std::to_array<std::string_view>({"DET_EXPERIMENT_CONFIG", "DET_HPARAMS"});

// Those of `own` that the variables set: a list, or one for each kind of slot. It may have megabytes.
void find_set(const json& variables, std::span<const std::string_view> own, std::set<std::string_view>& found) {
  if (variables.is_object()) {
    for (const json& list : variables) find_set(list, own, found);
  }
  if (!variables.is_array()) return;
  for (const json& variable : variables) {
    if (!variable.is_string()) continue;
    const std::string_view text = variable.get_ref<const std::string&>();
    const auto name = std::ranges::find(own, text.substr(0, text.find('=')));
    if (name != own.end()) found.insert(*name);
  }
}

}  // namespace

json literal_env(const PodSettings& settings, const TaskRequest& task, int rank) {
  const MasterAddress master = split_url(settings.task_url);
  Variables values = {
      {"DET_TASK_ID", task.task_id},
      {"DET_ALLOCATION_ID", task.allocation_id},
      {"DET_TASK_TYPE", task.type},
      {"DET_RESOURCES_ID", resources_id(task.allocation_id, rank)},
      // Server-driven rendezvous, which every harness version speaks; upstream's value for Kubernetes changed twice.
      {"DET_RESOURCES_TYPE", "docker-container"},
      {"DET_USER", task.owner},
      {"DET_WORKDIR", work_dir_of(task)},
      {"DET_RUN_DIR", "/run/determined"},
      {"PYTHONUSERBASE", "/run/determined/pythonuserbase"},
      {"DET_UNIQUE_PORT_OFFSET", "0"},
      {"DET_SEGMENT_ENABLED", "false"},
      {"DET_SHIPPER_EMIT_STDOUT_LOGS", "1"},
      {"DET_TASK_LOGGING_METADATA", json{{"allocation_id", task.allocation_id}, {"task_id", task.task_id}}.dump()},
      {"DTRAIN_SSH_PORT", std::to_string(task.ports.dtrain_ssh)},
      {"INTER_TRAIN_PROCESS_COMM_PORT_1", std::to_string(task.ports.trial_comm_1)},
      {"INTER_TRAIN_PROCESS_COMM_PORT_2", std::to_string(task.ports.trial_comm_2)},
      {"C10D_PORT", std::to_string(task.ports.c10d)},
      {"DET_K8S_RESOURCE_POOL", task.config.resources.resource_pool}};
  values.insert(values.end(), task.variables.begin(), task.variables.end());
  if (task.account) {
    values.emplace_back("DET_AGENT_USER", task.account->user);
    values.emplace_back("DET_AGENT_GROUP", task.account->group);
  }

  const auto theirs = user_variables(settings, task);
  json env = json::array();
  for (auto& [name, value] : values) {
    const bool overridden =
        std::any_of(theirs.begin(), theirs.end(), [&](const auto& variable) { return variable.first == name; });
    if (!overridden) env.push_back({{"name", name}, {"value", value}});
  }
  // Where the cluster is cannot be overridden by environment_variables, only by a pod_spec.
  const Variables cluster = {{"DET_MASTER", settings.task_url},
                             {"DET_MASTER_HOST", master.host},
                             {"DET_MASTER_ADDR", master.host},
                             {"DET_MASTER_PORT", master.port},
                             {"DET_USE_TLS", master.scheme == "https" ? "true" : "false"},
                             {"DET_CLUSTER_ID", settings.cluster_id},
                             {"DET_SLOT_IDS", slot_ids(task.slots_per_pod)}};
  for (const auto& [name, value] : cluster) env.push_back({{"name", name}, {"value", value}});
  const model::HarnessConfig& harness = settings.master.harness;
  if (harness.install && !harness.wheelhouse.empty()) {
    env.push_back({{"name", "DET_HARNESS_WHEELS"}, {"value", settings.task_url + "/harness/wheels/"}});
    env.push_back({{"name", "DET_HARNESS_VERSION"}, {"value", harness.version}});
  }
  if (device_of(settings, task) == model::SlotType::kCpu) {
    env.push_back({{"name", "NVIDIA_VISIBLE_DEVICES"}, {"value", "void"}});
  }
  env.push_back({{"name", "DET_AGENT_ID"}, {"valueFrom", field_ref("spec.nodeName")}});
  env.push_back({{"name", "DET_CONTAINER_ID"}, {"valueFrom", field_ref("metadata.name")}});
  env.push_back({{"name", "DET_KUBERNETES_POD_IP"}, {"valueFrom", field_ref("status.podIP")}});
  return env;
}

json secret_env(const PodSettings& settings, const TaskRequest& task) {
  json values = json::object();
  for (auto& [name, value] : user_variables(settings, task)) values[name] = value;
  values["DET_SESSION_TOKEN"] = task.token;
  // Harnesses 0.30 to 0.36, and det or the SDK inside a task, authenticate with this one; api/route_policy.h says what
  // each of the two may do.
  values["DET_USER_TOKEN"] = task.user_token;
  for (const auto& [name, value] : task.secret_variables) values[name] = value;
  // Beside the tokens, because such scripts hold credentials of package indexes.
  const std::string hook = model::startup_hook(pool_of(settings, task.config.resources), settings.master);
  if (!hook.empty()) values["DET_STARTUP_HOOK"] = hook;
  return values;
}

std::vector<std::string> overruled_variables(const json& user, bool is_trial) {
  const json& variables = get_any(get_any(user, "environment"), "environment_variables");
  std::set<std::string_view> found;
  find_set(variables, kOwnVariables, found);
  if (is_trial) find_set(variables, kOwnOfTrials, found);
  std::vector<std::string> sentences;
  for (const std::string_view name : found) {
    sentences.push_back(model::idle_sentence("environment.environment_variables: " + std::string(name),
                                             "it tells the program about itself and its cluster, and the operator "
                                             "sets it"));
  }
  return sentences;
}

}  // namespace det::pods
