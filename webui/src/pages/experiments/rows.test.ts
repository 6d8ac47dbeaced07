import { expect, test } from 'vitest';
import { questionOf } from './BulkActions';
import { failureOf, kPage, pageQuery, pagesOf, rowOf, staleOf } from './rows';

test('while one scrolls within a page nothing is asked for, and nothing of the page is drawn anew', () => {
  const now = { first: 0, last: 0 };
  expect(pagesOf(now, 3, kPage - 1)).toBe(now);
  expect(pagesOf(now, kPage - 10, kPage)).toEqual({ first: 0, last: 1 });
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

test('columns are no part of what is asked for', () => {
  expect(pageQuery({ cols: ['id'], project: 3 }, 0).queryKey).toEqual(pageQuery({ project: 3 }, 0).queryKey);
  expect(pageQuery({ sort: 'name=asc' }, 2).queryKey[2]).toMatchObject({ offset: 2 * kPage, limit: kPage, sort: 'name=asc' });
});

test('a question names what was chosen when it was asked', () => {
  expect(questionOf({ action: 'kill', ids: [7], others: 0 }).title).toBe('Kill 1 experiment?');
  const { title, means } = questionOf({ action: 'kill', ids: Array.from({ length: 1200 }, (_, i) => i), others: 1000 });
  expect(title).toBe('Kill 1,200 experiments?');
  expect(means).toMatch(/^You chose 1,000 of them under another filter\. ./);
});
