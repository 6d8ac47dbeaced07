import { QueryClient } from '@tanstack/react-query';
import { afterEach, expect, test, vi } from 'vitest';
import { experimentQuery } from '../../api/queries';
import { allTrialsQuery } from '../../api/trials';
import { askAhead } from './ahead';

afterEach(() => vi.unstubAllGlobals());

// What is asked for of experiment 5, which looks for `loss` and has so many trials.
function serve(numTrials = 3) {
  const asked: string[] = [];
  vi.stubGlobal('document', { baseURI: 'https://host/ui/' });
  vi.stubGlobal('fetch', async ({ pathname, searchParams }: URL) => {
    asked.push([pathname.replace('/api/v1/experiments/', ''), ...['metricId', 'axis', 'limit'].flatMap((name) => searchParams.get(name) ?? [])].join(' '));
    return Response.json(pathname.endsWith('/5') ? { experiment: { id: 5, numTrials, searcherMetric: 'loss' } } : {});
  });
  return asked;
}
const settled = () => new Promise((done) => { setTimeout(done); });

test('curves are asked for as soon as the experiment tells what the search looks for', async () => {
  const asked = serve();
  askAhead(new QueryClient(), 5, 'overview', {});
  await settled();
  expect(asked).toEqual(['metrics-stream/metric-names', '5', '5/curves validation.loss batches']);
});

test('of an experiment that was there before, also when it may have changed since', async () => {
  const asked = serve();
  const queries = new QueryClient();
  queries.setQueryData(experimentQuery(5).queryKey, { experiment: { numTrials: 9, searcherMetric: 'accuracy' } } as never, { updatedAt: 1 });
  askAhead(queries, 5, 'overview', {});
  await settled();
  expect(asked).toEqual(['metrics-stream/metric-names', '5/curves validation.accuracy batches']);
});

test('the metric and axis of an address need no experiment; of one trial nobody knows what is shown', async () => {
  const asked = serve(1);
  askAhead(new QueryClient(), 5, 'overview', { metric: 'training.loss', axis: 'time' });
  askAhead(new QueryClient(), 5, 'overview', {});
  await settled();
  expect(asked.filter((one) => one.includes('curves'))).toEqual(['5/curves training.loss time']);
});

test('the newest trials are asked for, except where all are there', async () => {
  const asked = serve();
  const queries = new QueryClient();
  askAhead(queries, 5, 'trials', {});
  await settled();
  expect(asked).toEqual(['5/trials 100']);
  queries.clear();
  queries.setQueryData(allTrialsQuery(5).queryKey, { trials: [], total: 0, took: 0 });
  askAhead(queries, 5, 'trials', {});
  await settled();
  expect(asked).toEqual(['5/trials 100']);
});
