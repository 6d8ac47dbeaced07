// What can be filtered by and shown: the columns of experiments themselves, and the metrics and hyperparameters that the project has.
import { queryOptions } from '@tanstack/react-query';
import { ask } from '../../api/client';

export interface Named { column: string; name: string }
export const projectColumnsQuery = (project: number) => queryOptions({
  queryKey: ['project-columns', project], staleTime: 60_000,
  queryFn: async ({ signal }) => {
    const { columns = [] } = await ask('get', '/api/v1/projects/{id}/columns', { path: { id: project }, query: { tableType: 'TABLE_TYPE_EXPERIMENT' }, signal });
    return columns.map(({ column = '', displayName }): Named => ({ column, name: displayName || column }));
  },
});
export const isOwn = (column: string) => column.startsWith('hp.') || /\.(last|min|max|mean)$/.test(column);
