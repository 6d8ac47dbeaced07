#include "api/jobs/job_reason.h"

#include "model/states.h"

namespace det::api {
namespace {

struct Count {
  int running = 0;
  int waiting = 0;
  const wire::Json* first_waiting = nullptr;  // status of the one that has waited longest
};

Count count(const std::vector<wire::Json>& trials) {
  Count counted;
  for (const wire::Json& trial : trials) {
    if (!trial.contains("status")) continue;
    const wire::Json& status = trial["status"];
    const std::string state = status.value("state", "");
    if (state == "RUNNING" || state == "STARTING" || state == "PULLING") ++counted.running;
    if (state != "QUEUED") continue;
    ++counted.waiting;
    const bool is_older = counted.first_waiting == nullptr ||
                          status.value("id", std::int64_t{0}) < counted.first_waiting->value("id", std::int64_t{0});
    if (is_older) counted.first_waiting = &status;
  }
  return counted;
}

std::string trials_text(int number) {
  return std::to_string(number) + (number == 1 ? " trial" : " trials");
}

std::string waiting_text(const wire::Json& status) {
  const std::string id = std::to_string(status.value("id", std::int64_t{0}));
  const std::string message = status.value("message", "");
  return "trial " + id + ": " + (message.empty() ? "its pods have no node yet" : message);
}

}  // namespace

std::string job_reason(const store::ExperimentRow& experiment, const std::vector<wire::Json>& trials) {
  const std::string name = "experiment " + to_string(experiment.id);
  if (model::is_terminal(experiment.state)) {
    const std::string why = experiment.message.empty() ? "" : ": " + experiment.message;
    return name + " has ended (" + std::string(to_string(experiment.state)) + ")" + why;
  }
  const Count counted = count(trials);
  if (experiment.state == model::ExperimentState::kPaused) {
    const std::string still =
        counted.running == 0 ? "" : ", and " + trials_text(counted.running) + " will leave after a checkpoint";
    return name + " is paused" + still + "; 'det experiment activate " + to_string(experiment.id) + "' lets it go on";
  }
  if (experiment.state != model::ExperimentState::kActive) {
    return name + " is stopping: " + trials_text(counted.running) + " left";
  }
  if (counted.waiting == 0 && counted.running == 0) {
    if (!experiment.message.empty()) return name + " waits: " + experiment.message;
    return name + " waits: none of its trials has been started yet";
  }
  if (counted.waiting == 0) return name + " runs: " + trials_text(counted.running) + ", none waits";
  const std::string running = counted.running == 0 ? "" : " runs " + trials_text(counted.running) + ", and";
  const std::string more = counted.waiting == 1 ? "" : " with " + trials_text(counted.waiting);
  return name + running + " waits" + more + "; " + waiting_text(*counted.first_waiting);
}

}  // namespace det::api
