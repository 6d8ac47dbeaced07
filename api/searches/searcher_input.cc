#include "api/searches/searcher_input.h"

#include <algorithm>

#include "wire/forms.h"

namespace det::api {

namespace {

std::optional<double> value_of(const store::MetricValues& metrics, const std::string& name) {
  const auto at = std::ranges::find(metrics.names, name);
  if (at == metrics.names.end()) return std::nullopt;
  return metrics.values[static_cast<std::size_t>(at - metrics.names.begin())];
}

// How far the trial is, in the unit of searcher.max_length; nothing when the report does not say.
std::optional<double> trained(const TrialContext& facts, const ParsedReport& report) {
  if (facts.length_unit == "epochs") return value_of(report.metrics, "epochs");
  const double batches = value_of(report.metrics, "batches").value_or(*report.steps);
  if (facts.length_unit != "records") return batches;
  return facts.records_per_batch > 0 ? std::optional(batches * facts.records_per_batch) : std::nullopt;
}

}  // namespace

std::optional<store::SearcherInput> input_of(const TrialContext& facts, const ParsedReport& report) {
  if (report.group != "validation" || !report.steps) return std::nullopt;
  const auto metric = value_of(report.metrics, facts.metric);
  if (!metric) return std::nullopt;
  store::SearcherInput input;
  input.experiment = facts.experiment;
  input.metric = *metric;
  input.smaller_is_better = facts.smaller_is_better;
  input.name = facts.metric;
  if (facts.is_unmanaged) return input;
  nlohmann::json metrics = {{facts.metric, wire::number(*metric)}};
  if (!facts.time_metric.empty()) {
    auto time = value_of(report.metrics, facts.time_metric);
    // Tasks that count in batches need not say so twice.
    if (!time && facts.time_metric == "batches") time = *report.steps;
    if (time) metrics[facts.time_metric] = wire::number(*time);
  }
  input.event = {{"kind", "validation"},
                 {"request_id", facts.request_id},
                 {"steps", *report.steps},
                 {"metrics", std::move(metrics)}};
  if (facts.max_length || facts.is_custom) {
    if (const auto length = trained(facts, report)) input.event["trained"] = wire::number(*length);
  }
  return input;
}

}  // namespace det::api
