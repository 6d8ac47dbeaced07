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

async function read(signal?: AbortSignal): Promise<View[]> {
  const { settings = [] } = await ask('get', '/api/v1/users/setting', { ...(signal && { signal }) });
  return readViews(settings.find(({ key, storagePath }) => key === kKey && storagePath === kPath)?.value ?? '[]');
}
export const viewsQuery = queryOptions({ queryKey: ['views'], staleTime: 30_000, queryFn: ({ signal }) => read(signal) });

// They are kept as one list, which another tab may have changed: `change` gets what there is now.
export async function saveViews(change: (views: readonly View[]) => View[]): Promise<void> {
  const value = JSON.stringify(change(await read()));
  if (value.length > kMost) throw new Error('These are too many views to be kept. Delete one first.');
  await ask('post', '/api/v1/users/setting', { body: { settings: [{ key: kKey, storagePath: kPath, value }] } });
}

export function useSaveViews() {
  const queries = useQueryClient();
  return useMutation({ mutationFn: saveViews, onSuccess: () => queries.invalidateQueries({ queryKey: ['views'] }) });
}
