// What the server has by a name or a number: some experiments, models, workspaces and projects.
import { queryOptions } from '@tanstack/react-query';
import { ApiError, call } from '../../api/client';
import { projectsQuery, workspacesQuery } from '../../api/sections';
import { filterText } from '../experiments/search';
import type { Entry } from './entries';
import { fits } from './entries';

const kMost = 5;
const kStaleMs = 30_000;  // of lists in which one finds while one types
const some = <T extends { name?: string | undefined }>(all: readonly T[] | undefined, text: string): T[] => (all ?? []).filter(({ name }) => fits(name ?? '', text)).slice(0, kMost);

export const findQuery = (text: string) => queryOptions({
  queryKey: ['palette', text], staleTime: 10_000, enabled: text.trim() !== '',
  queryFn: async ({ client, signal }): Promise<Entry[]> => {
    const [experiments, models, workspaces, projects] = await Promise.all([
      call('post', '/api/v1/experiments-search', { body: { offset: 0, limit: kMost, sort: 'id=desc', filter: filterText({ q: text.replace(/^#/, '') }) }, signal }),
      call('get', '/api/v1/models', { query: { name: text, limit: kMost }, signal }),
      // By the server's filter a name is a whole name.
      client.fetchQuery({ ...workspacesQuery, staleTime: kStaleMs }).catch(() => undefined),
      client.fetchQuery({ ...projectsQuery(0), staleTime: kStaleMs }).catch(() => undefined),
    ]);
    if (!experiments.ok && !models.ok && !workspaces && !projects) throw new ApiError(experiments.status, experiments.message);
    // What one kind refuses, the others still give.
    return [
      ...(experiments.ok ? experiments.value.experiments ?? [] : []).map(({ experiment }) => ({ key: `experiment ${experiment?.id}`, name: `${experiment?.name ?? ''} #${experiment?.id}`, kind: 'Experiment', href: `/experiments/${experiment?.id}/overview` })),
      ...(models.ok ? models.value.models ?? [] : []).map(({ name = '' }) => ({ key: `model ${name}`, name, kind: 'Model', href: `/models/${encodeURIComponent(name)}` })),
      ...some(workspaces?.workspaces, text).map(({ id, name = '' }) => ({ key: `workspace ${id}`, name, kind: 'Workspace', href: `/workspaces/${id}` })),
      ...some(projects?.projects, text).map(({ id, name = '' }) => ({ key: `project ${id}`, name, kind: 'Project', href: `/projects/${id}` })),
    ];
  },
});
