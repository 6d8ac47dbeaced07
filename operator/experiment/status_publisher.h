#pragma once

// Puts together what the status of an accepted Experiment says, and writes it at its pace. Belongs to the io thread.

#include <optional>
#include <string>
#include <vector>

#include "k8sclient/controller.h"
#include "k8sclient/event_recorder.h"
#include "operator/experiment/accepted_configs.h"
#include "operator/experiment/experiment_status.h"
#include "operator/services.h"
#include "operator/status_writer.h"

namespace det::op {

[[nodiscard]] inline k8s::EventSubject subject_of(const ObservedExperiment& object) {
  return {.resource = k8s::experiments(), .key = object.key, .uid = object.uid};
}

class StatusPublisher {
 public:
  // Both outlive this.
  StatusPublisher(OperatorServices& services, AcceptedConfigs& accepted) : services_(services), accepted_(accepted) {}

  // `open`: its trials that have not ended. `objection`: what else than a change of its configuration it is stalled by.
  // When to look at it again.
  Task<Result<k8s::Outcome>> publish(ObservedExperiment object, store::ExperimentRow row,
                                     std::vector<store::TrialRow> open, store::TrialCounts counts,
                                     std::optional<Refusal> objection = {});
  // Of an object that is being deleted with its history, as far as that is now. `held`: by what; nothing: it goes on.
  Task<Status> publish_deletion(ObservedExperiment object, std::optional<Refusal> held);
  // As StatusPace has it.
  [[nodiscard]] bool is_foreign(const std::string& key, const std::string& status) {
    return pace_.is_foreign(key, status);
  }
  void forget(const std::string& key) { pace_.forget(key); }

 private:
  void tell_of_missing_metric(const ObservedExperiment& object, const ExperimentFacts& facts);

  OperatorServices& services_;
  AcceptedConfigs& accepted_;
  StatusPace pace_;
};

}  // namespace det::op
