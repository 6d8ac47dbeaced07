#include "operator/experiment/accepted_configs.h"

#include <utility>

#include "base/yaml.h"

namespace det::op {

AcceptedConfigs::Accepted AcceptedConfigs::of(const store::ExperimentRow& experiment) {
  // One that is continued has another.
  const Read* known = read_.find(experiment.id);
  if (known != nullptr && known->text == experiment.original_config) return known->config;
  auto parsed = parse_yaml(experiment.original_config);
  Accepted config = std::make_shared<const nlohmann::json>(parsed ? std::move(*parsed) : nlohmann::json());
  return read_.put(experiment.id, {.text = experiment.original_config, .config = std::move(config)}).config;
}

}  // namespace det::op
