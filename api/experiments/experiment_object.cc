#include "api/experiments/experiment_object.h"

#include <algorithm>
#include <array>

#include "base/json_get.h"
#include "k8sclient/resource.h"
#include "pods/names.h"

namespace det::api {

namespace {

// Ours, which the operator sets where the policy asks for it, and those of Kubernetes, which belong to one deletion.
constexpr std::array<std::string_view, 3> kOfOneObject = {pods::kFinalizer, "foregroundDeletion", "orphan"};

}  // namespace

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

wire::Json take_over(wire::Json object, const wire::Json& old) {
  const wire::Json& before = get_any(old, "metadata");
  wire::Json& metadata = object["metadata"];
  if (const wire::Json& labels = get_object(before, "labels"); !labels.empty()) metadata["labels"] = labels;
  wire::Json annotations = get_object(before, "annotations");
  // They name the row, and whose it is.
  for (const std::string_view ours : {kNonceAnnotation, kClassAnnotation}) annotations.erase(std::string(ours));
  annotations.update(metadata["annotations"]);
  metadata["annotations"] = std::move(annotations);
  wire::Json owners = get_array(before, "ownerReferences");
  // It would need a right on the owner, whatever that is, where OwnerReferencesPermissionEnforcement is on.
  for (wire::Json& owner : owners) {
    if (owner.is_object()) owner.erase("blockOwnerDeletion");
  }
  if (!owners.empty()) metadata["ownerReferences"] = std::move(owners);
  wire::Json finalizers = wire::Json::array();
  for (const wire::Json& finalizer : get_array(before, "finalizers")) {
    if (finalizer.is_string() && std::ranges::find(kOfOneObject, finalizer.get<std::string>()) == kOfOneObject.end()) {
      finalizers.push_back(finalizer);
    }
  }
  if (!finalizers.empty()) metadata["finalizers"] = std::move(finalizers);
  for (const char* name : {"template", "context"}) {
    if (const wire::Json& written = get_any(get_any(old, "spec"), name); !written.is_null()) {
      object["spec"][name] = written;
    }
  }
  return object;
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
