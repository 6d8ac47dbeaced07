#include "wire/checkpoint.h"

#include "wire/enums.h"

namespace det::wire {

namespace {

Json metrics(const Json& values) {
  return {{"avgMetrics", values.is_object() ? values : Json::object()}, {"batchMetrics", Json::array()}};
}

}  // namespace

Json to_json(const Checkpoint& c) {
  Json resources = Json::object();
  if (c.resources.is_object()) {
    for (const auto& [path, bytes] : c.resources.items()) {
      resources[path] = bytes.is_number_integer() ? int64(bytes.get<std::int64_t>()) : bytes;
    }
  }
  Json training = {{"trialId", c.trial ? Json(c.trial->value) : Json()},
                   {"experimentId", c.experiment ? Json(c.experiment->value) : Json()},
                   {"experimentConfig", c.experiment_config},
                   {"hparams", c.hparams},
                   {"trainingMetrics", metrics(c.training_metrics)},
                   {"validationMetrics", metrics(c.validation_metrics)}};
  if (c.searcher_metric) training["searcherMetric"] = number(*c.searcher_metric);
  Json out = {{"uuid", c.uuid},
              {"taskId", c.task_id},
              {"allocationId", c.allocation_id},
              {"reportTime", time(c.report_time)},
              {"state", checkpoint_state(c.state)},
              {"resources", resources},
              {"metadata", c.metadata.is_object() ? c.metadata : Json::object()},
              {"training", training}};
  put_if(out, "storageId", c.storage_id);
  return out;
}

}  // namespace det::wire
