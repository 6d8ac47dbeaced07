#include "operator/trial/trial_object.h"

#include <nlohmann/json.hpp>

#include "base/json_get.h"
#include "base/yaml.h"
#include "model/slots.h"
#include "pods/names.h"

namespace det::op {

using nlohmann::json;

json build_trial(const ExperimentView& owner, const std::string& controller_class,
                 const store::ExperimentRow& experiment, const store::TrialRow& trial, int max_slots_per_pod) {
  const std::int64_t slots = get_integer(get_any(experiment.config, "resources"), "slots_per_trial");
  const auto shape = model::gang_shape(slots, max_slots_per_pod);
  return {{"apiVersion", k8s::trials().api_version()},
          {"kind", k8s::trials().kind},
          {"metadata",
           {{"name", pods::trial_object_name(owner.key.name, trial.id)},
            {"namespace", owner.key.ns},
            {"labels",
             {{pods::kLabelManagedBy, pods::label_value(controller_class)},
              {pods::kLabelExperiment, pods::label_value(owner.key.name)},
              {pods::kUpstreamExperimentId, to_string(experiment.id)},
              {pods::kUpstreamTrialId, to_string(trial.id)}}},
            {"ownerReferences", json::array({{{"apiVersion", k8s::experiments().api_version()},
                                              {"kind", k8s::experiments().kind},
                                              {"name", owner.key.name},
                                              {"uid", owner.uid},
                                              {"controller", true},
                                              {"blockOwnerDeletion", true}}})}}},
          {"spec",
           {{"requestID", trial.request_id},
            {"experimentID", experiment.id.value},
            {"trialID", trial.id.value},
            {"seed", trial.seed},
            {"slots", slots},
            {"pods", shape ? shape->pods : 1},
            {"hparams", trial.hparams}}}};
}

json accepted_config(const store::ExperimentRow& experiment) {
  auto parsed = parse_yaml(experiment.original_config);
  return parsed ? std::move(*parsed) : json();
}

}  // namespace det::op
