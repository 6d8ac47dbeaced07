import { expect, test } from 'vitest';
import type { Rights } from '../../api/sections';
import { mayWithProject } from './may';

const somebody: Rights = { user: 7, isAdmin: false, hasRoles: false, everywhere: [], within: {} };

test('the workspace\'s owner may what a project\'s owner may, but move it', () => {
  const offered = (owner: number, workspaceOwner: number | undefined, more = {}) => mayWithProject(somebody, { userId: owner, workspaceId: 3, ...more }, workspaceOwner);
  expect(offered(7, 9)).toEqual({ change: true, move: true, remove: true });
  expect(offered(8, 7)).toEqual({ change: true, move: false, remove: true });
  expect(offered(8, undefined)).toEqual({ change: false, move: false, remove: false });
  expect(offered(7, 7, { immutable: true })).toEqual({ change: false, move: false, remove: false });
});

test('with roles it needs the permissions, whoever the owners are', () => {
  const editor: Rights = { ...somebody, hasRoles: true, within: { 3: ['UPDATE_PROJECT'] } };
  expect(mayWithProject(editor, { userId: 7, workspaceId: 3 }, 7)).toEqual({ change: true, move: false, remove: false });
  expect(mayWithProject({ ...editor, within: { 3: ['DELETE_PROJECT'] } }, { userId: 8, workspaceId: 3 }, 8)).toEqual({ change: false, move: true, remove: true });
});
