#include "model/ids.h"

namespace det::model {

std::string trial_task_id(ExperimentId experiment, std::string_view request_id) {
  return to_string(experiment) + "." + std::string(request_id);
}

std::string allocation_id(std::string_view task_id, std::int64_t run) {
  return std::string(task_id) + "." + std::to_string(run);
}

}  // namespace det::model
