import { expect, test } from 'vitest';
import { assignmentsOf, bodyOf } from './assignments';

test('roles with who has them become lines, and a line the body that takes it away', () => {
  const role = { roleId: 5, name: 'Editor' };
  const lines = assignmentsOf([
    { role, userRoleAssignments: [{ userId: 2, roleAssignment: { role, scopeWorkspaceId: 7, scopeCluster: false } }], groupRoleAssignments: [{ groupId: 3, roleAssignment: { role, scopeWorkspaceId: null, scopeCluster: true } }] },
    { role: { roleId: 1, name: 'ClusterAdmin' } },
  ]);
  expect(lines).toEqual([{ role: 5, roleName: 'Editor', group: 3 }, { role: 5, roleName: 'Editor', user: 2, workspace: 7 }]);
  expect(bodyOf(lines[0]!)).toEqual({ userRoleAssignments: [], groupRoleAssignments: [{ groupId: 3, roleAssignment: { role: { roleId: 5 } } }] });
  expect(bodyOf(lines[1]!)).toEqual({ userRoleAssignments: [{ userId: 2, roleAssignment: { role: { roleId: 5 }, scopeWorkspaceId: 7 } }], groupRoleAssignments: [] });
});
