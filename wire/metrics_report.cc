#include "wire/metrics_report.h"

namespace det::wire {

Json to_json(const MetricsReport& report) {
  Json metrics = {{"avg_metrics", report.metrics}};
  if (report.group == "validation") metrics["validation_metrics"] = report.metrics;
  if (report.batch_metrics.is_array()) metrics["batch_metrics"] = report.batch_metrics;
  return {{"trialId", report.trial.value}, {"trialRunId", report.run},
          {"group", report.group},         {"totalBatches", report.steps},
          {"endTime", time(report.time)},  {"metrics", std::move(metrics)},
          {"id", report.number},           {"archived", false}};
}

}  // namespace det::wire
