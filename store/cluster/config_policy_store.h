#pragma once

// Config policies: one document for each scope (the cluster or a workspace) and type of workload. They were checked by
// whoever stores them. Belongs to the io thread; Pool outlives it.

#include <optional>

#include <nlohmann/json.hpp>

#include "model/cluster/config_policy.h"
#include "model/ids.h"
#include "pg/pool.h"

namespace det::store {

using PolicyScope = std::optional<model::WorkspaceId>;  // nothing: the cluster

class ConfigPolicyStore {
 public:
  explicit ConfigPolicyStore(pg::Pool& pool) : pool_(pool) {}

  // {} where there is none.
  Task<Result<nlohmann::json>> find(PolicyScope scope, model::WorkloadType type);
  // In place of what was there. kNotFound when there is no such workspace.
  Task<Status> put(PolicyScope scope, model::WorkloadType type, nlohmann::json policy, model::UserId by);
  // Success when there is none.
  Task<Status> remove(PolicyScope scope, model::WorkloadType type);
  // All that counts for workloads of a project.
  Task<Result<model::ConfigPolicies>> of_project(model::ProjectId project, model::WorkloadType type);
  Task<Result<model::ConfigPolicies>> of_workspace(model::WorkspaceId workspace, model::WorkloadType type);

 private:
  pg::Pool& pool_;
};

}  // namespace det::store
