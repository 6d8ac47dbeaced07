import { describe, expect, test } from 'vitest';
import { daysOf, holders, hours, slotState } from './holders';
import { byPool, reasonWords } from '../queue/order';

describe('who holds a slot', () => {
  test('a run of a trial, and a task, also one that has the name of a trial', () => {
    const held = holders({
      a: { name: 'Trial 2 (Experiment 1)', taskId: '1.abc', resources: [{ containerId: 'one' }] },
      b: { name: 'Trial 9 (Experiment 9)', taskId: 'c7b4-uuid', resources: [{ containerId: 'two' }] },
    });
    expect(held.get('one')).toEqual({ name: 'Trial 2 (Experiment 1)', trial: 2, experiment: 1 });
    expect(held.get('two')).toEqual({ name: 'Trial 9 (Experiment 9)', task: 'c7b4-uuid' });
  });
  test('a slot that is switched off is so also while somebody holds it', () => {
    expect(slotState({ enabled: true, container: null })).toBe('free');
    expect(slotState({ enabled: true, container: { id: 'x' } })).toBe('held');
    expect(slotState({ enabled: false, container: { id: 'x' } })).toBe('off');
    expect(slotState({ enabled: false, draining: true })).toBe('draining');
  });
});

test('days on which nothing ran are there, too', () => {
  const days = daysOf([{ periodStart: '2026-03-01', seconds: 7200, byUsername: { b: 1800, a: 5400 } }], '2026-02-28', '2026-03-02', 'byUsername');
  expect(days.map(({ date, seconds }) => [date, seconds])).toEqual([['2026-02-28', 0], ['2026-03-01', 7200], ['2026-03-02', 0]]);
  expect(days[1]?.parts).toEqual([['a', 5400], ['b', 1800]]);
  expect(hours(7200)).toBe('2');
  expect(hours(30)).toBe('less than 0.1');
});

test('the queue a pool at a time, in its order', () => {
  const pools = byPool([{ jobId: '1', resourcePool: 'b', summary: { state: 'STATE_QUEUED' } }, { jobId: '2', resourcePool: 'a' }, { jobId: '3', resourcePool: 'b' }]);
  expect(pools.map(({ name, jobs, running, waiting }) => [name, jobs.map(({ jobId }) => jobId), running, waiting])).toEqual([['a', ['2'], 1, 0], ['b', ['1', '3'], 1, 1]]);
  expect(reasonWords('experiment 4 waits; trial 4: too little cpu')).toBe('trial 4: too little cpu');
});
