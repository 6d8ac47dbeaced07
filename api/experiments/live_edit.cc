#include "api/experiments/live_edit.h"

#include "api/experiments/object_edit.h"

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
  if (weight && !(*weight > 0)) {
    return fail(ErrorCode::kInvalidArgument, "weight must be > 0", "resources.weight");
  }
  if (priority && (*priority < 1 || *priority > 99)) {
    return fail(ErrorCode::kInvalidArgument, "priority must be between 1 and 99", "resources.priority");
  }
  if (max_slots) settings["max_slots"] = *max_slots;
  if (weight) settings["weight"] = *weight;
  if (priority) settings["priority"] = *priority;
  return settings;
}

Task<Result<wire::Json>> edit_live_settings(ApiServices& services, model::ExperimentId id, wire::Json settings) {
  const auto row = co_await services.stores.experiments.find(id);
  DET_CO_TRY(row);
  if (!*row) co_return fail(ErrorCode::kNotFound, "experiment '" + to_string(id) + "' not found");
  if (model::is_terminal((*row)->state)) co_return fail(ErrorCode::kFailedPrecondition, "experiment in terminal state");
  const auto policies =
      co_await services.stores.config_policies.of_project((*row)->project, model::WorkloadType::kExperiment);
  DET_CO_TRY(policies);
  for (const auto& [name, value] : settings.items()) {
    DET_CO_TRY(model::check_setting(*policies, name, value));
  }
  wire::Json live = (*row)->live;
  for (const auto& [name, value] : settings.items()) {
    DET_CO_TRY(co_await edit_experiment_spec(services, **row, "config.resources." + name, value));
    live[name] = value;
  }
  co_return live;
}

}  // namespace det::api
