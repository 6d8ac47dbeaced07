#include "api/experiments/live_edit.h"

#include <cmath>
#include <cstdint>
#include <limits>

#include "api/experiments/object_edit.h"
#include "api/priority_check.h"

namespace det::api {

Result<wire::Json> read_live_settings(wire::RequestFields fields) {
  wire::Json settings = wire::Json::object();
  const auto max_slots = fields.integer("maxSlots");
  const auto weight = fields.number("weight");
  const auto priority = fields.integer("priority");
  DET_TRY(fields.status());
  if (max_slots && *max_slots < 0) {
    return fail(ErrorCode::kInvalidArgument, "max_slots must be >= 0, but is " + std::to_string(*max_slots),
                "resources.max_slots");
  }
  if (weight && !(*weight > 0 && std::isfinite(*weight))) {
    return fail(ErrorCode::kInvalidArgument,
                "weight must be a finite number > 0, but is " + wire::dump(wire::number(*weight)), "resources.weight");
  }
  if (priority && (*priority < 1 || *priority > 99)) {
    return fail(ErrorCode::kInvalidArgument, "priority must be between 1 and 99, but is " + std::to_string(*priority),
                "resources.priority");
  }
  if (max_slots) settings["max_slots"] = *max_slots;
  // `det experiment set max-slots ID none`. To take the line out of the object would change nothing.
  if (fields.is_null("maxSlots")) settings["max_slots"] = std::numeric_limits<std::int32_t>::max();
  if (weight) settings["weight"] = *weight;
  if (priority) settings["priority"] = *priority;
  return settings;
}

Result<wire::Json> read_save_settings(wire::RequestFields fields) {
  wire::Json settings = wire::Json::object();
  constexpr std::pair<const char*, const char*> kNames[] = {{"saveExperimentBest", "save_experiment_best"},
                                                            {"saveTrialBest", "save_trial_best"},
                                                            {"saveTrialLatest", "save_trial_latest"}};
  for (const auto& [wire_name, name] : kNames) {
    const auto value = fields.integer(wire_name);
    DET_TRY(fields.status());
    if (!value) continue;
    if (*value < 0 || *value > INT32_MAX) {
      return fail(ErrorCode::kInvalidArgument,
                  std::string(name) + " must be between 0 and 2147483647, but is " + std::to_string(*value),
                  std::string("checkpoint_storage.") + name);
    }
    settings[name] = *value;
  }
  return settings;
}

Task<Status> edit_live_settings(ApiServices& services, model::ExperimentId id, wire::Json settings) {
  const auto row = co_await services.stores.experiments.find(id);
  DET_CO_TRY(row);
  if (!*row) co_return fail(ErrorCode::kNotFound, "experiment '" + to_string(id) + "' not found");
  const auto is_policy = [](const std::string& name) { return name.starts_with("save_"); };
  for (const auto& [name, value] : settings.items()) {
    if (is_policy(name) || !model::is_terminal((*row)->state)) continue;
    co_return fail(ErrorCode::kFailedPrecondition, "experiment in terminal state");
  }
  if (settings.contains("priority")) DET_CO_TRY(check_has_priorities(services.settings.master));
  const auto policies =
      co_await services.stores.config_policies.of_project((*row)->project, model::WorkloadType::kExperiment);
  DET_CO_TRY(policies);
  for (const auto& [name, value] : settings.items()) {
    DET_CO_TRY(model::check_setting(*policies, name, value));
  }
  for (const auto& [name, value] : settings.items()) {
    const std::string section = is_policy(name) ? "config.checkpoint_storage." : "config.resources.";
    const Status edited = co_await edit_experiment_spec(services, **row, section + name, value);
    const bool is_gone = !edited && edited.error().code == ErrorCode::kFailedPrecondition;
    if (!(is_gone && is_policy(name) && model::is_terminal((*row)->state))) DET_CO_TRY(edited);
  }
  co_return Status();
}

}  // namespace det::api
