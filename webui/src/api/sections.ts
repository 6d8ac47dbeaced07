// Questions of all that is neither an experiment nor a trial. Keys begin as topics of the live stream, where there is one.
import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import { ask } from './client';
import type { Schemas } from './client';
import { meQuery, serverQuery } from './queries';

export type Job = Schemas['v1Job'];
export type Agent = Schemas['v1Agent'];
export type Workspace = Schemas['v1Workspace'];
export type Project = Schemas['v1Project'];
export type Model = Schemas['v1Model'];
export type ModelVersion = Schemas['v1ModelVersion'];
export type Template = Schemas['v1Template'];
export type User = Schemas['v1User'];
export type Token = Schemas['v1TokenInfo'];
export type Webhook = Schemas['v1Webhook'];

export const kMostJobs = 1000;
export const jobsQuery = queryOptions({
  queryKey: ['queue', 'all'], queryFn: ({ signal }) => ask('get', '/api/v1/job-queues', { query: { limit: kMostJobs }, signal }),
});
// Outside of ['queue'], which changes whenever something happens anywhere: for each reason the server lists pods.
export const reasonQuery = (id: string) => queryOptions({
  queryKey: ['reason', id], staleTime: 10_000, refetchInterval: 10_000, retry: false,
  queryFn: ({ signal }) => ask('get', '/api/v1/job-queues/{id}/reason', { path: { id }, signal }),
});
export const poolsQuery = queryOptions({ queryKey: ['queue', 'pools'], queryFn: ({ signal }) => ask('get', '/api/v1/resource-pools', { signal }) });
export const agentsQuery = queryOptions({ queryKey: ['queue', 'agents'], queryFn: ({ signal }) => ask('get', '/api/v1/agents', { query: { excludeContainers: true }, signal }) });
export const allocationsQuery = queryOptions({ queryKey: ['queue', 'allocations'], queryFn: ({ signal }) => ask('get', '/api/v1/tasks', { signal }) });
export const usageQuery = (startDate: string, endDate: string) => queryOptions({
  queryKey: ['usage', startDate, endDate], staleTime: 60_000,
  queryFn: ({ signal }) => ask('get', '/api/v1/resources/allocation/aggregated', { query: { startDate, endDate, period: 'RESOURCE_ALLOCATION_AGGREGATION_PERIOD_DAILY' }, signal }),
});

export const workspacesQuery = queryOptions({ queryKey: ['workspaces', 'all'], queryFn: ({ signal }) => ask('get', '/api/v1/workspaces', { query: { sortBy: 'SORT_BY_NAME' }, signal }) });
export const workspaceQuery = (id: number) => queryOptions({ queryKey: ['workspaces', 'one', id], queryFn: ({ signal }) => ask('get', '/api/v1/workspaces/{id}', { path: { id }, signal }) });
// 0: of all workspaces.
export const projectsQuery = (id: number) => queryOptions({
  queryKey: ['workspaces', 'projects', id], queryFn: ({ signal }) => ask('get', '/api/v1/workspaces/{id}/projects', { path: { id }, query: { sortBy: 'SORT_BY_NAME' }, signal }),
});
export const projectQuery = (id: number) => queryOptions({ queryKey: ['workspaces', 'project', id], queryFn: ({ signal }) => ask('get', '/api/v1/projects/{id}', { path: { id }, signal }) });

export const modelsQuery = (name: string, archived: boolean) => queryOptions({
  queryKey: ['models', 'list', name, archived], placeholderData: keepPreviousData,
  queryFn: ({ signal }) => ask('get', '/api/v1/models', { query: { sortBy: 'SORT_BY_NAME', ...(name && { name }), ...(!archived && { archived: false }) }, signal }),
});
export const modelQuery = (name: string) => queryOptions({ queryKey: ['models', 'one', name], queryFn: ({ signal }) => ask('get', '/api/v1/models/{name}', { path: { name }, signal }) });
export const versionsQuery = (name: string) => queryOptions({
  queryKey: ['models', 'versions', name],
  queryFn: ({ signal }) => ask('get', '/api/v1/models/{name}/versions', { path: { name }, query: { sortBy: 'SORT_BY_VERSION', orderBy: 'ORDER_BY_DESC' }, signal }),
});
export const templatesQuery = queryOptions({ queryKey: ['templates'], queryFn: ({ signal }) => ask('get', '/api/v1/templates', { query: { sortBy: 'SORT_BY_NAME' }, signal }) });

export const usersQuery = queryOptions({ queryKey: ['users'], queryFn: ({ signal }) => ask('get', '/api/v1/users', { query: { sortBy: 'SORT_BY_USER_NAME' }, signal }) });
// All of them: the server gives at most 500 at once.
export const groupsQuery = queryOptions({
  queryKey: ['groups', 'all'],
  queryFn: async ({ signal }) => {
    const groups: Schemas['v1GroupSearchResult'][] = [];
    for (;;) {
      const { groups: more = [], pagination } = await ask('post', '/api/v1/groups/search', { body: { offset: groups.length, limit: 500 }, signal });
      groups.push(...more);
      if (more.length === 0 || groups.length >= (pagination?.total ?? 0)) return { groups };
    }
  },
});
// All of them, with who has them where.
export const rolesQuery = queryOptions({ queryKey: ['roles'], queryFn: ({ signal }) => ask('post', '/api/v1/roles/search/by-ids', { body: {}, signal }) });
export const poolWorkspacesQuery = (name: string) => queryOptions({
  queryKey: ['queue', 'pool-workspaces', name], queryFn: ({ signal }) => ask('get', '/api/v1/resource-pools/{name}/workspace-bindings', { path: { name }, signal }),
});
export const tokensQuery = (showInactive: boolean) => queryOptions({
  queryKey: ['tokens', showInactive], queryFn: ({ signal }) => ask('get', '/api/v1/tokens', { query: { showInactive, sortBy: 'SORT_BY_CREATED_AT', orderBy: 'ORDER_BY_DESC' }, signal }),
});
export const webhooksQuery = queryOptions({ queryKey: ['webhooks'], queryFn: ({ signal }) => ask('get', '/api/v1/webhooks', { signal }) });

// What one may do. Without roles: everything for administrators, for others what is theirs. With roles: their permissions, by the workspace.
export interface Rights { user: number; isAdmin: boolean; hasRoles: boolean; everywhere: string[]; within: { [workspace: number]: string[] } }
export const rightsQuery = queryOptions({
  queryKey: ['me', 'rights'], staleTime: 60_000,
  queryFn: async ({ client, signal }): Promise<Rights> => {
    const [{ user }, { rbacEnabled }] = await Promise.all([client.fetchQuery(meQuery), client.ensureQueryData(serverQuery)]);
    const rights: Rights = { user: user?.id ?? 0, isAdmin: user?.admin === true, hasRoles: rbacEnabled === true, everywhere: [], within: {} };
    if (!rbacEnabled) return rights;
    const { roles = [], assignments = [] } = await ask('get', '/api/v1/permissions/summary', { signal });
    for (const { roleId, scopeCluster, scopeWorkspaceIds = [] } of assignments) {
      const permissions = roles.find((role) => role.roleId === roleId)?.permissions?.map(({ id }) => (id ?? '').replace(/^PERMISSION_TYPE_/, '')) ?? [];
      if (scopeCluster) rights.everywhere.push(...permissions);
      for (const workspace of scopeWorkspaceIds) (rights.within[workspace] ??= []).push(...permissions);
    }
    return rights;
  },
});
