// Actions on experiments, one or a thousand: what was refused comes back as text.
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { ask } from '../api/client';
import type { Action } from '../lib/state';

const kMost = 1000;  // of one request

// What of it was not done: experiments that refused, and how many were left when a request failed.
interface Outcome { refused: string[]; left: number; failure?: Error }

async function act(action: Action, ids: readonly number[]): Promise<Outcome> {
  const refused: string[] = [];
  for (let place = 0; place < ids.length; place += kMost) {
    const options = { path: { id: 0 }, body: { experimentIds: ids.slice(place, place + kMost) } };
    try {
      const { results = [] } = action === 'delete'
        ? await ask('delete', '/api/v1/projects/{id}/experiments/delete', options)
        : await ask('post', `/api/v1/projects/{id}/experiments/${action}`, options);
      for (const { id, error } of results) if (error) refused.push(`Experiment ${id}: ${error}`);
    } catch (error) {
      return { refused, left: ids.length - place, failure: error as Error };
    }
  }
  return { refused, left: 0 };
}

// Undefined where all of `count` was done.
export function refusal({ refused, left, failure }: Outcome, count: number): string | undefined {
  const told = refused.slice(0, 5);
  if (refused.length > 5) told.push(`and ${refused.length - 5} more`);
  if (failure) told.push(left === count ? failure.message : `The last ${left} of ${count}: ${failure.message}`);
  return told.length > 0 ? told.join('; ') : undefined;
}

export function useAction(done: () => void) {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: async ({ action, ids }: { action: Action; ids: readonly number[] }) => {
      const message = refusal(await act(action, ids), ids.length);
      if (message !== undefined) throw new Error(message);
    },
    onSuccess: done,
    onSettled: (_data, _error, { ids }) => {
      void queries.invalidateQueries({ queryKey: ['experiments'] });
      for (const id of ids.slice(0, 20)) void queries.invalidateQueries({ queryKey: ['experiment', id] });
    },
  });
}
