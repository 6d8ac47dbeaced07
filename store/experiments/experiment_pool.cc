#include "store/experiments/experiment_pool.h"

#include <nlohmann/json.hpp>

#include "base/json_get.h"

namespace det::store {

std::string accepted_pool(const ExperimentRow& experiment) {
  return get_string(get_any(experiment.config, "resources"), kPoolSetting);
}

std::string moved_to(const ExperimentRow& experiment, const nlohmann::json& live) {
  std::string wanted = get_string(live, kPoolSetting);
  return wanted == accepted_pool(experiment) ? std::string() : wanted;
}

std::string pool_now(const ExperimentRow& experiment) {
  std::string moved = moved_to(experiment, experiment.live);
  return moved.empty() ? accepted_pool(experiment) : moved;
}

}  // namespace det::store
