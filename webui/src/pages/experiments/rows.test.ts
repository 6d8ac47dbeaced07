import { expect, test } from 'vitest';
import { failureOf, kPage, pagesOf, rowOf, staleOf } from './rows';

test('while one scrolls within a page nothing is asked for, and nothing of the page is drawn anew', () => {
  const now = { first: 0, last: 0 };
  expect(pagesOf(now, 3, kPage - 1)).toBe(now);
  expect(pagesOf(now, 90, kPage)).toEqual({ first: 0, last: 1 });
});

test('a row is the same as long as what the server says of it is', () => {
  const entry = { experiment: { id: 5 }, bestTrial: null } as unknown as Parameters<typeof rowOf>[0];
  expect(rowOf(entry)).toBe(rowOf(entry));
  expect(rowOf(entry)).toEqual({ id: 5, bestTrial: null });
  expect(rowOf({})).toBeUndefined();
});

test('a page that is not there because it failed is told from one that only cannot be had anew', () => {
  const error = new Error('gone');
  expect(failureOf([{ data: {}, error: null }, { data: undefined, error }])).toBe(error);
  expect(failureOf([{ data: {}, error }])).toBeNull();
  expect(staleOf([{ data: {}, error: null }, { data: undefined, error }])).toBeUndefined();
  expect(staleOf([{ data: {}, error: null }, { data: {}, error }])).toEqual({ data: {}, error });
});
