// Tasks of all kinds as one list. Generic tasks have no list of their own: those that are not over stand in the queue.
import { queryOptions } from '@tanstack/react-query';
import { ask, serverRoot } from '../../api/client';
import type { Schemas } from '../../api/client';
import { kMostJobs } from '../../api/sections';
import { duration } from '../../lib/format';
import { isNumber } from '../../lib/numbers';

export type Kind = 'notebook' | 'shell' | 'command' | 'tensorboard' | 'generic';
export const kKindWords: Record<Kind, string> = { notebook: 'Notebook', shell: 'Shell', command: 'Command', tensorboard: 'TensorBoard', generic: 'Generic task' };
export interface TaskRow {
  id: string; kind: Kind; name: string; state: string; user: string; userId: number; workspaceId: number; pool: string;
  started: string | undefined; address: string | undefined; exit: string; shows: string;
  idle: { since: string; timeout: number } | undefined;  // of what ends when nobody uses it for `timeout` seconds
}
type Standalone = Schemas['v1StandaloneTask'];

const shown = ({ experimentIds = [], trialIds = [] }: Standalone) => [
  experimentIds.length > 0 && `experiments ${experimentIds.join(', ')}`, trialIds.length > 0 && `trials ${trialIds.join(', ')}`,
].filter(Boolean).join(', ');

export function rowOf(kind: Kind, task: Standalone): TaskRow {
  return {
    id: task.id ?? '', kind, name: task.description ?? '', state: task.state ?? '', user: task.displayName || task.username || '', userId: task.userId ?? 0,
    workspaceId: task.workspaceId ?? 0, pool: task.resourcePool ?? '', started: task.startTime, address: task.serviceAddress, exit: task.exitStatus ?? '', shows: shown(task),
    idle: task.idleSince && task.idleTimeout !== undefined ? { since: task.idleSince, timeout: task.idleTimeout } : undefined,
  };
}

export function genericRow(job: Schemas['v1Job']): TaskRow {
  return {
    id: job.entityId ?? '', kind: 'generic', name: job.name ?? '', state: job.summary?.state === 'STATE_QUEUED' ? 'STATE_QUEUED' : 'STATE_RUNNING', user: job.username ?? '',
    userId: job.userId ?? 0, workspaceId: job.workspaceId ?? 0, pool: job.resourcePool ?? '', started: job.submissionTime, address: undefined, exit: '', shows: '', idle: undefined,
  };
}

export const isEnded = ({ state }: TaskRow) => state === 'STATE_TERMINATED';
export const isWaiting = ({ state }: TaskRow) => /^STATE_(QUEUED|PENDING)$/.test(state);

// "idle for 12 min, ends after 30 min idle". Whoever uses it now is within the minute in which the server writes that down.
export function idleWords({ since, timeout }: { since: string; timeout: number }, now = Date.now()): string {
  const idle = Math.max(0, now - Date.parse(since)) / 1000;
  const minutes = (seconds: number) => duration(seconds < 60 ? seconds : Math.floor(seconds / 60) * 60).replace(/ 0 (s|min)$/, '');
  return `${idle < 60 ? 'in use' : `idle for ${minutes(idle)}`}, ends after ${minutes(timeout)} idle`;
}

// What is not over comes first, then the newest.
export function ordered(rows: readonly TaskRow[]): TaskRow[] {
  return [...rows].sort((one, other) => Number(isEnded(one)) - Number(isEnded(other)) || (other.started ?? '').localeCompare(one.started ?? ''));
}

// The task's own page, only where it is one of this server.
export function pageOf({ address, state }: TaskRow): string | undefined {
  if (!address || state !== 'STATE_RUNNING' || !/^\/(?![/\\])/.test(address)) return undefined;
  const url = new URL(address.slice(1), serverRoot());
  return url.origin === serverRoot().origin ? url.href : undefined;
}

// "1, 2 5" as numbers; undefined where it is something else.
export function idsOf(text: string): number[] | undefined {
  const parts = text.split(/[\s,]+/).filter(Boolean);
  return parts.every(isNumber) ? [...new Set(parts.map(Number))] : undefined;
}

export const tasksQuery = queryOptions({
  queryKey: ['tasks', 'all'],
  queryFn: async ({ signal }) => {
    const [notebooks, shells, commands, boards, queue] = await Promise.all([
      ask('get', '/api/v1/notebooks', { signal }), ask('get', '/api/v1/shells', { signal }), ask('get', '/api/v1/commands', { signal }),
      ask('get', '/api/v1/tensorboards', { signal }), ask('get', '/api/v1/job-queues', { query: { limit: kMostJobs }, signal }),
    ]);
    return ordered([
      ...(notebooks.notebooks ?? []).map((task) => rowOf('notebook', task)), ...(shells.shells ?? []).map((task) => rowOf('shell', task)),
      ...(commands.commands ?? []).map((task) => rowOf('command', task)), ...(boards.tensorboards ?? []).map((task) => rowOf('tensorboard', task)),
      ...(queue.jobs ?? []).filter(({ type }) => type === 'TYPE_GENERIC').map(genericRow),
    ]);
  },
});

export function kill({ kind, id }: Pick<TaskRow, 'kind' | 'id'>): Promise<unknown> {
  const path = { id };
  switch (kind) {
    case 'notebook': return ask('post', '/api/v1/notebooks/{id}/kill', { path });
    case 'shell': return ask('post', '/api/v1/shells/{id}/kill', { path });
    case 'command': return ask('post', '/api/v1/commands/{id}/kill', { path });
    case 'tensorboard': return ask('post', '/api/v1/tensorboards/{id}/kill', { path });
    case 'generic': return ask('post', '/api/v1/tasks/{id}/kill', { path, body: {} });
  }
}
