#include "model/taskconf/task_warnings.h"

#include <algorithm>
#include <array>
#include <string_view>

#include <nlohmann/json.hpp>

namespace det::model {
namespace {

using nlohmann::json;

constexpr std::size_t kMostLeftOut = 20;

constexpr std::string_view kCapabilities =
    "on Kubernetes capabilities belong into environment.pod_spec, at securityContext.capabilities of the container "
    "determined-container";
constexpr std::string_view kNoBatchSystem =
    "tasks are pods of Kubernetes; say what they need in resources and environment.pod_spec";
constexpr std::string_view kOwnProgram =
    "this kind of task has a program of its own; only commands and generic tasks "
    "run what they are given";
constexpr std::string_view kNoIdling = "nobody can tell whether it idles; only notebooks and TensorBoards end so";

constexpr std::array kNotebook = {TaskType::kNotebook};
constexpr std::array kTensorBoard = {TaskType::kTensorBoard};
constexpr std::array kIdling = {TaskType::kNotebook, TaskType::kTensorBoard};
constexpr std::array kGiven = {TaskType::kCommand, TaskType::kGeneric};
constexpr std::array kWithSlots = {TaskType::kNotebook, TaskType::kShell, TaskType::kCommand, TaskType::kGeneric};

constexpr auto kFields = std::to_array<IdleTaskField>({
    {{"entrypoint", kOwnProgram, "[]"}, kGiven},
    {{"environment.add_capabilities", kCapabilities, "[]"}},
    {{"environment.drop_capabilities", kCapabilities, "[]"}},
    {{"environment.ports",
      "every port of a pod can be reached inside the cluster; environment.proxy_ports lets people "
      "reach one through the server",
      "{}"}},
    {{"idle_timeout", kNoIdling}, kIdling},
    {{"notebook_idle_type", "only notebooks are watched in that way", R"("kernels_or_terminals")"}, kNotebook},
    {{"pbs.pbsbatch_args", kNoBatchSystem, "[]"}},
    {{"pbs.slots_per_node", kNoBatchSystem}},
    {{"preemption_timeout", "a task is not asked to leave: its pods get their terminationGracePeriodSeconds", "3600"}},
    {{"resources.agent_label",
      "choose nodes with resources.resource_pool, or with a nodeSelector in environment.pod_spec"}},
    {{"resources.devices",
      "on Kubernetes devices come from device plugins; ask for their resources in environment.pod_spec", "[]"}},
    {{"resources.max_slots", "a task has the slots that resources.slots says"}},
    {{"resources.native_parallel", "nothing reads it", "false"}},
    {{"resources.slots", "this kind of task never has any", "0"}, kWithSlots},
    {{"resources.weight",
      "it is only shown, slots are not shared out by weight; resources.priority says who goes first", "1"}},
    {{"slurm.gpu_type", kNoBatchSystem}},
    {{"slurm.sbatch_args", kNoBatchSystem, "[]"}},
    {{"slurm.slots_per_node", kNoBatchSystem}},
    {{"tensorboard_args", "only a TensorBoard takes them", "[]"}, kTensorBoard},
});

}  // namespace

std::span<const IdleTaskField> idle_task_fields() {
  return kFields;
}

std::vector<std::string> task_warnings(TaskType type, const json& user, const json& template_config,
                                       std::span<const std::string> left_out) {
  std::vector<std::string> warnings;
  for (const IdleTaskField& each : kFields) {
    if (std::ranges::find(each.acts_for, type) != each.acts_for.end()) continue;
    if (asks_for(each.field, user, template_config)) {
      warnings.push_back(idle_sentence(each.field.path, each.field.why));
    }
  }
  add_propagation_warnings(user, warnings);
  for (const std::string& path : left_out.first(std::min(left_out.size(), kMostLeftOut))) {
    warnings.push_back(
        idle_sentence(shown_name(path), "it stands in the template, and a task of this kind has no such field"));
  }
  if (left_out.size() > kMostLeftOut) {
    warnings.push_back(std::to_string(left_out.size() - kMostLeftOut) +
                       " more fields of the template have no effect here.");
  }
  return warnings;
}

}  // namespace det::model
