#include "api/runs/run_json.h"

#include "api/views.h"
#include "wire/enums.h"

namespace det::api {

namespace {

wire::Json experiment_of(const store::RunExperiment& of, const std::string& default_pool) {
  wire::Json json = {{"id", of.id.value},
                     {"searcherType", of.searcher},
                     {"searcherMetric", of.searcher_metric},
                     {"resourcePool", of.resource_pool.empty() ? default_pool : of.resource_pool},
                     {"progress", wire::number(of.progress.value_or(0))},
                     {"description", of.description},
                     {"name", of.name},
                     {"unmanaged", of.is_unmanaged},
                     {"isMultitrial", of.searcher != "single"}};
  if (!of.external_id.empty()) json["externalExperimentId"] = of.external_id;
  if (of.forked_from) json["forkedFrom"] = of.forked_from->value;
  return json;
}

}  // namespace

wire::Json run_json(const store::RunRow& row, const std::string& default_pool) {
  wire::Json summaries = wire::summary_metrics(to_wire(row.summaries));
  if (summaries.is_null()) summaries = wire::Json::object();
  wire::Json json = {{"id", row.id.value},
                     {"startTime", wire::time(row.start_time)},
                     {"endTime", wire::time_or_null(row.end_time)},
                     {"state", "STATE_" + std::string(model::to_string(row.state))},
                     {"labels", row.labels},
                     {"checkpointSize", wire::int64(row.checkpoint_bytes)},
                     {"checkpointCount", row.checkpoint_count},
                     {"hyperparameters", row.hparams},
                     {"summaryMetrics", std::move(summaries)},
                     {"userId", row.owner.value},
                     {"duration", row.seconds},
                     {"projectId", row.project.value},
                     {"projectName", row.project_name},
                     {"workspaceId", row.workspace.value},
                     {"workspaceName", row.workspace_name},
                     {"parentArchived", row.is_parent_archived},
                     {"experiment", experiment_of(row.experiment, default_pool)},
                     {"archived", row.archived},
                     {"localId", row.project_key + "-" + to_string(row.id)}};
  if (row.searcher_metric_value) json["searcherMetricValue"] = wire::number(*row.searcher_metric_value);
  if (!row.metadata.is_null()) json["metadata"] = row.metadata;
  if (!row.external_id.empty()) json["externalRunId"] = row.external_id;
  if (!row.log_policy_matched.empty()) json["logPolicyMatched"] = row.log_policy_matched;
  return json;
}

}  // namespace det::api
