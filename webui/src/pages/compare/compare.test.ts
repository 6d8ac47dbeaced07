import { expect, test } from 'vitest';
import { readCompare } from './address';
import { differences } from './differences';
import { topicsOf } from './topics';

test('an address says which experiments or which trials, at most a hundred', () => {
  expect(readCompare({ experiments: [3, 3, 'x', -1, 1.5, 4], trials: [7], metric: 'validation.loss' })).toEqual({ experiments: [3, 4], metric: 'validation.loss' });
  expect(readCompare({ trials: [7, 8] })).toEqual({ trials: [7, 8] });
  expect(readCompare({ experiments: Array.from({ length: 500 }, (_, i) => i + 1) }).experiments?.length).toBe(100);
  expect(readCompare({ experiments: 'all' })).toEqual({});
});

test('only settings that differ are told', () => {
  expect(differences([{ a: 1, b: { c: 'x', d: [1] } }, { a: 1, b: { c: 'y', d: [1] } }, { a: 1 }])).toEqual([
    { name: 'b.c', values: ['x', 'y', '–'] }, { name: 'b.d', values: ['[1]', '[1]', '–'] },
  ]);
});

test('what is over is not asked for anew, whatever else changes', () => {
  expect(topicsOf(undefined, [7])).toEqual(['experiments', 'trial:7']);
  expect(topicsOf(['STATE_COMPLETED', 'STATE_RUNNING'], [7, 8])).toEqual(['experiments', 'trial:7', 'trial:8']);
  expect(topicsOf(['STATE_RUNNING'], Array.from({ length: 21 }, (_, i) => i))).toEqual(['experiments']);
  expect(topicsOf(['STATE_COMPLETED', 'STATE_ERROR'], [7, 8])).toEqual([]);
});
