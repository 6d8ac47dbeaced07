import { QueryClient } from '@tanstack/react-query';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { ChangedMeanwhile, keepTemplate } from './keep';

let there: { name: string; workspaceId: number; config: object }[] = [];
const sent: unknown[] = [];
beforeEach(() => {
  sent.length = 0;
  there = [{ name: 'mine', workspaceId: 2, config: { slots: 1 } }, { name: 'other', workspaceId: 1, config: {} }];
  vi.stubGlobal('document', { baseURI: 'http://host/ui/' });
  vi.stubGlobal('fetch', async (_url: URL, { method, body }: RequestInit) => {
    if (method === 'PUT') sent.push(JSON.parse(String(body)));
    return Response.json(method === 'PUT' ? {} : { templates: there });
  });
});
afterEach(() => vi.unstubAllGlobals());

const keep = (before: string) => keepTemplate(new QueryClient(), { name: 'mine', workspaceId: 1 }, before, 'slots: 4');
const refused = (before: string) => keep(before).catch((error: unknown) => error);

test('a template that nobody has changed is saved, and stays in its workspace', async () => {
  await keep('slots: 1\n');
  expect(sent).toEqual([{ config: { slots: 4 } }]);
});

test('what somebody else saved meanwhile is replaced only when it is known', async () => {
  there[0]!.config = { slots: 2 };
  const changed = await refused('slots: 1\n');
  expect(changed).toBeInstanceOf(ChangedMeanwhile);
  expect(changed).toMatchObject({ now: 'slots: 2\n' });
  expect(sent).toEqual([]);
  await keep('slots: 2\n');
  expect(sent).toHaveLength(1);
});

test('a template that was deleted meanwhile is made anew only when that is known', async () => {
  there = [];
  expect(await refused('slots: 1\n')).toMatchObject({ now: '' });
  await keep('');
  expect(sent).toEqual([{ config: { slots: 4 }, workspaceId: 1 }]);
});
