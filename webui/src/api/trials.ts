// All trials of an experiment, as tables and drawings of the whole search have them.
import { queryOptions } from '@tanstack/react-query';
import { ask } from './client';
import type { Trial } from './queries';
import { trialsQuery } from './queries';

export const kMostTrials = 10_000;
const kPage = 1000;  // 1 MB: what is read at once keeps the page from answering
const kFirst = 100;  // a screen or two: they show while the rest comes
const kFreshMs = 2000;  // the first that were just had need not be asked for again where there are no more

export const firstTrialsQuery = (id: number) => trialsQuery(id, kFirst);

export interface AllTrials { trials: Trial[]; total: number; took: number }

// The newest `kMostTrials`, and how many there are. Outside of ['experiment', id]: it is asked anew in turn (useInTurn).
export const allTrialsQuery = (id: number) => queryOptions({
  queryKey: ['all-trials', id], structuralSharing: false, staleTime: 10_000,
  queryFn: async ({ client, signal }): Promise<AllTrials> => {
    const began = performance.now();
    const first = client.getQueryState(firstTrialsQuery(id).queryKey);
    if (first?.data && !first.isInvalidated && Date.now() - first.dataUpdatedAt < kFreshMs) {
      const { trials = [], pagination } = first.data;
      if ((pagination?.total ?? 0) <= trials.length) return { trials, total: trials.length, took: performance.now() - began };
    }
    const found = new Map<number, Trial>();  // when new ones come meanwhile, the next page begins with what was there already
    let total = 0;
    for (let offset = 0; offset < kMostTrials; offset += kPage) {
      const { trials = [], pagination } = await ask('get', '/api/v1/experiments/{id}/trials', { path: { id }, query: { offset, limit: kPage, sortBy: 'SORT_BY_ID', orderBy: 'ORDER_BY_DESC', includeSummaryMetrics: false }, signal });
      for (const trial of trials) if (!found.has(trial.id ?? 0)) found.set(trial.id ?? 0, trial);
      total = Math.max(pagination?.total ?? 0, found.size);
      if (trials.length < kPage) break;
    }
    return { trials: [...found.values()], total, took: performance.now() - began };
  },
});
