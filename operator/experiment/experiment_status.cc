#include "operator/experiment/experiment_status.h"

#include <algorithm>
#include <cstdio>

#include <nlohmann/json.hpp>

#include "base/cut_text.h"
#include "base/json_get.h"
#include "base/json_reader.h"
#include "base/printable.h"
#include "base/short_number.h"
#include "model/expconf/config_warnings.h"
#include "operator/conditions.h"
#include "operator/gang/pod_exit.h"
#include "operator/gang/run_status.h"
#include "store/experiments/experiment_pool.h"

namespace det::op {
namespace {

using model::ExperimentState;
using nlohmann::json;

constexpr std::size_t kMaxName = 256;  // of any length in the database, and written with every status

std::string accepted_message(const ExperimentFacts& facts) {
  std::string text = "experiment " + to_string(facts.row.id) + " was accepted";
  if (!facts.warnings.empty()) text += "\n" + model::joined_warnings(facts.warnings, kMaxWarnings);
  return text;
}

std::string shown_state(const ExperimentFacts& facts) {
  const auto& row = facts.row;
  if (row.state != ExperimentState::kActive) return std::string(to_string(row.state));
  return facts.running_trials > 0 ? "RUNNING" : "QUEUED";
}

json trial_counts(const ExperimentFacts& facts) {
  const store::TrialCounts& trials = facts.trials;
  const std::int64_t ended = trials.completed + trials.errored + trials.canceled;
  return {{"total", trials.total},         {"running", facts.running_trials},
          {"completed", trials.completed}, {"errored", trials.errored},
          {"canceled", trials.canceled},   {"summary", std::to_string(ended) + "/" + std::to_string(trials.total)}};
}

Condition condition(const char* type, bool is_true, std::string reason, std::string message = {}) {
  return {.type = type,
          .status = is_true ? Truth::kTrue : Truth::kFalse,
          .reason = std::move(reason),
          .message = bounded_message(std::move(message))};
}

std::string waiting_message(const ExperimentFacts& facts) {
  return facts.waiting_trial.empty() ? "no trial has all its pods running yet" : facts.waiting_trial;
}

std::vector<Condition> conditions(const ExperimentFacts& facts) {
  const auto& row = facts.row;
  const std::string state = shown_state(facts);
  const bool over = model::is_terminal(row.state);
  const bool complete = row.state == ExperimentState::kCompleted;
  const bool canceled = row.state == ExperimentState::kCanceled;
  std::vector<Condition> list;
  list.push_back(condition("Accepted", true, "ConfigAccepted", accepted_message(facts)));
  const std::string waits_for = facts.waits_for.empty() ? "WaitingForSlots" : facts.waits_for;
  list.push_back(condition("Queued", state == "QUEUED", state == "QUEUED" ? waits_for : "NotWaiting",
                           state == "QUEUED" ? waiting_message(facts) : ""));
  list.push_back(condition("Running", state == "RUNNING",
                           state == "RUNNING"                      ? "TrialsRunning"
                           : row.state == ExperimentState::kPaused ? "Paused"
                                                                   : kNotRunning));
  if (row.state == ExperimentState::kDeleting || row.state == ExperimentState::kDeleteFailed) {
    const bool failed = row.state == ExperimentState::kDeleteFailed;
    const char* reason = failed ? "DeleteFailed" : "Deleting";
    list.push_back(condition("Complete", false, reason, failed ? row.message : "its files are being removed"));
    list.push_back(condition("Failed", failed, reason, row.message));
  } else if (over) {
    const std::string message = complete ? metric_message(facts) : row.message;
    list.push_back(condition("Complete", complete, complete ? "SearchCompleted" : "NotCompleted", message));
    const char* how = canceled ? "Canceled" : complete ? "Completed" : "Error";
    list.push_back(condition("Failed", !complete, how, complete ? "" : row.message));
    // For those who wait until it is over, whichever way.
    list.push_back(condition("Ended", true, how, message));
  }
  if (!facts.other_metrics.empty()) {
    list.push_back(condition(kMetricReported, false, "NoSuchMetric", metric_message(facts)));
  }
  list.push_back(condition("Reconciling", false, "UpToDate"));
  if (facts.objection) {
    list.push_back(condition("Stalled", true, facts.objection->reason, facts.objection->message));
  } else {
    const bool stalled = facts.stalled_trial.has_value();
    list.push_back(
        condition("Stalled", stalled, stalled ? "TrialStalled" : "NotStalled", facts.stalled_trial.value_or("")));
  }
  return list;
}

std::string percent(double fraction) {
  char text[16];
  std::snprintf(text, sizeof text, "%.0f%%", std::clamp(fraction, 0.0, 1.0) * 100);
  return text;
}

const json& old_conditions(const ObservedExperiment& object) {
  return get_any(object.status, "conditions");
}

}  // namespace

void note_wait(ExperimentFacts& facts, const KeptTrial& trial) {
  const bool is_failure = is_start_failure(trial.waits_for);
  if (trial.message.empty() || (trial.state != "QUEUED" && !is_failure)) return;
  if (!facts.waiting_trial.empty() && (!is_failure || is_start_failure(facts.waits_for))) return;
  facts.waiting_trial = "trial " + std::to_string(trial.head.trial_id) + ": " + trial.message;
  // As on Notebooks and the others: what can be put right by somebody must not look like a wait for room.
  facts.waits_for = trial.waits_for == kNotRunning ? std::string() : trial.waits_for;
}

std::string metric_message(const ExperimentFacts& facts) {
  if (facts.other_metrics.empty()) return {};
  std::string names;
  for (const std::string& name : facts.other_metrics) names += (names.empty() ? "" : ", ") + name;
  return "no trial reported '" + get_string(get_any(facts.row.config, "searcher"), "metric") +
         "', the metric of the search; reported: " + names;
}

json experiment_status(const ObservedExperiment& object, const ExperimentFacts& facts, WallTime now) {
  const auto& row = facts.row;
  json status = {
      {"observedGeneration", object.generation},
      {"id", row.id.value},
      {"name", printable(cut_text(row.title, kMaxName))},
      {"state", shown_state(facts)},
      {"progress", percent(row.progress.value_or(0))},
      {"configHash", row.config_hash},
      {"startTime", format_rfc3339_seconds(row.start_time)},
      {"trials", trial_counts(facts)},
      {"slots", {{"active", facts.running_trials * facts.slots_per_trial}, {"perTrial", facts.slots_per_trial}}},
      {"conditions", merge_conditions(old_conditions(object), conditions(facts), object.generation, now)}};
  if (const std::string pool = store::pool_now(row); !pool.empty()) status["resourcePool"] = pool;
  if (row.end_time) status["endTime"] = format_rfc3339_seconds(*row.end_time);
  if (facts.best) {
    status["bestTrial"] = {
        {"id", facts.best->trial.value},
        {"metric", number_text(facts.best->metric)},
        {"summary", short_number(facts.best->metric) + " (trial " + std::to_string(facts.best->trial.value) + ")"},
        {"metricName", get_string(get_any(row.config, "searcher"), "metric")}};
  }
  return status;
}

json stall(const ObservedExperiment& object, std::string_view reason, const std::string& message, WallTime now) {
  return put_condition(get_array(object.status, "conditions"),
                       {.type = "Stalled", .status = Truth::kTrue, .reason = std::string(reason), .message = message},
                       object.generation, now);
}

json elsewhere_status(const ObservedExperiment& object, bool is_accepted, const std::string& why, WallTime now) {
  const Refusal objection{.reason = std::string(kNamespaceNotEnabled), .message = why, .may_pass = true};
  if (!is_accepted) return refused_status(object, objection, now);
  json status = object.status.is_object() ? object.status : json::object();
  status["conditions"] = stall(object, kNamespaceNotEnabled, why, now);
  return status;
}

json refused_status(const ObservedExperiment& object, const Refusal& objection, WallTime now) {
  return refused_status(object.status, object.generation, objection, now);
}

}  // namespace det::op
