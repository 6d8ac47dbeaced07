import { expect, test } from 'vitest';
import { keysOf } from './VirtualTable';

const keys = (rows: readonly (string | undefined)[], from = 0) => keysOf(rows.map((_, i) => from + i), (index) => rows[index - from], (row) => row);

test('a row keeps its key when others come before it', () => {
  const before = keys(['b', 'a']);
  expect(keys(['c', 'b', 'a']).slice(1)).toEqual(before);
  expect(keys(['b', 'a'], 40)).toEqual(before);
});

test('no two rows have the same key: some are not known yet, one may be there twice, some are called like a number', () => {
  const all = keys(['1', undefined, '1', undefined, '3', '2']);
  expect(new Set(all).size).toBe(all.length);
});
