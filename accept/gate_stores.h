#pragma once

// The rows that the gates look at; borrowed.

#include "store/checkpoints/checkpoint_store.h"
#include "store/cluster/config_policy_store.h"
#include "store/cluster/pool_binding_store.h"
#include "store/cluster/template_store.h"
#include "store/cluster/workspace_store.h"
#include "store/experiments/context_store.h"
#include "store/experiments/experiment_store.h"
#include "store/trials/trial_store.h"
#include "store/webhooks/webhook_store.h"

namespace det::accept {

struct GateStores {
  store::TemplateStore& templates;
  store::WorkspaceStore& workspaces;
  store::ConfigPolicyStore& config_policies;
  store::PoolBindingStore& pool_bindings;
  store::CheckpointStore& checkpoints;
  store::ContextStore& contexts;
  store::ExperimentStore& experiments;
  store::TrialStore& trials;
  store::WebhookStore& webhooks;
};

}  // namespace det::accept
