import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { createElement } from 'react';
import { afterEach, expect, test, vi } from 'vitest';
import { act, mount } from '../../testing/mount';
import { seenNow, useLogFields } from './fields';

afterEach(() => vi.unstubAllGlobals());

test('ranks are asked for again when lines come, though not with every line', async () => {
  let asked = 0;
  let found = '';
  vi.stubGlobal('fetch', async () => { asked += 1; return new Response(found); });
  let ranks: number[] | undefined;
  const Filters = ({ last }: { last: number | undefined }) => {
    ranks = useLogFields({ id: 7, restarts: 0, last })?.rankIds;
    return null;
  };
  const queries = new QueryClient();
  const drawn = (last: number | undefined) =>
    createElement(QueryClientProvider, { client: queries }, createElement(Filters, { last }));
  const { draw, leave } = await mount(drawn(undefined));
  expect(asked).toBe(0);
  await draw(drawn(0));
  await vi.waitFor(() => expect(asked).toBe(1));
  found = '{"result":{"rankIds":[0,1]}}\n';
  await draw(drawn(4));
  await act(() => vi.waitFor(() => expect(queries.isFetching()).toBe(0)));
  await vi.waitFor(() => expect(ranks).toEqual([0, 1]));
  for (const last of [5, 6, 3]) await draw(drawn(last));
  expect([asked, ranks]).toEqual([2, [0, 1]]);
  await leave();
});

test('a log of a million lines has its ranks asked for twenty times at most, and each run anew', () => {
  let seen = { restarts: 0, from: 0, doubled: 0 };
  for (let last = 0; last <= 1_000_000; last += 1) seen = seenNow(seen, 0, last);
  expect(seen.doubled).toBe(19);
  expect(seenNow(seen, 1, 1_000_000)).toEqual({ restarts: 1, from: 1_000_000, doubled: 0 });
  expect(seenNow(seenNow(seen, 1, 1_000_000), 1, 1_000_003).doubled).toBe(2);
});
