#include "operator/views.h"

#include <algorithm>
#include <string_view>
#include <utility>

#include "base/json_get.h"
#include "model/expconf/config_warnings.h"
#include "pods/names.h"

namespace det::op {
namespace {

using nlohmann::json;

constexpr std::string_view kRestFieldManager = "det-api";  // api/experiments/experiment_object.h

StopRequest stop_of(const json& spec) {
  const std::string stop = get_string(spec, "stop");
  if (stop == "Kill") return StopRequest::kKill;
  return stop == "Cancel" ? StopRequest::kCancel : StopRequest::kNone;
}

// An empty object: it has none of this type.
const json& condition_of(const json& status, std::string_view type) {
  static const json kNone = json::object();
  for (const json& condition : get_array(status, "conditions")) {
    if (get_string(condition, "type") == type) return condition;
  }
  return kNone;
}

// What a trial that rests for somebody's attention says.
std::optional<std::string> stalled_message(const json& status) {
  const json& stalled = condition_of(status, "Stalled");
  if (get_string(stalled, "status") != "True") return std::nullopt;
  return get_string(stalled, "message");
}

}  // namespace

bool is_written_by_rest(const json& meta) {
  const json& managers = get_array(meta, "managedFields");
  return std::ranges::any_of(managers, [](const json& one) {
    return get_string(one, "manager") == kRestFieldManager &&
           get_object(get_object(one, "fieldsV1"), "f:spec").contains("f:config");
  });
}

ObservedExperiment view_experiment(const json& object) {
  const json& meta = get_any(object, "metadata");
  const json& spec = get_any(object, "spec");
  ObservedExperiment view;
  view.key = {.ns = get_string(meta, "namespace"), .name = get_string(meta, "name")};
  view.uid = get_string(meta, "uid");
  view.resource_version = get_string(meta, "resourceVersion");
  view.generation = get_integer(meta, "generation");
  view.deleting = get_any(meta, "deletionTimestamp").is_string();
  view.deletes_history = get_string(spec, "deletionPolicy") == "Delete";
  for (const json& finalizer : get_array(meta, "finalizers")) {
    view.has_finalizer = view.has_finalizer || finalizer == std::string(pods::kFinalizer);
  }
  view.nonce = get_string(get_any(meta, "annotations"), pods::kAnnotationNonce);
  view.is_by_rest = is_written_by_rest(meta);
  view.controller_class = get_string(get_any(meta, "annotations"), pods::kAnnotationClass);
  view.suspend = get_bool(spec, "suspend");
  // What only waits for its history to go runs no more.
  view.stop = view.deleting && view.has_finalizer ? StopRequest::kKill : stop_of(spec);
  view.template_name = get_string(spec, "template");
  view.warnings = model::object_warnings(spec);
  view.config = get_any(spec, "config");
  view.context = get_any(spec, "context");
  view.status = get_any(object, "status");
  return view;
}

ObservedTrial view_trial(const json& object) {
  const json& meta = get_any(object, "metadata");
  const json& spec = get_any(object, "spec");
  ObservedTrial view;
  view.key = {.ns = get_string(meta, "namespace"), .name = get_string(meta, "name")};
  view.uid = get_string(meta, "uid");
  view.managed_by = get_string(get_any(meta, "labels"), pods::kLabelManagedBy);
  view.generation = get_integer(meta, "generation");
  view.deleting = get_any(meta, "deletionTimestamp").is_string();
  for (const json& owner : get_array(meta, "ownerReferences")) {
    if (!get_bool(owner, "controller")) continue;
    view.owner_uid = get_string(owner, "uid");
    view.owner_name = get_string(owner, "name");
  }
  view.request_id = get_string(spec, "requestID");
  view.trial_id = get_integer(spec, "trialID");
  view.experiment_id = get_integer(spec, "experimentID");
  view.slots = static_cast<int>(get_integer(spec, "slots"));
  view.pods = static_cast<int>(get_integer(spec, "pods"));
  view.stop = stop_of(spec);
  view.status = get_any(object, "status");
  return view;
}

std::string kept_text(const json& value) {
  return value.dump(-1, ' ', false, json::error_handler_t::replace);
}

KeptExperiment keep_experiment(const json& object) {
  KeptExperiment kept{
      .head = view_experiment(object), .id = 0, .state = {}, .is_over = false, .config = {}, .status = {}};
  kept.id = get_integer(kept.head.status, "id");
  kept.state = get_string(kept.head.status, "state");
  kept.is_over = get_any(kept.head.status, "endTime").is_string();
  kept.config = kept_text(std::exchange(kept.head.config, nullptr));
  kept.status = kept_text(std::exchange(kept.head.status, nullptr));
  kept.head.context = nullptr;
  return kept;
}

ObservedExperiment KeptExperiment::unpack() const {
  ObservedExperiment view = head;
  view.config = json::parse(config);
  view.status = json::parse(status);
  return view;
}

KeptTrial keep_trial(const json& object) {
  KeptTrial kept{.head = view_trial(object), .state = {}, .stalled = {}, .waits_for = {}, .message = {}, .status = {}};
  kept.state = get_string(kept.head.status, "state");
  if (kept.state == "QUEUED" || kept.state == "STARTING") {
    kept.waits_for = get_string(condition_of(kept.head.status, "Running"), "reason");
    kept.message = get_string(kept.head.status, "message");
  }
  kept.stalled = stalled_message(kept.head.status);
  kept.status = kept_text(std::exchange(kept.head.status, nullptr));
  return kept;
}

ObservedTrial KeptTrial::unpack() const {
  ObservedTrial view = head;
  view.status = json::parse(status);
  return view;
}

}  // namespace det::op
