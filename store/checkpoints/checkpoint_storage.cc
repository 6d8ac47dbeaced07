#include "store/checkpoints/checkpoint_storage.h"

#include <utility>

#include "base/json_get.h"

namespace det::store {

using nlohmann::json;

json without_policy(json storage) {
  if (!storage.is_object()) return json::object();
  for (const char* name : {"save_experiment_best", "save_trial_best", "save_trial_latest"}) storage.erase(name);
  return storage;
}

std::optional<json> checkpoint_storage_of(const json& said, const json& of_experiment) {
  json own = without_policy(of_experiment);
  if (said.is_null()) return own;
  json other = without_policy(said);
  for (const char* name : {"type", "host_path"}) {
    if (get_any(other, name) != get_any(own, name)) return std::nullopt;
  }
  return other;
}

}  // namespace det::store
