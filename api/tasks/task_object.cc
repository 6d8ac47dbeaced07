#include "api/tasks/task_object.h"

#include "api/experiments/experiment_object.h"
#include "k8sclient/resource.h"

namespace det::api {

wire::Json build_task(const TaskObject& object) {
  wire::Json annotations = {{kNonceAnnotation, object.nonce}};
  if (!object.controller_class.empty()) annotations[std::string(kClassAnnotation)] = object.controller_class;
  wire::Json spec = {{"type", model::object_word(object.type)},
                     {"config", object.config.is_object() ? object.config : wire::Json::object()}};
  if (!object.template_name.empty()) spec["template"] = object.template_name;
  if (!object.context_sha256.empty()) spec["context"] = {{"stored", {{"sha256", object.context_sha256}}}};
  if (object.type == model::TaskType::kTensorBoard) {
    wire::Json shown = wire::Json::object();
    if (!object.shown.experiments.empty()) shown["experimentIDs"] = object.shown.experiments;
    if (!object.shown.trials.empty()) shown["trialIDs"] = object.shown.trials;
    spec["tensorBoard"] = std::move(shown);
  }
  return {{"apiVersion", k8s::tasks().api_version()},
          {"kind", k8s::tasks().kind},
          {"metadata", {{"name", object.name}, {"namespace", object.ns}, {"annotations", annotations}}},
          {"spec", spec}};
}

std::string task_object_name(model::TaskType type, std::int64_t number) {
  std::string name(model::object_word(type));
  for (char& c : name) c = static_cast<char>(c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c);
  return name + "-" + std::to_string(number);
}

}  // namespace det::api
