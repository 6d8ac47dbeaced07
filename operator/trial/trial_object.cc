#include "operator/trial/trial_object.h"

#include <nlohmann/json.hpp>

#include "pods/names.h"

namespace det::op {

using nlohmann::json;

json build_trial(const ObservedExperiment& owner, const std::string& controller_class, const store::TrialRow& trial,
                 TrialShape shape) {
  return {{"apiVersion", k8s::trials().api_version()},
          {"kind", k8s::trials().kind},
          {"metadata",
           {{"name", pods::trial_object_name(owner.key.name, trial.id)},
            {"namespace", owner.key.ns},
            {"labels",
             {{pods::kLabelManagedBy, pods::label_value(controller_class)},
              {pods::kLabelExperiment, pods::label_value(owner.key.name)},
              {pods::kUpstreamExperimentId, to_string(trial.experiment)},
              {pods::kUpstreamTrialId, to_string(trial.id)}}},
            {"ownerReferences", json::array({{{"apiVersion", k8s::experiments().api_version()},
                                              {"kind", k8s::experiments().kind},
                                              {"name", owner.key.name},
                                              {"uid", owner.uid},
                                              {"controller", true},
                                              {"blockOwnerDeletion", true}}})}}},
          {"spec",
           {{"requestID", trial.request_id},
            {"experimentID", trial.experiment.value},
            {"trialID", trial.id.value},
            {"seed", trial.seed},
            {"slots", shape.slots},
            {"pods", shape.pods},
            {"hparams", trial.hparams}}}};
}

}  // namespace det::op
