import { QueryClient } from '@tanstack/react-query';
import { afterEach, expect, test, vi } from 'vitest';
import { allTrialsQuery, firstTrialsQuery } from './trials';

afterEach(() => vi.unstubAllGlobals());

// A server with trials 1 to `count`; one more each time it is asked.
function serve(count: number) {
  const asked: string[] = [];
  vi.stubGlobal('document', { baseURI: 'https://host/ui/' });
  vi.stubGlobal('fetch', async (url: URL) => {
    const query = url.searchParams;
    const [offset, limit, now] = [Number(query.get('offset')), Number(query.get('limit')), count + asked.length];
    asked.push(`${offset || 0} ${limit}`);
    const trials = Array.from({ length: Math.max(0, Math.min(limit, now - offset)) }, (_, i) => ({ id: now - offset - i }));
    return new Response(JSON.stringify({ trials, pagination: { total: now } }));
  });
  return asked;
}

test('thousands of trials come a thousand at a time, each once', async () => {
  const asked = serve(2500);
  const { trials, total } = await new QueryClient().fetchQuery(allTrialsQuery(5));
  expect(asked).toEqual(['0 1000', '1000 1000', '2000 1000']);
  expect(trials.map(({ id }) => id)).toEqual(Array.from({ length: 2500 }, (_, i) => 2500 - i));
  expect(total).toBe(2502);
});

test('more than ten thousand are counted, and not asked for with each report', async () => {
  serve(12_000);
  const query = allTrialsQuery(5);
  const { trials, total } = await new QueryClient().fetchQuery(query);
  expect(trials.length).toBeGreaterThan(9980);
  expect(total).toBeGreaterThan(12_000);
  expect(query.queryKey[0]).not.toBe('experiment');
});

test('a few are asked for once, and anew when they changed', async () => {
  const asked = serve(7);
  const client = new QueryClient();
  await client.prefetchQuery(firstTrialsQuery(5));
  expect(await client.fetchQuery(allTrialsQuery(5))).toMatchObject({ total: 7, trials: { length: 7 } });
  expect(asked).toEqual(['0 100']);
  await client.invalidateQueries({ queryKey: ['experiment', 5] });
  expect(await client.fetchQuery({ ...allTrialsQuery(5), staleTime: 0 })).toMatchObject({ total: 8, trials: { length: 8 } });
  expect(asked).toEqual(['0 100', '0 1000']);
});
