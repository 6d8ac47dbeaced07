#include "api/experiments/experiment_object.h"

#include "k8sclient/resource.h"

namespace det::api {

wire::Json build_experiment(const ExperimentObject& object) {
  wire::Json annotations = {{kNonceAnnotation, object.nonce}};
  if (!object.controller_class.empty()) annotations[std::string(kClassAnnotation)] = object.controller_class;
  wire::Json spec = {{"config", object.config}, {"suspend", object.suspend}};
  if (!object.template_name.empty()) spec["template"] = object.template_name;
  if (!object.context_sha256.empty()) spec["context"] = {{"stored", {{"sha256", object.context_sha256}}}};
  if (!object.deletion_policy.empty()) spec["deletionPolicy"] = object.deletion_policy;
  return {{"apiVersion", k8s::experiments().api_version()},
          {"kind", k8s::experiments().kind},
          {"metadata", {{"name", object.name}, {"namespace", object.ns}, {"annotations", annotations}}},
          {"spec", spec}};
}

std::string experiment_object_name(model::ExperimentId id) {
  return "exp-" + to_string(id);
}

std::optional<std::string> owner_of_spec_field(const wire::Json& object, std::string_view field) {
  const wire::Json::json_pointer list("/metadata/managedFields");
  if (!object.contains(list) || !object[list].is_array()) return std::nullopt;
  std::string path = "/fieldsV1/f:spec/f:";
  for (const char c : field) path += c == '.' ? "/f:" : std::string(1, c);
  const wire::Json::json_pointer owned(path);
  for (const wire::Json& entry : object[list]) {
    if (!entry.is_object() || !entry.contains(owned)) continue;
    const std::string manager = entry.value("manager", "");
    if (manager.starts_with("kubectl") || manager.starts_with("det-")) continue;
    return manager;
  }
  return std::nullopt;
}

}  // namespace det::api
