#pragma once

// Does what decide_run says of a task. Each step may be repeated after a crash at any point of it, and leaves facts
// that lead further. Belongs to the io thread.

#include <optional>
#include <string>
#include <vector>

#include "base/log.h"
#include "k8sclient/controller.h"
#include "operator/gang/gang_pods.h"
#include "operator/gang/run_log.h"
#include "operator/gang/run_pods.h"
#include "operator/gang/run_services.h"
#include "operator/services.h"
#include "operator/task/task_round.h"
#include "pods/standalone_task.h"

namespace det::op {

class TaskEffects {
 public:
  TaskEffects(OperatorServices& services, GangBackend& backend, RunPods& runs)
      : services_(services),
        backend_(backend),
        runs_(runs),
        gangs_(services, backend, runs),
        proxied_(services.stores.services, services.epoch) {}

  // When to look again; nothing: facts have changed, look now. Notes in the round what people are to be shown.
  Task<Result<std::optional<k8s::Outcome>>> perform(TaskRound& round, const RunDecision& decision, Logger log);
  // An object that is gone.
  void forget(const std::string& task_id) { proxied_.forget(task_id); }

 private:
  Task<Status> wait(const TaskRound& round);
  Task<Status> start_run(const TaskRound& round, Logger log);
  Task<Result<std::optional<k8s::Outcome>>> create_pods(TaskRound& round, Logger log);
  // Why its pods must not be made now; nothing: they may.
  [[nodiscard]] std::optional<GangWait> wait_for_leave(const TaskRound& round, const pods::TaskRequest& request,
                                                       const nlohmann::json& source) const;
  Task<Status> end_run(const TaskRound& round, const RunDecision& decision, Logger log);
  Task<Status> finish(const TaskRound& round, const RunDecision& decision, Logger log);
  // What no other try can mend (more than a Secret may hold, for instance) ends the task; else the error itself.
  Task<Status> finish_if_hopeless(const TaskRound& round, Error error, Logger log);
  // What the run needs in Kubernetes, without its tokens.
  Task<Result<pods::TaskRequest>> request_of(const TaskRound& round, int run);
  // What a checkpoint GC removes.
  Task<Result<pods::RemovalSource>> removal_of(std::string task_id);
  Task<void> write_end(const TaskRound& round, std::string allocation_id, const RunDecision& decision);
  Task<void> write_log(const TaskRound& round, std::string allocation_id, std::string line);
  [[nodiscard]] static GangOfRun gang_of(const TaskRound& round);

  OperatorServices& services_;
  GangBackend& backend_;
  EndLines ends_;
  RunPods& runs_;
  GangPods gangs_;
  RunServices proxied_;
};

}  // namespace det::op
