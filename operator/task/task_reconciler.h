#pragma once

// Drives one task: takes its object through the gate, then gathers facts, asks decide_run for the next step, has
// TaskEffects perform it, looks again, and publishes what it saw last. May be killed after any instruction: every step
// is safe to repeat. Belongs to the io thread.

#include <functional>
#include <string>
#include <utility>

#include "base/log.h"
#include "k8sclient/controller.h"
#include "k8sclient/informer.h"
#include "operator/gang/gang_backend.h"
#include "operator/gang/run_observer.h"
#include "operator/gang/run_pods.h"
#include "operator/services.h"
#include "operator/status_writer.h"
#include "operator/task/task_acceptor.h"
#include "operator/task/task_effects.h"
#include "operator/task/task_view.h"

namespace det::op {

class TaskReconciler {
 public:
  // `is_ours`: whether the class of an object is this operator's.
  TaskReconciler(OperatorServices& services, k8s::Informer<KeptTask>& tasks, GangBackend& backend,
                 RunObserver& observer, RunPods& runs, std::string default_owner,
                 std::function<bool(const ObservedTask&)> is_ours)
      : services_(services),
        tasks_(tasks),
        backend_(backend),
        observer_(observer),
        acceptor_(services, std::move(default_owner)),
        effects_(services, backend, runs),
        is_ours_(std::move(is_ours)),
        watching_since_(services.clock.wall_now()) {}

  // `key`: "namespace/name" of the Task object.
  Task<Result<k8s::Outcome>> reconcile(std::string key, Logger log);
  // As StatusPace has it.
  [[nodiscard]] bool is_foreign(const std::string& key, const std::string& status) {
    return pace_.is_foreign(key, status);
  }

 private:
  Task<Result<std::optional<store::TaskRow>>> row_of(ObservedTask object, Logger log);
  Task<Result<TaskRound>> gather(ObservedTask object, std::string id);
  Task<Result<store::RunPlan>> plan_next(const TaskRound& round);
  Task<Status> check_priority(TaskRound& round);
  Task<Result<TaskRound>> gather_idling(TaskRound round);
  Task<Status> follow_spec(const TaskRound& round);
  Task<Result<k8s::Outcome>> drive(ObservedTask object, std::string id, Logger log);
  // What its pods need is forbidden, by a quota, a webhook or a missing right. That lasts, and only people can end it:
  // they are told. Gives the error.
  Task<Result<k8s::Outcome>> tell_refused(TaskRound round, RunDecision decision, Error refused);
  // The outcome of the reconcile, or one that comes back sooner to write the status.
  Task<Result<k8s::Outcome>> publish(TaskRound round, RunDecision decision, k8s::Outcome outcome);
  Task<Status> write_refusal(const ObservedTask& object, Refusal refusal);
  // What the database answered; an outage of it is noted. One of Kubernetes, or of one task's own, is no reason for
  // others not to be idle.
  template <typename T>
  Result<T> from_database(Result<T> answer);

  OperatorServices& services_;
  k8s::Informer<KeptTask>& tasks_;
  GangBackend& backend_;
  RunObserver& observer_;
  TaskAcceptor acceptor_;
  TaskEffects effects_;
  std::function<bool(const ObservedTask&)> is_ours_;
  StatusPace pace_;
  // Nobody can use a task through a server, or say that it is in use, while there is none, or no database. Such a time
  // is not idled.
  WallTime watching_since_;
};

}  // namespace det::op
