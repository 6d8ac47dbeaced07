#include "operator/views.h"

#include <utility>

#include "operator/json_view.h"
#include "operator/names.h"

namespace det::op {
namespace {

using nlohmann::json;

StopRequest stop_of(const json& spec) {
  const std::string stop = text_at(spec, "stop");
  if (stop == "Kill") return StopRequest::kKill;
  return stop == "Cancel" ? StopRequest::kCancel : StopRequest::kNone;
}

std::string text_of(const json& value) {
  return value.dump(-1, ' ', false, json::error_handler_t::replace);
}

// What a trial that rests for somebody's attention says.
std::optional<std::string> stalled_message(const json& status) {
  for (const json& condition : list_at(status, "conditions")) {
    if (text_at(condition, "type") == "Stalled" && text_at(condition, "status") == "True")
      return text_at(condition, "message");
  }
  return std::nullopt;
}

}  // namespace

ExperimentView view_experiment(const json& object) {
  const json& meta = value_at(object, "metadata");
  const json& spec = value_at(object, "spec");
  ExperimentView view;
  view.key = {.ns = text_at(meta, "namespace"), .name = text_at(meta, "name")};
  view.uid = text_at(meta, "uid");
  view.resource_version = text_at(meta, "resourceVersion");
  view.generation = number_at(meta, "generation");
  view.deleting = value_at(meta, "deletionTimestamp").is_string();
  view.nonce = text_at(value_at(meta, "annotations"), kAnnotationNonce);
  view.controller_class = text_at(value_at(meta, "annotations"), kAnnotationClass);
  view.suspend = truth_at(spec, "suspend");
  view.stop = stop_of(spec);
  view.template_name = text_at(spec, "template");
  view.deletes_history = text_at(spec, "deletionPolicy") == "Delete";
  view.config = value_at(spec, "config");
  view.context = value_at(spec, "context");
  view.status = value_at(object, "status");
  return view;
}

TrialView view_trial(const json& object) {
  const json& meta = value_at(object, "metadata");
  const json& spec = value_at(object, "spec");
  TrialView view;
  view.key = {.ns = text_at(meta, "namespace"), .name = text_at(meta, "name")};
  view.uid = text_at(meta, "uid");
  view.managed_by = text_at(value_at(meta, "labels"), kLabelManagedBy);
  view.generation = number_at(meta, "generation");
  view.deleting = value_at(meta, "deletionTimestamp").is_string();
  for (const json& owner : list_at(meta, "ownerReferences")) {
    if (!truth_at(owner, "controller")) continue;
    view.owner_uid = text_at(owner, "uid");
    view.owner_name = text_at(owner, "name");
  }
  view.request_id = text_at(spec, "requestID");
  view.trial_id = number_at(spec, "trialID");
  view.experiment_id = number_at(spec, "experimentID");
  view.slots = static_cast<int>(number_at(spec, "slots"));
  view.stop = stop_of(spec);
  view.status = value_at(object, "status");
  return view;
}

KeptExperiment keep_experiment(const json& object) {
  KeptExperiment kept{.head = view_experiment(object), .id = 0, .is_over = false, .config = {}, .status = {}};
  kept.id = number_at(kept.head.status, "id");
  kept.is_over = value_at(kept.head.status, "endTime").is_string();
  kept.config = text_of(std::exchange(kept.head.config, nullptr));
  kept.status = text_of(std::exchange(kept.head.status, nullptr));
  kept.head.context = nullptr;
  return kept;
}

ExperimentView KeptExperiment::unpack() const {
  ExperimentView view = head;
  view.config = json::parse(config);
  view.status = json::parse(status);
  return view;
}

KeptTrial keep_trial(const json& object) {
  KeptTrial kept{.head = view_trial(object), .state = {}, .stalled = {}, .status = {}};
  kept.state = text_at(kept.head.status, "state");
  kept.stalled = stalled_message(kept.head.status);
  kept.status = text_of(std::exchange(kept.head.status, nullptr));
  return kept;
}

TrialView KeptTrial::unpack() const {
  TrialView view = head;
  view.status = json::parse(status);
  return view;
}

}  // namespace det::op
