import { describe, expect, test } from 'vitest';
import type { Rights } from '../api/sections';
import { may, mayAnywhere, mayDo, mayDoAnywhere } from './rights';

const nobody: Rights = { user: 7, isAdmin: false, hasRoles: false, everywhere: [], within: {} };

describe('what one may', () => {
  test('without roles: administrators everything, others what is theirs', () => {
    expect(may({ ...nobody, isAdmin: true }, 'UPDATE_AGENTS')).toBe(true);
    expect(may(nobody, 'UPDATE_AGENTS')).toBe(false);
    expect(may(nobody, 'UPDATE_PROJECT', { owner: 7 })).toBe(true);
    expect(may(nobody, 'UPDATE_PROJECT', { owner: 8 })).toBe(false);
    expect(may(nobody, 'CREATE_WORKSPACE', { owner: 'anybody' })).toBe(true);
    expect(may(nobody, 'UPDATE_PROJECT', { owner: [8, 7] })).toBe(true);
    expect(may(nobody, 'UPDATE_PROJECT', { owner: [8, undefined] })).toBe(false);
  });
  test('with roles: only their permissions, where they are', () => {
    const editor: Rights = { ...nobody, isAdmin: true, hasRoles: true, everywhere: ['VIEW_PROJECT'], within: { 3: ['UPDATE_PROJECT'] } };
    expect(may(editor, 'UPDATE_AGENTS')).toBe(false);
    expect(may(editor, 'VIEW_PROJECT', { workspace: 9 })).toBe(true);
    expect(may(editor, 'UPDATE_PROJECT', { workspace: 3, owner: 8 })).toBe(true);
    expect(may(editor, 'UPDATE_PROJECT', { workspace: 4, owner: 7 })).toBe(false);
    expect(mayAnywhere(editor, 'UPDATE_PROJECT')).toBe(true);
    expect(mayAnywhere(editor, 'CREATE_NSC')).toBe(false);
    expect(mayAnywhere(nobody, 'CREATE_NSC')).toBe(true);
  });
  test('with an experiment: who looks is offered nothing, and only owners delete where there are no roles', () => {
    const deeds = ['pause', 'archive', 'labels', 'fork', 'delete', 'move', 'delete-checkpoint'] as const;
    const offered = (rights: Rights, workspaceId: number, userId: number) => deeds.filter((deed) => mayDo(rights, deed, { workspaceId, userId }));
    const viewer: Rights = { ...nobody, hasRoles: true, within: { 3: ['VIEW_EXPERIMENT_METADATA'] } };
    expect(offered(viewer, 3, 7)).toEqual([]);
    expect(mayDoAnywhere(viewer, 'kill')).toBe(false);
    const editor: Rights = { ...viewer, within: { 3: ['UPDATE_EXPERIMENT', 'DELETE_EXPERIMENT'] } };
    expect(offered(editor, 3, 8)).toEqual(['pause', 'delete', 'move', 'delete-checkpoint']);
    expect(offered(editor, 4, 7)).toEqual([]);
    expect(mayDoAnywhere(editor, 'kill')).toBe(true);
    expect(offered(nobody, 3, 8)).toEqual(['pause', 'archive', 'labels', 'fork']);
    expect(offered(nobody, 3, 7)).toEqual([...deeds]);
    expect(mayDo(undefined, 'pause', { workspaceId: 3, userId: 7 })).toBe(false);
  });
});
