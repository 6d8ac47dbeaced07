#pragma once

// Tasks' part of a leadership: the copy of their objects, the controller that reconciles them, and the sweep for those
// whose object is gone. A cluster without the Task definition, or one that does not let the operator read Tasks, has
// none of this until it does; everything else goes on. Belongs to the io thread.

#include <chrono>
#include <functional>
#include <string>

#include "base/async.h"
#include "base/log.h"
#include "k8sclient/controller.h"
#include "k8sclient/informer.h"
#include "operator/gang/gang_backend.h"
#include "operator/gang/run_observer.h"
#include "operator/gang/run_pods.h"
#include "operator/reconcile_guard.h"
#include "operator/services.h"
#include "operator/task/task_reconciler.h"
#include "operator/task/task_view.h"

namespace det::op {

struct TaskControlOptions {
  std::string ns;  // empty: all
  std::string default_owner;
  int workers = 8;
  std::function<bool(const ObservedTask&)> is_ours;
};

class TaskControl {
 public:
  TaskControl(asio::any_io_executor executor, OperatorServices& services, GangBackend& backend, RunObserver& observer,
              RunPods& runs, ReconcileGuard& guard, TaskControlOptions options);

  // Until cancelled.
  Task<void> run();
  // Reconciles it soon. Ignored while Tasks cannot be read.
  void wake(const k8s::ObjectKey& task);
  // By the task's id: its row or its run changed.
  void wake(const std::string& task_id);
  // All of them: the pools changed.
  void wake_all();
  // Whether Tasks are reconciled.
  [[nodiscard]] bool is_running() const { return is_running_; }
  // What to apply so that Tasks can be read; empty: nothing is missing.
  [[nodiscard]] const std::string& missing() const { return missing_; }

 private:
  Task<void> wait_readable();
  Task<void> work();
  Task<void> sweep_for_ever();
  // Rows whose object is gone are ended.
  Task<Status> sweep();
  Task<Result<k8s::Outcome>> reconcile(std::string key, Logger log);

  OperatorServices& services_;
  TaskControlOptions options_;
  Logger log_{"tasks"};
  k8s::Informer<KeptTask> tasks_;
  TaskReconciler reconciler_;
  ReconcileGuard& guard_;
  k8s::Controller controller_;
  Signal sweep_;
  bool is_running_ = false;
  std::string missing_;
};

}  // namespace det::op
