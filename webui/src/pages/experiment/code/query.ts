import { queryOptions } from '@tanstack/react-query';
import { ask } from '../../../api/client';
import { unpack } from '../../../lib/tar';

// The model code of an experiment, which never changes. Kept for a minute where nobody looks: it may be large.
export const codeQuery = (id: number) => queryOptions({
  queryKey: ['code', id], staleTime: Infinity, gcTime: 60_000, structuralSharing: false,
  queryFn: async ({ signal }) => unpack((await ask('get', '/api/v1/experiments/{id}/model_def', { path: { id }, signal })).b64Tgz ?? ''),
});
