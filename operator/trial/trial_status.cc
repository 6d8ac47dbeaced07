#include "operator/trial/trial_status.h"

#include <string>

#include <nlohmann/json.hpp>

#include "operator/conditions.h"
#include "operator/gang/run_status.h"
#include "operator/trial/stored_pod.h"

namespace det::op {
namespace {

using model::TrialState;
using nlohmann::json;

// QUEUED, PULLING, STARTING or RUNNING while it is active, as the REST API shows it.
std::string shown_state(const store::TrialRow& row, const RunFacts& facts) {
  if (row.state != TrialState::kActive) return std::string(to_string(row.state));
  if (!facts.run_is_open) return facts.suspend ? "PAUSED" : "QUEUED";
  return std::string(shown_state_of_run(facts.gang));
}

std::vector<Condition> conditions(const store::TrialRow& row, const RunFacts& facts, const RunDecision& decision,
                                  const std::string& message) {
  const std::string state = shown_state(row, facts);
  const bool running = state == "RUNNING";
  std::vector<Condition> list;
  list.push_back({.type = "Running",
                  .status = running ? Truth::kTrue : Truth::kFalse,
                  .reason = running                             ? "PodsRunning"
                            : facts.gang.waiting_reason.empty() ? kNotRunning
                                                                : facts.gang.waiting_reason,
                  .message = running ? "" : message});
  const bool is_refused = facts.gang.waiting_reason == kPodPolicyWait;
  const bool stalled = (decision.is_stalled || is_refused) && !model::is_terminal(row.state);
  list.push_back({.type = "Stalled",
                  .status = stalled ? Truth::kTrue : Truth::kFalse,
                  .reason = !stalled     ? "NotStalled"
                            : is_refused ? std::string(kPodPolicyWait)
                                         : "InfrastructureFailures",
                  .message = stalled ? message : ""});
  if (!row.logs.excluded_nodes.empty()) {
    std::string nodes;
    for (const store::ExcludedNode& one : row.logs.excluded_nodes) nodes += (nodes.empty() ? "" : "; ") + one.why;
    list.push_back(
        {.type = "NodesExcluded", .status = Truth::kTrue, .reason = "LogPolicyMatched", .message = std::move(nodes)});
  }
  if (!row.logs.no_retry.empty()) {
    list.push_back({.type = "RetriesCanceled",
                    .status = Truth::kTrue,
                    .reason = "LogPolicyMatched",
                    .message = row.logs.no_retry});
  }
  if (!model::is_terminal(row.state)) return list;
  const bool complete = row.state == TrialState::kCompleted;
  list.push_back({.type = "Complete",
                  .status = complete ? Truth::kTrue : Truth::kFalse,
                  .reason = complete ? "Completed" : "NotCompleted",
                  .message = message});
  list.push_back({.type = "Failed",
                  .status = complete ? Truth::kFalse : Truth::kTrue,
                  .reason = row.state == TrialState::kError ? "Error"
                            : complete                      ? "Completed"
                                                            : "Canceled",
                  .message = complete ? "" : message});
  return list;
}

}  // namespace

json trial_status(const ObservedTrial& object, const store::TrialRow& row, const RunFacts& facts,
                  const RunDecision& decision, WallTime now) {
  std::string message = row.exit_reason;
  if (!model::is_terminal(row.state)) {
    message = !decision.reason.empty() ? decision.reason : facts.gang.waiting_message;
  }
  const json& before = object.status;
  const json old = before.is_object() ? before.value("conditions", json()) : json();
  json status = {
      {"id", row.id.value},
      {"state", shown_state(row, facts)},
      {"run", row.run},
      {"restarts", row.restarts},
      {"infraRestarts", row.infra_restarts},
      {"message", message},
      {"pods", shown_pods(facts.gang)},
      {"conditions", merge_conditions(old, conditions(row, facts, decision, message), object.generation, now)}};
  // Thousands may be over since a version that did not write it: they are not all written anew for a number.
  const bool is_of_before = model::is_terminal(row.state) && before.is_object() && before.contains("state") &&
                            !before.contains("observedGeneration");
  if (!is_of_before || object.generation > 1) status["observedGeneration"] = object.generation;
  return status;
}

}  // namespace det::op
