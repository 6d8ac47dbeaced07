#include "accept/pool_move.h"

#include <algorithm>
#include <utility>

#include "accept/objections.h"
#include "accept/pool_admission.h"
#include "base/json_get.h"
#include "model/cluster/cluster_defaults.h"
#include "model/expconf/accept_checks.h"
#include "model/pod/pod_policy_check.h"
#include "model/slots.h"
#include "store/experiments/experiment_pool.h"

namespace det::accept {
namespace {

using nlohmann::json;

// What the pod policy of a pool says against the accepted configuration. `layer`: the pool's defaults.
FieldErrors refused_there(const model::MasterConfig& master, const store::ExperimentRow& experiment,
                          const std::string& pool, const json& layer) {
  return model::check_stored_pod(experiment.config, layer, master.pod_policies.of(experiment.ns, pool));
}

bool names(const FieldErrors& errors, const std::string& field) {
  return std::ranges::any_of(errors, [&](const Error& error) { return error.field == field; });
}

}  // namespace

FieldErrors object_to_move(const model::MasterConfig& master, const store::ExperimentRow& experiment,
                           const std::string& pool) {
  FieldErrors errors;
  const std::string field(model::kPoolField);
  if (experiment.is_unmanaged) {
    add_field_error(errors, field, "its trials run where people start them: it is in no pool");
    return errors;
  }
  model::check_pool(pool, master, errors);
  if (!errors.empty()) return errors;
  const json& resources = get_any(experiment.config, "resources");
  const std::int64_t slots = get_integer(resources, "slots_per_trial");
  const bool is_single = get_bool(resources, "is_single_node");
  const auto shape = model::gang_shape(slots, model::slot_rule(pool, master).max_per_pod, is_single);
  if (!shape) add_field_error(errors, "resources.slots_per_trial", shape.error().message);
  const std::string now = model::pool_or_default(store::pool_now(experiment), slots, master);
  const json defaults = model::cluster_defaults(master);
  const json here = model::cluster_layer(defaults, slots, now);
  const json there = model::cluster_layer(defaults, slots, pool);
  // Its pods would look for the nodes of one pool with the selectors of the other.
  if (get_any(get_any(here, "environment"), "pod_spec") != get_any(get_any(there, "environment"), "pod_spec")) {
    add_field_error(
        errors, field,
        "the pools " + now + " and " + pool +
            " give pods different pod specs (task_container_defaults), and an experiment keeps the one that "
            "it was accepted with; create it again with --config resources.resource_pool=" +
            pool);
  }
  const FieldErrors before = refused_there(master, experiment, now, here);
  for (Error& error : refused_there(master, experiment, pool, there)) {
    if (!names(before, error.field)) errors.push_back(std::move(error));
  }
  return errors;
}

Task<Result<std::optional<Objection>>> check_pool_move(GateStores stores, model::MasterConfig master,
                                                       store::ExperimentRow experiment, std::string pool) {
  FieldErrors errors = object_to_move(master, experiment, pool);
  if (!errors.empty()) co_return wrong_config(std::move(errors));
  const auto place = co_await stores.workspaces.place(experiment.project);
  DET_CO_TRY(place);
  co_return co_await check_pool_admits(stores.pool_bindings, std::move(pool), place->workspace);
}

}  // namespace det::accept
