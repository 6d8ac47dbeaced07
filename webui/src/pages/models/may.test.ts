import { expect, test } from 'vitest';
import type { Rights } from '../../api/sections';
import { mayDelete, mayDeleteVersion, mayEdit } from './may';

const somebody: Rights = { user: 7, isAdmin: false, hasRoles: false, everywhere: [], within: {} };
const model = { name: 'ships', userId: 8, workspaceId: 3 };

test('without roles everybody registers and edits, and owners delete: of a version also the model\'s', () => {
  expect([mayEdit(somebody, model), mayDelete(somebody, model), mayDelete({ ...somebody, user: 8 }, model)]).toEqual([true, false, true]);
  const mayGo = (user: number, owner: number) => mayDeleteVersion({ ...somebody, user }, model, { userId: owner });
  expect([mayGo(7, 7), mayGo(8, 7), mayGo(9, 7)]).toEqual([true, true, false]);
  expect(mayDeleteVersion({ ...somebody, isAdmin: true }, model, { userId: 9 })).toBe(true);
  expect([mayEdit(undefined, model), mayDelete(undefined, model), mayDeleteVersion(undefined, model, { userId: 7 })]).toEqual([false, false, false]);
});

test('with roles only permissions count, and a version of others takes one more', () => {
  const editor = (...permissions: string[]): Rights => ({ ...somebody, hasRoles: true, within: { 3: permissions } });
  expect(mayEdit(editor(), model)).toBe(false);
  expect(mayEdit(editor('EDIT_MODEL_REGISTRY'), model)).toBe(true);
  expect(mayDeleteVersion(editor(), model, { userId: 7 })).toBe(false);
  expect(mayDeleteVersion(editor('DELETE_MODEL_VERSION'), model, { userId: 7 })).toBe(true);
  expect(mayDeleteVersion(editor('DELETE_MODEL_VERSION'), model, { userId: 9 })).toBe(false);
  expect(mayDeleteVersion(editor('DELETE_MODEL_VERSION', 'DELETE_OTHER_USER_MODEL_VERSION'), model, { userId: 9 })).toBe(true);
});
