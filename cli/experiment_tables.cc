#include "cli/experiment_tables.h"

#include <algorithm>
#include <set>
#include <tuple>

#include "base/short_number.h"

namespace det::cli {
namespace {

std::string joined(const Json& words) {
  std::vector<std::string> sorted;
  if (words.is_array()) {
    for (const Json& word : words) sorted.push_back(word.get<std::string>());
  }
  std::ranges::sort(sorted);
  std::string text;
  for (const auto& word : sorted) text += (text.empty() ? "" : ", ") + word;
  return text;
}

// Python's str() of a number.
std::string number_words(const Json& value) {
  return value.is_string() ? value.get<std::string>() : value.dump();
}

Json validation_metric(const Json& checkpoint, const std::string& metric) {
  const Json value = field(field(field(field(checkpoint, "training"), "validationMetrics"), "avgMetrics"), metric);
  return value.is_null() ? Json("") : Json(number_words(value));
}

Json metrics_cell(const Json& metrics) {
  return metrics.is_structured() ? metrics : Json(cell_json(metrics));
}

Json best_cell(const Json& experiment) {
  const Json value = field(experiment, "bestTrialSearcherMetric");
  const Json trial = field(experiment, "bestTrialId");
  if (value.is_null() || trial.is_null()) return nullptr;
  return text_field(experiment, "searcherMetric") + " " + short_number(metric_number(value)) + " (trial " +
         trial.dump() + ")";
}

double bytes_of(const Json& resources) {
  double sum = 0;
  if (!resources.is_object()) return sum;
  for (const auto& [name, size] : resources.items()) {
    sum += size.is_string() ? std::strtod(size.get_ref<const std::string&>().c_str(), nullptr) : size.get<double>();
  }
  return sum;
}

std::string names_of(const Json& resources) {
  std::string text;
  if (!resources.is_object()) return text;
  for (const auto& [name, size] : resources.items()) text += (text.empty() ? "" : "\n") + name;
  return text;
}

std::vector<std::string> metric_names(const std::vector<TrialWorkloads>& trials, const char* kind) {
  std::set<std::string> names;
  for (const auto& trial : trials) {
    for (const Json& workload : trial.workloads) {
      const Json metrics = field(field(field(workload, kind), "metrics"), "avgMetrics");
      if (!metrics.is_object()) continue;
      for (const auto& [name, value] : metrics.items()) names.insert(name);
    }
  }
  return {names.begin(), names.end()};
}

// What happened at one number of batches of one trial.
struct Step {
  std::string state;
  Json time;
  std::map<std::string, Json> training;
  Json checkpoint_state = "";
  Json checkpoint_time;
  Json validation_state = "";
  Json validation_time;
  std::map<std::string, Json> validation;
};

void add_metrics(std::map<std::string, Json>& into, const Json& workload) {
  const Json metrics = field(field(workload, "metrics"), "avgMetrics");
  if (!metrics.is_object()) return;
  for (const auto& [name, value] : metrics.items()) into.try_emplace(name, value);
}

void add_workload(std::map<std::int64_t, Step>& steps, const Json& container) {
  const Json training = field(container, "training");
  const Json validation = field(container, "validation");
  const Json checkpoint = field(container, "checkpoint");
  const Json& any = !validation.is_null() ? validation : !checkpoint.is_null() ? checkpoint : training;
  if (any.is_null()) return;
  const auto [at, is_new] = steps.try_emplace(integer_field(any, "totalBatches"));
  Step& step = at->second;
  const Json time = time_cell(field(any, "endTime"));
  if (step.time.is_null() || (time.is_string() && step.time < time)) step.time = time;
  add_metrics(step.training, training);
  add_metrics(step.validation, validation);
  if (!checkpoint.is_null()) {
    step.checkpoint_state = state_text(field(checkpoint, "state"));
    step.checkpoint_time = time_cell(field(checkpoint, "endTime"));
  }
  if (!validation.is_null()) {
    step.validation_state = "COMPLETED";
    step.validation_time = time_cell(field(validation, "endTime"));
  }
  // The column says what the first workload of the step was, as it always has.
  if (is_new && !checkpoint.is_null()) step.state = step.checkpoint_state.get<std::string>();
  if (is_new && !validation.is_null()) step.state = step.validation_state.get<std::string>();
}

void append_metrics(std::vector<Json>& row, const std::vector<std::string>& names,
                    const std::map<std::string, Json>& metrics) {
  for (const auto& name : names) {
    const auto found = metrics.find(name);
    row.push_back(found == metrics.end() ? Json() : found->second);
  }
}

}  // namespace

Table experiment_list(const Json& experiments, ListColumns columns) {
  Table table;
  if (columns.project) table.headers = {"Workspace", "Project"};
  for (const char* header :
       {"ID", "Owner", "Name", "Parent ID", "State", "Progress", "Started", "Ended", "Resource Pool"}) {
    table.headers.emplace_back(header);
  }
  if (columns.archived) table.headers.emplace_back("Archived");
  if (columns.best) table.headers.emplace_back("Best");
  for (const Json& e : experiments) {
    std::vector<Json> row;
    if (columns.project) row = {field(e, "workspaceName"), field(e, "projectName")};
    for (Json cell : {field(e, "id"), field(e, "username"), field(e, "name"), field(e, "forkedFrom"),
                      Json(state_text(field(e, "state"))), percent_cell(field(e, "progress")),
                      time_cell(field(e, "startTime")), time_cell(field(e, "endTime")), field(e, "resourcePool")}) {
      row.push_back(std::move(cell));
    }
    if (columns.archived) row.push_back(field(e, "archived"));
    if (columns.best) row.push_back(best_cell(e));
    table.rows.push_back(std::move(row));
  }
  return table;
}

Table experiment_overview(const Json& experiments, bool best) {
  Table table{.headers = {"Experiment ID", "State", "Progress", "Started", "Ended", "Name", "Description", "Archived",
                          "Resource Pool", "Labels"},
              .rows = {}};
  if (best) table.headers.emplace_back("Best");
  for (const Json& e : experiments) {
    table.rows.push_back({field(e, "id"), state_text(field(e, "state")), percent_cell(field(e, "progress")),
                          time_cell(field(e, "startTime")), time_cell(field(e, "endTime")), field(e, "name"),
                          field(e, "description"), field(e, "archived"), field(e, "resourcePool"),
                          joined(field(e, "labels"))});
    if (best) table.rows.back().push_back(best_cell(e));
  }
  return table;
}

Table trial_list(const Json& trials, const std::string& metric) {
  Table table{.headers = {"Trial ID", "State", "H-Params", "Started", "Ended", "# of Batches"}, .rows = {}};
  if (!metric.empty()) table.headers.push_back("Best " + metric);
  for (const Json& t : trials) {
    table.rows.push_back({field(t, "id"), state_text(field(t, "state")), cell_json(field(t, "hparams")),
                          time_cell(field(t, "startTime")), time_cell(field(t, "endTime")),
                          field(t, "totalBatchesProcessed")});
    if (metric.empty()) continue;
    const Json value = field(field(field(field(t, "bestValidation"), "metrics"), "avgMetrics"), metric);
    table.rows.back().push_back(value.is_null() ? Json() : Json(metric_number(value)));
  }
  return table;
}

Table trial_overview(const Json& trials) {
  Table table{.headers = {"Trial ID", "Experiment ID", "State", "Started", "Ended", "H-Params"}, .rows = {}};
  for (const Json& t : trials) {
    table.rows.push_back({field(t, "id"), field(t, "experimentId"), state_text(field(t, "state")),
                          time_cell(field(t, "startTime")), time_cell(field(t, "endTime")),
                          cell_json(field(t, "hparams"))});
  }
  return table;
}

Table checkpoint_list(const Json& checkpoints) {
  Table table{.headers = {"Trial ID", "# of Batches", "State", "Validation Metric", "UUID", "Resources", "Size"},
              .rows = {}};
  std::string metric;
  if (!checkpoints.empty()) {
    const Json config = field(field(checkpoints.front(), "training"), "experimentConfig");
    metric = text_field(field(config, "searcher"), "metric");
  }
  for (const Json& c : checkpoints) {
    const Json resources = field(c, "resources");
    table.rows.push_back({field(field(c, "training"), "trialId"), field(field(c, "metadata"), "steps_completed"),
                          state_text(field(c, "state")), validation_metric(c, metric), field(c, "uuid"),
                          names_of(resources), size_text(bytes_of(resources))});
  }
  return table;
}

Table checkpoint_summary(const Json& checkpoint) {
  const Json training = field(checkpoint, "training");
  const Json metadata = field(checkpoint, "metadata");
  const bool has_trial = integer_field(training, "trialId") != 0;
  Table table{.headers = {"Experiment ID", "Trial ID", "Steps Completed", "Report Time", "Checkpoint UUID",
                          "Validation Metrics", "Metadata"},
              .rows = {}};
  table.rows.push_back({has_trial ? field(training, "experimentId") : Json(),
                        has_trial ? field(training, "trialId") : Json(), field(metadata, "steps_completed"),
                        time_cell(field(checkpoint, "reportTime")), field(checkpoint, "uuid"),
                        has_trial ? metrics_cell(field(training, "validationMetrics")) : Json(), cell_json(metadata)});
  return table;
}

Table removed_checkpoint_list(const Json& checkpoints, const std::string& metric) {
  std::vector<Json> sorted(checkpoints.begin(), checkpoints.end());
  std::ranges::sort(sorted, {}, [](const Json& c) {
    return std::tuple(integer_field(c, "TrialID"), text_field(c, "ReportTime"), text_field(c, "UUID"));
  });
  Table table{
      .headers = {"Trial ID", "# of Batches", "State", "Validation Metric (" + metric + ")", "UUID", "Resources"},
      .rows = {}};
  for (const Json& c : sorted) {
    table.rows.push_back({field(c, "TrialID"), field(c, "StepsCompleted"), field(c, "State"),
                          field(field(c, "ValidationMetrics"), metric), field(c, "UUID"),
                          names_of(field(c, "Resources"))});
  }
  return table;
}

bool is_validated(const Json& removed_checkpoint) {
  return !field(field(removed_checkpoint, "step"), "validation").is_null();
}

Table workload_steps(const std::vector<TrialWorkloads>& trials, bool with_metrics) {
  std::vector<std::string> training;
  std::vector<std::string> validation;
  if (with_metrics) {
    training = metric_names(trials, "training");
    validation = metric_names(trials, "validation");
  }
  Table table{.headers = {"Trial ID", "# of Batches", "State", "Report Time"}, .rows = {}};
  for (const auto& name : training) table.headers.push_back("Training Metric: " + name);
  for (const char* header :
       {"Checkpoint State", "Checkpoint Report Time", "Validation State", "Validation Report Time"}) {
    table.headers.emplace_back(header);
  }
  for (const auto& name : validation) table.headers.push_back("Validation Metric: " + name);
  for (const auto& trial : trials) {
    std::map<std::int64_t, Step> steps;
    for (const Json& workload : trial.workloads) add_workload(steps, workload);
    for (const auto& [batches, step] : steps) {
      std::vector<Json> row = {trial.trial, batches, step.state, step.time};
      append_metrics(row, training, step.training);
      for (const Json& cell :
           {step.checkpoint_state, step.checkpoint_time, step.validation_state, step.validation_time}) {
        row.push_back(cell);
      }
      append_metrics(row, validation, step.validation);
      table.rows.push_back(std::move(row));
    }
  }
  return table;
}

Table trial_summary(const Json& trial) {
  Table table{.headers = {"Experiment ID", "State", "H-Params", "Summary Metrics", "Started", "Ended"}, .rows = {}};
  table.rows.push_back({field(trial, "experimentId"), state_text(field(trial, "state")),
                        cell_json(field(trial, "hparams")), metrics_cell(field(trial, "summaryMetrics")),
                        time_cell(field(trial, "startTime")), time_cell(field(trial, "endTime"))});
  return table;
}

Table workload_list(const Json& workloads, bool with_metrics) {
  Table table{.headers = {"# of Batches", "Report Time", "Checkpoint", "Checkpoint UUID", "Checkpoint Metadata",
                          "Validation Metrics"},
              .rows = {}};
  if (with_metrics) table.headers.emplace_back("Workload Metrics");
  for (const Json& w : workloads) {
    const Json training = field(w, "training");
    const Json validation = field(w, "validation");
    const Json checkpoint = field(w, "checkpoint");
    const Json& any = !training.is_null() ? training : !validation.is_null() ? validation : checkpoint;
    std::vector<Json> row = {field(any, "totalBatches"), time_cell(field(any, "endTime"))};
    if (checkpoint.is_null()) {
      row.insert(row.end(), 3, Json());
    } else {
      const std::string state = state_text(field(checkpoint, "state"));
      const bool has_files = state != "ACTIVE" && state != "ERROR";
      row.emplace_back(state);
      row.push_back(has_files ? field(checkpoint, "uuid") : Json());
      row.emplace_back(cell_json(field(checkpoint, "metadata")));
    }
    row.push_back(validation.is_null() ? Json() : metrics_cell(field(validation, "metrics")));
    if (with_metrics && !training.is_null()) row.push_back(metrics_cell(field(training, "metrics")));
    table.rows.push_back(std::move(row));
  }
  return table;
}

}  // namespace det::cli
