#include "api/experiments/experiment_json.h"

#include <utility>

#include "api/views.h"
#include "model/expconf/secret_fields.h"

namespace det::api {

// Experiments that name no pool run in the cluster's default one.
wire::Json experiment_json(const ApiServices& services, store::ExperimentView view) {
  wire::Experiment shown = to_wire(std::move(view));
  shown.config = model::hide_secrets(std::move(shown.config));
  shown.original_config = hide_secrets_in(std::move(shown.original_config));
  wire::Json json = wire::to_json(std::move(shown));
  if (json["resourcePool"] == "") json["resourcePool"] = services.settings.master.default_compute_pool;
  return json;
}

}  // namespace det::api
