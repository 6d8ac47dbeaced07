// The page's questions. A key begins as the topic of the live stream that makes it old (live/client.ts).
import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import { address, ask } from './client';
import type { Schemas } from './client';
import type { XAxis } from '../charts/curves';
import { pieces } from '../lib/ansi';
import { firstMessage } from './stream';

export type Experiment = Schemas['v1Experiment'];
export type Trial = Schemas['v1Trial'];
export type MetricName = { group?: string; name?: string };
export type SearchBody = { offset: number; limit: number; sort?: string; filter?: string; projectId?: number };

export const meQuery = queryOptions({ queryKey: ['me'], staleTime: 60_000, queryFn: ({ signal }) => ask('get', '/api/v1/auth/user', { signal }) });
export const serverQuery = queryOptions({ queryKey: ['server'], staleTime: 60_000, queryFn: ({ signal }) => ask('get', '/api/v1/master', { signal }) });

export const searchQuery = (body: SearchBody) => queryOptions({
  queryKey: ['experiments', 'search', body], placeholderData: keepPreviousData,
  queryFn: ({ signal }) => ask('post', '/api/v1/experiments-search', { body, signal }),
});
export const queueQuery = queryOptions({ queryKey: ['queue', 'jobs'], queryFn: ({ signal }) => ask('get', '/api/v1/job-queues', { query: { limit: 100 }, signal }) });

export const experimentQuery = (id: number) => queryOptions({
  queryKey: ['experiment', id, 'self'], queryFn: ({ signal }) => ask('get', '/api/v1/experiments/{id}', { path: { id }, signal }),
});
// At most `limit` trials: the newest, and how many there are.
export const trialsQuery = (id: number, limit = 500) => queryOptions({
  queryKey: ['experiment', id, 'trials', limit],
  queryFn: ({ signal }) => ask('get', '/api/v1/experiments/{id}/trials', { path: { id }, query: { limit, sortBy: 'SORT_BY_ID', orderBy: 'ORDER_BY_DESC', includeSummaryMetrics: false }, signal }),
});
export const metricNamesQuery = (id: number) => queryOptions({
  queryKey: ['experiment', id, 'metric-names'],
  queryFn: async () => {
    const told = await firstMessage<{ metricNames?: MetricName[] }>(address('/api/v1/experiments/metrics-stream/metric-names', {}, { ids: id, periodSeconds: 1 }));
    return told?.metricNames ?? [];
  },
});
// Empty where nothing was written to stderr. `ended`: when the experiment did; it may go on and fail anew, of something else.
export const lastErrorQuery = (id: number, ended: string | null | undefined) => queryOptions({
  queryKey: ['last-error', id, ended ?? ''], staleTime: 60_000,
  queryFn: async () => {
    const told = await firstMessage<{ log?: string }>(address('/api/v1/experiments/{id}/logs', { id }, { stdtypes: 'stderr', limit: 1 }));
    return pieces((told?.log ?? '').trim()).map(({ text }) => text).join('');
  },
});
// `key`: that of the topic by which it becomes old. `isSpread`: the server reads no more reports than it gives, rather than all of them to choose from.
export const curvesQuery = (key: readonly (string | number)[], trialIds: number[], metricId: string, points: number, isSpread: boolean) => queryOptions({
  queryKey: [...key, 'curves', metricId, points, isSpread, trialIds], enabled: trialIds.length > 0,
  queryFn: ({ signal }) => ask('get', '/api/v1/trials/time-series', { query: { trialIds, metricIds: [metricId], maxDatapoints: points, spread: isSpread }, signal }),
  // Those of another metric would stand under this one's name.
  placeholderData: (old, before) => (before?.queryKey[key.length + 1] === metricId ? old : undefined),
});
// One metric of the experiment's newest 500 trials, few points of each; those of `part` (from, to batches) where it is given.
export const experimentCurvesQuery = (id: number, metricId: string, axis: XAxis, part?: readonly [number, number]) => queryOptions({
  queryKey: ['experiment', id, 'all-curves', metricId, axis, part ?? 'whole'],
  queryFn: ({ signal }) => ask('get', '/api/v1/experiments/{id}/curves', { path: { id }, query: { metricId, axis, ...(part && { startBatches: part[0], endBatches: part[1] }) }, signal }),
});
// At most 500: the newest, and how many there are.
export const checkpointsQuery = (kind: 'experiment' | 'trial', id: number) => queryOptions({
  queryKey: [kind, id, 'checkpoints'],
  queryFn: ({ signal }) => ask('get', kind === 'trial' ? '/api/v1/trials/{id}/checkpoints' : '/api/v1/experiments/{id}/checkpoints',
    { path: { id }, query: { limit: 500, sortByAttr: 'SORT_BY_END_TIME', orderBy: 'ORDER_BY_DESC' }, signal }),
});
export const trialQuery = (id: number) => queryOptions({
  queryKey: ['trial', id, 'self'], queryFn: ({ signal }) => ask('get', '/api/v1/trials/{id}', { path: { id }, signal }),
});
