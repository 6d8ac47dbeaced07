#include "store/checkpoints/checkpoint_storage.h"

#include <string>
#include <utility>

#include "base/json_get.h"
#include "model/expconf/shared_path.h"

namespace det::store {

using nlohmann::json;

json without_policy(json storage) {
  if (!storage.is_object()) return json::object();
  for (const char* name : {"save_experiment_best", "save_trial_best", "save_trial_latest"}) storage.erase(name);
  return storage;
}

std::optional<json> checkpoint_storage_of(const json& said, const json& of_experiment) {
  json own = without_policy(of_experiment);
  json other = said.is_null() ? own : without_policy(said);
  for (const char* name : {"type", "host_path"}) {
    if (get_any(other, name) != get_any(own, name)) return std::nullopt;
  }
  const std::string type = get_string(own, "type");
  // (For shared_fs it is a word that harnesses ignore.)
  if (type == "directory" && get_any(other, "container_path") != get_any(own, "container_path")) return std::nullopt;
  if (type == "shared_fs" && !model::stays_below(get_string(own, "host_path"), get_string(other, "storage_path"))) {
    return std::nullopt;
  }
  return other;
}

}  // namespace det::store
