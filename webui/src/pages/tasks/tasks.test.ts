import { afterEach, describe, expect, test, vi } from 'vitest';
import { taskUrl } from '../trial/log';
import { configOf } from './config';
import { readTasksSearch } from './search';
import type { TaskRow } from './tasks';
import { genericRow, idleWords, idsOf, ordered, rowOf } from './tasks';

afterEach(() => vi.unstubAllGlobals());

const row = (id: string, state: string, started: string): TaskRow => ({ ...rowOf('shell', { id, state: state as never, startTime: started }) });

describe('tasks', () => {
  test('those that are not over come first, then the newest', () => {
    const rows = [row('old', 'STATE_RUNNING', '2026-01-01'), row('ended', 'STATE_TERMINATED', '2026-01-03'), row('new', 'STATE_QUEUED', '2026-01-02')];
    expect(ordered(rows).map(({ id }) => id)).toEqual(['new', 'old', 'ended']);
  });
  test('a generic task of the queue waits or runs', () => {
    expect(genericRow({ entityId: 'a', summary: { state: 'STATE_QUEUED' } }).state).toBe('STATE_QUEUED');
    expect(genericRow({ entityId: 'a', summary: { state: 'STATE_SCHEDULED' } }).state).toBe('STATE_RUNNING');
  });
  test('how long it idles, and when it ends for that', () => {
    const at = Date.parse('2026-01-01T10:00:00Z');
    const idle = { since: '2026-01-01T10:00:00Z', timeout: 1800 };
    expect(idleWords(idle, at + 30_000)).toBe('in use, ends after 30 min idle');
    expect(idleWords(idle, at + 12 * 60_000 + 20_000)).toBe('idle for 12 min, ends after 30 min idle');
    expect(idleWords({ ...idle, timeout: 5400 }, at + 3_600_000)).toBe('idle for 1 h, ends after 1 h 30 min idle');
    expect(rowOf('notebook', { id: 'a', idleSince: idle.since, idleTimeout: 1800 }).idle).toEqual(idle);
    expect(rowOf('shell', { id: 'a' }).idle).toBeUndefined();
  });
  test('numbers of experiments as people write them', () => {
    expect(idsOf(' 3, 5 5,7')).toEqual([3, 5, 7]);
    expect(idsOf('')).toEqual([]);
    expect(idsOf('3, x')).toBeUndefined();
    expect(idsOf('-3')).toBeUndefined();
  });
  test('an address is taken for what is understood of it', () => {
    expect(readTasksSearch({ kind: 'shell', mine: true, tensorboard: 7 })).toEqual({ kind: 'shell', mine: true, tensorboard: '7' });
    expect(readTasksSearch({ kind: '<b>', mine: 'yes', ended: 1, tensorboard: 'javascript:' })).toEqual({});
  });
});

describe('the configuration of a task that is started', () => {
  const form = (fields: Record<string, string>) => {
    const made = new FormData();
    for (const [name, value] of Object.entries(fields)) made.set(name, value);
    return made;
  };
  test('has what the fields say, and nothing of those that are empty', async () => {
    expect(await configOf(form({ name: ' look ', slots: '2', pool: 'a100', idle: '30m', more: '' }))).toEqual({ description: 'look', idle_timeout: '30m', resources: { slots: 2, resource_pool: 'a100' } });
    expect(await configOf(form({ name: '', pool: '' }))).toEqual({});
  });
  test('what stands in the YAML wins, value by value', async () => {
    expect(await configOf(form({ name: 'a', slots: '2', pool: 'p', more: 'description: b\nresources: {slots: 4}' }))).toEqual({ description: 'b', resources: { slots: 4, resource_pool: 'p' } });
  });
});

test('older lines of a log are those of the same task and the same search', () => {
  vi.stubGlobal('document', { baseURI: 'https://host/ui/' });
  expect(taskUrl('a/b', 'x y')({ beforeId: '7' }).href).toBe('https://host/api/v1/tasks/a%2Fb/logs?searchText=x+y&beforeId=7');
  expect(taskUrl('a', '')({}).href).toBe('https://host/api/v1/tasks/a/logs');
});
