#include "model/access/roles.h"

#include <algorithm>
#include <initializer_list>

namespace det::model {
namespace {

using enum Permission;

std::vector<Permission> everything() {
  std::vector<Permission> all;
  for (const PermissionInfo& one : permissions()) all.push_back(one.permission);
  return all;
}

using Some = std::vector<Permission>;

// By number.
Some all_of(std::initializer_list<Some> lists) {
  Some all;
  for (const Some& list : lists) all.insert(all.end(), list.begin(), list.end());
  std::ranges::sort(all);
  return all;
}

std::vector<Role> make_roles() {
  const Some policies = {kViewGlobalConfigPolicies, kViewWorkspaceConfigPolicies};
  const Some looks = {
      kViewExperimentArtifacts, kViewExperimentMetadata, kViewNsc,           kViewWorkspace, kViewProject,
      kViewModelRegistry,       kViewTemplates,          kViewResourceQuotas};
  const Some edits = {kCreateExperiment,  kUpdateExperiment,    kUpdateExperimentMetadata, kDeleteExperiment,
                      kEditModelRegistry, kCreateModelRegistry, kDeleteModelRegistry,      kDeleteModelVersion,
                      kUpdateTemplates,   kCreateTemplates,     kDeleteTemplates};
  const Some tasks = {kCreateNsc, kUpdateNsc};
  const Some projects = {kCreateProject, kUpdateProject};
  const Some webhooks = {kEditWebhooks, kViewWebhooks};
  const Some editor = all_of({looks, policies, edits, tasks, projects});  // but for webhooks
  const Some workspace = {kUpdateWorkspace,
                          kDeleteWorkspace,
                          kSetWorkspaceCheckpointStorageConfig,
                          kSetWorkspaceDefaultResourcePool,
                          kDeleteProject,
                          kAssignRoles,
                          kDeleteOtherUserModelRegistry,
                          kDeleteOtherUserModelVersion,
                          kModifyWorkspaceConfigPolicies};
  return {
      {.id = {1}, .name = "ClusterAdmin", .permissions = everything()},
      {.id = {2}, .name = "WorkspaceAdmin", .permissions = all_of({editor, webhooks, workspace})},
      {.id = {3}, .name = "WorkspaceCreator", .permissions = all_of({policies, {kCreateWorkspace}})},
      {.id = {4}, .name = "Viewer", .permissions = all_of({looks, policies, {kViewWebhooks}})},
      {.id = {5}, .name = "Editor", .permissions = all_of({editor, webhooks})},
      {.id = {6}, .name = "ModelRegistryViewer", .permissions = all_of({{kViewModelRegistry}, policies})},
      {.id = {7}, .name = "EditorRestricted", .permissions = all_of({looks, policies, edits, projects, webhooks})},
      {.id = {8}, .name = "GenAIUser", .permissions = all_of({editor, {kDeleteProject, kCreateWorkspace}})},
      {.id = {9}, .name = "EditorProjectRestricted", .permissions = all_of({looks, policies, edits, tasks, webhooks})},
      {.id = {10}, .name = "TokenCreator", .permissions = {kUpdateToken, kCreateToken, kViewToken}},
  };
}

}  // namespace

bool Role::is_global_only() const {
  return std::ranges::any_of(permissions, [](Permission one) { return info_of(one).is_global_only; });
}

const std::vector<Role>& all_roles() {
  static const std::vector<Role> kRoles = make_roles();
  return kRoles;
}

const Role* find_role(RoleId id) {
  const auto found = std::ranges::find(all_roles(), id, &Role::id);
  return found == all_roles().end() ? nullptr : &*found;
}

}  // namespace det::model
