import { expect, test } from 'vitest';
import type { Job, Rights } from '../../api/sections';
import { hiddenWords, isOrderedHere, mayReorder, placeOf } from './order';

const nobody: Rights = { user: 7, isAdmin: false, hasRoles: false, everywhere: [], within: {} };
const experiment = { type: 'TYPE_EXPERIMENT', userId: 8, workspaceId: 3 } as Job;
const shell: Job = { ...experiment, type: 'TYPE_SHELL' };

test('without roles everybody changes experiments, and owners their tasks', () => {
  expect([experiment, shell, { ...shell, userId: 7 }].map((job) => mayReorder(nobody, job, false))).toEqual([true, false, true]);
  expect(mayReorder(undefined, experiment, false)).toBe(false);
});

test('a strict queue is changed by those who control it', () => {
  expect(mayReorder(nobody, experiment, true)).toBe(false);
  expect(mayReorder({ ...nobody, isAdmin: true }, experiment, true)).toBe(true);
  const controls: Rights = { ...nobody, hasRoles: true, everywhere: ['CONTROL_STRICT_JOB_QUEUE'], within: { 3: ['UPDATE_EXPERIMENT'] } };
  expect([experiment, shell].map((job) => mayReorder(controls, job, true))).toEqual([true, false]);
});

test('places can be changed where our scheduler gives the slots, once that is known', () => {
  const pools = [{ name: 'gpu', schedulerType: 'SCHEDULER_TYPE_PRIORITY' }, { name: 'other', schedulerType: 'SCHEDULER_TYPE_KUBERNETES' }];
  expect([isOrderedHere(pools, 'gpu'), isOrderedHere(pools, 'other'), isOrderedHere(pools, 'new'), isOrderedHere(undefined, 'gpu')]).toEqual([true, false, undefined, undefined]);
});

test('a job has the place that the server counts, with those that one does not see', () => {
  const at = (jobsAhead: number) => ({ summary: { jobsAhead } }) as Job;
  expect([placeOf(at(4), 0), placeOf({}, 2)]).toEqual([5, 3]);
  expect(hiddenWords([at(0), at(1)])).toBeUndefined();
  expect(hiddenWords([at(0), at(2)])).toMatch(/^1 job that you may not see is ahead/);
  expect(hiddenWords([at(1), at(4)])).toMatch(/^3 jobs that you may not see are ahead/);
  expect(hiddenWords([])).toBeUndefined();
});
