// What the server has by a name or a number: some experiments, models, workspaces and projects.
import { queryOptions } from '@tanstack/react-query';
import { call } from '../../api/client';
import { filterText } from '../experiments/search';
import type { Entry } from './entries';

const kMost = 5;

export const findQuery = (text: string) => queryOptions({
  queryKey: ['palette', text], staleTime: 10_000, enabled: text.trim() !== '',
  queryFn: async ({ signal }): Promise<Entry[]> => {
    const [experiments, models, workspaces, projects] = await Promise.all([
      call('post', '/api/v1/experiments-search', { body: { offset: 0, limit: kMost, sort: 'id=desc', filter: filterText({ q: text.replace(/^#/, '') }) }, signal }),
      call('get', '/api/v1/models', { query: { name: text, limit: kMost }, signal }),
      call('get', '/api/v1/workspaces', { query: { name: text, limit: kMost }, signal }),
      call('get', '/api/v1/workspaces/{id}/projects', { path: { id: 0 }, query: { name: text, limit: kMost }, signal }),
    ]);
    // What one kind refuses, the others still give.
    return [
      ...(experiments.ok ? experiments.value.experiments ?? [] : []).map(({ experiment }) => ({ key: `experiment ${experiment?.id}`, name: `${experiment?.name ?? ''} #${experiment?.id}`, kind: 'Experiment', href: `/experiments/${experiment?.id}/overview` })),
      ...(models.ok ? models.value.models ?? [] : []).map(({ name = '' }) => ({ key: `model ${name}`, name, kind: 'Model', href: `/models/${encodeURIComponent(name)}` })),
      ...(workspaces.ok ? workspaces.value.workspaces ?? [] : []).map(({ id, name = '' }) => ({ key: `workspace ${id}`, name, kind: 'Workspace', href: `/workspaces/${id}` })),
      ...(projects.ok ? projects.value.projects ?? [] : []).map(({ id, name = '' }) => ({ key: `project ${id}`, name, kind: 'Project', href: `/projects/${id}` })),
    ];
  },
});
