#include "wire/experiment.h"

#include <utility>

#include "wire/enums.h"

namespace det::wire {

namespace {

Json at(const Json& object, const char* section, const char* name, Json fallback) {
  if (!object.is_object() || !object.contains(section) || !object[section].is_object()) return fallback;
  return object[section].value(name, fallback);
}

Json ids(const std::vector<model::TrialId>& trials) {
  Json list = Json::array();
  for (const auto id : trials) list.push_back(id.value);
  return list;
}

}  // namespace

Json to_json(Experiment e) {
  Json hparams = e.config.is_object() ? e.config.value("hyperparameters", Json()) : Json();
  Json out = {{"id", e.id.value},
              {"name", e.name},
              {"description", e.description},
              {"labels", e.labels},
              {"notes", e.notes},
              {"state", experiment_state(e.state, e.allocation_state)},
              {"archived", e.archived},
              {"startTime", time(e.start_time)},
              {"endTime", time_or_null(e.end_time)},
              {"numTrials", e.trial_ids.size()},
              {"trialIds", ids(e.trial_ids)},
              {"username", e.username},
              {"displayName", e.display_name},
              {"userId", e.user.value},
              {"resourcePool", at(e.config, "resources", "resource_pool", "")},
              {"searcherType", at(e.config, "searcher", "name", "")},
              {"searcherMetric", at(e.config, "searcher", "metric", "")},
              {"jobId", e.job_id},
              {"forkedFrom", e.forked_from ? Json(e.forked_from->value) : Json()},
              {"progress", e.progress ? number(*e.progress) : Json()},
              {"projectId", e.project.value},
              {"projectName", e.project_name},
              {"projectOwnerId", e.project_owner.value},
              {"workspaceId", e.workspace.value},
              {"workspaceName", e.workspace_name},
              {"parentArchived", e.is_parent_archived},
              {"originalConfig", std::move(e.original_config)},
              {"hyperparameters", std::move(hparams)},
              {"checkpointCount", e.checkpoint_count},
              {"checkpointSize", int64(e.checkpoint_bytes)},
              {"unmanaged", e.is_unmanaged}};
  if (!e.external_id.empty()) out["externalExperimentId"] = e.external_id;
  if (!e.external_trial_id.empty()) out["externalTrialId"] = e.external_trial_id;
  if (e.best_trial) out["bestTrialId"] = e.best_trial->value;
  if (e.best_metric) out["bestTrialSearcherMetric"] = number(*e.best_metric);
  if (e.context_bytes > 0) out["modelDefinitionSize"] = e.context_bytes;
  if (e.end_time) {
    out["duration"] = std::chrono::duration_cast<std::chrono::seconds>(*e.end_time - e.start_time).count();
  }
  // Moved, not copied: it is most of what there is.
  out["config"] = e.config.is_null() ? Json::object() : std::move(e.config);
  return out;
}

Json unspecified_experiment() {
  Experiment empty;
  empty.project = {};
  empty.workspace = {};
  Json out = to_json(empty);
  out["state"] = "STATE_UNSPECIFIED";
  return out;
}

}  // namespace det::wire
