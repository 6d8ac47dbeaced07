import { expect, test } from 'vitest';
import { ofOthers } from './chosen';

test('what was ticked in another list is counted, until that list is shown again', () => {
  const chosen = new Map([[1, 'all'], [2, 'all'], [3, 'failed']]);
  expect(['all', 'failed', 'paused'].map((list) => ofOthers(chosen, list))).toEqual([1, 2, 3]);
});
