#pragma once

// The gate of tasks that people start by themselves: template, workspace, policies, what a TensorBoard shows,
// configuration, constraints, files, and whether the API server would take the pods. A detail of accept/gate.h. Belongs
// to the io thread.

#include <optional>

#include <boost/asio/thread_pool.hpp>

#include "accept/gate_stores.h"
#include "accept/pod_trial.h"
#include "accept/task_submission.h"
#include "base/result.h"
#include "base/task.h"
#include "k8sclient/client.h"
#include "pods/pod_builder.h"

namespace det::accept {

class TaskGate {
 public:
  // `pods` and `workers` are those of the other gate.
  TaskGate(k8s::Client& kubernetes, GateStores stores, PodTrial& pods, asio::thread_pool* workers)
      : kubernetes_(kubernetes), stores_(stores), pods_(pods), workers_(workers) {}

  // As accept::Gate's.
  Task<Result<TaskVerdict>> accept(pods::PodSettings settings, TaskSubmission submission);

 private:
  struct Draft;
  using MaybeObjection = std::optional<Objection>;

  Task<Result<MaybeObjection>> find_template(Draft& draft);
  Task<Result<MaybeObjection>> find_workspace(Draft& draft);
  Task<Result<MaybeObjection>> find_shown(Draft& draft);
  Task<Result<MaybeObjection>> complete(Draft& draft);
  Task<Result<MaybeObjection>> check_pool(Draft& draft);
  Task<Result<MaybeObjection>> take_code(Draft& draft);
  Task<Result<MaybeObjection>> try_pod(Draft& draft);

  k8s::Client& kubernetes_;
  GateStores stores_;
  PodTrial& pods_;
  asio::thread_pool* workers_;
};

}  // namespace det::accept
