#include "operator/experiment/name_edits.h"

#include <string>
#include <utility>
#include <vector>

#include "base/json_get.h"

namespace det::op {

using nlohmann::json;

store::ExperimentPatch NameEdits::of(const ObservedExperiment& object, const json& accepted,
                                     store::ExperimentRow& row) const {
  store::ExperimentPatch patch;
  if (!object.config.is_object()) return patch;
  const auto found = seen_.find(to_string(object.key));
  const Seen* seen = found == seen_.end() || found->second.uid != object.uid ? nullptr : &found->second;
  // A leader before this one followed it, as its status says; the row may have been renamed by REST since.
  if (seen == nullptr && get_integer(object.status, "observedGeneration") == object.generation) return patch;
  const json& before = seen == nullptr ? accepted : seen->fields;
  const auto differs = [&](const char* name) {
    const json& now = get_any(object.config, name);
    return !now.is_null() && now != get_any(before, name);
  };
  if (differs("name") && get_string(object.config, "name") != row.title) {
    row.title = get_string(object.config, "name");
    patch.title = row.title;
  }
  if (differs("description") && get_string(object.config, "description") != row.description) {
    row.description = get_string(object.config, "description");
    patch.description = row.description;
  }
  if (differs("labels")) {
    std::vector<std::string> labels;
    for (const json& label : get_array(object.config, "labels")) {
      if (label.is_string()) labels.push_back(label.get<std::string>());
    }
    if (labels != row.labels) {
      row.labels = std::move(labels);
      patch.labels = row.labels;
    }
  }
  return patch;
}

void NameEdits::note(const ObservedExperiment& object) {
  json fields = json::object();
  for (const char* name : {"name", "description", "labels"}) {
    if (const json& now = get_any(object.config, name); !now.is_null()) fields[name] = now;
  }
  seen_.insert_or_assign(to_string(object.key), Seen{.uid = object.uid, .fields = std::move(fields)});
}

}  // namespace det::op
