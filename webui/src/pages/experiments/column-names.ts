// What can be filtered by and shown: the columns of experiments themselves, and the metrics and hyperparameters that the project has.
import { queryOptions } from '@tanstack/react-query';
import { ask } from '../../api/client';

// `isText`: a value of it is a text, whatever it looks like.
export interface Named { column: string; name: string; isText: boolean }
export const projectColumnsQuery = (project: number) => queryOptions({
  queryKey: ['project-columns', project], staleTime: 60_000,
  queryFn: async ({ signal }) => {
    const { columns = [] } = await ask('get', '/api/v1/projects/{id}/columns', { path: { id: project }, query: { tableType: 'TABLE_TYPE_EXPERIMENT' }, signal });
    return columns.map(({ column = '', displayName, type }): Named => ({
      column, name: displayName || column, isText: type === 'COLUMN_TYPE_TEXT' && column !== 'user',  // it is shown as a name, and filtered by its number
    }));
  },
});
export const isOwn = (column: string) => column.startsWith('hp.') || /\.(last|min|max|mean)$/.test(column);
