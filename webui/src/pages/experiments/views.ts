// Views of the table that a person has saved: its filter, order and columns under a name, kept by the server as a setting.
import { queryOptions, useMutation, useQueryClient } from '@tanstack/react-query';
import { ask } from '../../api/client';
import type { TableSearch } from './search';
import { readSearch } from './search';

export interface View { name: string; search: TableSearch }
const kKey = 'views';
const kPath = 'det-operator/experiments';
const kMost = 60_000;  // letters: the server keeps 65,536 bytes

// Settings are one's own, but other programs write them, too.
export function readViews(value: string): View[] {
  try {
    const told: unknown = JSON.parse(value);
    if (!Array.isArray(told)) return [];
    return told.filter((one): one is { name: string; search?: object } => typeof (one as View | null)?.name === 'string').map(({ name, search }) => ({ name, search: readSearch({ ...search }) }));
  } catch {
    return [];
  }
}

export const withView = (views: readonly View[], view: View): View[] => [...views.filter(({ name }) => name !== view.name), view].sort((a, b) => a.name.localeCompare(b.name));

export const viewsQuery = queryOptions({
  queryKey: ['views'], staleTime: 30_000,
  queryFn: async ({ signal }) => {
    const { settings = [] } = await ask('get', '/api/v1/users/setting', { signal });
    return readViews(settings.find(({ key, storagePath }) => key === kKey && storagePath === kPath)?.value ?? '[]');
  },
});

export function useSaveViews() {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: async (views: readonly View[]) => {
      const value = JSON.stringify(views);
      if (value.length > kMost) throw new Error('These are too many views to be kept. Delete one first.');
      await ask('post', '/api/v1/users/setting', { body: { settings: [{ key: kKey, storagePath: kPath, value }] } });
    },
    onSuccess: () => queries.invalidateQueries({ queryKey: ['views'] }),
  });
}
