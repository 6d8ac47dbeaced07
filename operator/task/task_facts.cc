#include "operator/task/task_facts.h"

#include <algorithm>
#include <chrono>

#include "base/duration_text.h"
#include "base/json_get.h"
#include "model/expconf/config_changes.h"
#include "model/slots.h"
#include "model/taskconf/task_schema.h"
#include "operator/gang/port_blocks.h"

namespace det::op {
namespace {

using model::TaskState;
using model::TaskType;
using model::TrialState;
using nlohmann::json;

TrialState trial_state(TaskState state) {
  switch (state) {
    case TaskState::kActive:
    case TaskState::kPaused:
      return TrialState::kActive;
    case TaskState::kCompleted:
      return TrialState::kCompleted;
    case TaskState::kCanceled:
      return TrialState::kCanceled;
    case TaskState::kError:
      return TrialState::kError;
  }
  return TrialState::kActive;
}

bool is_description(const std::string& text) {
  return !text.empty() && !text.contains('\0');
}

// Without what may change.
json fixed_part(json config) {
  if (!config.is_object()) return json::object();
  if (is_description(get_string(config, "description"))) config.erase("description");
  const auto resources = config.find("resources");
  if (resources == config.end() || !resources->is_object()) return config;
  resources->erase("priority");
  if (resources->empty()) config.erase(resources);
  return config;
}

}  // namespace

RunFacts task_facts(const ObservedTask& object, const store::TaskRow& row,
                    const std::optional<store::AllocationRow>& allocation, TaskType type) {
  RunFacts facts;
  facts.state = trial_state(row.state);
  facts.run = row.run;
  facts.suspend = object.suspend && type == TaskType::kGeneric;
  facts.stop = object.stop;
  facts.hears_signals = false;
  // What a notebook or a shell holds is in its files or lost anyway; a command may have sent the mail already.
  facts.runs_once = type == TaskType::kCommand || type == TaskType::kGeneric;
  if (allocation) {
    facts.run_is_open = !allocation->ended_at;
    facts.is_ready = allocation->ready_at.has_value();
    facts.has_verdict = allocation->verdict.has_value();
    facts.last_run_was_good = allocation->ended_at && allocation->exit_code == 0;
  }
  return facts;
}

TaskState task_state(TrialState state) {
  if (state == TrialState::kCompleted) return TaskState::kCompleted;
  return state == TrialState::kError ? TaskState::kError : TaskState::kCanceled;
}

std::vector<int> ports_of(const std::vector<store::TaskRun>& tasks) {
  std::vector<int> ports;
  for (const store::TaskRun& task : tasks) {
    const auto& run = task.allocation;
    if (run && !run->ended_at && run->plan && run->plan->port_base != 0) ports.push_back(run->plan->port_base);
  }
  return ports;
}

store::RunPlan plan_task(const pods::PodSettings& settings, const model::ResourcesConfig& resources,
                         std::int64_t number, const std::vector<int>& taken_ports) {
  store::RunPlan plan;
  const auto shape = model::gang_shape(resources.slots_per_trial, pods::slots_of(settings, resources).max_per_pod);
  plan.pods = shape ? shape->pods : 1;
  plan.slots_per_pod = static_cast<int>(resources.slots_per_trial) / plan.pods;
  plan.account = settings.master.default_task;
  if (settings.master.host_network_ports) {
    plan.port_base = port_block(kTaskPorts, settings.cluster_id, number, taken_ports);
  }
  return plan;
}

bool is_watched_for_idling(TaskType type, const model::TaskConfig& config) {
  return config.idle_timeout && (type == TaskType::kNotebook || type == TaskType::kTensorBoard);
}

std::string idled(std::chrono::seconds timeout, WallTime used_at, WallTime now) {
  if (now < used_at + timeout) return {};
  return "idle for more than " + duration_text(timeout) + ": nobody used it since " + format_rfc3339_seconds(used_at);
}

std::string description_of(const TaskRound& round) {
  const std::string said = get_string(round.object.config, "description");
  const bool is_new =
      round.row.submitted.is_object() && is_description(said) && said != get_string(round.row.submitted, "description");
  // Which a policy may have written.
  return is_new ? said : round.config.description;
}

std::optional<Refusal> objection_to_edit(const TaskRound& round) {
  const json& submitted = round.row.submitted;
  const json& now = round.object.config;
  if (submitted.is_null() || submitted == now) return std::nullopt;
  const auto fields = model::changed_fields(fixed_part(submitted), fixed_part(now),
                                            {.schema = model::task_schema(round.type),
                                             .document = round.row.config,
                                             .has_template = !round.object.template_name.empty()});
  if (fields.empty()) return std::nullopt;
  return changed_after_acceptance(fields, "task");
}

std::optional<int> edited_priority(const TaskRound& round) {
  const auto in = [](const json& config) -> std::optional<int> {
    const json& value = get_any(get_object(config, "resources"), "priority");
    if (!value.is_number_integer()) return std::nullopt;
    return static_cast<int>(std::clamp<std::int64_t>(value.get<std::int64_t>(), 1, 99));
  };
  const auto wished = in(round.object.config);
  if (!wished) return std::nullopt;
  const auto followed = round.row.followed_priority ? round.row.followed_priority : in(round.row.submitted);
  if (wished == followed) return std::nullopt;
  // Of rows that an earlier version made it is not known what the object said then.
  const bool is_unknown = !round.row.followed_priority && round.row.submitted.is_null();
  return is_unknown && round.row.priority ? std::nullopt : wished;
}

int priority_of(const TaskRound& round) {
  const auto edited = round.refuses_priority ? std::nullopt : edited_priority(round);
  if (edited) return *edited;
  return round.row.priority.value_or(round.config.resources.priority);
}

}  // namespace det::op
