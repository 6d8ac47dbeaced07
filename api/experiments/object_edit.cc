#include "api/experiments/object_edit.h"

#include <algorithm>

#include "api/experiments/experiment_object.h"
#include "base/json_get.h"
#include "model/cluster/task_namespaces.h"

namespace det::api {

namespace {

constexpr int kMaxTries = 5;

k8s::PatchOptions patch_options() {
  k8s::PatchOptions options;
  options.write.field_manager = std::string(kFieldManager);
  return options;
}

wire::Json::json_pointer pointer_of(const std::string& field) {
  std::string path = "/spec/" + field;
  std::replace(path.begin(), path.end(), '.', '/');
  return wire::Json::json_pointer(path);
}

wire::Json spec_patch(const wire::Json& object, const std::string& field, const wire::Json& value) {
  wire::Json patch = {{"metadata", {{"resourceVersion", object["metadata"].value("resourceVersion", "")}}}};
  patch[pointer_of(field)] = value;
  return patch;
}

Status check_owner(const wire::Json& object, const k8s::ObjectKey& key, const std::string& field) {
  const auto owner = owner_of_spec_field(object, field);
  if (!owner) return {};
  return fail(ErrorCode::kAborted,
              "spec." + field + " of Experiment " + to_string(key) + " is kept by '" + *owner +
                  "' (for example from Git): change it there, or take the field out there first",
              "spec." + field);
}

// Without the right to write there Kubernetes would refuse it too, but not say what is to be done.
Status check_namespace(const ApiServices& services, const store::ExperimentRow& row) {
  return model::check_task_namespace(services.settings.master.task_namespaces, row.ns);
}

k8s::ObjectKey key_of(const store::ExperimentRow& row) {
  return {.ns = row.ns, .name = row.name.empty() ? experiment_object_name(row.id) : row.name};
}

std::unexpected<Error> object_is_gone(const store::ExperimentRow& row) {
  return fail(ErrorCode::kFailedPrecondition, "the Experiment object of experiment '" + to_string(row.id) +
                                                  "' no longer exists in Kubernetes; only its history is left");
}

}  // namespace

Task<Status> edit_experiment_spec(ApiServices& services, store::ExperimentRow row, std::string field,
                                  wire::Json value) {
  const k8s::ObjectKey key = key_of(row);
  if (row.is_unmanaged) {
    co_return fail(ErrorCode::kFailedPrecondition, "experiment " + to_string(row.id) +
                                                       " is unmanaged: it uses nothing of the cluster that " + field +
                                                       " could change");
  }
  if (Status enabled = check_namespace(services, row); !enabled) co_return enabled;
  for (int tries = 1;; ++tries) {
    const auto object = co_await services.kubernetes.get(k8s::experiments(), key);
    if (!object && object.error().code == ErrorCode::kNotFound) co_return object_is_gone(row);
    DET_CO_TRY(object);
    if (!row.uid.empty() && (*object)["metadata"].value("uid", "") != row.uid) co_return object_is_gone(row);
    const wire::Json::json_pointer place = pointer_of(field);
    if (object->contains(place) ? object->at(place) == value : value == wire::Json(false)) co_return Status();
    const Status owned = check_owner(*object, key, field);
    if (!owned) co_return owned;
    const auto patched =
        co_await services.kubernetes.patch(k8s::experiments(), key, spec_patch(*object, field, value), patch_options());
    if (patched) co_return Status();
    // Somebody else wrote in between: look again at what is there now.
    if (patched.error().code != ErrorCode::kAborted || tries == kMaxTries) co_return std::unexpected(patched.error());
  }
}

Task<Status> check_deletable(ApiServices& services, store::ExperimentRow row) {
  if (row.is_unmanaged || row.uid.empty()) co_return Status();
  const k8s::ObjectKey key = key_of(row);
  const auto object = co_await services.kubernetes.get(k8s::experiments(), key);
  // Of a namespace that is gone the operator's rights may be gone, too.
  const bool is_out_of_reach =
      !object && (object.error().code == ErrorCode::kNotFound || object.error().code == ErrorCode::kPermissionDenied);
  if (is_out_of_reach) co_return Status();
  DET_CO_TRY(object);
  const wire::Json& meta = get_any(*object, "metadata");
  if (get_string(meta, "uid") != row.uid || get_any(meta, "deletionTimestamp").is_string()) co_return Status();
  const auto keeper = owner_of_spec_field(*object, "config");
  if (!keeper) co_return Status();
  co_return fail(ErrorCode::kAborted, "Experiment " + to_string(key) + " is kept by '" + *keeper +
                                          "' (for example from Git), which would make it again, and it would be "
                                          "trained anew: delete it there; once the object is gone, this experiment can "
                                          "be deleted");
}

namespace {

// Whether the trial has an object that could be told.
Task<Result<bool>> tell_to_stop(ApiServices& services, const store::ExperimentRow& experiment, model::TrialId id) {
  k8s::ListOptions list;
  list.ns = experiment.ns;
  list.label_selector = "determined.ai/trial_id=" + to_string(id);
  const auto trials = co_await services.kubernetes.list(k8s::trials(), list);
  DET_CO_TRY(trials);
  bool has_object = false;
  for (const wire::Json& trial : trials->items) {
    const wire::Json::json_pointer owner("/metadata/ownerReferences/0/uid");
    if (!trial.contains(owner) || trial[owner] != experiment.uid) continue;
    const k8s::ObjectKey key{.ns = experiment.ns, .name = trial["metadata"].value("name", "")};
    const wire::Json patch = {{"spec", {{"stop", "Kill"}}}};
    const auto patched = co_await services.kubernetes.patch(k8s::trials(), key, patch, patch_options());
    if (!patched && patched.error().code != ErrorCode::kNotFound) co_return std::unexpected(patched.error());
    has_object = true;
  }
  co_return has_object;
}

}  // namespace

Task<Status> kill_trial_of(ApiServices& services, store::ExperimentRow experiment, model::TrialId id) {
  if (experiment.is_unmanaged) {
    co_return fail(ErrorCode::kFailedPrecondition,
                   "trial " + to_string(id) + " is unmanaged: it runs outside of the cluster, where it can be stopped");
  }
  if (Status enabled = check_namespace(services, experiment); !enabled) co_return enabled;
  const auto told = co_await tell_to_stop(services, experiment, id);
  DET_CO_TRY(told);
  if (*told) co_return Status();
  DET_CO_TRY(co_await services.stores.trials.set_early_exit(id, "EXITED_REASON_USER_CANCELED"));
  // It may have got its object in between, whose reconciler looked at the row before.
  const auto late = co_await tell_to_stop(services, experiment, id);
  DET_CO_TRY(late);
  co_return Status();
}

}  // namespace det::api
