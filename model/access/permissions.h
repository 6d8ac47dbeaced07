#pragma once

// What there is to be permitted, with the numbers and words of Determined (proto/src/determined/rbac/v1/rbac.proto and
// the rows that its migrations fill in). Pure.

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

namespace det::model {

// The values are Determined's.
enum class Permission : std::int32_t {
  kCreateExperiment = 2001,
  kViewExperimentArtifacts = 2002,
  kViewExperimentMetadata = 2003,
  kUpdateExperiment = 2004,
  kUpdateExperimentMetadata = 2005,
  kDeleteExperiment = 2006,
  kCreateNsc = 3001,
  kViewNsc = 3002,
  kUpdateNsc = 3003,
  kViewWorkspace = 4002,
  kUpdateWorkspace = 4003,
  kDeleteWorkspace = 4004,
  kSetWorkspaceAgentUserGroup = 4005,
  kSetWorkspaceCheckpointStorageConfig = 4006,
  kSetWorkspaceDefaultResourcePool = 4007,
  kCreateProject = 5001,
  kViewProject = 5002,
  kUpdateProject = 5003,
  kDeleteProject = 5004,
  kAssignRoles = 6002,
  kViewModelRegistry = 7001,
  kEditModelRegistry = 7002,
  kCreateModelRegistry = 7003,
  kDeleteModelRegistry = 7004,
  kDeleteModelVersion = 7005,
  kDeleteOtherUserModelRegistry = 7006,
  kDeleteOtherUserModelVersion = 7007,
  kViewMasterLogs = 8001,
  kViewClusterUsage = 8002,
  kUpdateAgents = 8003,
  kViewSensitiveAgentInfo = 8004,
  kViewMasterConfig = 8005,
  kUpdateMasterConfig = 8006,
  kViewExternalJobs = 8007,
  kControlStrictJobQueue = 8101,
  kViewTemplates = 9001,
  kUpdateTemplates = 9002,
  kCreateTemplates = 9003,
  kDeleteTemplates = 9004,
  kModifyRpWorkspaceBindings = 10001,
  kSetWorkspaceNamespaceBindings = 11001,
  kSetResourceQuotas = 11002,
  kViewResourceQuotas = 11003,
  kModifyGlobalConfigPolicies = 11004,
  kModifyWorkspaceConfigPolicies = 11005,
  kViewGlobalConfigPolicies = 11006,
  kViewWorkspaceConfigPolicies = 11007,
  kAdministrateToken = 12001,
  kUpdateToken = 12002,
  kCreateToken = 12003,
  kCreateOtherToken = 12004,
  kViewOtherToken = 12005,
  kViewToken = 12006,
  kAdministrateUser = 91001,
  kAdministrateOauth = 91002,
  kUpdateGroup = 93001,
  kCreateWorkspace = 94001,
  kUpdateRoles = 96001,
  kEditWebhooks = 97001,
  kViewWebhooks = 97002,
};

struct PermissionInfo {
  Permission permission;
  std::string_view word;  // "PERMISSION_TYPE_CREATE_EXPERIMENT"
  std::string_view name;  // "create experiment"
  bool is_global_only;    // a role that has it cannot be assigned to one workspace
};

// All of them, by number.
[[nodiscard]] std::span<const PermissionInfo> permissions();
inline constexpr std::size_t kPermissions = 60;

// Where in permissions() it stands.
[[nodiscard]] std::size_t index_of(Permission permission);
[[nodiscard]] const PermissionInfo& info_of(Permission permission);

}  // namespace det::model
