import { QueryClient } from '@tanstack/react-query';
import { afterEach, expect, test, vi } from 'vitest';
import { meQuery, serverQuery } from './queries';
import { groupsQuery, rightsQuery } from './sections';

afterEach(() => vi.unstubAllGlobals());

test('groups are all there, however many', async () => {
  const offsets: number[] = [];
  vi.stubGlobal('document', { baseURI: 'https://host/ui/' });
  vi.stubGlobal('fetch', async (_url: URL, { body }: { body: string }) => {
    const { offset, limit } = JSON.parse(body) as { offset: number; limit: number };
    offsets.push(offset);
    const groups = Array.from({ length: Math.min(limit, 1200 - offset) }, (_, i) => ({ group: { groupId: offset + i } }));
    return new Response(JSON.stringify({ groups, pagination: { total: 1200 } }));
  });
  const { groups } = await new QueryClient().fetchQuery(groupsQuery);
  expect(groups.map(({ group }) => group?.groupId)).toEqual(Array.from({ length: 1200 }, (_, i) => i));
  expect(offsets).toEqual([0, 500, 1000]);
});

test('rights are those of who is signed in now, not of who was a while ago', async () => {
  vi.stubGlobal('document', { baseURI: 'https://host/ui/' });
  vi.stubGlobal('fetch', async () => new Response(JSON.stringify({ user: { id: 7, admin: true } })));
  const client = new QueryClient();
  client.setQueryData(serverQuery.queryKey, { rbacEnabled: false } as never);
  client.setQueryData(meQuery.queryKey, { user: { id: 7, admin: false } } as never, { updatedAt: Date.now() - 120_000 });
  expect(await client.fetchQuery(rightsQuery)).toMatchObject({ user: 7, isAdmin: true });
});
