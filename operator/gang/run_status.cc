#include "operator/gang/run_status.h"

#include <string>
#include <utility>

#include <nlohmann/json.hpp>

namespace det::op {
namespace {

using model::AllocationState;
using nlohmann::json;

const char* phase_text(PodPhase phase) {
  switch (phase) {
    case PodPhase::kPending:
      return "Pending";
    case PodPhase::kRunning:
      return "Running";
    case PodPhase::kSucceeded:
      return "Succeeded";
    case PodPhase::kFailed:
      return "Failed";
  }
  return "Pending";
}

}  // namespace

json shown_pods(const GangState& gang) {
  json list = json::array();
  for (const PodFacts& pod : gang.pods) {
    json entry = {{"name", pod.key.name}, {"rank", pod.rank}, {"phase", phase_text(pod.phase)}};
    if (!pod.node.empty()) entry["node"] = pod.node;
    const std::string& reason = !pod.pod_reason.empty()    ? pod.pod_reason
                                : !pod.exit_reason.empty() ? pod.exit_reason
                                                           : pod.waiting_reason;
    if (!reason.empty()) entry["reason"] = reason;
    list.push_back(std::move(entry));
  }
  return list;
}

std::string_view shown_state_of_run(const GangState& gang) {
  switch (gang.reached) {
    case AllocationState::kPending:
    case AllocationState::kAssigned:
      return "QUEUED";
    case AllocationState::kPulling:
    case AllocationState::kStarting:
      return "STARTING";
    case AllocationState::kRunning:
    case AllocationState::kWaiting:
    case AllocationState::kTerminating:
    case AllocationState::kTerminated:
      return "RUNNING";
  }
  return "QUEUED";
}

}  // namespace det::op
