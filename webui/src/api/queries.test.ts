import { QueryClient, QueryObserver } from '@tanstack/react-query';
import { afterEach, expect, test, vi } from 'vitest';
import { checkpointsQuery, curvesQuery, lastErrorQuery } from './queries';

afterEach(() => vi.unstubAllGlobals());

test('while curves of another metric come, those of the former are not shown for them; those of other trials are', () => {
  const client = new QueryClient();
  const asked = (metric: string, trials: number[]) => ({ ...curvesQuery(['trial', 7], trials, metric, 100, false), queryFn: () => new Promise<never>(() => {}) });
  const first = asked('training.loss', [7]);
  client.setQueryData(first.queryKey, { trials: [] });
  const observer = new QueryObserver(client, { ...first, staleTime: Infinity });
  const stop = observer.subscribe(() => {});
  observer.setOptions(asked('training.loss', [7, 8]));
  expect(observer.getCurrentResult()).toMatchObject({ data: { trials: [] }, isPlaceholderData: true });
  observer.setOptions(asked('validation.loss', [7, 8]));
  expect(observer.getCurrentResult().data).toBeUndefined();
  stop();
  client.clear();
});

test('of many checkpoints the newest are asked for, not those of the last trials', async () => {
  const asked: string[] = [];
  vi.stubGlobal('document', { baseURI: 'https://host/ui/' });
  vi.stubGlobal('fetch', async (url: URL) => { asked.push(url.search); return new Response('{}'); });
  await new QueryClient().fetchQuery(checkpointsQuery('trial', 7));
  await new QueryClient().fetchQuery(checkpointsQuery('experiment', 7));
  expect(asked).toEqual(Array(2).fill('?limit=500&sortByAttr=SORT_BY_END_TIME&orderBy=ORDER_BY_DESC'));
});

test('an experiment that went on and failed anew is asked for its new reason', async () => {
  let count = 0;
  vi.stubGlobal('document', { baseURI: 'https://host/ui/' });
  vi.stubGlobal('fetch', async () => { count += 1; return new Response(JSON.stringify({ result: { log: `reason ${count}` } })); });
  const client = new QueryClient();
  const reason = (ended: string) => client.fetchQuery(lastErrorQuery(7, ended));
  expect([await reason('10:00'), await reason('10:00'), await reason('10:05')]).toEqual(['reason 1', 'reason 1', 'reason 2']);
});
