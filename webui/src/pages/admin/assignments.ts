// Who has which role where, as lines of a table.
import type { Schemas } from '../../api/client';

export interface Assignment { role: number; roleName: string; user?: number; group?: number; workspace?: number }  // no workspace: everywhere

export function assignmentsOf(roles: readonly Schemas['v1RoleWithAssignments'][]): Assignment[] {
  return roles.flatMap(({ role, userRoleAssignments = [], groupRoleAssignments = [] }) => {
    const line = (given: Schemas['v1RoleAssignment'] | undefined): Assignment => {
      const workspace = given?.scopeWorkspaceId;
      return { role: role?.roleId ?? 0, roleName: role?.name ?? '', ...(typeof workspace === 'number' && { workspace }) };
    };
    return [...groupRoleAssignments.map(({ groupId, roleAssignment }) => ({ ...line(roleAssignment), group: groupId ?? 0 })),
      ...userRoleAssignments.map(({ userId, roleAssignment }) => ({ ...line(roleAssignment), user: userId ?? 0 }))];
  });
}

// The body with which the server gives a role or takes it away.
export function bodyOf({ role, user, group, workspace }: Omit<Assignment, 'roleName'>) {
  const roleAssignment = { role: { roleId: role }, ...(workspace !== undefined && { scopeWorkspaceId: workspace }) };
  return {
    userRoleAssignments: user !== undefined ? [{ userId: user, roleAssignment }] : [],
    groupRoleAssignments: group !== undefined ? [{ groupId: group, roleAssignment }] : [],
  };
}
