// Actions on experiments, one or a thousand: what was refused comes back as text.
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { ask } from '../api/client';
import type { Action } from '../lib/state';

const kMost = 1000;  // of one request

async function act(action: Action, ids: readonly number[]): Promise<string[]> {
  const refused: string[] = [];
  for (let place = 0; place < ids.length; place += kMost) {
    const options = { path: { id: 0 }, body: { experimentIds: ids.slice(place, place + kMost) } };
    const { results = [] } = action === 'delete'
      ? await ask('delete', '/api/v1/projects/{id}/experiments/delete', options)
      : await ask('post', `/api/v1/projects/{id}/experiments/${action}`, options);
    for (const { id, error } of results) if (error) refused.push(`Experiment ${id}: ${error}`);
  }
  return refused;
}

export function useAction(done: () => void) {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: async ({ action, ids }: { action: Action; ids: readonly number[] }) => {
      const refused = await act(action, ids);
      if (refused.length > 0) throw new Error(refused.slice(0, 5).join('; ') + (refused.length > 5 ? `; and ${refused.length - 5} more` : ''));
    },
    onSuccess: done,
    onSettled: (_data, _error, { ids }) => {
      void queries.invalidateQueries({ queryKey: ['experiments'] });
      for (const id of ids.slice(0, 20)) void queries.invalidateQueries({ queryKey: ['experiment', id] });
    },
  });
}
