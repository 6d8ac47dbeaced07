#pragma once

// The one gate: everything that wants to run passes it, and gets the same answer from kubectl, from REST and when it is
// continued. Of experiments: template, project, policies, configuration, search, constraints, warm start, model code,
// and whether the API server would take the pods. Tasks pass accept/task_gate.h. Belongs to the io thread.

#include <optional>

#include <boost/asio/thread_pool.hpp>

#include "accept/gate_stores.h"
#include "accept/pod_trial.h"
#include "accept/submission.h"
#include "accept/task_gate.h"
#include "base/clock.h"
#include "base/result.h"
#include "base/task.h"
#include "k8sclient/client.h"
#include "pods/pod_builder.h"

namespace det::accept {

class Gate {
 public:
  // `workers`: where configurations are read and completed; nullptr: here.
  Gate(k8s::Client& kubernetes, Clock& clock, GateStores stores, asio::thread_pool* workers)
      : kubernetes_(kubernetes),
        clock_(clock),
        stores_(stores),
        workers_(workers),
        pods_(kubernetes, clock),
        tasks_(kubernetes, stores, pods_, workers) {}

  // An Error means that this could not be found out now. Writes nothing but model code that the context names, under
  // its digest. Safe to repeat.
  Task<Result<Verdict>> accept(pods::PodSettings settings, Submission submission);
  Task<Result<TaskVerdict>> accept(pods::PodSettings settings, TaskSubmission submission);
  // Whether an accepted experiment may go on in another pool (accept/pool_move.h); nothing where it may.
  Task<Result<std::optional<Objection>>> check_move(model::MasterConfig master, store::ExperimentRow experiment,
                                                    std::string pool);

 private:
  struct Draft;
  using MaybeObjection = std::optional<Objection>;

  Task<Result<MaybeObjection>> find_template(Draft& draft);
  Task<Result<MaybeObjection>> find_project(Draft& draft);
  Task<Result<MaybeObjection>> complete(Draft& draft);
  Task<Result<MaybeObjection>> check_pool(Draft& draft);
  Task<Result<MaybeObjection>> check_warm_start(Draft& draft);
  Task<Result<MaybeObjection>> look_for_webhooks(Draft& draft);
  Task<Result<MaybeObjection>> take_code(Draft& draft);
  Task<Result<MaybeObjection>> try_pod(Draft& draft);

  k8s::Client& kubernetes_;
  Clock& clock_;
  GateStores stores_;
  asio::thread_pool* workers_;
  PodTrial pods_;
  TaskGate tasks_;
};

}  // namespace det::accept
