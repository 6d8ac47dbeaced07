import { expect, test } from 'vitest';
import { hasLabel, labelsOf } from './labels';
import { readModelsSearch } from './search';

test('labels as people type them', () => {
  expect(labelsOf(' prod, ,a b,prod ')).toEqual(['prod', 'a b']);
  expect(labelsOf('')).toEqual([]);
  expect(hasLabel(['a'], '')).toBe(true);
  expect(hasLabel(['a'], 'b')).toBe(false);
  expect(hasLabel(undefined, 'b')).toBe(false);
});
test('an address is taken for what is understood of it', () => {
  expect(readModelsSearch({ q: 12, label: '<b>', archived: 'yes' })).toEqual({ q: '12', label: '<b>' });
});
