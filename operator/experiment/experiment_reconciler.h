#pragma once

// Drives one experiment: accepts its object, keeps the row's state in step with what the object asks for, lets the
// searcher decide, and has the Trial objects made. Level-triggered; may be killed after any instruction. Belongs to the
// io thread.

#include <functional>
#include <optional>
#include <string>
#include <utility>

#include "base/log.h"
#include "k8sclient/controller.h"
#include "operator/experiment/accepted_configs.h"
#include "operator/experiment/acceptor.h"
#include "operator/experiment/experiment_trials.h"
#include "operator/experiment/history_deletion.h"
#include "operator/experiment/live_settings.h"
#include "operator/experiment/name_edits.h"
#include "operator/experiment/search_driver.h"
#include "operator/experiment/status_publisher.h"
#include "operator/services.h"

namespace det::op {

class ExperimentReconciler {
 public:
  // `is_ours`: whether the class of an object is this operator's.
  ExperimentReconciler(OperatorServices& services, std::string default_owner,
                       std::function<bool(const ObservedExperiment&)> is_ours)
      : services_(services),
        is_ours_(std::move(is_ours)),
        acceptor_(services, std::move(default_owner)),
        driver_(services),
        trials_(services),
        history_(services) {}

  // `key`: "namespace/name" of the Experiment object.
  Task<Result<k8s::Outcome>> reconcile(std::string key, Logger log);
  // As StatusPace has it.
  [[nodiscard]] bool is_foreign(const std::string& key, const std::string& status) {
    return publisher_.is_foreign(key, status);
  }

 private:
  // Of an object in a namespace that is not enabled.
  Task<Result<k8s::Outcome>> wait_for_namespace(ObservedExperiment object, std::string why);
  // Of an object that is being deleted, and takes its history along.
  Task<Result<k8s::Outcome>> delete_history(ObservedExperiment object, Logger log);
  // The row of the object; nothing when it was refused, which its status then says.
  Task<Result<std::optional<store::ExperimentRow>>> row_of(ObservedExperiment object, Logger log);
  Task<Result<k8s::Outcome>> drive(ObservedExperiment object, store::ExperimentRow row, Logger log);
  // Puts suspend and stop of the object into the row's state.
  Task<Result<store::ExperimentRow>> follow_spec(ObservedExperiment object, store::ExperimentRow row, Logger log);
  struct EditedRow {
    store::ExperimentRow row;        // with the live settings that are in force
    std::optional<Refusal> refused;  // what a config policy or a pool forbids
  };
  Task<Result<EditedRow>> apply_live_edits(ObservedExperiment object, store::ExperimentRow row);
  Task<Status> follow_names(const ObservedExperiment& object, store::ExperimentRow& row);
  Task<Result<store::ExperimentRow>> follow_policy(ObservedExperiment object, store::ExperimentRow row);
  Task<Result<store::ExperimentRow>> end_if_over(ObservedExperiment object, store::ExperimentRow row,
                                                 SearchState search, Logger log);

  OperatorServices& services_;
  std::function<bool(const ObservedExperiment&)> is_ours_;
  Acceptor acceptor_;
  SearchDriver driver_;
  ExperimentTrials trials_;
  HistoryDeletion history_;
  AcceptedConfigs accepted_;
  NameEdits names_;
  StatusPublisher publisher_{services_, accepted_};
};

}  // namespace det::op
