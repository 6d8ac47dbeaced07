#include "api/views.h"

#include "base/json_get.h"
#include "base/yaml.h"
#include "model/expconf/secret_fields.h"

namespace det::api {

namespace {

wire::MetricsWorkload workload_of(const store::ValidationRow& row) {
  return {.total_batches = row.steps, .end_time = row.time, .metrics = row.metrics, .batch_metrics = nullptr};
}

std::string_view name_of(store::StdType type) {
  switch (type) {
    case store::StdType::kNone:
      return "";
    case store::StdType::kStdout:
      return "stdout";
    case store::StdType::kStderr:
      return "stderr";
  }
  return "";
}

}  // namespace

std::string hide_secrets_in(std::string text) {
  if (!model::may_hold_secrets(text)) return text;
  const auto config = parse_yaml(text);
  if (!config) return {};
  const wire::Json hidden = model::hide_secrets(*config);
  return hidden == *config ? text : hidden.dump(2) + "\n";  // JSON is YAML
}

wire::Json shown_config(store::ExperimentRow row) {
  wire::Json config = std::move(row.config);
  if (!config.is_object()) return config;
  // What was changed since is shown in its place: pages and clients read it there, and what they send back begins from
  // it.
  config["name"] = row.title;
  if (row.description != get_string(config, "description")) config["description"] = row.description;
  config["labels"] = row.labels;
  if (row.log_retention_days) config["retention_policy"]["log_retention_days"] = *row.log_retention_days;
  if (!row.live.is_object()) return config;
  for (const auto& [name, value] : row.live.items()) {
    const bool is_policy = name.starts_with("save_");
    config[is_policy ? "checkpoint_storage" : name == "max_concurrent_trials" ? "searcher" : "resources"][name] = value;
  }
  return config;
}

wire::User to_wire(const store::UserRow& row) {
  return {.id = row.id,
          .username = row.username,
          .display_name = row.display_name,
          .admin = row.admin,
          .active = row.active,
          .remote = row.remote,
          .modified_at = row.modified_at,
          .agent = row.agent,
          .last_auth_at = row.last_auth_at};
}

wire::Experiment to_wire(store::ExperimentView view) {
  store::ExperimentRow& row = view.row;
  wire::Experiment out;
  out.id = row.id;
  out.name = row.title;
  out.description = row.description;
  out.labels = row.labels;
  out.notes = row.notes;
  out.state = row.state;
  out.allocation_state = view.allocation_state;
  out.archived = row.archived;
  out.start_time = row.start_time;
  out.end_time = row.end_time;
  out.trial_ids = view.trial_ids;
  out.username = view.username;
  out.display_name = view.display_name;
  out.user = row.owner;
  out.job_id = row.job_id;
  out.forked_from = row.parent;
  out.progress = row.progress;
  out.project = row.project;
  out.project_name = view.project_name;
  out.project_owner = view.project_owner;
  out.workspace = view.workspace;
  out.workspace_name = view.workspace_name;
  out.is_parent_archived = view.is_parent_archived;
  out.original_config = std::move(row.original_config);
  out.checkpoint_count = view.checkpoint_count;
  out.checkpoint_bytes = view.checkpoint_bytes;
  out.context_bytes = view.context_bytes;
  out.best_trial = view.best_trial;
  out.best_metric = view.best_metric;
  out.is_unmanaged = row.is_unmanaged;
  out.external_id = row.external_id;
  out.external_trial_id = view.external_trial_id;
  out.config = shown_config(std::move(row));
  return out;
}

wire::Trial to_wire(const store::TrialView& view) {
  const store::TrialRow& row = view.row;
  wire::Trial out;
  out.id = row.id;
  out.experiment = row.experiment;
  out.state = row.state;
  out.allocation_state = view.allocation_state;
  out.start_time = row.start_time;
  out.end_time = row.end_time;
  out.restarts = row.restarts;
  out.hparams = row.hparams;
  out.total_batches = view.total_batches;
  if (view.best_validation) out.best_validation = workload_of(*view.best_validation);
  if (view.latest_validation) out.latest_validation = workload_of(*view.latest_validation);
  if (view.best_checkpoint) out.best_checkpoint = to_workload(*view.best_checkpoint);
  out.runner_state = row.runner_state;
  out.wall_clock_seconds = view.wall_clock_seconds;
  out.warm_start_checkpoint = view.row.warm_start_checkpoint;
  out.task_id = row.task_id;
  out.checkpoint_count = view.checkpoint_count;
  out.checkpoint_bytes = view.checkpoint_bytes;
  out.searcher_metric = view.best_metric;
  out.log_retention_days = view.log_retention_days;
  out.log_policy_matched = row.logs.matched;
  return out;
}

wire::Summaries to_wire(const store::MetricSummaries& summaries) {
  wire::Summaries out;
  for (const auto& [group, metrics] : summaries) {
    for (const auto& [name, n] : metrics) {
      out[group][name] = {.count = n.count, .sum = n.sum, .min = n.min, .max = n.max, .last = n.last};
    }
  }
  return out;
}

wire::CheckpointWorkload to_workload(const store::CheckpointRow& row) {
  return {.uuid = row.uuid,
          .state = row.state,
          .total_batches = row.steps,
          .end_time = row.report_time,
          .resources = row.resources,
          .metadata = row.metadata};
}

wire::WorkloadContainer to_wire(const store::WorkloadRow& row, bool with_batch_metrics) {
  wire::WorkloadContainer out;
  if (row.checkpoint) out.checkpoint = to_workload(*row.checkpoint);
  if (row.metrics) {
    wire::MetricsWorkload metrics{.total_batches = row.metrics->steps,
                                  .end_time = row.metrics->time,
                                  .metrics = row.metrics->metrics,
                                  .batch_metrics = nullptr};
    if (with_batch_metrics) metrics.batch_metrics = row.metrics->batch_metrics;
    (row.metrics->group == "validation" ? out.validation : out.training) = std::move(metrics);
  }
  return out;
}

wire::Checkpoint to_wire(const store::CheckpointView& view) {
  wire::Checkpoint out;
  out.uuid = view.row.uuid;
  out.task_id = view.row.task_id;
  out.allocation_id = view.row.allocation_id;
  out.report_time = view.row.report_time;
  out.state = view.row.state;
  out.metadata = view.row.metadata;
  out.resources = view.row.resources;
  out.storage_id = view.row.storage_id;
  out.trial = view.row.trial;
  out.experiment = view.experiment;
  out.experiment_config = view.experiment_config;
  out.hparams = view.hparams;
  out.searcher_metric = view.searcher_metric;
  out.validation_metrics = view.validation_metrics;
  out.training_metrics = view.training_metrics;
  return out;
}

wire::Allocation to_wire(const store::AllocationRow& row) {
  return {.id = row.id,
          .task_id = row.task_id,
          .state = row.state,
          .is_ready = row.ready_at.has_value() && !row.ended_at,
          .slots = row.slots,
          .start_time = row.created_at,
          .end_time = row.ended_at,
          .exit_reason = row.exit_reason,
          .exit_code = row.exit_code};
}

wire::LogRecord to_wire(const store::NumberedLine& line) {
  return {.id = line.id,
          .time = line.line.time,
          .level = static_cast<wire::TaskLogLevel>(line.line.level),
          .log = line.line.text,
          .allocation_id = line.line.allocation_id,
          .agent_id = line.line.agent_id,
          .container_id = line.line.container_id,
          .rank = line.line.rank,
          .source = line.line.source,
          .stdtype = name_of(line.line.stdtype)};
}

}  // namespace det::api
