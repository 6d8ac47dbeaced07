#pragma once

// The one gate: everything that wants to run passes it, and gets the same answer from kubectl, from REST and when it is
// continued. Template, project, policies, configuration, search, constraints, warm start, model code, and whether the
// API server would take the pods. Belongs to the io thread.

#include <optional>

#include <boost/asio/thread_pool.hpp>

#include "accept/pod_trial.h"
#include "accept/submission.h"
#include "base/clock.h"
#include "base/result.h"
#include "base/task.h"
#include "k8sclient/client.h"
#include "pods/pod_builder.h"
#include "store/checkpoints/checkpoint_store.h"
#include "store/cluster/config_policy_store.h"
#include "store/cluster/template_store.h"
#include "store/cluster/workspace_store.h"
#include "store/experiments/context_store.h"

namespace det::accept {

struct GateStores {
  store::TemplateStore& templates;
  store::WorkspaceStore& workspaces;
  store::ConfigPolicyStore& config_policies;
  store::CheckpointStore& checkpoints;
  store::ContextStore& contexts;
};

class Gate {
 public:
  // `workers`: where configurations are read and completed; nullptr: here.
  Gate(k8s::Client& kubernetes, Clock& clock, GateStores stores, asio::thread_pool* workers)
      : kubernetes_(kubernetes), clock_(clock), stores_(stores), workers_(workers), pods_(kubernetes, clock) {}

  // An Error means that this could not be found out now. Writes nothing but model code that the context names, under
  // its digest. Safe to repeat.
  Task<Result<Verdict>> accept(pods::PodSettings settings, Submission submission);

 private:
  struct Draft;
  using MaybeObjection = std::optional<Objection>;

  Task<Result<MaybeObjection>> find_template(Draft& draft);
  Task<Result<MaybeObjection>> find_project(Draft& draft);
  Task<Result<MaybeObjection>> complete(Draft& draft);
  Task<Result<MaybeObjection>> check_warm_start(Draft& draft);
  Task<Result<MaybeObjection>> take_code(Draft& draft);
  Task<Result<MaybeObjection>> try_pod(Draft& draft);

  k8s::Client& kubernetes_;
  Clock& clock_;
  GateStores stores_;
  asio::thread_pool* workers_;
  PodTrial pods_;
};

}  // namespace det::accept
