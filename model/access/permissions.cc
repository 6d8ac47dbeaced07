#include "model/access/permissions.h"

#include <algorithm>
#include <array>

#include "base/check.h"

namespace det::model {
namespace {

constexpr std::array<PermissionInfo, kPermissions> kAll = {{
    {Permission::kCreateExperiment, "PERMISSION_TYPE_CREATE_EXPERIMENT", "create experiment", false},
    {Permission::kViewExperimentArtifacts, "PERMISSION_TYPE_VIEW_EXPERIMENT_ARTIFACTS", "view experiment artifacts",
     false},
    {Permission::kViewExperimentMetadata, "PERMISSION_TYPE_VIEW_EXPERIMENT_METADATA", "view experiment metadata",
     false},
    {Permission::kUpdateExperiment, "PERMISSION_TYPE_UPDATE_EXPERIMENT", "update experiment", false},
    {Permission::kUpdateExperimentMetadata, "PERMISSION_TYPE_UPDATE_EXPERIMENT_METADATA", "update experiment metadata",
     false},
    {Permission::kDeleteExperiment, "PERMISSION_TYPE_DELETE_EXPERIMENT", "delete experiment", false},
    {Permission::kCreateNsc, "PERMISSION_TYPE_CREATE_NSC", "create notebooks/shells/commands", false},
    {Permission::kViewNsc, "PERMISSION_TYPE_VIEW_NSC", "view notebooks/shells/commands", false},
    {Permission::kUpdateNsc, "PERMISSION_TYPE_UPDATE_NSC", "update notebooks/shells/commands", false},
    {Permission::kViewWorkspace, "PERMISSION_TYPE_VIEW_WORKSPACE", "view workspace", false},
    {Permission::kUpdateWorkspace, "PERMISSION_TYPE_UPDATE_WORKSPACE", "update workspace", false},
    {Permission::kDeleteWorkspace, "PERMISSION_TYPE_DELETE_WORKSPACE", "delete workspace", false},
    {Permission::kSetWorkspaceAgentUserGroup, "PERMISSION_TYPE_SET_WORKSPACE_AGENT_USER_GROUP",
     "set agent user group on workspace", false},
    {Permission::kSetWorkspaceCheckpointStorageConfig, "PERMISSION_TYPE_SET_WORKSPACE_CHECKPOINT_STORAGE_CONFIG",
     "set checkpoint storage config on workspace", false},
    {Permission::kSetWorkspaceDefaultResourcePool, "PERMISSION_TYPE_SET_WORKSPACE_DEFAULT_RESOURCE_POOL",
     "set default resource pool on workspace", false},
    {Permission::kCreateProject, "PERMISSION_TYPE_CREATE_PROJECT", "create project", false},
    {Permission::kViewProject, "PERMISSION_TYPE_VIEW_PROJECT", "view project", false},
    {Permission::kUpdateProject, "PERMISSION_TYPE_UPDATE_PROJECT", "update project", false},
    {Permission::kDeleteProject, "PERMISSION_TYPE_DELETE_PROJECT", "delete project", false},
    {Permission::kAssignRoles, "PERMISSION_TYPE_ASSIGN_ROLES", "assign roles", false},
    {Permission::kViewModelRegistry, "PERMISSION_TYPE_VIEW_MODEL_REGISTRY", "view model registry", false},
    {Permission::kEditModelRegistry, "PERMISSION_TYPE_EDIT_MODEL_REGISTRY", "edit model registry", false},
    {Permission::kCreateModelRegistry, "PERMISSION_TYPE_CREATE_MODEL_REGISTRY", "create model registry", false},
    {Permission::kDeleteModelRegistry, "PERMISSION_TYPE_DELETE_MODEL_REGISTRY", "delete model registry", false},
    {Permission::kDeleteModelVersion, "PERMISSION_TYPE_DELETE_MODEL_VERSION", "delete model version", false},
    {Permission::kDeleteOtherUserModelRegistry, "PERMISSION_TYPE_DELETE_OTHER_USER_MODEL_REGISTRY",
     "delete other user model registry", false},
    {Permission::kDeleteOtherUserModelVersion, "PERMISSION_TYPE_DELETE_OTHER_USER_MODEL_VERSION",
     "delete other user model version", false},
    {Permission::kViewMasterLogs, "PERMISSION_TYPE_VIEW_MASTER_LOGS", "view master logs", true},
    {Permission::kViewClusterUsage, "PERMISSION_TYPE_VIEW_CLUSTER_USAGE", "view detailed cluster usage", true},
    {Permission::kUpdateAgents, "PERMISSION_TYPE_UPDATE_AGENTS", "update agents", true},
    {Permission::kViewSensitiveAgentInfo, "PERMISSION_TYPE_VIEW_SENSITIVE_AGENT_INFO", "view sensitive agent info",
     true},
    {Permission::kViewMasterConfig, "PERMISSION_TYPE_VIEW_MASTER_CONFIG", "view master config", true},
    {Permission::kUpdateMasterConfig, "PERMISSION_TYPE_UPDATE_MASTER_CONFIG", "update master config", true},
    {Permission::kViewExternalJobs, "PERMISSION_TYPE_VIEW_EXTERNAL_JOBS", "view external jobs", true},
    {Permission::kControlStrictJobQueue, "PERMISSION_TYPE_CONTROL_STRICT_JOB_QUEUE", "control strict job queue", true},
    {Permission::kViewTemplates, "PERMISSION_TYPE_VIEW_TEMPLATES", "view templates", false},
    {Permission::kUpdateTemplates, "PERMISSION_TYPE_UPDATE_TEMPLATES", "update templates", false},
    {Permission::kCreateTemplates, "PERMISSION_TYPE_CREATE_TEMPLATES", "create templates", false},
    {Permission::kDeleteTemplates, "PERMISSION_TYPE_DELETE_TEMPLATES", "delete templates", false},
    {Permission::kModifyRpWorkspaceBindings, "PERMISSION_TYPE_MODIFY_RP_WORKSPACE_BINDINGS",
     "modify rp workspace bindings", true},
    {Permission::kSetWorkspaceNamespaceBindings, "PERMISSION_TYPE_SET_WORKSPACE_NAMESPACE_BINDINGS",
     "set workspace-namespace bindings", true},
    {Permission::kSetResourceQuotas, "PERMISSION_TYPE_SET_RESOURCE_QUOTAS", "set resource quotas", true},
    {Permission::kViewResourceQuotas, "PERMISSION_TYPE_VIEW_RESOURCE_QUOTAS", "view resource quotas", false},
    {Permission::kModifyGlobalConfigPolicies, "PERMISSION_TYPE_MODIFY_GLOBAL_CONFIG_POLICIES",
     "modify global config policies", true},
    {Permission::kModifyWorkspaceConfigPolicies, "PERMISSION_TYPE_MODIFY_WORKSPACE_CONFIG_POLICIES",
     "modify workspace config policies", false},
    {Permission::kViewGlobalConfigPolicies, "PERMISSION_TYPE_VIEW_GLOBAL_CONFIG_POLICIES",
     "view global config policies", false},
    {Permission::kViewWorkspaceConfigPolicies, "PERMISSION_TYPE_VIEW_WORKSPACE_CONFIG_POLICIES",
     "view workspace config policies", false},
    {Permission::kAdministrateToken, "PERMISSION_TYPE_ADMINISTRATE_TOKEN", "administrate access token", true},
    {Permission::kUpdateToken, "PERMISSION_TYPE_UPDATE_TOKEN", "update own access token", true},
    {Permission::kCreateToken, "PERMISSION_TYPE_CREATE_TOKEN", "create access token", true},
    {Permission::kCreateOtherToken, "PERMISSION_TYPE_CREATE_OTHER_TOKEN", "create other access token", true},
    {Permission::kViewOtherToken, "PERMISSION_TYPE_VIEW_OTHER_TOKEN", "view other access token", true},
    {Permission::kViewToken, "PERMISSION_TYPE_VIEW_TOKEN", "view own access token", true},
    {Permission::kAdministrateUser, "PERMISSION_TYPE_ADMINISTRATE_USER", "administrate user", true},
    {Permission::kAdministrateOauth, "PERMISSION_TYPE_ADMINISTRATE_OAUTH", "manage oauth", true},
    {Permission::kUpdateGroup, "PERMISSION_TYPE_UPDATE_GROUP", "update group", true},
    {Permission::kCreateWorkspace, "PERMISSION_TYPE_CREATE_WORKSPACE", "create workspace", true},
    {Permission::kUpdateRoles, "PERMISSION_TYPE_UPDATE_ROLES", "update roles", true},
    {Permission::kEditWebhooks, "PERMISSION_TYPE_EDIT_WEBHOOKS", "edit webhooks", false},
    {Permission::kViewWebhooks, "PERMISSION_TYPE_VIEW_WEBHOOKS", "view webhooks", false},
}};
static_assert(std::ranges::is_sorted(kAll, {}, &PermissionInfo::permission));

}  // namespace

std::span<const PermissionInfo> permissions() {
  return kAll;
}

std::size_t index_of(Permission permission) {
  const auto found = std::ranges::lower_bound(kAll, permission, {}, &PermissionInfo::permission);
  DET_CHECK(found != kAll.end() && found->permission == permission, "every permission stands in the table");
  return static_cast<std::size_t>(found - kAll.begin());
}

const PermissionInfo& info_of(Permission permission) {
  return kAll[index_of(permission)];
}

}  // namespace det::model
