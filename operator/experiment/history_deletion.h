#pragma once

// spec.deletionPolicy: Delete. While it says so the object has a finalizer of ours, and when the object is deleted the
// experiment is ended, its files are removed, then its history, and only then the object goes. Belongs to the io
// thread.

#include <optional>
#include <string>

#include "operator/refusal.h"
#include "operator/services.h"
#include "operator/views.h"

namespace det::op {

// An object that is being deleted with its history is held: why, for people.
[[nodiscard]] Refusal history_held(std::string why);

class HistoryDeletion {
 public:
  explicit HistoryDeletion(OperatorServices& services) : services_(services) {}

  // The finalizer is there exactly while the policy says Delete. Of an object that is being deleted only taken away.
  Task<Status> follow_policy(ObservedExperiment object);
  // Of an object that is being deleted with our finalizer. `row`: of the experiment, which has ended, or nothing where
  // it is gone already. True: the object may go. kFailedPrecondition while the model registry holds a checkpoint of it,
  // kPermissionDenied where the operator may not write in its namespace any more.
  Task<Result<bool>> advance(ObservedExperiment object, std::optional<store::ExperimentRow> row);
  // Tells administrators, by an event of the operator's Lease, that only the finalizer still holds the object, and its
  // namespace with it.
  void tell_of_finalizer(const ObservedExperiment& object, const std::string& why);
  // The same where that is because the API server refuses what the operator writes there, with what the object's own
  // status is to say; else nothing.
  Task<std::optional<Refusal>> tell_if_refused(ObservedExperiment object, Error error);

 private:
  // `dry_run`: only whether that may be done.
  Task<Status> set_finalizer(ObservedExperiment object, bool wanted, bool dry_run = false);

  OperatorServices& services_;
};

}  // namespace det::op
