import { expect, test } from 'vitest';
import { ofOthers, withMore } from './chosen';

test('what was ticked in another list is counted, until that list is shown again', () => {
  const chosen = new Map([[1, 'all'], [2, 'all'], [3, 'failed']]);
  expect(['all', 'failed', 'paused'].map((list) => ofOthers(chosen, list))).toEqual([1, 2, 3]);
});

test('all of a list are ticked beside what was ticked in others', () => {
  const chosen = withMore(new Map([[1, 'failed'], [2, 'failed']]), [2, 3], 'all');
  expect([...chosen]).toEqual([[1, 'failed'], [2, 'all'], [3, 'all']]);
});
