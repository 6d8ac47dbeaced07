#include "wire/trial.h"

#include "wire/enums.h"

namespace det::wire {

namespace {

template <typename T>
Json object_or_null(const std::optional<T>& value) {
  return value ? to_json(*value) : Json();
}

Json sizes(const Json& resources) {
  Json out = Json::object();
  if (!resources.is_object()) return out;
  for (const auto& [path, bytes] : resources.items()) {
    out[path] = bytes.is_number_integer() ? int64(bytes.get<std::int64_t>()) : bytes;
  }
  return out;
}

Json object_of(const Json& value) {
  return value.is_object() ? value : Json::object();
}

}  // namespace

Json to_json(const MetricsWorkload& workload) {
  const Json batches = workload.batch_metrics.is_array() ? workload.batch_metrics : Json::array();
  // `state` is for clients of 0.19: they refuse workloads without it.
  return {{"endTime", time_or_null(workload.end_time)},
          {"state", "STATE_COMPLETED"},
          {"metrics", {{"avgMetrics", object_of(workload.metrics)}, {"batchMetrics", batches}}},
          {"numInputs", 0},
          {"totalBatches", workload.total_batches}};
}

Json to_json(const CheckpointWorkload& workload) {
  return {{"uuid", workload.uuid},
          {"endTime", time_or_null(workload.end_time)},
          {"state", checkpoint_state(workload.state)},
          {"resources", sizes(workload.resources)},
          {"totalBatches", workload.total_batches},
          {"metadata", object_of(workload.metadata)}};
}

Json to_json(const WorkloadContainer& container) {
  Json out = Json::object();
  if (container.training) out["training"] = to_json(*container.training);
  if (container.validation) out["validation"] = to_json(*container.validation);
  if (container.checkpoint) out["checkpoint"] = to_json(*container.checkpoint);
  return out;
}

Json summary_metrics(const Summaries& summaries) {
  Json out;
  for (const auto& [group, metrics] : summaries) {
    Json& names = out[group == "training" ? "avg_metrics" : group == "validation" ? "validation_metrics" : group];
    for (const auto& [name, n] : metrics) {
      names[name] = {{"count", n.count},       {"sum", number(n.sum)},
                     {"min", number(n.min)},   {"max", number(n.max)},
                     {"last", number(n.last)}, {"mean", number(n.count > 0 ? n.sum / static_cast<double>(n.count) : 0)},
                     {"type", "number"}};
    }
  }
  return out;
}

Json to_json(const Trial& t) {
  Json out = {{"id", t.id.value},
              {"experimentId", t.experiment.value},
              {"state", trial_state(t.state, t.allocation_state)},
              {"startTime", time(t.start_time)},
              {"endTime", time_or_null(t.end_time)},
              {"restarts", t.restarts},
              {"hparams", object_of(t.hparams)},
              {"totalBatchesProcessed", t.total_batches},
              {"bestValidation", object_or_null(t.best_validation)},
              {"latestValidation", object_or_null(t.latest_validation)},
              {"bestCheckpoint", object_or_null(t.best_checkpoint)},
              {"runnerState", t.runner_state},
              {"wallClockTime", number(t.wall_clock_seconds)},
              {"warmStartCheckpointUuid", t.warm_start_checkpoint},
              {"taskId", t.task_id},
              {"taskIds", Json::array({t.task_id})},
              {"checkpointCount", t.checkpoint_count},
              {"totalCheckpointSize", int64(t.checkpoint_bytes)},
              {"summaryMetrics", t.summary}};
  if (t.searcher_metric) out["searcherMetricValue"] = number(*t.searcher_metric);
  if (t.log_retention_days) out["logRetentionDays"] = *t.log_retention_days;
  if (!t.log_policy_matched.empty()) out["logPolicyMatched"] = t.log_policy_matched;
  return out;
}

}  // namespace det::wire
