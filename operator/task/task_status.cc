#include "operator/task/task_status.h"

#include <string>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

#include "base/cut_text.h"
#include "base/json_get.h"
#include "base/printable.h"
#include "operator/conditions.h"
#include "operator/gang/policy_wait.h"
#include "operator/gang/run_status.h"
#include "pods/standalone_task.h"

namespace det::op {
namespace {

using model::TaskState;
using nlohmann::json;

constexpr std::size_t kMaxName = 256;

std::string shown_state(const TaskRound& round) {
  if (model::is_terminal(round.row.state)) return std::string(to_string(round.row.state));
  if (!round.facts.run_is_open) return round.facts.suspend ? "PAUSED" : "QUEUED";
  return std::string(shown_state_of_run(round.facts.gang));
}

bool is_ready(const TaskRound& round, const std::string& state) {
  return state == "RUNNING" && round.facts.is_ready;
}

Condition condition(const char* type, bool is_true, std::string reason, std::string message = {}) {
  return {.type = type,
          .status = is_true ? Truth::kTrue : Truth::kFalse,
          .reason = std::move(reason),
          .message = bounded_message(std::move(message))};
}

std::vector<Condition> conditions(const TaskRound& round, const RunDecision& decision, const std::string& state,
                                  const std::string& message) {
  const bool over = model::is_terminal(round.row.state);
  const bool is_queued = state == "QUEUED" || state == "STARTING";
  const std::string& why = round.facts.gang.waiting_reason;
  std::vector<Condition> list;
  list.push_back(condition("Accepted", true, "ConfigAccepted", "task " + round.row.id + " was accepted"));
  list.push_back(condition("Queued", is_queued,
                           !is_queued    ? "NotWaiting"
                           : why.empty() ? "WaitingForSlots"
                                         : why,
                           is_queued ? message : ""));
  list.push_back(condition("Running", state == "RUNNING", state == "RUNNING" ? "PodsRunning" : kNotRunning));
  const bool ready = is_ready(round, state);
  list.push_back(condition("Ready", ready, ready ? "Ready" : state == "RUNNING" ? "ProgramStarts" : kNotRunning));
  if (over) {
    const bool complete = round.row.state == TaskState::kCompleted;
    list.push_back(condition("Complete", complete, complete ? "Completed" : "NotCompleted", complete ? message : ""));
    const char* how = complete ? "Completed" : round.row.state == TaskState::kError ? "Error" : "Canceled";
    list.push_back(condition("Failed", !complete, how, complete ? "" : message));
    // For those who wait until it is over, whichever way.
    list.push_back(condition("Ended", true, how, message));
  }
  list.push_back(condition("Reconciling", false, "UpToDate"));
  if (round.objection && !over) {
    list.push_back(condition("Stalled", true, round.objection->reason, round.objection->message));
  } else {
    const bool is_refused = why == kPodPolicyWait;
    const bool stalled = (decision.is_stalled || is_refused) && !over;
    const std::string reason = !stalled     ? "NotStalled"
                               : is_refused ? std::string(kPodPolicyWait)
                                            : "InfrastructureFailures";
    const std::string& text = is_refused ? round.facts.gang.waiting_message : message;
    list.push_back(condition("Stalled", stalled, reason, stalled ? text : ""));
  }
  return list;
}

}  // namespace

json task_status(const TaskRound& round, const RunDecision& decision, WallTime now) {
  const store::TaskRow& row = round.row;
  const bool over = model::is_terminal(row.state);
  const std::string state = shown_state(round);
  const std::string message = over                       ? row.exit_reason
                              : !decision.reason.empty() ? decision.reason
                                                         : round.facts.gang.waiting_message;
  json status = {
      {"observedGeneration", round.object.generation},
      {"id", row.id},
      {"name", printable(cut_text(row.description, kMaxName))},
      {"state", state},
      {"ready", is_ready(round, state)},
      {"slots", round.config.resources.slots_per_trial},
      {"run", row.run},
      {"infraRestarts", row.infra_restarts},
      {"configHash", row.config_hash},
      {"startTime", format_rfc3339_seconds(row.start_time)},
      {"message", message},
      {"pods", shown_pods(round.facts.gang)},
      {"conditions", merge_conditions(get_any(round.object.status, "conditions"),
                                      conditions(round, decision, state, message), round.object.generation, now)}};
  if (pods::service_port(round.type, 0) != 0) status["url"] = "/proxy/" + row.id + "/";
  if (row.end_time) status["endTime"] = format_rfc3339_seconds(*row.end_time);
  if (!row.exit_reason.empty()) status["exitStatus"] = bounded_message(row.exit_reason);
  if (over && row.exit_code) status["exitCode"] = *row.exit_code;
  if (round.used_at && !over) status["idleSince"] = format_rfc3339_seconds(*round.used_at);
  if (round.waits) status["scheduling"] = round.waits->tree;
  const json& shown = round.pod_spec.is_null() ? get_any(round.object.status, "podSpec") : round.pod_spec;
  if (!shown.is_null()) status["podSpec"] = shown;
  return status;
}

}  // namespace det::op
